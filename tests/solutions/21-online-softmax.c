/* Exercise 21: merge two softmaxes. The task, and where to read: README.md.

   Of the keys that a query has looked at so far three things are known:

     m   the largest score
     l   the sum of e^(score - m)
     u   the sum of e^(score - m) times the key's value, d numbers

   State 1 is that of some keys, state 2 that of others. Write the state of all of them together,
   and the output of attention for it, u / l. A row is a query; each stands for itself.

   m1, m2, l1, l2  (rows), to be read
   u1, u2          (rows,d), to be read: u1[r*d + c]
   m, l            (rows), to be written
   u, out          (rows,d), to be written
   rows and d are at least 1.

   A state may have seen no key: then m is -INFINITY, l is 0, and u is zeros. If neither state of a
   row has, the result is such a state too, and its output is zeros.

   `make check-21` grades it. */
#include "exercises/21-online-softmax/answer.h"

#include <math.h>

void merge_states(float *m, float *l, float *u, float *out, const float *m1, const float *l1,
                  const float *u1, const float *m2, const float *l2, const float *u2, int rows,
                  int d)
{
    /* answer: */
    for (int r = 0; r < rows; r++) {
        float most = fmaxf(m1[r], m2[r]);
        float f1 = m1[r] == -INFINITY ? 0.0f : expf(m1[r] - most);
        float f2 = m2[r] == -INFINITY ? 0.0f : expf(m2[r] - most);
        m[r] = most;
        l[r] = f1 * l1[r] + f2 * l2[r];
        for (int i = r * d; i < (r + 1) * d; i++) {
            u[i] = f1 * u1[i] + f2 * u2[i];
            out[i] = l[r] == 0.0f ? 0.0f : u[i] / l[r];
        }
    }
    /* :answer */
}
