/* Exercise 02: scaled dot-product attention. The task, and where to read: README.md.

   For each sequence b and head h of a batch:

     scores (Tq,Tk)  = q · kᵀ / sqrt(d_head)
     weights (Tq,Tk) = softmax over the keys of each query
     out (Tq,d_head) = weights · v

   q        (B,H,Tq,d_head), to be read: q[((b*H + h)*Tq + i)*d_head + c]
   k, v     (B,H,Tk,d_head), to be read: k[((b*H + h)*Tk + j)*d_head + c]
   weights  (B,H,Tq,Tk), to be written
   out      (B,H,Tq,d_head), to be written
   All sizes are at least 1. There may be more keys than queries, or fewer.

   The model is d_model = H*d_head wide. There is no mask: every query sees every key.
   softmax(weights, scores, rows, n) is given; it may work in place.

   `make check-02` grades it. */
#include "exercises/02-scaled-dot/answer.h"

#include <math.h>

void scaled_dot(float *out, float *weights, const float *q, const float *k, const float *v, int B,
                int H, int Tq, int Tk, int d_head)
{
    /* answer: */
    for (int bh = 0; bh < B * H; bh++) {
        float *w = weights + bh * Tq * Tk;
        for (int i = 0; i < Tq; i++) {
            for (int j = 0; j < Tk; j++) {
                float score = 0.0f;
                for (int c = 0; c < d_head; c++) {
                    score += q[(bh * Tq + i) * d_head + c] * k[(bh * Tk + j) * d_head + c];
                }
                w[i * Tk + j] = score / sqrtf(d_head);
            }
        }
        softmax(w, w, Tq, Tk);
        for (int i = 0; i < Tq; i++) {
            for (int c = 0; c < d_head; c++) {
                float sum = 0.0f;
                for (int j = 0; j < Tk; j++) {
                    sum += w[i * Tk + j] * v[(bh * Tk + j) * d_head + c];
                }
                out[(bh * Tq + i) * d_head + c] = sum;
            }
        }
    }
    /* :answer */
}
