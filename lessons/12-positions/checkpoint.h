/* checkpoint: a model that was trained with adjacent pairs, read by a program that pairs halves. */
#ifndef LESSON_12_CHECKPOINT_H
#define LESSON_12_CHECKPOINT_H

#include "reverser.h"

/* Section 12 of the page. */
void report_checkpoint(struct Model *adjacent, uint64_t seed, int steps, int tested);

#endif
