/* Exercise 22: turn queries and keys. The task, and where to read: README.md beside this file.

   RoPE, Su et al. (2021). A row of qkv holds the queries of all heads, then their keys, then their
   values. In each query and in each key, number 2i and number 2i + 1 are a pair, which is turned,
   counter-clockwise, by an angle that grows with the place of its token:

     angle = place[t] * base^(-2i/d_head)             for i = 0 .. d_head/2 - 1
     (a, b)  becomes  (a cos(angle) - b sin(angle), a sin(angle) + b cos(angle))

   qkv    (T,3,H,d_head), to be read and overwritten: number c of head h in token t stands in
          qkv[((t*3 + s)*H + h)*d_head + c], where s is 0 for the query, 1 for the key, 2 for the
          value
   place  (T), to be read: where each token stands, at least 0
   base   a number of at least 1; all sizes are at least 1, d_head is even

   `make check-22` grades it. */
#include "exercises/22-rope/answer.h"

#include <math.h>

void rope(float *qkv, const int *place, int T, int H, int d_head, float base)
{
    /* answer: */
    for (int t = 0; t < T; t++) {
        for (int s = 0; s < 2; s++) {
            for (int h = 0; h < H; h++) {
                float *x = qkv + ((t * 3 + s) * H + h) * d_head;
                for (int i = 0; i < d_head / 2; i++) {
                    float frequency = powf(base, -2.0f * i / d_head);
                    float angle = place[t] * frequency;
                    float sine = sinf(angle), cosine = cosf(angle);
                    float *to_a = &x[2 * i], *to_b = &x[2 * i + 1];
                    float a = *to_a, b = *to_b;
                    *to_a = a * cosine - b * sine;
                    *to_b = a * sine + b * cosine;
                }
            }
        }
    }
    /* :answer */
}
