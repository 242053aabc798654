/* attend: causal attention of one head, and each wrong way to mask it one field away. The lesson's
   own, to be read; the fast one is common/attention.h. */
#ifndef LESSONS_03_ATTEND_H
#define LESSONS_03_ATTEND_H

#include <stdbool.h>

#include "common/attention.h" /* enum SoftmaxAxis */

struct Way {
    const char *name;
    bool causal;           /* a query sees itself and what is before it; false: everything */
    bool strict;           /* not even itself: the first query sees nothing */
    float hidden;          /* the score that stands for a key that may not be seen */
    bool after;            /* clear weights after the softmax, not scores before it */
    enum SoftmaxAxis axis; /* what adds up to one: a query's keys, or a key's queries */
};

enum { RIGHT, ZERO, AFTER, QUERIES, WAYS };
extern const struct Way ways[WAYS], unmasked;

/* What attend did so far: products of a query and a key, and how many a mask let through. */
struct Count {
    long long scores, seen;
};
extern struct Count count;

/* scores (T,T) overwritten with q·k/sqrt(d), a row for each query; q, k (T,d). */
void score_all(float *scores, const float *q, const float *k, int T, int d);

/* out (T,d) and weights (T,T) overwritten; q, k, v (T,d). */
void attend(float *out, float *weights, const float *q, const float *k, const float *v, int T,
            int d, const struct Way *way);

#endif
