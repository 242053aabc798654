/* Exercise 12: one step of AdamW. The task, and where to read: README.md beside this file.

   For each of n parameters, at step t = 1, 2, 3, ...:

     m  becomes  beta1·m + (1 - beta1)·g      the mean of the gradients, old ones fading
     v  becomes  beta2·v + (1 - beta2)·g²     the same of their squares
     p  becomes  p - lr·decay·p - lr · m' / (sqrt(v') + eps)
        with m' = m / (1 - beta1^t) and v' = v / (1 - beta2^t), of the new m and v

   The p in the decay is the p from before the step. So it is the same whether you subtract both at
   once, as in the paper, or let p decay first, as PyTorch does. To let the new p decay is another
   thing.

   g        (n), to be read: the gradients
   p, m, v  (n), to be read and overwritten. m and v are zeros before step 1, and come back to you
            at the next step as you left them: without the correction, which is for p alone.
   settings.lr, .beta1, .beta2, .eps, .decay: numbers; n >= 1, t >= 1

   `make check-12` grades it. */
#include "exercises/12-adamw/answer.h"

#include <math.h>

void adamw_step(float *p, float *m, float *v, const float *g, int n, int t, struct AdamW settings)
{
    /* Your code. */
}
