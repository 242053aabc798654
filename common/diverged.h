/* diverged: when a training has met a number that is not finite, where it met the first one. */
#ifndef COMMON_DIVERGED_H
#define COMMON_DIVERGED_H

#include "model.h"

/* A place in the order of computation: token + position, each block, the head, the loss; then the
   gradients from the head back to the tables; then the new weights; then the next step. */
struct Place {
    char text[120]; /* "block 2, attention weights"; empty: every value is finite */
    int step;       /* the step that computed it */
};

/* To be asked before model_update, when model_gradient(model, batch) in this step, counted from 1,
   gave a loss that is not finite. Runs the model forward, with a query in every row. */
struct Place diverged_at(struct Model *model, const struct Batch *batch, int step);

#endif
