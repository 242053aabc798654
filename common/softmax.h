/* softmax: scores to weights that are positive and add up to one,
   w_i = exp(s_i - m) / sum_j exp(s_j - m)  with m the largest score (it cancels, and keeps exp in
   range). A score of -inf gets a weight of exactly 0; a row of nothing but -inf gives NaN. */
#ifndef COMMON_SOFTMAX_H
#define COMMON_SOFTMAX_H

/* weights[0..n) overwritten; may be the same array as scores. n >= 1. */
void softmax_row(float *weights, const float *scores, int n);

/* The same for the first seen of n scores, times scale; the weights of the others, which a mask
   hides, are zeros. 0 <= seen <= n: a row that sees nothing is all zeros, by contract. */
void softmax_row_masked(float *weights, const float *scores, float scale, int seen, int n);

/* d_scores[0..n) overwritten; may be the same array as d_weights. The Jacobian is
   w_i (delta_ij - w_j). */
void softmax_row_backward(float *d_scores, const float *d_weights, const float *weights, int n);

/* The same through scale and mask: zeros from seen on. */
void softmax_row_masked_backward(float *d_scores, const float *d_weights, const float *weights,
                                 float scale, int seen, int n);

#endif
