/* In double, with the sums from the last number to the first; y is divided by the root, and holds
   the centered numbers on the way. The mean of squares minus the square of the mean is good enough
   in double. */
#include "exercises/05-layernorm/answer.h"

#include <math.h>

void layernorm(float *y, float *mean, float *rstd, const float *x, const float *gamma,
               const float *beta, int rows, int d)
{
    for (int r = rows - 1; r >= 0; r--) {
        double sum = 0, squares = 0;
        for (int i = d - 1; i >= 0; i--) {
            sum += x[r * d + i] / (double)d;
            squares += (double)x[r * d + i] * x[r * d + i] / d;
        }
        double root = sqrt(squares - sum * sum + 0.00001);
        for (int i = 0; i < d; i++)
            y[r * d + i] = (float)(x[r * d + i] - sum);
        for (int i = 0; i < d; i++)
            y[r * d + i] = (float)(y[r * d + i] / root * gamma[i] + beta[i]);
        mean[r] = (float)sum;
        rstd[r] = (float)pow(root, -1);
    }
}
