/* decode: greedy generation. The most likely next token is appended, and the longer sequence is
   read anew, until each has what it wanted. Nothing is cached: that is lesson 10. */
#ifndef COMMON_DECODE_H
#define COMMON_DECODE_H

#include "model.h"

/* tokens (count,row_size): row s holds length[s] tokens and gets wanted more, written behind them;
   length is updated. length[s] + wanted[s] <= context + 1, as the last token need not be read.
   Works in batches of at most batch->max_count sequences, which it overwrites. */
void decode_greedy(struct Model *model, struct Batch *batch, int32_t *tokens, int row_size,
                   int *length, const int *wanted, int count);

/* The index of the largest of n values; the first of equals. */
int argmax(const float *x, int n);

#endif
