/* Each row by itself: two sums over d, in the fixed shape of sum16, then one pass. */
#include "norm.h"

#include <string.h>

#include "simd.h"

static const float EPSILON = 1e-5f;

void layernorm_forward(float *restrict y, float *mean, float *rstd, const float *x,
                       const float *gamma, const float *beta, int rows, int d)
{
    for (int r = 0; r < rows; r++, x += d, y += d) {
        float center = sum16(x, d) / (float)d;
        for (int i = 0; i < d; i++) {
            y[i] = x[i] - center;
        }
        float scale = 1.0f / sqrtf(dot16(y, y, d) / (float)d + EPSILON);
        for (int i = 0; i < d; i++) {
            y[i] = fmaf(y[i] * scale, gamma[i], beta[i]);
        }
        mean[r] = center;
        rstd[r] = scale;
    }
}

/* With x^ = (x - mean)·rstd and g = d_y·gamma:  d_x += rstd·(g - mean(g) - x^·mean(g·x^)).
   The two means are there because mean and rstd depend on x as well. */
static void row_backward(float *restrict d_x, const float *d_y, const float *x, float mean,
                         float rstd, const float *gamma, int d)
{
    struct Lanes16 sum_g = {0}, sum_gx = {0};
    for (int i = 0; i < d; i += 16) {
        UNROLL
        for (int p = 0; p < 16 / LANES; p++) {
            int at = i + p * LANES;
            if (at < d) {
                vf g = vload_n(d_y + at, d - at) * vload_n(gamma + at, d - at);
                vf x_hat = (vload_n(x + at, d - at) - mean) * rstd;
                sum_g.part[p] += g;
                sum_gx.part[p] = vfma(g, x_hat, sum_gx.part[p]);
            }
        }
    }
    float mean_g = fold16(sum_g) / (float)d, mean_gx = fold16(sum_gx) / (float)d;
    for (int i = 0; i < d; i++) {
        float x_hat = (x[i] - mean) * rstd;
        float inner = fmaf(-x_hat, mean_gx, d_y[i] * gamma[i] - mean_g);
        d_x[i] = fmaf(rstd, inner, d_x[i]);
    }
}

void layernorm_backward(float *d_x, float *d_gamma, float *d_beta, const float *d_y, const float *x,
                        const float *mean, const float *rstd, const float *gamma, int rows, int d)
{
    memset(d_gamma, 0, (size_t)d * sizeof *d_gamma);
    memset(d_beta, 0, (size_t)d * sizeof *d_beta);
    for (int r = 0; r < rows; r++, x += d, d_x += d, d_y += d) {
        row_backward(d_x, d_y, x, mean[r], rstd[r], gamma, d);
        float *restrict gamma_sum = d_gamma, *restrict beta_sum = d_beta;
        for (int i = 0; i < d; i++) {
            gamma_sum[i] = fmaf(d_y[i], (x[i] - mean[r]) * rstd[r], gamma_sum[i]);
            beta_sum[i] += d_y[i];
        }
    }
}
