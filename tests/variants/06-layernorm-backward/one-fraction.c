/* As many papers have it: rstd/d * (d*g - sum(g) - xhat*sum(g*xhat)). The pointers walk, the rows'
   xhat are written down first, and gamma and beta get their turn before d_x does. */
#include "exercises/06-layernorm-backward/answer.h"

void layernorm_backward(float *d_x, float *d_gamma, float *d_beta, const float *d_y, const float *x,
                        const float *mean, const float *rstd, const float *gamma, int rows, int d)
{
    for (const float *end = x + rows * d; x < end; x += d, d_y += d, d_x += d, mean++, rstd++) {
        float xhat[d], g[d], sum = 0, dot = 0;
        for (int i = d - 1; i >= 0; i--)
            xhat[i] = *rstd * (x[i] - *mean);
        for (int i = 0; i < d; i++) {
            d_beta[i] += d_y[i];
            d_gamma[i] += d_y[i] * xhat[i];
        }
        for (int i = d - 1; i >= 0; i--) {
            sum += g[i] = gamma[i] * d_y[i];
            dot += xhat[i] * g[i];
        }
        for (int i = 0; i < d; i++)
            d_x[i] += *rstd / d * (d * g[i] - sum - xhat[i] * dot);
    }
}
