/* tiled_block: what both passes of tiled.h are made of: a block of queries of one head, and its
   scores against a block of keys. Scores have a row for each key and a lane for each query. So what
   a softmax does along the keys is done lane by lane, without a sum across lanes; and only the
   queries have to be transposed, once for all keys. */
#ifndef COMMON_TILED_BLOCK_H
#define COMMON_TILED_BLOCK_H

#include "attention.h"
#include "simd.h"

enum { QUERIES = 96, KEYS = 96 }; /* measured: CONTRIBUTING.md */

/* One head of one sequence. Rows of q, k and v are `row` apart, those of the output out_row. */
struct Head {
    const float *q, *k, *v; /* of the first row; q: of the first with a query */
    ptrdiff_t row, out_row;
    int length, first; /* T, and the first row with a query */
    int d;
    float scale;
    const struct Mask *mask;
};

struct Head head_of(const float *qkv, struct Sequences sequences, int s, int head, int d_model,
                    const struct AttentionConfig *config);

/* Rows with a query in the sequences before s. */
int queries_before(struct Sequences sequences, int s);

/* How many blocks its queries take, and its keys. */
int query_blocks(const struct Head *h);
int key_blocks(const struct Head *h);

/* One block of queries. Lane n sees the keys first[n] <= key < end[n]. */
struct Queries {
    int at, count;  /* the first one, counted from h->q, and how many */
    const float *q; /* (d,QUERIES) transposed and scaled */
    int32_t first[QUERIES], end[QUERIES];
    struct Keys any, all; /* one of them sees no key outside of any, each sees every key of all */
};

/* Block i of the queries, overwritten; so is q (d,QUERIES). */
void queries_take(struct Queries *queries, float *q, const struct Head *h, int i);

/* Block i of the keys. */
struct Keys keys_of_block(const struct Head *h, int i);

/* scores (keys,QUERIES) overwritten: scaled, and -inf where a query does not see a key. If no query
   sees any of these keys: false, and nothing is written. */
bool scores_of_block(float *scores, const struct Queries *queries, const struct Head *h,
                     struct Keys keys);

#endif
