#ifndef EXERCISE_SCALED_DOT_H
#define EXERCISE_SCALED_DOT_H

void scaled_dot(float *out, float *weights, const float *q, const float *k, const float *v, int B,
                int H, int Tq, int Tk, int d_head);

/* Given: weights = softmax of each row of scores (rows,n). Both may be the same array. */
void softmax(float *weights, const float *scores, int rows, int n);

#endif
