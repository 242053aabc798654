/* Exercise 05: layer norm, forward. The task, and where to read: README.md beside this file.

   For each row r of x, over its d numbers:

     mean[r]  = sum of x[r][i] / d
     rstd[r]  = 1 / sqrt(variance + 1e-5)    with variance = sum of (x[r][i] - mean[r])^2 / d
     y[r][i]  = (x[r][i] - mean[r]) * rstd[r] * gamma[i] + beta[i]

   x            (rows,d), to be read: row r begins at x + r*d
   gamma, beta  (d), to be read
   y            (rows,d), to be written
   mean, rstd   (rows), to be written: the backward pass needs them
   rows >= 1, d >= 1. A row may be far from 0, and all its numbers may be equal.

   `make check-05` grades it. */
#include "exercises/05-layernorm/answer.h"

#include <math.h>

void layernorm(float *y, float *mean, float *rstd, const float *x, const float *gamma,
               const float *beta, int rows, int d)
{
    /* answer: */
    for (int r = 0; r < rows; r++) {
        float sum = 0.0f, squares = 0.0f;
        for (int i = 0; i < d; i++) {
            sum += x[r * d + i];
        }
        float center = sum / d;
        for (int i = 0; i < d; i++) {
            float off = x[r * d + i] - center;
            squares += off * off;
        }
        float scale = 1.0f / sqrtf(squares / d + 1e-5f);
        for (int i = 0; i < d; i++) {
            y[r * d + i] = (x[r * d + i] - center) * scale * gamma[i] + beta[i];
        }
        mean[r] = center;
        rstd[r] = scale;
    }
    /* :answer */
}
