#ifndef EXERCISE_LAYERNORM_BACKWARD_H
#define EXERCISE_LAYERNORM_BACKWARD_H

void layernorm_backward(float *d_x, float *d_gamma, float *d_beta, const float *d_y, const float *x,
                        const float *mean, const float *rstd, const float *gamma, int rows, int d);

#endif
