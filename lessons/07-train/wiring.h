/* wiring: one step of training with nothing hidden, for reading beside common/shard.c and
   block.c. */
#ifndef LESSON_07_WIRING_H
#define LESSON_07_WIRING_H

#include "common/model.h"

/* The mean loss of the batch under the model's weights. gradient (model->params.size) overwritten.
   batch must have a target. */
double wiring_gradient(float *gradient, const struct Model *model, const struct Batch *batch);

/* The logits (rows,vocab) of the batch, overwritten, when in one block two rows have each other's
   values: both are looked at as before, and what is found there changes places. */
struct Swap {
    int layer, row, other;
};
void wiring_logits(float *logits, const struct Model *model, const struct Batch *batch,
                   struct Swap swap);

/* The AdamW update of one number at step t = 1, 2, ...: returns the new parameter; the moments m
   and v are overwritten. */
float wiring_adamw(float parameter, float gradient, float *m, float *v, int t, double lr,
                   double decay);

#endif
