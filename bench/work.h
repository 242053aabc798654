/* work: how many operations a step takes. Counted are the multiply-adds of the matrix products and
   of attention, two operations each, that the loss depends on: no pads, no rows of the last block
   that no loss sees, no keys behind the mask. What norms, GELU, softmax and AdamW do is not
   counted, and neither is the rest of a tile that a mask cuts through. A backward pass takes twice
   the operations of its forward pass: one product for the inputs, one for the weights. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include "common/model.h"

/* y = x·Wᵀ, x (rows,k), y (rows,n); and so are its two backward products. */
double linear_work(int rows, int k, int n);

/* Forward: scores and mix, for the rows that ask, of keys up to their own place. */
double attention_work(struct Sequences sequences, int d_model);

/* Forward: one block; rows in all. */
double block_work(struct Sequences sequences, int rows, int d_model);

/* Forward: the head, for the rows that ask. */
double head_work(struct Sequences sequences, int d_model, int vocab);

/* Forward and backward: a whole step of training on this batch. */
double step_work(const struct ModelConfig *config, const struct Batch *batch);

#endif
