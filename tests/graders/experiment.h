/* experiment: an exercise in which the learner runs something, reads its page, and says what it
   means. The answers are numbers, held against recorded pages digit for digit, and letters, where
   each wrong letter is something that people believe and a line of a run that speaks against it.

   In one of them the learner also changes a function; its hook says what the change is worth. */
#ifndef GRADERS_EXPERIMENT_H
#define GRADERS_EXPERIMENT_H

#include <stddef.h>

#include "pages.h"
#include "result.h"

/* A number of the pages that is easily taken for the right one. */
struct Other {
    struct Place place;
    const char *id, *sentence; /* to the learner, who has given it; NULL ends a list */
};

/* The letters a to d. The right one has no sentence. */
struct Choice {
    const char *id, *sentence;
};

enum { CHOICES = 4, MAX_OTHERS = 4 };

struct Question {
    const char *name;   /* as in answer.txt */
    const char *run;    /* the letter of the README's run: "A"; NULL: a choice */
    struct Place place; /* of the number */
    struct Place all;   /* of how many strings; page NULL: it does not count strings */
    struct Other others[MAX_OTHERS];
    struct Choice choices[CHOICES];
};

/* What became of the function that the learner is to change. */
struct Change {
    enum { AS_IT_WAS, REFUSED, FAIR } how;
    enum State state;    /* REFUSED: WRONG, CRASH, TIMEOUT or COMPILE */
    const char *mistake; /* REFUSED: its id, or NULL */
    char text[LINE];     /* REFUSED: why */
    char *page;          /* FAIR: what its run prints, to be freed: the page "yours" */
};

struct Experiment {
    const char *name;   /* "14-scaling" */
    const char *lesson; /* where to read: "lesson 02" */
    const struct Question *questions;
    int n_questions;
    /* NULL: there is nothing to change. What is in this file, built in that directory? */
    struct Change (*change)(const char *answer_c, const char *build);
};

/* Grade the answer.txt at this path; if there is something to change, the answer.c beside it
   too, built in the directory build. Dies if the pages to grade by are not there. */
struct Result experiment_grade(const struct Experiment *e, const char *path, const char *build);

/* The result of answers that are not there. */
struct Result experiment_not_started(const struct Experiment *e);

extern const struct Experiment *const experiments[];
extern const int n_experiments;

#endif
