/* longer: from the learner's file to the examples of a whole training. */
#ifndef GRADERS_LONGER_H
#define GRADERS_LONGER_H

#include "examples.h"

/* Build the answer in this directory, collect its examples, and see whether the change is fair.
   examples overwritten, to be freed in any case; unless the change is REFUSED, they can be
   trained on: those of a file AS_IT_WAS are lesson 07's. */
struct Change longer_change(struct Examples *examples, const char *answer_c, const char *directory,
                            uint64_t seed);

#endif
