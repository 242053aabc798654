#ifndef EXERCISE_SOFTMAX_H
#define EXERCISE_SOFTMAX_H

void softmax(float *weights, const float *scores, int rows, int n);

#endif
