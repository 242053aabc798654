/* Entry by entry; nothing is summed. */
#include "activation.h"

#include "vmath.h"

static const float SQRT_HALF = 0.70710678f;    /* 1/sqrt(2) */
static const float INV_SQRT_2PI = 0.39894228f; /* 1/sqrt(2 pi) */

INLINE vf normal_cdf(vf x)
{
    return vfma(verf(x * SQRT_HALF), vset(0.5f), vset(0.5f));
}

INLINE vf gelu_slope(vf x, vf cdf)
{
    return vfma(x, vexp(x * x * -0.5f) * INV_SQRT_2PI, cdf);
}

static int lanes_left(size_t i, size_t n)
{
    return n - i < LANES ? (int)(n - i) : LANES;
}

void gelu_forward(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += LANES) {
        int left = lanes_left(i, n);
        vf v = vload_n(x + i, left);
        vstore_n(y + i, v * normal_cdf(v), left);
    }
}

void gelu_forward_slope(float *y, float *x, size_t n)
{
    for (size_t i = 0; i < n; i += LANES) {
        int left = lanes_left(i, n);
        vf v = vload_n(x + i, left), cdf = normal_cdf(v);
        vstore_n(y + i, v * cdf, left);
        vstore_n(x + i, gelu_slope(v, cdf), left);
    }
}

void relu_forward_slope(float *y, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] > 0.0f ? x[i] : 0.0f;
        x[i] = x[i] > 0.0f ? 1.0f : 0.0f;
    }
}

void gelu_backward(float *d_x, const float *d_y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += LANES) {
        int left = lanes_left(i, n);
        vf v = vload_n(x + i, left);
        vf slope = gelu_slope(v, normal_cdf(v));
        vstore_n(d_x + i, vload_n(d_y + i, left) * slope, left);
    }
}
