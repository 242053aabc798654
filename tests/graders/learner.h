/* learner: what a learner asks for at the command line. Each returns the exit status. */
#ifndef GRADERS_LEARNER_H
#define GRADERS_LEARNER_H

#include <stdbool.h>

#include "run.h"

struct Settings {
    const char *only;          /* the number of an exercise; NULL: all of them */
    const char *report, *file; /* tap, junit or json, and where to; NULL: none */
    bool strict, force;
    struct Grading grading;
};

/* Grade, a row each. 1 if one is wrong, crashes, takes too long or does not compile. */
int learner_check(const struct Settings *settings);

/* Show the first exercise that does not pass yet, and what to do. */
int learner_next(const struct Settings *settings);

/* Grade an exercise whenever it is saved; until Ctrl-C. */
int learner_watch(const struct Settings *settings);

/* The hints of an exercise, one more each time. */
int learner_hint(const struct Settings *settings);

/* The stub again; what was there is kept under another name. */
int learner_reset(const struct Settings *settings);

/* The solution, once the exercise passes, or by force. */
int learner_solution(const struct Settings *settings);

#endif
