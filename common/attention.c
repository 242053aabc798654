/* Every sequence and head is a handful of small products on the tile of tile.h. What meets in a
   product's B is first gathered from the rows into contiguous, zero-padded scratch. Under a causal
   mask a tile of queries stops at its last key: what is left out is zeros. */
#include "attention.h"

#include <string.h>

#include "base.h"
#include "softmax.h"
#include "tile.h"
#include "vmath.h"

int attention_stride(int length)
{
    return round_up(length, TILE_PAD);
}

int sequences_queries(struct Sequences sequences)
{
    int queries = sequences.start[sequences.count] - sequences.start[0];
    for (int s = 0; s < sequences.count; s++) {
        queries -= sequences_first_query(sequences, s);
    }
    return queries;
}

/* The shape of one sequence's work in one head. */
struct Shape {
    int length, first; /* T, and the first row with a query */
    int stride;        /* the row length of weights and of what is transposed */
    int d, d_pad;      /* d_head, and the row length of what is gathered */
    ptrdiff_t row;     /* from one row of qkv to the next: 3D */
    bool causal;
};

size_t attention_scratch_size(int longest, int d_head)
{
    size_t stride = (size_t)attention_stride(longest), pad = (size_t)round_up(d_head, TILE_PAD);
    return (size_t)d_head * stride + 3 * (size_t)longest * pad + 2 * (size_t)longest * stride;
}

size_t attention_weights_size(struct Sequences sequences, int n_heads)
{
    size_t size = 0;
    for (int s = 0; s < sequences.count; s++) {
        int length = sequences.start[s + 1] - sequences.start[s];
        size += (size_t)n_heads * (size_t)length * (size_t)attention_stride(length);
    }
    return size;
}

float attention_weight(const float *weights, struct Sequences sequences, int n_heads, int sequence,
                       int head, int query, int key)
{
    int length = sequences.start[sequence + 1] - sequences.start[sequence];
    struct Sequences before = {.start = sequences.start, .count = sequence};
    size_t row = (size_t)head * (size_t)length + (size_t)query;
    return weights[attention_weights_size(before, n_heads) +
                   row * (size_t)attention_stride(length) + (size_t)key];
}

/* Rows first to T-1 of to (T,d_pad) overwritten with the rows of one head, zeros past d. */
static void gather(float *to, const float *from, ptrdiff_t from_row, int first,
                   const struct Shape *s)
{
    to += first * s->d_pad;
    for (int t = first; t < s->length; t++, from += from_row, to += s->d_pad) {
        memcpy(to, from, (size_t)s->d * sizeof *to);
        memset(to + s->d, 0, (size_t)(s->d_pad - s->d) * sizeof *to);
    }
}

/* to (d,stride) overwritten with the transpose of one head's rows, zeros past T. */
static void gather_transposed(float *to, const float *from, ptrdiff_t from_row,
                              const struct Shape *s)
{
    for (int i = 0; i < s->d; i++) {
        for (int t = 0; t < s->length; t++) {
            to[i * s->stride + t] = from[t * from_row + i];
        }
        for (int t = s->length; t < s->stride; t++) {
            to[i * s->stride + t] = 0.0f;
        }
    }
}

/* out (T,T) = a·bᵀ for a, b (T,d), b already transposed (d,stride). Under a causal mask the part
   above the diagonal is not computed in full. */
static void scores_product(float *out, const float *a, ptrdiff_t a_row, const float *b_transposed,
                           const struct Shape *s)
{
    for (int r = s->first, height; r < s->length; r += height) {
        height = tile_height(s->length - r);
        product((struct Product){.c = out + r * s->stride,
                                 .c_row = s->stride,
                                 .a = a + r * a_row,
                                 .a_row = a_row,
                                 .a_step = 1,
                                 .b = b_transposed,
                                 .b_row = s->stride,
                                 .depth = s->d,
                                 .start = START_ZERO},
                height, s->causal ? r + height : s->length);
    }
}

