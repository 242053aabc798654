/* The suites of the core's tests, one a file; run.c runs them all. */
#ifndef TESTS_CORE_SUITES_H
#define TESTS_CORE_SUITES_H

#include <check.h>

Suite *vmath_suite(void);       /* exp, log, erf, sin, cos against double */
Suite *plumbing_suite(void);    /* options, progress, tables, files */
Suite *safetensors_suite(void); /* round trip, every kind of broken file */
Suite *kernels_suite(void);     /* fast against naive, bit for bit */
Suite *gradients_suite(void);   /* every backward function against central differences in double */
Suite *golden_suite(void);      /* what PyTorch computes */
Suite *batch_suite(void);       /* rows against pads, threads, shards */
Suite *reversal_suite(void);    /* the task, its test, decoding, saving and loading */

#endif
