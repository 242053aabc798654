/* In double, with erfc instead of 1 + erf, and one hidden place after the other. */
#include "exercises/07-gelu-mlp/answer.h"

#include <math.h>

void gelu(float *y, const float *x, int n)
{
    while (n-- > 0)
        y[n] = (float)(0.5 * x[n] * erfc(-x[n] * M_SQRT1_2));
}

void mlp(float *y, float *hidden, const float *x, const float *w_up, const float *b_up,
         const float *w_down, const float *b_down, int rows, int d, int d_hidden)
{
    for (int r = rows - 1; r >= 0; r--) {
        double sums[d];
        for (int i = 0; i < d; i++)
            sums[i] = b_down[i];
        for (int j = 0; j < d_hidden; j++) {
            double sum = 0;
            for (int i = 0; i < d; i++)
                sum += (double)x[r * d + i] * w_up[j * d + i];
            float before = (float)(sum + b_up[j]);
            gelu(&hidden[r * d_hidden + j], &before, 1);
            for (int i = 0; i < d; i++)
                sums[i] += (double)w_down[i * d_hidden + j] * hidden[r * d_hidden + j];
        }
        for (int i = 0; i < d; i++)
            y[r * d + i] = (float)sums[i];
    }
}
