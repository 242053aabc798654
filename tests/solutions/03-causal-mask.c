/* Exercise 03: the causal mask. The task, and where to read: README.md beside this file.

   A text has Tk tokens, and the last Tq of them ask: query i is token Tk - Tq + i. It may look at
   itself and at every token before it, so at key j only if j <= Tk - Tq + i. For each sequence b and
   head h of a batch:

     masked (Tq,Tk)  = the score where query i may look at key j, -infinity where it may not
     weights (Tq,Tk) = softmax over the keys of each query, of masked

   scores   (B,H,Tq,Tk), to be read: scores[((b*H + h)*Tq + i)*Tk + j]. Any finite numbers.
   weights  (B,H,Tq,Tk), to be written
   1 <= Tq <= Tk

   softmax(weights, scores, rows, n) is given; it may work in place.

   `make check-03` grades it. */
#include "exercises/03-causal-mask/answer.h"

#include <math.h>

void causal_weights(float *weights, const float *scores, int B, int H, int Tq, int Tk)
{
    /* answer: */
    for (int bh = 0; bh < B * H; bh++) {
        for (int i = 0; i < Tq; i++) {
            const float *s = scores + (bh * Tq + i) * Tk;
            float *w = weights + (bh * Tq + i) * Tk;
            int last = Tk - Tq + i;
            for (int j = 0; j < Tk; j++) {
                w[j] = j <= last ? s[j] : -INFINITY;
            }
            softmax(w, w, 1, Tk);
        }
    }
    /* :answer */
}