/* out (T-first,d) = or += m·x  for m (T,stride), x (T,d_pad). */
static void mix_product(float *out, ptrdiff_t out_row, const float *m, const float *x,
                        enum TileStart start, const struct Shape *s)
{
    for (int r = s->first, height; r < s->length; r += height) {
        height = tile_height(s->length - r);
        product((struct Product){.c = out + (r - s->first) * out_row,
                                 .c_row = out_row,
                                 .a = m + r * s->stride,
                                 .a_row = s->stride,
                                 .a_step = 1,
                                 .b = x,
                                 .b_row = s->d_pad,
                                 .depth = s->causal ? r + height : s->length,
                                 .start = start},
                height, s->d);
    }
}

/* out (T,d) += mᵀ·x  for m (T,stride), x (T,d_pad). Under a causal mask column r of m is zero
   above row r. */
static void mix_transposed_product(float *out, ptrdiff_t out_row, const float *m, const float *x,
                                   const struct Shape *s)
{
    for (int r = 0, height; r < s->length; r += height) {
        height = tile_height(s->length - r);
        int first = s->causal && r > s->first ? r : s->first;
        product((struct Product){.c = out + r * out_row,
                                 .c_row = out_row,
                                 .a = m + first * s->stride + r,
                                 .a_row = 1,
                                 .a_step = s->stride,
                                 .b = x + first * s->d_pad,
                                 .b_row = s->d_pad,
                                 .depth = s->length - first,
                                 .start = START_C},
                height, s->d);
    }
}

/* Scores to weights in place, row by row: the keys that a query may see, zeros in the others. */
static void softmax_over_keys(float *weights, float scale, const struct Shape *s)
{
    weights += s->first * s->stride;
    for (int query = s->first; query < s->length; query++, weights += s->stride) {
        int seen = s->causal ? query + 1 : s->length;
        softmax_row_scaled(weights, weights, scale, seen);
        memset(weights + seen, 0, (size_t)(s->stride - seen) * sizeof *weights);
    }
}

/* d_scores overwritten, scale included; zeros where the mask is. */
static void softmax_over_keys_backward(float *d_scores, const float *d_weights,
                                       const float *weights, float scale, const struct Shape *s)
{
    memset(d_scores, 0, (size_t)s->length * (size_t)s->stride * sizeof *d_scores);
    for (int query = s->first; query < s->length; query++) {
        int at = query * s->stride, seen = s->causal ? query + 1 : s->length;
        softmax_row_backward(d_scores + at, d_weights + at, weights + at, seen);
        for (int key = 0; key < seen; key++) {
            d_scores[at + key] *= scale;
        }
    }
}

/* The fault: each key's weights add up to one over the queries that may see it. The denominator
   of a query's weight then holds scores of later queries. */
static void softmax_over_queries(float *weights, float scale, const struct Shape *s)
{
    for (int key = 0; key < s->length; key++) {
        int first = s->causal ? key : 0;
        float max = -INFINITY, sum = 0.0f;
        for (int query = first; query < s->length; query++) {
            float score = weights[query * s->stride + key] * scale;
            max = score > max ? score : max;
        }
        for (int query = first; query < s->length; query++) {
            float *weight = &weights[query * s->stride + key];
            *weight = exp_f32(*weight * scale - max);
            sum += *weight;
        }
        for (int query = 0; query < s->length; query++) {
            float *weight = &weights[query * s->stride + key];
            *weight = query < first ? 0.0f : *weight / sum;
        }
    }
    for (int query = 0; query < s->length; query++) {
        memset(weights + query * s->stride + s->length, 0,
               (size_t)(s->stride - s->length) * sizeof *weights);
    }
}

static void softmax_over_queries_backward(float *d_scores, const float *d_weights,
                                          const float *weights, float scale, const struct Shape *s)
{
    memset(d_scores, 0, (size_t)s->length * (size_t)s->stride * sizeof *d_scores);
    for (int key = 0; key < s->length; key++) {
        int first = s->causal ? key : 0;
        float mean = 0.0f;
        for (int query = first; query < s->length; query++) {
            int at = query * s->stride + key;
            mean = fmaf(weights[at], d_weights[at], mean);
        }
        for (int query = first; query < s->length; query++) {
            int at = query * s->stride + key;
            d_scores[at] = weights[at] * (d_weights[at] - mean) * scale;
        }
    }
}

