/* double: what more than one grader computes, in double. */
#ifndef GRADERS_DOUBLE_H
#define GRADERS_DOUBLE_H

#include <math.h>
#include <stddef.h>

/* Scores to weights, in place: x[0], x[step], ..., n of them. */
static inline void softmax_in_double(double *x, int n, int step)
{
    double max = -INFINITY, sum = 0.0;
    for (int i = 0; i < n; i++) {
        max = fmax(max, x[i * step]);
    }
    for (int i = 0; i < n; i++) {
        x[i * step] = exp(x[i * step] - max);
        sum += x[i * step];
    }
    for (int i = 0; i < n; i++) {
        x[i * step] /= sum;
    }
}

/* y (rows,n) = x (rows,k) · Wᵀ + bias, with W (n,k); bias may be NULL. */
static inline void linear_in_double(double *y, const double *x, const float *w, const float *bias,
                                    int rows, int k, int n)
{
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            y[r * n + j] = bias != NULL ? bias[j] : 0.0;
            for (int i = 0; i < k; i++) {
                y[r * n + j] += x[r * k + i] * w[j * k + i];
            }
        }
    }
}

/* y (rows,d) may be x. */
static inline void layernorm_in_double(double *y, const double *x, const float *gamma,
                                       const float *beta, int rows, int d)
{
    for (int r = 0; r < rows; r++, x += d, y += d) {
        double mean = 0.0, variance = 0.0;
        for (int i = 0; i < d; i++) {
            mean += x[i] / d;
        }
        for (int i = 0; i < d; i++) {
            variance += (x[i] - mean) * (x[i] - mean) / d;
        }
        for (int i = 0; i < d; i++) {
            y[i] = (x[i] - mean) / sqrt(variance + 1e-5) * gamma[i] + beta[i];
        }
    }
}

static inline double gelu_in_double(double x)
{
    return x * 0.5 * (1.0 + erf(x / sqrt(2.0)));
}

#endif
