/* The tests of the lessons, a suite each; a suite has its cases in several files. */
#ifndef TESTS_LESSONS_SUITES_H
#define TESTS_LESSONS_SUITES_H

#include <check.h>

Suite *every_lesson_suite(void); /* what all of them owe */

Suite *lesson_01_suite(void);
Suite *lesson_02_suite(void);
Suite *lesson_03_suite(void);
Suite *lesson_04_suite(void);
Suite *lesson_05_suite(void);
Suite *lesson_06_suite(void);

Suite *lesson_07_suite(void);
void add_07_refusals(Suite *suite); /* what cannot be done, and --help */
void add_07_training(Suite *suite); /* losses and weights are those of PyTorch and of the core */
void add_07_files(Suite *suite);    /* what it leaves, for models and strings of all sizes */
void add_07_ends(Suite *suite);     /* terminals, interrupts, divergence, full disks */

Suite *lesson_08_suite(void);
Suite *lesson_09_suite(void);
Suite *lesson_10_suite(void);
Suite *lesson_11_suite(void);
Suite *lesson_12_suite(void);
Suite *lesson_13_suite(void);

#endif
