/* learner: what a learner asks for at the command line. Each returns the exit status. */
#ifndef GRADERS_LEARNER_H
#define GRADERS_LEARNER_H

#include <stdbool.h>

#include "run.h"

struct Settings {
    const char *only; /* the number of an exercise, or NULL */
    bool strict, force;
    struct Grading grading;
};

int learner_check(const struct Settings *settings);
int learner_next(const struct Settings *settings);
int learner_watch(const struct Settings *settings);
int learner_hint(const struct Settings *settings);
int learner_reset(const struct Settings *settings);
int learner_solution(const struct Settings *settings);

#endif
