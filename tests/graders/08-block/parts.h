/* parts: the attention and the MLP of exercise 08, for the learner's block and for the expected
   one. Their weights stand in the case. One head is enough: what counts is that tokens mix. */
#ifndef GRADERS_BLOCK_PARTS_H
#define GRADERS_BLOCK_PARTS_H

#include "tests/graders/case.h"
#include "tests/graders/double.h"

enum { MLP_WIDTH = 4 }; /* as wide inside as this many d */

/* out (T,d): one sequence of T tokens. */
static inline void attend(double *out, const double *q, const double *k, const double *v, int T,
                          int d)
{
    for (int t = 0; t < T; t++) {
        double weights[T];
        for (int s = 0; s <= t; s++) {
            weights[s] = 0.0;
            for (int i = 0; i < d; i++) {
                weights[s] += q[t * d + i] * k[s * d + i] / sqrt(d);
            }
        }
        softmax_in_double(weights, t + 1, 1);
        for (int i = 0; i < d; i++) {
            out[t * d + i] = 0.0;
            for (int s = 0; s <= t; s++) {
                out[t * d + i] += weights[s] * v[s * d + i];
            }
        }
    }
}

/* y (B,T,d) may be x. */
static inline void block_attention(double *y, const double *x, const struct Case *c, int B, int T,
                                   int d)
{
    int rows = B * T;
    double q[rows * d], k[rows * d], v[rows * d], mixed[rows * d];
    linear_in_double(q, x, floats(c, "w_q"), NULL, rows, d, d);
    linear_in_double(k, x, floats(c, "w_k"), NULL, rows, d, d);
    linear_in_double(v, x, floats(c, "w_v"), NULL, rows, d, d);
    for (int at = 0; at < rows * d; at += T * d) {
        attend(mixed + at, q + at, k + at, v + at, T, d);
    }
    linear_in_double(y, mixed, floats(c, "w_out"), NULL, rows, d, d);
}

/* y (rows,d) may be x. */
static inline void block_mlp(double *y, const double *x, const struct Case *c, int rows, int d)
{
    double hidden[rows * MLP_WIDTH * d];
    linear_in_double(hidden, x, floats(c, "w_up"), floats(c, "b_up"), rows, d, MLP_WIDTH * d);
    for (int i = 0; i < rows * MLP_WIDTH * d; i++) {
        hidden[i] = gelu_in_double(hidden[i]);
    }
    linear_in_double(y, hidden, floats(c, "w_down"), NULL, rows, MLP_WIDTH * d, d);
}

#endif
