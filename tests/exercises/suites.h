/* The tests of the exercises and of what grades them, a suite each, and what they share. */
#ifndef TESTS_EXERCISES_SUITES_H
#define TESTS_EXERCISES_SUITES_H

#include <check.h>

#include "tests/graders/result.h"

Suite *table_suite(void); /* stubs, solutions, variants and mutants get the states they should */
Suite *table_rest_suite(void);
Suite *experiment_suite(void); /* answers in numbers and letters; a change to training */
Suite *hostile_suite(void);    /* answers that mean harm, or are broken, or are no files */
Suite *learner_suite(void);    /* make check, next, watch, hint, reset, solution, grade */
Suite *report_suite(void);     /* rows, TAP, JUnit, JSON */
Suite *gradebook_suite(void);  /* scores, tables, what Moodle and the others take */

/* A result in this state, with n_checks checks named "check 1" and so on, of which the first
   `passed` passed and the next is in this state; the rest was not run. No lines yet. */
struct Result sample(const char *exercise, enum State state, int passed, int n_checks);

/* One in each state, with the lines of the row in report.h and others like it. */
enum { N_SAMPLES = 6 };
void samples(struct Result results[N_SAMPLES]);

/* What a learner can put into a message or a name: control characters, quotes, markup, letters, and
   bytes that are no UTF-8. */
extern const char nasty[];

#endif
