/* norm: layer normalisation, Ba, Kiros & Hinton (2016):
   y = gamma * (x - mean) / sqrt(variance + 1e-5) + beta, mean and (biased) variance over the d
   entries of each row. */
#ifndef COMMON_NORM_H
#define COMMON_NORM_H

/* y (rows,d) overwritten; mean, rstd (rows) overwritten, kept for the backward pass: rstd is
   1/sqrt(variance + eps). x (rows,d); gamma, beta (d). y must not overlap x. */
void layernorm_forward(float *y, float *mean, float *rstd, const float *x, const float *gamma,
                       const float *beta, int rows, int d);

/* d_x (rows,d) added to: in a pre-norm block it already holds what came back past the norm.
   d_gamma (d), d_beta (d) overwritten. */
void layernorm_backward(float *d_x, float *d_gamma, float *d_beta, const float *d_y, const float *x,
                        const float *mean, const float *rstd, const float *gamma, int rows, int d);

#endif
