/* The new ideas, one function each. No pow and no log of the machine: their last bits differ from one
   machine to another. root(x, n) is x^(1/n), and its powers are products. */
#include "ways.h"

#include <math.h>
#include <stdlib.h>

#include "common/position.h"
#include "common/vmath.h"

/* Pair i of a row is the hand of a clock, as sine and cosine. The first goes round in 2 pi places,
   each next one more slowly, the last would be 10,000 times as slow. */
void sinusoid(float *row, int place, int d)
{
    double frequency = 1.0, slower = root(10000.0, d / 2);
    for (int i = 0; i < d / 2; i++) {
        sincos_f32((float)(place * frequency), &row[2 * i], &row[2 * i + 1]);
        frequency /= slower;
    }
}

/* The slopes of 8 heads: 1/2, 1/4, ... 1/256; of n heads, as many in the same range. */
float alibi(int head, int n_heads, int distance)
{
    double slope = 1.0, flatter = root(256.0, n_heads);
    for (int i = 0; i <= head; i++) {
        slope /= flatter;
    }
    return (float)(-slope * abs(distance));
}

/* The first half of the buckets is for one distance each. The others grow by a constant factor, so
   that they reach FARTHEST; what is farther shares the last one. */
int bucket(int distance)
{
    const int exact = BUCKETS / 2;
    if (distance < exact) {
        return distance > 0 ? distance : 0;
    }
    double wider = root((double)FARTHEST / exact, BUCKETS - exact), end = exact * wider;
    int b = exact;
    while (b < BUCKETS - 1 && distance >= end) {
        end *= wider;
        b++;
    }
    return b;
}

/* base^(-i/pairs), which is base^(-2i/d) with d = 2*pairs. */
void frequencies(double *frequency, int pairs, double base)
{
    double slower = root(base, pairs);
    for (int i = 0; i < pairs; i++) {
        frequency[i] = i > 0 ? frequency[i - 1] / slower : 1.0;
    }
}

void turn(float *x, int place, const double *frequency, int pairs, bool halves)
{
    for (int i = 0; i < pairs; i++) {
        float *a = halves ? &x[i] : &x[2 * i];
        float *b = halves ? &x[i + pairs] : &x[2 * i + 1];
        float sine, cosine, old_a = *a, old_b = *b;
        sincos_f32((float)(place * frequency[i]), &sine, &cosine);
        *a = old_a * cosine - old_b * sine;
        *b = old_a * sine + old_b * cosine;
    }
}

/* Position interpolation: all hands slower, so that the longer text covers the old angles. */
void interpolate(double *frequency, int pairs, double factor)
{
    for (int i = 0; i < pairs; i++) {
        frequency[i] /= factor;
    }
}

/* Base change: the fastest hand stays, the slowest becomes slower by the whole factor, those between
   by a power of it. The slowest has base^(-(pairs-1)/pairs), so the base grows by
   factor^(pairs/(pairs-1)). */
double longer_base(double base, int pairs, double factor)
{
    double once = root(factor, pairs > 1 ? pairs - 1 : 1);
    for (int i = 0; i < pairs; i++) {
        base *= once;
    }
    return base;
}

/* YaRN: a hand that went round often while it was trained (more than 32 times) has shown every angle
   and tells near places apart: it stays. One that never came round (less than once) is interpolated.
   Between the two, a mixture. */
void yarn(double *frequency, int pairs, double factor, int trained)
{
    const double slow = 1.0, fast = 32.0;
    for (int i = 0; i < pairs; i++) {
        double turns = trained * frequency[i] / (2.0 * M_PI);
        double kept = fmin(1.0, fmax(0.0, (turns - slow) / (fast - slow)));
        frequency[i] *= kept + (1.0 - kept) / factor;
    }
}

/* Over more keys a softmax spreads wider. Larger scores make up for it: queries and keys each grow
   by 0.1 ln(factor) + 1. */
float yarn_sharper(double factor)
{
    float each = 0.1f * log_f32((float)factor) + 1.0f;
    return each * each;
}
