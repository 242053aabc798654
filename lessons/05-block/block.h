/* block: what lesson 05 is about, written out: layer norm, GELU, the MLP, the residual path. */
#ifndef LESSON_05_BLOCK_H
#define LESSON_05_BLOCK_H

#include <stdint.h>

#include "common/block.h"

/* y (rows,d) overwritten; x (rows,d); gamma, beta (d). */
void layer_norm(float *y, const float *x, const float *gamma, const float *beta, int rows, int d);

/* x·Phi(x), and its approximation by tanh. */
float gelu(float x);
float gelu_tanh(float x);

/* The largest block that there is room for; BLOCK_LONGEST tokens a sequence. */
enum { BLOCK_ROWS = 64, BLOCK_WIDTH = 64, BLOCK_HEADS = 4, BLOCK_LONGEST = 32 };

/* y (rows,d) overwritten; x (rows,d). */
void block(float *y, const float *x, const struct BlockTensors *w, struct Sequences sequences,
           int rows, int d, const struct AttentionConfig *config);

/* On this shape, with random weights and sequences of length and length + 1: the largest difference
   of layer norm, GELU and block from those of common/, as a share of the largest entry. */
enum { LAYER_NORM, GELU, BLOCK, DIFFERENCES };
void block_differences(double *difference, int length, int d, int n_heads, uint64_t seed);

#endif
