/* position: the parts of lesson 06, in the order of its page: what attention knows of order
   (06-position.c), what training (train.c) makes of a table of positions (table.c), how token and
   position are read from their sum (probe.c), and all of it against common/ (against.c). */
#ifndef LESSON_06_POSITION_H
#define LESSON_06_POSITION_H

#include "common/cli.h"
#include "common/reversal.h"
#include "common/table.h"

/* Two ways to the same sum of at most 33 numbers near 1 differ by less. */
static const float ROUNDING = 1e-5f;

/* x (T,D) overwritten: the token's row of the one table plus its place's row of the other.
   position_table NULL: the token's row alone. */
void embed(float *x, const int32_t *tokens, const float *token_table, const float *position_table,
           int length, int d_model);

/* out (T,D), weights (H,T,T) overwritten; q, k, v (T,D). sees (T,T) is any mask: may this query look
   at that key? Each query must see one key at least. */
void attention(float *out, float *weights, const float *q, const float *k, const float *v,
               const bool *sees, int length, int d_model, int n_heads);

/* sees (T,T) overwritten: the mask for tokens in this order. order NULL: as they stand. */
void set_mask(bool *sees, bool causal, const int *order, int length);

/* moved (T,D) overwritten: row i is row order[i] of x. */
void shuffle_rows(float *moved, const float *x, const int *order, int length, int d_model);

/* The largest difference between row i of moved and row order[i] of x, for i from first on; infinite
   if one is no number. order NULL: as they stand. */
float apart(const float *moved, const float *x, const int *order, int first, int length,
            int d_model);

/* The reverser of lesson 07, and how it is trained. */
enum { WIDTH = 64, HEADS = 2, LAYERS = 2, BATCH = 64, TABLE = CONTEXT * WIDTH };
static const double LEARNING_RATE = 0.003, DECAY = 0.01;

/* A training run, and what was noted of its position table. */
struct Training {
    int steps;
    struct Range lengths;
    struct Model *model;
    float before[TABLE];      /* the table at the start */
    bool reached[CONTEXT];    /* rows whose gradient was ever not zero */
    bool pads_get_nothing;    /* train.c */
    double gradient[CONTEXT]; /* the length of a row's gradient, mean over the steps */
    int strings[CONTEXT];     /* how many strings had a target at the row's place or behind it */
    double *losses;           /* (steps) */
};

/* Train from fresh weights. with_table false: the position table is kept at zero. */
void train(struct Training *t, bool with_table, const struct Common *common);
void training_free(struct Training *t);

/* Sections 4 to 8 of the page. */
void report_rows(const struct Training *t, struct Table *table);
void report_losses(const struct Training *with, const struct Training *without,
                   struct Table *table);
void report_similarity(const struct Training *t, const struct Training *one_length,
                       struct Table *table);
void report_probe(const struct Training *t, uint64_t seed);
void report_against(uint64_t seed);

#endif
