/* tiles: the parts of lesson 11, in the order of its page: a softmax merged from pieces
   (11-tiles.c, pieces.c), attention in tiles (attend.c, tiles.c), what it saves in memory and time
   (memory.c, time.c), what a transformer costs (cost.c, models.c), and our functions held against
   common/ (against.c). */
#ifndef LESSON_11_TILES_H
#define LESSON_11_TILES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/cli.h"
#include "common/rng.h"
#include "common/table.h"

/* What is known of a softmax after some of its keys: m, the largest score; l, the sum of e^(score -
   m); u, the same sum with each term times its key's value. The output so far is u / l. */
struct State {
    float m, l, u;
};
extern const struct State nothing; /* no key yet */

/* Ways to merge two states: the right one, and wrong ones a field apart. */
struct Way {
    const char *name;
    bool turned;  /* the factor is e^(new m - old m) */
    bool l_stays; /* l is not multiplied by it */
    bool u_stays;
    bool bare; /* nothing is done about -inf less -inf */
};
extern const struct Way right;

struct State merge(struct State a, struct State b, const struct Way *way);

/* The state of n keys, and what softmax and mix give, all at once. n may be 0 for the state. */
struct State state_of(const float *scores, const float *values, int n);
float output_of(const float *scores, const float *values, int n);

/* One head: T tokens of d numbers each, so every array is (T,d). */
struct Attention {
    int T, d;
    bool causal;
    float *q, *k, *v, *d_out;
    float *out, *d_q, *d_k, *d_v; /* overwritten by what is below */
};

/* Both passes with all weights in memory; weights, d_weights (T,T) overwritten. */
void attend(const struct Attention *a, float *weights, float *d_weights);

/* Both passes, some queries against some keys at a time, at most LARGEST of each; lse (T)
   overwritten: of each query log(sum of e^score). */
enum { LARGEST = 64 };
void attend_in_tiles(const struct Attention *a, float *lse, int queries, int keys);

/* Counted while it runs: blocks of scores that one pass computed, and left out. */
struct Count {
    int blocks, skipped;
};
extern struct Count count;

/* Random q, k, v and d_out; the others not yet written. */
struct Attention attention_new(struct Rng *rng, int T, int d, bool causal);
struct Attention attention_again(const struct Attention *a); /* q, k, v, d_out shared */
void attention_free(const struct Attention *a, bool inputs);

float dot(const float *x, const float *y, int n);

/* The largest difference between two arrays; infinite if one of them holds no number. */
float distance(const float *a, const float *b, int n);

/* Sections of the page. */
void report_pieces(uint64_t seed);
void report_overflow(void);
void report_tiles(uint64_t seed, int T);
void report_memory(struct Table *table);
void report_time(int longest, const struct Common *common, struct Table *table);
void report_cost(uint64_t seed, int n, int d, struct Table *table);
void report_models(int n, int d, int layers);
void report_patches(void);
void report_against(const struct Common *common);

#endif
