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
    /* Your code. */
}
