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
    /* Your code. */
}
