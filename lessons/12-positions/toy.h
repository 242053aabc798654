/* toy: a small stack of attention, with nothing else in it, that takes any of the ways. Its weights
   are random: what it shows is true before anything is learned. */
#ifndef LESSON_12_TOY_H
#define LESSON_12_TOY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/position.h"

enum { D = 32, HEADS = 4, D_HEAD = D / HEADS, PAIRS = D_HEAD / 2, DEEPEST = 3, PLACES = 2048 };
enum { LONG = 24 }; /* tokens at most */

/* Its weights overwritten, and x (LONG,D): a row of random numbers for each token. */
void toy_draw(float *x, uint64_t seed);

/* x (length,D) becomes x plus the row of its place, where the kind has such rows. */
void toy_add_rows(float *x, const int *place, int length, enum PositionKind kind);

/* The query of a head (which 0), its key (1) or its value (2) for a token x (D) at this place:
   (D_HEAD). Nothing ever turns a value. */
void toy_vector(float *vector, int which, const float *x, int place, int layer, int head,
                enum PositionKind kind);

/* Their score, scaled, with what the kind adds to it. */
float toy_score(const float *query, const float *key, int distance, int head,
                enum PositionKind kind);

/* T5's trained numbers (BUCKETS,HEADS), here drawn at random. */
const float *toy_t5(void);

/* y (length,D) overwritten: n_layers of x + attention(x). sees (length,length): may this query look
   at that key? NULL: at each that does not stand later in x. */
void toy_run(float *y, const float *x, const int *place, int length, const bool *sees, int n_layers,
             enum PositionKind kind);

/* The larger of most and apart, for differences; infinite for good once one was no number. */
float worst(float most, float apart);

/* Float sums of the toy, added up in another order, differ by less. */
static const float ROUNDING = 2e-5f;

#endif
