/* The tests of the exercises and their graders, a suite each. */
#ifndef TESTS_EXERCISES_SUITES_H
#define TESTS_EXERCISES_SUITES_H

#include <check.h>

Suite *
table_suite(void); /* stubs, solutions, variants and mutants get the states that they should */

#endif
