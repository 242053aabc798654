/* double: what more than one grader computes, in double. */
#ifndef GRADERS_DOUBLE_H
#define GRADERS_DOUBLE_H

#include <math.h>

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

#endif
