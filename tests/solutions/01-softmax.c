/* Exercise 01: softmax. The task, and where to read: README.md beside this file.

   Turn each row of scores into weights: positive, adding up to 1, larger where the score is larger.

     weights[r][i] = exp(s[r][i] - m[r]) / sum over j of exp(s[r][j] - m[r])
     with m[r] the largest score of row r

   scores   (rows,n), to be read: row r begins at scores + r*n. Any finite numbers, also large ones.
   weights  (rows,n), to be written
   rows >= 1, n >= 1

   `make check-01` grades it. */
#include "exercises/01-softmax/answer.h"

#include <math.h>

void softmax(float *weights, const float *scores, int rows, int n)
{
    /* answer: */
    for (int r = 0; r < rows; r++) {
        const float *s = scores + r * n;
        float *w = weights + r * n;
        float max = s[0], sum = 0.0f;
        for (int i = 1; i < n; i++) {
            max = fmaxf(max, s[i]);
        }
        for (int i = 0; i < n; i++) {
            w[i] = expf(s[i] - max);
            sum += w[i];
        }
        for (int i = 0; i < n; i++) {
            w[i] /= sum;
        }
    }
    /* :answer */
}
