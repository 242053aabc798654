/* In double, all means of the batch first; the terms of d_x are kept apart. */
#include "exercises/06-layernorm-backward/answer.h"

#include <stdlib.h>

void layernorm_backward(float *d_x, float *d_gamma, float *d_beta, const float *d_y, const float *x,
                        const float *mean, const float *rstd, const float *gamma, int rows, int d)
{
    double *mg = calloc(rows, sizeof(double)), *mgx = calloc(rows, sizeof(double));
    for (int n = rows * d - 1; n >= 0; n--) {
        int r = n / d, i = n % d;
        double g = (double)d_y[n] * gamma[i] / d;
        mg[r] += g;
        mgx[r] += g * ((double)x[n] - mean[r]) * rstd[r];
    }
    for (int i = 0; i < d; i++) {
        double of_gamma = 0, of_beta = 0;
        for (int r = 0; r < rows; r++) {
            int n = r * d + i;
            double s = rstd[r], xhat = ((double)x[n] - mean[r]) * s;
            of_gamma += xhat * d_y[n];
            of_beta += d_y[n];
            d_x[n] += (float)(s * gamma[i] * d_y[n] - s * mg[r] - s * xhat * mgx[r]);
        }
        d_gamma[i] += (float)of_gamma;
        d_beta[i] += (float)of_beta;
    }
    free(mg);
    free(mgx);
}
