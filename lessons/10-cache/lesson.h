/* lesson: the parts of lesson 10. The idea stands in attend.c. Each section of the page has a file
   that asks it something; those that need a layer take the one of layer.c, those that need a whole
   model read it with reader.c. */
#ifndef LESSON_10_LESSON_H
#define LESSON_10_LESSON_H

#include "common/cli.h"
#include "common/model.h"
#include "common/table.h"

/* Query heads, heads of keys and values, and the entries of one. query is a multiple of
   key_value: that many query heads in a row share a head of keys and values. */
struct Heads {
    int query, key_value, d;
};

/* The cache of one layer: a row of keys and one of values for every token read so far. */
enum { MOST_KEYS = 64 };
struct Store {
    int length, capacity; /* rows in it, rows there is room for */
    float *keys, *values; /* (capacity, key_value*d) */
};

void store_new(struct Store *store, int capacity, const struct Heads *heads);
void store_free(struct Store *store);

/* keys, values (rows, key_value*d) behind those that are there. */
void store_append(struct Store *store, const float *keys, const float *values, int rows,
                  const struct Heads *heads);

/* Which keys the new queries see. One of them is right. */
enum Sees {
    BY_POSITION, /* query L+i sees keys 0 .. L+i: the last rows of the square causal mask */
    BY_ROW,      /* query L+i sees keys 0 .. i: its first rows */
    ALL          /* no mask */
};

/* out (rows, query*d) overwritten. The queries (rows, query*d) belong to the last rows of the store,
   which are already in it. */
void attend(float *out, const float *queries, const struct Store *store, int rows,
            const struct Heads *heads, enum Sees sees);

/* Multiply-adds, counted while they are done. */
extern long long multiply_adds;

/* A layer of attention with weights of its own, for the small examples. */
enum { WIDTH = 32 };
struct Layer {
    struct Heads heads;
    float wq[WIDTH * WIDTH], wk[WIDTH * WIDTH], wv[WIDTH * WIDTH]; /* rows of outputs */
};
void layer_draw(struct Layer *layer, struct Heads heads, struct Rng *rng);

/* Queries, keys and values of rows rows of x (rows, WIDTH), overwritten. */
void layer_project(float *q, float *k, float *v, const float *x, const struct Layer *layer,
                   int rows);

/* y (rows,n) overwritten with x·Wᵀ; x (rows,k), w (n,k). */
void multiply(float *y, const float *x, const float *w, int rows, int k, int n);

/* The layer reads rows more tokens x (rows, WIDTH): out (rows, query*d) overwritten. */
void layer_read(float *out, struct Store *store, const float *x, const struct Layer *layer,
                int rows, enum Sees sees);

/* A model of common/ read with caches of our own, one for each of its blocks. */
struct Reader {
    const struct Model *model;
    struct Heads heads;
    int capacity;
    struct Store *stores; /* (n_layers) */
    float *x, *normed, *qkv, *q, *k, *v, *mixed, *y, *inside, *mean, *rstd;
};
void reader_new(struct Reader *reader, const struct Model *model, int capacity);
void reader_free(struct Reader *reader);

/* Forget all rows but the first length. */
void reader_keep(struct Reader *reader, int length);

/* Read rows more tokens, which stand at places: logits (rows,vocab) overwritten. */
void reader_read(float *logits, struct Reader *reader, const int32_t *tokens, const int32_t *places,
                 int rows, enum Sees sees);

/* Whose cache is asked for. */
struct Budget {
    int sequences, layers, positions, heads, kv_heads, d_head, bytes;
};

/* The sections of the page. */
void report_needs(uint64_t seed);
void report_several(uint64_t seed);
enum { MOST_WORDS = 1000 };
struct Model *report_words(const struct Common *common, int steps, int count);
void report_work(const struct Model *model);
void measure_time(const struct Common *common, int last, struct Table *table);
void report_heads(uint64_t seed);
/* Dies if there can be no such cache. */
void budget_check(const struct Budget *budget);
void report_budget(const struct Budget *budget, struct Table *table);
void report_latent(uint64_t seed);
void report_against(uint64_t seed);

#endif