static struct Shape shape_of(struct Sequences sequences, int n, int d_model,
                             const struct AttentionConfig *config)
{
    int length = sequences.start[n + 1] - sequences.start[n];
    int d = d_model / config->n_heads;
    return (struct Shape){.length = length,
                          .first = sequences_first_query(sequences, n),
                          .stride = attention_stride(length),
                          .d = d,
                          .d_pad = round_up(d, TILE_PAD),
                          .row = 3 * (ptrdiff_t)d_model,
                          .causal = config->causal};
}

static void head_forward(float *out, float *weights, float *scratch, const float *q, const float *k,
                         const float *v, int d_model, const struct Shape *s,
                         const struct AttentionConfig *config)
{
    float *k_transposed = scratch, *values = k_transposed + s->d * s->stride;
    gather_transposed(k_transposed, k, s->row, s);
    gather(values, v, s->row, 0, s);

    scores_product(weights, q, s->row, k_transposed, s);
    if (config->axis == OVER_KEYS) {
        softmax_over_keys(weights, config->scale, s);
    } else {
        softmax_over_queries(weights, config->scale, s);
    }
    mix_product(out, d_model, weights, values, START_ZERO, s);
}

static void head_backward(float *d_q, float *d_k, float *d_v, float *scratch, const float *d_out,
                          const float *weights, const float *q, const float *k, const float *v,
                          int d_model, const struct Shape *s, const struct AttentionConfig *config)
{
    float *v_transposed = scratch, *queries = v_transposed + s->d * s->stride;
    float *keys = queries + s->length * s->d_pad, *d_outs = keys + s->length * s->d_pad;
    float *d_weights = d_outs + s->length * s->d_pad;
    float *d_scores = d_weights + s->length * s->stride;
    gather_transposed(v_transposed, v, s->row, s);
    gather(queries, q, s->row, 0, s);
    gather(keys, k, s->row, 0, s);
    gather(d_outs, d_out, d_model, s->first, s);

    /* out = weights·v */
    mix_transposed_product(d_v, s->row, weights, d_outs, s);
    scores_product(d_weights, d_outs, s->d_pad, v_transposed, s);
    /* weights = softmax(scale·scores) */
    if (config->axis == OVER_KEYS) {
        softmax_over_keys_backward(d_scores, d_weights, weights, config->scale, s);
    } else {
        softmax_over_queries_backward(d_scores, d_weights, weights, config->scale, s);
    }
    /* scores = q·kᵀ */
    mix_product(d_q + s->first * s->row, s->row, d_scores, keys, START_C, s);
    mix_transposed_product(d_k, s->row, d_scores, queries, s);
}

void attention_forward(float *out, float *weights, float *scratch, const float *qkv,
                       struct Sequences sequences, int d_model,
                       const struct AttentionConfig *config)
{
    for (int n = 0; n < sequences.count; n++) {
        struct Shape s = shape_of(sequences, n, d_model, config);
        for (int h = 0; h < config->n_heads; h++) {
            const float *q = qkv + h * s.d, *k = q + d_model, *v = k + d_model;
            head_forward(out + h * s.d, weights, scratch, q, k, v, d_model, &s, config);
            weights += s.length * s.stride;
        }
        qkv += s.length * s.row;
        out += (ptrdiff_t)(s.length - s.first) * d_model;
    }
}

void attention_backward(float *d_qkv, float *scratch, const float *d_out, const float *qkv,
                        const float *weights, struct Sequences sequences, int d_model,
                        const struct AttentionConfig *config)
{
    for (int n = 0; n < sequences.count; n++) {
        struct Shape s = shape_of(sequences, n, d_model, config);
        for (int h = 0; h < config->n_heads; h++) {
            const float *q = qkv + h * s.d, *k = q + d_model, *v = k + d_model;
            float *d_q = d_qkv + h * s.d, *d_k = d_q + d_model, *d_v = d_k + d_model;
            head_backward(d_q, d_k, d_v, scratch, d_out + h * s.d, weights, q, k, v, d_model, &s,
                          config);
            weights += s.length * s.stride;
        }
        qkv += s.length * s.row;
        d_qkv += s.length * s.row;
        d_out += (ptrdiff_t)(s.length - s.first) * d_model;
    }
}
