/* Exercise 07: GELU and the MLP. The task, and where to read: README.md beside this file.

   Two functions. gelu takes each number by itself:

     y[i] = x[i] * Phi(x[i])     Phi(x) = 1/2 * (1 + erf(x / sqrt(2)))

   x  (n), to be read: any finite numbers
   y  (n), to be written; may be the same array as x

   mlp takes each row of x by itself, and calls your gelu between two matrices:

     hidden[r][j] = GELU(sum over i of w_up[j][i] * x[r][i] + b_up[j])
     y[r][i]      = sum over j of w_down[i][j] * hidden[r][j] + b_down[i]

   x       (rows,d), to be read: row r begins at x + r*d
   w_up    (d_hidden,d), to be read: w_up[j*d + i];  b_up (d_hidden)
   w_down  (d,d_hidden), to be read: w_down[i*d_hidden + j];  b_down (d)
   hidden  (rows,d_hidden), to be written: what comes out of GELU
   y       (rows,d), to be written

   `make check-07` grades both. */
#include "exercises/07-gelu-mlp/answer.h"

#include <math.h>

void gelu(float *y, const float *x, int n)
{
    /* Your code. */
}

void mlp(float *y, float *hidden, const float *x, const float *w_up, const float *b_up,
         const float *w_down, const float *b_down, int rows, int d, int d_hidden)
{
    /* Your code. */
}
