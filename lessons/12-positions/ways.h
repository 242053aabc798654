/* ways: how a place becomes numbers, written out. A place is a whole number from 0 on; distance is
   the place of the query minus that of the key. */
#ifndef LESSON_12_WAYS_H
#define LESSON_12_WAYS_H

#include <stdbool.h>

/* Added to the row of a token: row (d) overwritten; d even. */
void sinusoid(float *row, int place, int d);

/* Added to a score: ALiBi's number for this head. */
float alibi(int head, int n_heads, int distance);

/* Added to a score: which of T5's trained numbers, for a query that sees no later key. */
enum { BUCKETS = 32, FARTHEST = 128 };
int bucket(int distance);

/* RoPE: by what angle each pair turns from one place to the next. frequency (pairs) overwritten. */
void frequencies(double *frequency, int pairs, double base);

/* And the turning: x (2*pairs), a query or key of one head, in place. halves: entry i is paired
   with entry i + pairs, and not with its neighbour. */
void turn(float *x, int place, const double *frequency, int pairs, bool halves);

/* Three ways to read factor times as many places as were trained, each with its own change of the
   frequencies. */
void interpolate(double *frequency, int pairs, double factor);
double longer_base(double base, int pairs, double factor);
void yarn(double *frequency, int pairs, double factor, int trained);
float yarn_sharper(double factor); /* what YaRN multiplies the scores by */

#endif
