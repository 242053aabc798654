/* course: all exercises in their order, those with code and those with an experiment, seen
   alike. */
#ifndef GRADERS_COURSE_H
#define GRADERS_COURSE_H

#include "run.h"

int course_size(void);

/* The index of the exercise with this number, "02"; dies with one line if there is none. */
int course_find(const char *number);

const char *course_name(int i); /* "02-scaled-dot" */

/* What the learner edits there: file k = 0, 1, ..., "answer.c" or "answer.txt"; NULL: no more. */
const char *course_file(int i, int k);

/* Grade what stands in this directory. What is built goes to build/where/NN-name/. */
struct Result course_grade(int i, const char *directory, const char *where,
                           const struct Grading *grading);

/* The result of an exercise that nobody began. */
struct Result course_not_started(int i);

/* What a learner starts from in file k, and what solves it; to be freed. */
char *course_stub(int i, int k);
char *course_solution(int i, int k);

#endif
