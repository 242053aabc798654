/* class: grade the submissions of a class. Only the learners' answers are theirs; all the rest
   comes from this tree. */
#ifndef GRADERS_CLASS_H
#define GRADERS_CLASS_H

#include "run.h"

struct Class {
    const char *submissions; /* the directory with one directory for each student */
    const char *out;         /* where the marks go */
    const char *worksheet;   /* downloaded from Moodle; NULL: none */
    const char *title;       /* of the assignment, in gradebooks */
    struct Grading grading;
};

/* Grade each submissions/STUDENT/NN-name/answer.c (or STUDENT/exercises/NN-name/...; answer.txt
   for experiments) and write the marks. What a student left out is not started. Returns 0; the
   marks say who passed. */
int class_grade(const struct Class *c);

#endif
