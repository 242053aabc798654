#ifndef EXERCISE_BLOCK_H
#define EXERCISE_BLOCK_H

void block(float *y, float *middle, float *normed, const float *x, const float *gamma1,
           const float *beta1, const float *gamma2, const float *beta2, int B, int T, int d);

/* Given. y is overwritten, and may be the same array as x. attention and mlp know their weights. */

/* y (rows,d) = gamma * (x - mean) / sqrt(variance + 1e-5) + beta, each row by itself. */
void layernorm(float *y, const float *x, const float *gamma, const float *beta, int rows, int d);

/* y (B,T,d): in each of the B sequences every token looks at itself and at those before it. */
void attention(float *y, const float *x, int B, int T, int d);

/* y (rows,d): each row by itself through two matrices, with GELU between them. */
void mlp(float *y, const float *x, int rows, int d);

#endif
