/* activation: GELU, Hendrycks & Gimpel (2016), in its exact form x·Phi(x), with
   Phi(x) = (1 + erf(x/sqrt 2)) / 2 the distribution function of a standard normal; and ReLU, the
   larger of x and 0. */
#ifndef COMMON_ACTIVATION_H
#define COMMON_ACTIVATION_H

#include <stddef.h>

enum Activation { ACTIVATION_GELU, ACTIVATION_RELU };

/* y[0..n) overwritten; may be the same array as x. */
void gelu_forward(float *y, const float *x, size_t n);

/* The same, and x overwritten with the slope there: all that the backward pass needs of it. */
void gelu_forward_slope(float *y, float *x, size_t n);
void relu_forward_slope(float *y, float *x, size_t n); /* 0 at 0, as in PyTorch */

/* d_x[0..n) overwritten; may be the same array as d_y or x. The slope is Phi(x) + x·phi(x),
   phi(x) = exp(-x²/2)/sqrt(2 pi). */
void gelu_backward(float *d_x, const float *d_y, const float *x, size_t n);

#endif
