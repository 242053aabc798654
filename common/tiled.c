/* A task is a block of queries of one head. It goes over the keys once, block by block, with a
   state for each query: m, the largest score so far; l, the sum of e^(score - m); and u, the same
   sum with each term times its key's values, which lies in out. When m grows, l and u are worth
   less by the factor e^(old m - new m). At the end the output is u / l. */
#include "tiled.h"

#include "base.h"
#include "threads.h"
#include "tile.h"
#include "tiled_block.h"
#include "vmath.h"

size_t tiled_scratch_size(int d_head, int threads)
{
    enum { ROWS = QUERIES > KEYS ? QUERIES : KEYS }; /* of what a product leaves behind */
    size_t block = (size_t)d_head * (2 * QUERIES + ROWS) + 2 * (size_t)KEYS * QUERIES;
    return block * (size_t)threads;
}

/* The state of a block of queries, but for u; and by what the last block of keys made it less. */
struct Running {
    float m[QUERIES], l[QUERIES], factor[QUERIES];
};

/* Scores to e^(score - m), in place, and the state moved on. */
static void merge_scores(float *scores, struct Running *running, int keys, int queries)
{
    for (int n = 0; n < queries; n += LANES) {
        float *score = scores + n;
        vf before = vload(running->m + n), m = before, sum = vset(0.0f);
        for (int k = 0; k < keys; k++) {
            m = vmax(vload(score + k * QUERIES), m);
        }
        /* -inf: no key seen yet; -inf less -inf would be no number. */
        vf shift = vselect(m > vset(-INFINITY), m, vset(0.0f));
        for (int k = 0; k < keys; k++) {
            vf e = vexp(vload(score + k * QUERIES) - shift);
            vstore(score + k * QUERIES, e);
            sum += e;
        }
        vf factor = vexp(before - shift);
        vstore(running->m + n, m);
        vstore(running->l + n, vfma(vload(running->l + n), factor, sum));
        vstore(running->factor + n, factor);
    }
}

/* x[0..n) = x times factor, plus y. */
static void scale_and_add(float *x, float factor, const float *y, int n)
{
    for (int i = 0; i < n; i += LANES) {
        vstore_n(x + i, vfma(vload_n(x + i, n - i), vset(factor), vload_n(y + i, n - i)), n - i);
    }
}

/* u = factor·u + e·v; mix (queries,d) is overwritten. */
static void merge_values(float *u, float *mix, const float *e, const struct Running *running,
                         const struct Queries *queries, const struct Head *h, struct Keys keys)
{
    product((struct Product){.c = mix,
                             .c_row = h->d,
                             .a = e,
                             .a_row = 1,
                             .a_step = QUERIES,
                             .b = h->v + keys.first * h->row,
                             .b_row = h->row,
                             .depth = keys.end - keys.first},
            queries->count, h->d);
    for (int n = 0; n < queries->count; n++) {
        scale_and_add(u + n * h->out_row, running->factor[n], mix + n * h->d, h->d);
    }
}

/* out and lse: of this block. */
static void finish(float *out, float *lse, const struct Running *running, int queries,
                   const struct Head *h)
{
    for (int n = 0; n < queries; n++, out += h->out_row) {
        bool seen = running->l[n] > 0.0f;
        vf factor = vset(seen ? 1.0f / running->l[n] : 0.0f);
        for (int i = 0; i < h->d; i += LANES) {
            vstore_n(out + i, vload_n(out + i, h->d - i) * factor, h->d - i);
        }
        lse[n] = seen ? running->m[n] + log_f32(running->l[n]) : INFINITY;
    }
}

/* out, lse: of the head's first query. */
static void block_forward(float *out, float *lse, float *scratch, const struct Head *h, int block)
{
    float *q = scratch, *scores = q + h->d * QUERIES, *mix = scores + KEYS * QUERIES;
    struct Queries queries;
    struct Running running = {.l = {0.0f}};
    queries_take(&queries, q, h, block);
    float *u = out + queries.at * h->out_row;
    for (int n = 0; n < QUERIES; n++) {
        running.m[n] = -INFINITY;
    }
    for (int n = 0; n < queries.count; n++) {
        memset(u + n * h->out_row, 0, (size_t)h->d * sizeof *u);
    }
    for (int i = 0; i < key_blocks(h); i++) {
        struct Keys keys = keys_of_block(h, i);
        if (scores_of_block(scores, &queries, h, keys)) {
            merge_scores(scores, &running, keys.end - keys.first, queries.count);
            merge_values(u, mix, scores, &running, &queries, h, keys);
        }
    }
    finish(u, lse + queries.at, &running, queries.count, h);
}

struct Forward {
    float *out, *lse, *scratch;
    const float *qkv;
    struct Sequences sequences;
    int d_model, n_queries;
    const struct AttentionConfig *config;
    int blocks; /* of queries, in the longest sequence */
};

static void forward_task(void *context, int i, int thread)
{
    const struct Forward *f = context;
    int block = i % f->blocks, pair = i / f->blocks; /* of a sequence and a head */
    int head = pair % f->config->n_heads, s = pair / f->config->n_heads;
    struct Head h = head_of(f->qkv, f->sequences, s, head, f->d_model, f->config);
    if (block < query_blocks(&h)) {
        int at = queries_before(f->sequences, s);
        block_forward(f->out + (ptrdiff_t)at * f->d_model + head * h.d,
                      f->lse + (ptrdiff_t)head * f->n_queries + at,
                      f->scratch + (size_t)thread * tiled_scratch_size(h.d, 1), &h, block);
    }
}

void tiled_forward(float *out, float *lse, float *scratch, const float *qkv,
                   struct Sequences sequences, int d_model, const struct AttentionConfig *config)
{
    struct Forward f = {.out = out,
                        .lse = lse,
                        .scratch = scratch,
                        .qkv = qkv,
                        .sequences = sequences,
                        .d_model = d_model,
                        .n_queries = sequences_queries(sequences),
                        .config = config};
    for (int s = 0; s < sequences.count; s++) {
        struct Head h = head_of(qkv, sequences, s, 0, d_model, config);
        f.blocks = query_blocks(&h) > f.blocks ? query_blocks(&h) : f.blocks;
    }
    parallel_for(sequences.count * config->n_heads * f.blocks, forward_task, &f);
}
