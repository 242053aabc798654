/* Exercise 08: the pre-norm block. The task, and where to read: README.md beside this file.

   Put three given functions together:

     middle = x + attention(layernorm of x, with gamma1 and beta1)
     y      = middle + mlp(layernorm of middle, with gamma2 and beta2)

   x       (B,T,d), to be read: x[(b*T + t)*d + i], so B*T rows of d
   gamma1, beta1, gamma2, beta2  (d), to be read
   middle  (B,T,d), to be written
   y       (B,T,d), to be written
   normed  (B,T,d), room to work in: what it holds at the end does not matter

   layernorm, attention and mlp are given: answer.h says what they take. No two of the arrays here
   overlap.

   `make check-08` grades it. */
#include "exercises/08-block/answer.h"

void block(float *y, float *middle, float *normed, const float *x, const float *gamma1,
           const float *beta1, const float *gamma2, const float *beta2, int B, int T, int d)
{
    /* Your code. */
}
