/* position: where a token stands, told to a model in seven ways. The place of a row is a number
   from 0 on.
     learned, sinusoidal   added to the row of the token before the first block
     T5 bias, ALiBi        added to the scores, by the distance of query and key
     RoPE, two layouts     turns queries and keys, pair by pair
     none                  nothing */
#ifndef COMMON_POSITION_H
#define COMMON_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum PositionKind {
    POSITION_LEARNED,
    POSITION_NONE,
    POSITION_SINUSOIDAL,
    POSITION_T5,
    POSITION_ALIBI,
    POSITION_ROPE,       /* pairs (0,1), (2,3), ...: Su et al. (2021) */
    POSITION_ROPE_HALVES /* pairs (0,d/2), (1,d/2+1), ...: as in GPT-NeoX and Llama's checkpoints */
};
enum { POSITION_KINDS = POSITION_ROPE_HALVES + 1 };

/* "learned", "none", "sinusoidal", "t5", "alibi", "rope", "rope-halves". */
const char *position_name(enum PositionKind kind);

/* The kind of this name. False if there is none. */
bool position_parse(enum PositionKind *kind, const char *name);

/* x^(1/n) for x > 0, n >= 1: to the last bits of a double, the same everywhere. */
double root(double x, int n);

/* Sinusoidal table, Vaswani et al. (2017), section 3.5, for places 0 .. places-1:
     table(p,2i) = sin(p / 10000^(2i/d))      table(p,2i+1) = cos(p / 10000^(2i/d))
   table (places,d) overwritten; d even. */
void sinusoidal_table(float *table, int places, int d);

/* Bias by distance. at[h*(2*span-1) + span-1 + distance] is added to the scaled score of head h,
   where distance is the place of the query minus that of the key. Distances of span and more count
   as span-1. */
struct Bias {
    float *at; /* (n_heads, 2*span-1) */
    int span;
};

/* Floats in it. */
size_t bias_size(int span, int n_heads);

/* The numbers of a head, at distance 0; NULL if there is no bias. */
static inline float *bias_of(const struct Bias *bias, int head)
{
    return bias != NULL ? bias->at + (ptrdiff_t)head * (2 * bias->span - 1) + bias->span - 1 : NULL;
}

/* ALiBi, Press et al. (2022): -2^(-8(h+1)/n_heads) times the distance (its size). at overwritten.
   Where n_heads is no power of two, the paper's program takes other slopes than its text. */
void alibi_bias(const struct Bias *bias, int n_heads);

/* T5, Raffel et al. (2020): one trained number for each bucket and head, with the bucket of
   distances that a causal model uses: 0 to 15 each for itself, then wider and wider up to 128;
   keys that stand later fall into bucket 0. */
enum { T5_BUCKETS = 32, T5_FARTHEST = 128 };
int t5_bucket(int distance);

/* at overwritten from table (T5_BUCKETS,n_heads); and back: d_table overwritten from d_at. */
void t5_bias(const struct Bias *bias, const float *table, int n_heads);
void t5_bias_backward(float *d_table, const struct Bias *d_bias, int n_heads);

/* RoPE. Pair i of a head is turned by place times frequency[i] = base^(-2i/d_head), counter-
   clockwise: (a,b) -> (a cos - b sin, a sin + b cos). */
struct Rope {
    bool halves; /* which entries make a pair, see above */
    int pairs;   /* d_head/2 */
    int places;
    float *cosine, *sine; /* (places,pairs) */
    float scale;          /* the scores are meant to be multiplied by this: 1, but for YaRN */
};

/* The angles of a rope, frequencies in double; overwritten. The last three change those of a model
   trained with places < trained, so that it reads factor times as many:
     interpolate   every frequency / factor                          Chen et al. (2023)
     base          another base: base·factor^(d/(d-2)); the fastest pair stays, the slowest is
                   divided by factor                                 bloc97 (2023), "NTK-aware"
     yarn          pairs that turn more than 32 times within the trained places stay, those that
                   turn less than once are interpolated, between them a ramp; and the return value
                   is what scores are multiplied by, (0.1 ln factor + 1)²   Peng et al. (2023) */
void rope_frequencies(double *frequency, int pairs, double base);
void rope_interpolate(double *frequency, int pairs, double factor);
double rope_base(double base, int pairs, double factor);
float rope_yarn(double *frequency, int pairs, double factor, int trained);

/* A table of angles for places 0 .. places-1 from frequencies (pairs). Allocates; rope_free. */
void rope_new(struct Rope *rope, const double *frequency, int pairs, int places, bool halves);
void rope_free(struct Rope *rope);

/* Turn n_heads heads side by side in each of rows rows, in place; row r begins at x + r*stride and
   stands at place[r] < rope->places. back: the other way round, which undoes it, and is the
   backward pass. */
void rope_rotate(float *x, ptrdiff_t stride, const int32_t *place, int rows, int n_heads,
                 const struct Rope *rope, bool back);

#endif
