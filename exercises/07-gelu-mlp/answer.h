#ifndef EXERCISE_GELU_MLP_H
#define EXERCISE_GELU_MLP_H

void gelu(float *y, const float *x, int n);

void mlp(float *y, float *hidden, const float *x, const float *w_up, const float *b_up,
         const float *w_down, const float *b_down, int rows, int d, int d_hidden);

#endif
