/* The suites of the core's tests, one a file; run.c runs them all. */
#ifndef TESTS_CORE_SUITES_H
#define TESTS_CORE_SUITES_H

#include <check.h>

/* What is read and written. */
Suite *cli_suite(void);         /* options and --help */
Suite *files_suite(void);       /* whole files or none, tables, printable text */
Suite *progress_suite(void);    /* the bar, on a terminal */
Suite *page_suite(void);        /* headings, claims, the verdict */
Suite *threads_suite(void);     /* each task once */
Suite *safetensors_suite(void); /* round trip, every kind of broken file */

/* Numbers. */
Suite *vmath_suite(void);     /* exp, log, erf, sin, cos against double */
Suite *random_suite(void);    /* pinned, even, normal */
Suite *matmul_suite(void);    /* fast against naive, bit for bit */
Suite *attention_suite(void); /* the same */
Suite *mask_suite(void);      /* a row of keys at once against the rule */
Suite *tiled_suite(void);     /* attention in tiles against plain loops in double */
Suite *layers_suite(void);    /* each layer and its gradient against double */
Suite *golden_suite(void);    /* what PyTorch computes */
Suite *position_suite(void);  /* tables, biases and turns against the formulas */

/* The model and its task. */
Suite *model_suite(void);      /* its parameters; values and gradients against double */
Suite *diverged_suite(void);   /* where the first value that is not finite was */
Suite *batch_suite(void);      /* rows against pads, threads, shards */
Suite *reversal_suite(void);   /* strings, examples, the score */
Suite *cache_suite(void);      /* the bits of the whole, whatever the model */
Suite *decode_suite(void);     /* together or one by one */
Suite *checkpoint_suite(void); /* weights saved and loaded */
Suite *clip_suite(void);       /* a gradient that is too long */

#endif
