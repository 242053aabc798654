/* trial: what a model learns from the learner's examples. The training is lesson 07's in all but
   the examples, so a page that differs from lesson 07's differs because of them. */
#ifndef GRADERS_TRIAL_H
#define GRADERS_TRIAL_H

#include "examples.h"

/* The page of the training, to be freed. It is kept in the build directory under a name made of the
   examples, and taken from there the next time. */
char *trial_page(const struct Examples *examples, uint64_t seed, bool quiet);

#endif
