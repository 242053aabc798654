/* examples: what the learner's training_example() makes of the strings of a whole training, and
   whether that is a fair answer to the question: the strings untouched, only their place
   changed. */
#ifndef GRADERS_EXAMPLES_H
#define GRADERS_EXAMPLES_H

#include "common/reversal.h"
#include "tests/graders/experiment.h"

enum { STEPS = 1500, BATCH = 64, EXAMPLES = STEPS * BATCH };

/* The examples of a training, as many as EXAMPLES. */
struct Examples {
    struct String *strings;    /* (EXAMPLES): of 3 to 8 letters, those of lesson 07 */
    int32_t *tokens, *targets; /* (EXAMPLES,CONTEXT) */
};
void examples_new(struct Examples *examples, uint64_t seed);
void examples_free(struct Examples *examples);

/* tokens and targets overwritten by the function in this program (build.h). False if it did not
   come back, or not with the same every time: why is then in *change. */
bool examples_collect(struct Examples *examples, const char *program, uint64_t seed,
                      struct Change *change);

/* Where the string of an example begins; -1: the string is not in it, as it should be. */
int example_begin(const struct Examples *examples, int i);

/* The first fault of the examples as a sentence; false if there is none. */
bool examples_fault(const struct Examples *examples, struct Change *change);

#endif
