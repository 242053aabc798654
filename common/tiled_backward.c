/* The queries and the keys of a sequence are cut into strips, and a task is a strip of queries
   against a strip of keys: it adds to the gradients of both. In each of the rounds below every
   strip of queries meets one strip of keys, no two the same, so its tasks never write to one place;
   after the last, all have met. The rounds come one after the other, and so every sum has one
   order. */
#include "base.h"
#include "threads.h"
#include "tile.h"
#include "tiled.h"
#include "tiled_block.h"
#include "vmath.h"

/* A strip has so many blocks at least, since what it loads must be worth it (measured), and a
   sequence so many strips at most, which is enough for many threads where there are many heads. */
enum { BLOCKS = 6, STRIPS = 8 };

static int strips(const struct Head *h)
{
    int n = (key_blocks(h) + BLOCKS - 1) / BLOCKS;
    return n < STRIPS ? n : STRIPS;
}

/* What a block of queries brings to every block of keys. */
struct Given {
    struct Queries queries;
    const float *q, *d_out;             /* its first row */
    float *d_out_transposed;            /* (d,QUERIES) */
    float lse[QUERIES], inner[QUERIES]; /* inner: d_out·out, the mean of d_weights by the weights */
};

/* d_out, out, lse: of the head's first query. scratch: 2·d·QUERIES floats. */
static void given_take(struct Given *g, float *scratch, const float *d_out, const float *out,
                       const float *lse, const struct Head *h, int block)
{
    queries_take(&g->queries, scratch, h, block);
    int at = g->queries.at, count = g->queries.count;
    g->q = h->q + at * h->row;
    g->d_out = d_out + at * h->out_row;
    g->d_out_transposed = scratch + h->d * QUERIES;
    transpose(g->d_out_transposed, QUERIES, g->d_out, h->out_row, count, h->d);
    memset(g->lse, 0, sizeof g->lse);
    memset(g->inner, 0, sizeof g->inner);
    memcpy(g->lse, lse + at, (size_t)count * sizeof *lse);
    for (int n = 0; n < count; n++) {
        g->inner[n] = dot16(g->d_out + n * h->out_row, out + (at + n) * h->out_row, h->d);
    }
}

/* Scores to weights in place, d_weights to d_scores in place. */
static void softmax_backward(float *scores, float *d_weights, const struct Given *g, float scale,
                             int keys)
{
    for (int n = 0; n < g->queries.count; n += LANES) {
        vf lse = vload(g->lse + n), inner = vload(g->inner + n);
        float *score = scores + n, *d = d_weights + n;
        for (int k = 0; k < keys; k++, score += QUERIES, d += QUERIES) {
            vf weight = vexp(vload(score) - lse);
            vstore(score, weight);
            vstore(d, weight * (vload(d) - inner) * scale);
        }
    }
}

/* to (rows,d) += m·x. m(r,k) is m[r*m_row + k*m_step], x has depth rows; sum (rows,d) is
   overwritten. */
static void add_product(float *to, float *sum, const float *m, ptrdiff_t m_row, ptrdiff_t m_step,
                        const float *x, ptrdiff_t x_row, int rows, int depth, const struct Head *h)
{
    int d = h->d;
    product((struct Product){.c = sum,
                             .c_row = d,
                             .a = m,
                             .a_row = m_row,
                             .a_step = m_step,
                             .b = x,
                             .b_row = x_row,
                             .depth = depth},
            rows, d);
    for (int r = 0; r < rows; r++, to += h->row, sum += d) {
        for (int i = 0; i < d; i += LANES) {
            vstore_n(to + i, vload_n(to + i, d - i) + vload_n(sum + i, d - i), d - i);
        }
    }
}

