/* Exercise 10: attention, backwards. The task, and where to read: README.md beside this file.

   The forward pass did this, for each sequence b and head h of a batch:

     scores (T,T)   = q · kᵀ / sqrt(d_head)
     weights (T,T)  = softmax over the keys of each query
     out (T,d_head) = weights · v

   d_out says how the loss moves with out. Find how it moves with q, k and v, by the chain rule, from
   the last line to the first:

     d_v (T,d_head)   = weightsᵀ · d_out
     d_weights (T,T)  = d_out · vᵀ
     d_scores[i][j]   = sum over l of d_weights[i][l] * weights[i][l] * ((l == j) - weights[i][j])
     d_q (T,d_head)   = d_scores · k / sqrt(d_head)
     d_k (T,d_head)   = d_scoresᵀ · q / sqrt(d_head)

   d_out, q, k, v  (B,H,T,d_head), to be read: q[((b*H + h)*T + i)*d_head + c]
   weights         (B,H,T,T), to be read: weights[((b*H + h)*T + i)*T + j] is what query i gave to
                   key j. Each row adds up to 1. What a mask hid has the weight 0, so you need not
                   know which mask it was.
   d_q, d_k, d_v   (B,H,T,d_head), to be overwritten: they hold nothing yet
   d_weights and d_scores are yours to keep or not. T is small: float row[T] may be a local array.

   `make check-10` grades it. */
#include "exercises/10-attention-backward/answer.h"

#include <math.h>

void attention_backward(float *d_q, float *d_k, float *d_v, const float *d_out, const float *q,
                        const float *k, const float *v, const float *weights, int B, int H, int T,
                        int d_head)
{
    /* Your code. */
}
