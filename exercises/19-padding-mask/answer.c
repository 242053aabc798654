/* Exercise 19: pads. The task, and where to read: README.md beside this file.

   A batch holds B texts of unequal length in T places each; what a text leaves over is filled up
   with pads, in front of it, behind it, or both. Text b is the length[b] tokens from place first[b]
   on. Turn scores into weights, so that no query looks at a pad:

     query i may look at key j  if place j belongs to the text
                                and, where causal is 1, j <= i
     weights (T,T)              softmax over the keys that a query may look at; exactly 0 for all
                                others; nothing but 0 for a query that may look at no key

   The rule is the same for every query, those at the places of pads too, and for every head.

   scores         (B,H,T,T), to be read: scores[((b*H + h)*T + i)*T + j]. Any finite numbers.
   first, length  (B), to be read: 0 <= first, 0 <= length, first + length <= T
   weights        (B,H,T,T), to be written, every entry

   softmax(weights, scores, rows, n) is given; it may work in place.

   `make check-19` grades it. */
#include "exercises/19-padding-mask/answer.h"

#include <math.h>

void padded_weights(float *weights, const float *scores, const int *first, const int *length,
                    int causal, int B, int H, int T)
{
    /* Your code. */
}