/* d_q: of this block of queries; d_k, d_v: of this block of keys. All three are added to. */
static void pair_backward(float *d_q, float *d_k, float *d_v, float *scratch, const struct Given *g,
                          const struct Head *h, struct Keys keys)
{
    int n_keys = keys.end - keys.first, n_queries = g->queries.count;
    const float *k = h->k + keys.first * h->row, *v = h->v + keys.first * h->row;
    float *weights = scratch, *d_scores = weights + KEYS * QUERIES;
    float *sum = d_scores + KEYS * QUERIES;
    if (!scores_of_block(weights, &g->queries, h, keys)) {
        return;
    }
    /* out = weights·v */
    product((struct Product){.c = d_scores,
                             .c_row = QUERIES,
                             .a = v,
                             .a_row = h->row,
                             .a_step = 1,
                             .b = g->d_out_transposed,
                             .b_row = QUERIES,
                             .depth = h->d},
            n_keys, n_queries);
    softmax_backward(weights, d_scores, g, h->scale, n_keys);
    add_product(d_v, sum, weights, QUERIES, 1, g->d_out, h->out_row, n_keys, n_queries, h);
    /* scores = scale·q·kᵀ */
    add_product(d_k, sum, d_scores, QUERIES, 1, g->q, h->row, n_keys, n_queries, h);
    add_product(d_q, sum, d_scores, 1, QUERIES, k, h->row, n_queries, n_keys, h);
}

struct Backward {
    float *d_qkv, *scratch;
    const float *d_out, *qkv, *out, *lse;
    struct Sequences sequences;
    int d_model, n_queries;
    const struct AttentionConfig *config;
    int strips; /* of the longest sequence */
    int round;
};

/* The strips of one head, which may share its keys and values with others. */
static void head_backward(const struct Backward *b, float *scratch, int s, int head, int q_strip)
{
    struct Head h = head_of(b->qkv, b->sequences, s, head, b->d_model, b->config);
    int n = strips(&h), at = queries_before(b->sequences, s);
    if (q_strip >= n || b->round >= n) {
        return;
    }
    int k_strip = (q_strip + b->round) % n, k_begin = k_strip * key_blocks(&h) / n;
    int q_end = (q_strip + 1) * query_blocks(&h) / n, k_end = (k_strip + 1) * key_blocks(&h) / n;
    const float *lse = b->lse + (ptrdiff_t)head * b->n_queries + at;
    ptrdiff_t out_at = (ptrdiff_t)at * b->d_model + head * h.d;
    float *d_q = b->d_qkv + (h.q - b->qkv), *d_k = b->d_qkv + (h.k - b->qkv);
    float *d_v = b->d_qkv + (h.v - b->qkv);
    for (int i = q_strip * query_blocks(&h) / n; i < q_end; i++) {
        struct Given g;
        given_take(&g, scratch, b->d_out + out_at, b->out + out_at, lse, &h, i);
        for (int j = k_begin; j < k_end; j++) {
            struct Keys keys = keys_of_block(&h, j);
            pair_backward(d_q + g.queries.at * h.row, d_k + keys.first * h.row,
                          d_v + keys.first * h.row, scratch + 2 * h.d * QUERIES, &g, &h, keys);
        }
    }
}

static void backward_task(void *context, int i, int thread)
{
    const struct Backward *b = context;
    int strip = i % b->strips,
        pair = i / b->strips; /* of a sequence, and a head of keys and values */
    int s = pair / b->config->n_kv_heads, kv_head = pair % b->config->n_kv_heads;
    int group = b->config->n_heads / b->config->n_kv_heads;
    int d = b->d_model / b->config->n_heads;
    float *scratch = b->scratch + (size_t)thread * tiled_scratch_size(d, 1);
    for (int head = kv_head * group; head < (kv_head + 1) * group; head++) {
        head_backward(b, scratch, s, head, strip);
    }
}

void tiled_backward(float *d_qkv, float *scratch, const float *d_out, const float *qkv,
                    const float *out, const float *lse, struct Sequences sequences, int d_model,
                    const struct AttentionConfig *config)
{
    struct Backward b = {.d_qkv = d_qkv,
                         .scratch = scratch,
                         .d_out = d_out,
                         .qkv = qkv,
                         .out = out,
                         .lse = lse,
                         .sequences = sequences,
                         .d_model = d_model,
                         .n_queries = sequences_queries(sequences),
                         .config = config};
    size_t rows = (size_t)(sequences.start[sequences.count] - sequences.start[0]);
    memset(d_qkv, 0, rows * (size_t)attention_row(d_model, config) * sizeof *d_qkv);
    for (int s = 0; s < sequences.count; s++) {
        struct Head h = head_of(qkv, sequences, s, 0, d_model, config);
        b.strips = strips(&h) > b.strips ? strips(&h) : b.strips;
    }
    for (b.round = 0; b.round < b.strips; b.round++) {
        parallel_for(sequences.count * config->n_kv_heads * b.strips, backward_task, &b);
    }
}
