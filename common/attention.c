/* Every sequence and head is a handful of small products on the tile of tile.h. The tile reads the
   rows of qkv where they lie; only what a product needs transposed is copied. Under a causal mask a
   tile of queries stops at its last key: what is left out is zeros. */
#include "attention.h"

#include <string.h>

#include "base.h"
#include "softmax.h"
#include "tile.h"
#include "vmath.h"

int attention_stride(int length)
{
    return round_up(length, 16);
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
    int length, first;  /* T, and the first row with a query */
    int stride;         /* the row length of weights and of what is transposed */
    int d;              /* d_head */
    ptrdiff_t row;      /* from one row of qkv to the next: 3D */
    ptrdiff_t out_row;  /* from one row of a head's output to the next */
    ptrdiff_t out_head; /* from one head's output to the next head's */
    bool causal;
};

size_t attention_scratch_size(int longest, int d_head)
{
    return ((size_t)d_head + (size_t)longest) * (size_t)attention_stride(longest);
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

/* out (T,T) = a·bᵀ for a (T-first,d), b (T,d); scratch (d,stride). Under a causal mask the part
   above the diagonal is not computed in full. */
static void scores_product(float *out, const float *a, ptrdiff_t a_row, const float *b,
                           float *scratch, const struct Shape *s)
{
    transpose(scratch, s->stride, b, s->row, s->length, s->d);
    for (int r = s->first, height; r < s->length; r += height) {
        height = tile_height(s->length - r);
        product((struct Product){.c = out + r * s->stride,
                                 .c_row = s->stride,
                                 .a = a + (r - s->first) * a_row,
                                 .a_row = a_row,
                                 .a_step = 1,
                                 .b = scratch,
                                 .b_row = s->stride,
                                 .depth = s->d},
                height, s->causal ? r + height : s->length);
    }
}

/* out (T-first,d) = m·x  for m (T,stride), x (T,d). */
static void mix_product(float *out, ptrdiff_t out_row, const float *m, const float *x,
                        const struct Shape *s)
{
    for (int r = s->first, height; r < s->length; r += height) {
        height = tile_height(s->length - r);
        product((struct Product){.c = out + (r - s->first) * out_row,
                                 .c_row = out_row,
                                 .a = m + r * s->stride,
                                 .a_row = s->stride,
                                 .a_step = 1,
                                 .b = x,
                                 .b_row = s->row,
                                 .depth = s->causal ? r + height : s->length},
                height, s->d);
    }
}

/* out (T,d) = mᵀ·x  for m (T,stride), x (T-first,d). Under a causal mask column r of m is zero
   above row r. */
static void mix_transposed_product(float *out, ptrdiff_t out_row, const float *m, const float *x,
                                   ptrdiff_t x_row, const struct Shape *s)
{
    for (int r = 0, height; r < s->length; r += height) {
        height = tile_height(s->length - r);
        int first = s->causal && r > s->first ? r : s->first;
        product((struct Product){.c = out + r * out_row,
                                 .c_row = out_row,
                                 .a = m + first * s->stride + r,
                                 .a_row = 1,
                                 .a_step = s->stride,
                                 .b = x + (first - s->first) * x_row,
                                 .b_row = x_row,
                                 .depth = s->length - first},
                height, s->d);
    }
}

/* Scores to weights in place, row by row: the keys that a query may see, zeros in the others. */
static void softmax_over_keys(float *weights, float scale, const struct Shape *s)
{
    weights += s->first * s->stride;
    for (int query = s->first; query < s->length; query++, weights += s->stride) {
        int seen = s->causal ? query + 1 : s->length;
        softmax_row_masked(weights, weights, scale, seen, s->stride);
    }
}

/* Gradients of weights to gradients of scores, in place; zeros where the mask is. */
static void softmax_over_keys_backward(float *d, const float *weights, float scale,
                                       const struct Shape *s)
{
    for (int query = s->first; query < s->length; query++) {
        int at = query * s->stride, seen = s->causal ? query + 1 : s->length;
        softmax_row_masked_backward(d + at, d + at, weights + at, scale, seen, s->stride);
    }
}

/* Which of the LANES keys from key on a query may see. */
static vi seen_from(int key, int query, const struct Shape *s)
{
    return vfirst((s->causal ? query + 1 : s->length) - key);
}

/* The fault: each key's weights add up to one over the queries that may see it. The denominator
   of a query's weight then holds scores of later queries. A lane is a key. */
static void softmax_over_queries(float *weights, float scale, const struct Shape *s)
{
    for (int key = 0; key < s->stride; key += LANES) {
        vf max = vset(-INFINITY), sum = vset(0.0f);
        for (int query = 0; query < s->length; query++) {
            vf score = vload(weights + query * s->stride + key) * scale;
            max = vselect(seen_from(key, query, s), vmax(score, max), max);
        }
        for (int query = 0; query < s->length; query++) {
            float *w = weights + query * s->stride + key;
            vf e = vselect(seen_from(key, query, s), vexp(vload(w) * scale - max), vset(0.0f));
            vstore(w, e);
            sum += e;
        }
        for (int query = 0; query < s->length; query++) {
            float *w = weights + query * s->stride + key;
            vstore(w, vselect(seen_from(key, query, s), vload(w) / sum, vset(0.0f)));
        }
    }
}

static void softmax_over_queries_backward(float *d, const float *weights, float scale,
                                          const struct Shape *s)
{
    for (int key = 0; key < s->stride; key += LANES) {
        vf mean = vset(0.0f);
        for (int query = 0; query < s->length; query++) {
            int at = query * s->stride + key;
            vf next = vfma(vload(weights + at), vload(d + at), mean);
            mean = vselect(seen_from(key, query, s), next, mean);
        }
        for (int query = 0; query < s->length; query++) {
            int at = query * s->stride + key;
            vf d_score = vload(weights + at) * (vload(d + at) - mean) * scale;
            vstore(d + at, vselect(seen_from(key, query, s), d_score, vset(0.0f)));
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
                          .row = 3 * (ptrdiff_t)d_model,
                          .out_row = config->stacked ? d : d_model,
                          .out_head = config->stacked ? length * d : d,
                          .causal = config->causal};
}

static void head_forward(float *out, float *weights, float *scratch, const float *q, const float *k,
                         const float *v, const struct Shape *s,
                         const struct AttentionConfig *config)
{
    scores_product(weights, q + s->first * s->row, s->row, k, scratch, s);
    if (config->axis == OVER_KEYS) {
        softmax_over_keys(weights, config->scale, s);
    } else {
        softmax_over_queries(weights, config->scale, s);
    }
    mix_product(out, s->out_row, weights, v, s);
}

static void head_backward(float *d_q, float *d_k, float *d_v, float *scratch, const float *d_out,
                          const float *weights, const float *q, const float *k, const float *v,
                          const struct Shape *s, const struct AttentionConfig *config)
{
    float *d_weights = scratch + s->d * s->stride, *d_scores = d_weights;

    /* out = weights·v */
    mix_transposed_product(d_v, s->row, weights, d_out, s->out_row, s);
    scores_product(d_weights, d_out, s->out_row, v, scratch, s);
    /* weights = softmax(scale·scores) */
    if (config->axis == OVER_KEYS) {
        softmax_over_keys_backward(d_weights, weights, config->scale, s);
    } else {
        softmax_over_queries_backward(d_weights, weights, config->scale, s);
    }
    /* scores = q·kᵀ */
    for (int t = 0; t < s->first; t++) {
        memset(d_q + t * s->row, 0, (size_t)s->d * sizeof *d_q);
    }
    mix_product(d_q + s->first * s->row, s->row, d_scores, k, s);
    mix_transposed_product(d_k, s->row, d_scores, q + s->first * s->row, s->row, s);
}

void attention_forward(float *out, float *weights, float *scratch, const float *qkv,
                       struct Sequences sequences, int d_model,
                       const struct AttentionConfig *config)
{
    for (int n = 0; n < sequences.count; n++) {
        struct Shape s = shape_of(sequences, n, d_model, config);
        for (int h = 0; h < config->n_heads; h++) {
            const float *q = qkv + h * s.d, *k = q + d_model, *v = k + d_model;
            head_forward(out + h * s.out_head, weights, scratch, q, k, v, &s, config);
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
            head_backward(d_q, d_k, d_v, scratch, d_out + h * s.out_head, weights, q, k, v, &s,
                          config);
            weights += s.length * s.stride;
        }
        qkv += s.length * s.row;
        d_qkv += s.length * s.row;
        d_out += (ptrdiff_t)(s.length - s.first) * d_model;
    }
}
