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
    /* answer: */
    float scale = 1.0f / sqrtf(d_head);
    for (int i = 0; i < B * H * T * d_head; i++) {
        d_q[i] = d_k[i] = d_v[i] = 0.0f;
    }
    for (int row = 0; row < B * H * T; row++) { /* a query of one of the heads */
        const float *w = weights + row * T;
        int first = row / T * T; /* the row of that head's first key */
        float d_w[T], mean = 0.0f;
        for (int j = 0; j < T; j++) {
            d_w[j] = 0.0f;
            for (int c = 0; c < d_head; c++) {
                d_w[j] += d_out[row * d_head + c] * v[(first + j) * d_head + c];
            }
            mean += w[j] * d_w[j];
        }
        for (int j = 0; j < T; j++) {
            float d_score = w[j] * (d_w[j] - mean);
            for (int c = 0; c < d_head; c++) {
                int at_query = row * d_head + c, at_key = (first + j) * d_head + c;
                d_v[at_key] += w[j] * d_out[at_query];
                d_q[at_query] += d_score * k[at_key] * scale;
                d_k[at_key] += d_score * q[at_query] * scale;
            }
        }
    }
    /* :answer */
}
