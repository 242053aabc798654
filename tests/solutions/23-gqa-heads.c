/* Exercise 23: query heads that share keys and values. The task, and where to read: README.md beside
   this file.

   There are H query heads, and Hkv heads of keys and values, by which H can be divided. So each of
   these has a group of H/Hkv query heads: the first group reads head 0 of k and v, the next one head
   1, and so on. For each sequence b and query head h, with g the head of keys and values that its
   group reads:

     scores (Tq,Tk)  = q of head h · (k of head g)ᵀ / sqrt(d_head)
     weights (Tq,Tk) = softmax over the keys of each query
     out (Tq,d_head) = weights · v of head g

   q        (B,H,Tq,d_head), to be read: q[((b*H + h)*Tq + i)*d_head + c]
   k, v     (B,Hkv,Tk,d_head), to be read: k[((b*Hkv + g)*Tk + j)*d_head + c]
   weights  (B,H,Tq,Tk), to be written
   out      (B,H,Tq,d_head), to be written
   Hkv = H is the attention of exercise 02, Hkv = 1 shares one head of keys and values among all.
   There is no mask. softmax(weights, scores, rows, n) is given; it may work in place.

   `make check-23` grades it. */
#include "exercises/23-gqa-heads/answer.h"

#include <math.h>

void grouped_attention(float *out, float *weights, const float *q, const float *k, const float *v,
                       int B, int H, int Hkv, int Tq, int Tk, int d_head)
{
    /* answer: */
    for (int bh = 0; bh < B * H; bh++) {
        int b = bh / H, h = bh % H;
        int g = h / (H / Hkv);
        const float *queries = q + (b * H + h) * Tq * d_head;
        const float *keys = k + (b * Hkv + g) * Tk * d_head;
        const float *values = v + (b * Hkv + g) * Tk * d_head;
        float *w = weights + (b * H + h) * Tq * Tk, *o = out + (b * H + h) * Tq * d_head;
        for (int i = 0; i < Tq; i++) {
            for (int j = 0; j < Tk; j++) {
                float score = 0.0f;
                for (int c = 0; c < d_head; c++) {
                    score += queries[i * d_head + c] * keys[j * d_head + c];
                }
                w[i * Tk + j] = score / sqrtf(d_head);
            }
        }
        softmax(w, w, Tq, Tk);
        for (int i = 0; i < Tq; i++) {
            for (int c = 0; c < d_head; c++) {
                o[i * d_head + c] = 0.0f;
                for (int j = 0; j < Tk; j++) {
                    o[i * d_head + c] += w[i * Tk + j] * values[j * d_head + c];
                }
            }
        }
    }
    /* :answer */
}
