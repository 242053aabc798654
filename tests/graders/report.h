/* report: what grading says, to people and to programs. Results go in, text comes out; nothing is
   graded here. */
#ifndef GRADERS_REPORT_H
#define GRADERS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "result.h"

/* The row of `make check`, in at most 80 columns:

   02 scaled-dot           WRONG    4/6
      You divide by sqrt(d_model); each head is d_head wide and needs sqrt(d_head).
      scores[b0 h1 q2 k0]: yours 0.4113, expected 0.7124 (check: one head)
      exercises/02-scaled-dot/answer.c | lesson 02 | make hint-02

   A row that passed, or was not started, is one line. Only the state has a colour, and only on a
   terminal, unless NO_COLOR is set or TERM is "dumb". */
void report_row(FILE *stream, const struct Result *result);

/* The row of `make grade`: the same without the last line, which tells a learner where to look. */
void report_verdict(FILE *stream, const struct Result *result);

/* What `make check-02` prints: the row, then each check with its state and why it did not pass, then
   what the learner's function printed. */
void report_details(FILE *stream, const struct Result *result);

/* The last line: "7 pass, 1 wrong, 5 to do". */
void report_summary(FILE *stream, const struct Result *results, int n);

/* The reports for programs, by name:

   "tap"    Test Anything Protocol, version 13 (testanything.org, "TAP version 13 specification"): a
            test point for each exercise, its checks as an indented subtest before it. That is the
            subtest of version 14; a reader of 13 skips it, while prove 3.44 (perl 5.36) calls a
            file of version 14 broken. What is not started is "not ok ... # TODO", which fails no
            run.
   "junit"  JUnit XML, as GitLab ("Unit test reports") and Jenkins read it: a testsuite for each
            exercise; in it a testcase "verdict", which says what the row says, and one for each
            check. WRONG is a failure; CRASH, TIMEOUT and COMPILE are errors; not started, not run:
            skipped.
   "json"   an object:
              version   1
              counts    an object: how many exercises are in each state, by its name
              results   an array, an object for each exercise: exercise, lesson, file, state,
                        passed, n_checks, mistake (its id, or null), lines (an array of strings),
                        printed, seed (a string: it has 64 bits), seconds, and
                        checks, an array of objects: name, state, text

   When strict, an exercise that was not started is a failure (TAP, JUnit). */

/* Die now if there is no such format, or path could not be written later. */
void report_check(const char *format, const char *path);

/* Write it: whole or not at all. path NULL: to stdout. */
void report_write(const char *format, const char *path, const struct Result *results, int n,
                  bool strict);

#endif
