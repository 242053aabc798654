/* masks: the rule of who may look at whom, attention that keeps to it, and a stack of it to try it
   on. All of it is the lesson's own, to be read; the fast ones are common/mask.h and
   common/attention.h. */
#ifndef LESSONS_09_MASKS_H
#define LESSONS_09_MASKS_H

#include <stdint.h>

#include "common/mask.h" /* struct Mask */

enum {
    LEAST = 6,
    MOST = 10,
    D = 8
}; /* tokens of a text, at least and at most; a vector's numbers */

/* May query i look at key j? Both are counted from the first row of their sequence. */
bool allowed(const struct Mask *mask, int i, int j);

/* What becomes of a query that may look at nothing, and of what is hidden. */
enum Manner {
    NAIVE,   /* as the formula says: -inf, softmax, and then all values are added, times weights */
    CONTRACT /* a query without a key gets zeros, and what is hidden is not even read */
};

/* One query, at place i, over n keys: out (d) and weights (n) overwritten; k, v (n,d). */
void attend_query(float *out, float *weights, const float *query, const float *k, const float *v,
                  int i, int n, int d, const struct Mask *mask, enum Manner manner);

/* All queries: out (T,d) and weights (T,T) overwritten; q, k, v (T,d). */
void attend(float *out, float *weights, const float *q, const float *k, const float *v, int T,
            int d, const struct Mask *mask, enum Manner manner);

/* out (T,D) overwritten: x (T,D) through so many layers, each of which takes what it is given as
   queries, keys and values. */
void through_layers(float *out, const float *x, int T, int layers, const struct Mask *mask,
                    enum Manner manner);

#endif
