/* Every sequence and head is a handful of small products on the tile of tile.h. The tile reads the
   rows of qkv where they lie; only what a product needs transposed is copied. A tile of queries stops
   at the last key that one of them sees: what is left out is zeros. */
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
    int skipped;        /* the first row that the weights have */
    int stride;         /* the row length of weights and of what is transposed */
    int d;              /* d_head */
    ptrdiff_t q_row;    /* from one row's query to the next row's */
    ptrdiff_t kv_row;   /* from one row's key, or value, to the next row's */
    ptrdiff_t out_row;  /* from one row of a head's output to the next */
    ptrdiff_t out_head; /* from one head's output to the next head's */
    float scale;
    const struct Mask *mask;
    const float *bias;    /* of this head, by distance; NULL: none */
    int span;             /* of the bias */
    const int32_t *place; /* (T) */
};

int attention_row(int d_model, const struct AttentionConfig *config)
{
    return d_model + 2 * (d_model / config->n_heads) * config->n_kv_heads;
}

size_t attention_scratch_size(int longest, int d_head)
{
    return (2 * (size_t)d_head + (size_t)longest) * (size_t)attention_stride(longest);
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

/* Where the weights of a query begin. */
static ptrdiff_t row_of(int query, const struct Shape *s)
{
    return (ptrdiff_t)(query - s->skipped) * s->stride;
}

/* Behind the last key that a query before row end sees; at least 1. Prefix and diagonal are the
   only things that end it: what a window or padding hides in between is computed and not used. */
static int seen_by(int end, const struct Shape *s)
{
    const struct Mask *m = s->mask;
    int seen = m->causal ? (end > m->prefix ? end : m->prefix) : s->length;
    return seen < s->length ? seen : s->length;
}

/* out (T,T) = a·bᵀ for a (T-first,d), b (T,d); scratch (d,stride). Keys that the mask hides from a
   whole tile are left out. */
static void scores_product(float *out, const float *a, ptrdiff_t a_row, const float *b,
                           float *scratch, const struct Shape *s)
{
    transpose(scratch, s->stride, b, s->kv_row, s->length, s->d);
    for (int r = s->first, height; r < s->length; r += height) {
        height = tile_height(s->length - r);
        product((struct Product){.c = out + row_of(r, s),
                                 .c_row = s->stride,
                                 .a = a + (r - s->first) * a_row,
                                 .a_row = a_row,
                                 .a_step = 1,
                                 .b = scratch,
                                 .b_row = s->stride,
                                 .depth = s->d},
                height, seen_by(r + height, s));
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
                                 .a = m + row_of(r, s),
                                 .a_row = s->stride,
                                 .a_step = 1,
                                 .b = x,
                                 .b_row = s->kv_row,
                                 .depth = seen_by(r + height, s)},
                height, s->d);
    }
}

/* out (T,d) = mᵀ·x  for m (T,stride), x (T-first,d). Column r of m is zero above the first query
   that sees key r. */
static void mix_transposed_product(float *out, ptrdiff_t out_row, const float *m, const float *x,
                                   ptrdiff_t x_row, const struct Shape *s)
{
    for (int r = 0, height; r < s->length; r += height) {
        height = tile_height(s->length - r);
        int first = mask_first_query(s->mask, r);
        first = first > s->first ? first : s->first;
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

/* How far a query stands behind a key, as the bias has it. */
static int distance_of(int query, int key, const struct Shape *s)
{
    int distance = s->place[query] - s->place[key];
    return distance >= s->span ? s->span - 1 : distance <= -s->span ? 1 - s->span : distance;
}

/* row[key]: from a score to a scaled score plus its bias. */
static void add_bias(float *row, int query, struct Keys keys, const struct Shape *s)
{
    for (int key = keys.first; key < keys.end; key++) {
        row[key] = row[key] * s->scale + s->bias[distance_of(query, key, s)];
    }
}

static void hide_before(float *row, int first)
{
    for (int key = 0; key < first; key++) {
        row[key] = 0.0f;
    }
}

/* Scores to weights in place, row by row: the keys that a query may see, zeros in the others. */
static void softmax_over_keys(float *weights, const struct Shape *s)
{
    for (int query = s->first; query < s->length; query++) {
        float *row = weights + row_of(query, s);
        struct Keys keys = mask_keys(s->mask, query, s->length);
        hide_before(row, keys.first);
        if (s->bias != NULL) {
            add_bias(row, query, keys, s);
        }
        float *seen = row + keys.first;
        softmax_row_masked(seen, seen, s->bias != NULL ? 1.0f : s->scale, keys.end - keys.first,
                           s->stride - keys.first);
    }
}

/* Gradients of weights to gradients of scores, in place; zeros where the mask is. d_bias, if there
   is one, gets those of the scaled scores. */
static void softmax_over_keys_backward(float *d, float *d_bias, const float *weights,
                                       const struct Shape *s)
{
    for (int query = s->first; query < s->length; query++) {
        ptrdiff_t at = (ptrdiff_t)query * s->stride;
        struct Keys keys = mask_keys(s->mask, query, s->length);
        hide_before(d + at, keys.first);
        float *seen = d + at + keys.first;
        softmax_row_masked_backward(seen, seen, weights + at + keys.first,
                                    d_bias != NULL ? 1.0f : s->scale, keys.end - keys.first,
                                    s->stride - keys.first);
        for (int key = keys.first; d_bias != NULL && key < keys.end; key++) {
            d_bias[distance_of(query, key, s)] += d[at + key];
            d[at + key] *= s->scale;
        }
    }
}

/* Which of the LANES keys from key on a query may see. */
static vi seen_from(int key, int query, const struct Shape *s)
{
    return vfirst((s->mask->causal ? query + 1 : s->length) - key);
}

/* The fault: each key's weights add up to one over the queries that may see it. The denominator
   of a query's weight then holds scores of later queries. A lane is a key. */
static void softmax_over_queries(float *weights, const struct Shape *s)
{
    float scale = s->scale;
    for (int key = 0; key < s->stride; key += LANES) {
        vf max = vset(-INFINITY), sum = vset(0.0f);
        for (int query = 0; query < s->length; query++) {
            vf score = vload(weights + query * s->stride + key) * scale;
            max = vselect(seen_from(key, query, s), vmax(score, max), max);
        }
        for (int query = 0; query < s->length; query++) {
            float *w = weights + (ptrdiff_t)query * s->stride + key;
            vf e = vselect(seen_from(key, query, s), vexp(vload(w) * scale - max), vset(0.0f));
            vstore(w, e);
            sum += e;
        }
        for (int query = 0; query < s->length; query++) {
            float *w = weights + (ptrdiff_t)query * s->stride + key;
            vstore(w, vselect(seen_from(key, query, s), vload(w) / sum, vset(0.0f)));
        }
    }
}

static void softmax_over_queries_backward(float *d, const float *weights, const struct Shape *s)
{
    for (int key = 0; key < s->stride; key += LANES) {
        vf mean = vset(0.0f);
        for (int query = 0; query < s->length; query++) {
            ptrdiff_t at = (ptrdiff_t)query * s->stride + key;
            vf next = vfma(vload(weights + at), vload(d + at), mean);
            mean = vselect(seen_from(key, query, s), next, mean);
        }
        for (int query = 0; query < s->length; query++) {
            ptrdiff_t at = (ptrdiff_t)query * s->stride + key;
            vf d_score = vload(weights + at) * (vload(d + at) - mean) * s->scale;
            vstore(d + at, vselect(seen_from(key, query, s), d_score, vset(0.0f)));
        }
    }
}

static struct Shape shape_of(struct Sequences sequences, int n, const struct Bias *bias,
                             int d_model, const struct AttentionConfig *config)
{
    int length = sequences.start[n + 1] - sequences.start[n];
    int d = d_model / config->n_heads, row = attention_row(d_model, config);
    const int32_t *place = sequences.place;
    return (struct Shape){
        .length = length,
        .first = sequences_first_query(sequences, n),
        .stride = attention_stride(length),
        .d = d,
        .q_row = row,
        .kv_row = row,
        .out_row = config->stacked ? d : d_model,
        .out_head = config->stacked ? length * d : d,
        .scale = config->scale,
        .mask = &config->mask,
        .span = bias != NULL ? bias->span : 0,
        .place = place != NULL ? place + (sequences.start[n] - sequences.start[0]) : NULL,
    };
}

/* q: the first query; k, v: the first key and value of the sequence. */
static void head_forward(float *out, float *weights, float *scratch, const float *q, const float *k,
                         const float *v, const struct Shape *s, enum SoftmaxAxis axis)
{
    scores_product(weights, q, s->q_row, k, scratch, s);
    if (axis == OVER_KEYS) {
        softmax_over_keys(weights, s);
    } else {
        softmax_over_queries(weights, s);
    }
    mix_product(out, s->out_row, weights, v, s);
}

static void sequence_forward(float *out, float *weights, float *scratch, const float *q,
                             const float *k, const float *v, const struct Bias *bias,
                             struct Shape s, const struct AttentionConfig *config)
{
    int group = config->n_heads / config->n_kv_heads;
    for (int h = 0; h < config->n_heads; h++) {
        s.bias = bias_of(bias, h);
        head_forward(out + h * s.out_head, weights, scratch, q + h * s.d, k + h / group * s.d,
                     v + h / group * s.d, &s, config->axis);
        weights += row_of(s.length, &s);
    }
}

/* to (T,d) += from (T,d) */
static void add_rows(float *to, ptrdiff_t to_row, const float *from, const struct Shape *s)
{
    for (int t = 0; t < s->length; t++) {
        for (int i = 0; i < s->d; i++) {
            to[t * to_row + i] += from[t * s->d + i];
        }
    }
}

/* The gradient of keys or values, mᵀ·x: overwritten by the first head of a group, added to by the
   others. */
static void shared_product(float *d_kv, float *scratch, const float *m, const float *x,
                           ptrdiff_t x_row, bool first, const struct Shape *s)
{
    if (first) {
        mix_transposed_product(d_kv, s->kv_row, m, x, x_row, s);
    } else {
        mix_transposed_product(scratch, s->d, m, x, x_row, s);
        add_rows(d_kv, s->kv_row, scratch, s);
    }
}

/* first: of the heads that share these keys and values. */
static void head_backward(float *d_q, float *d_k, float *d_v, float *d_bias, float *scratch,
                          const float *d_out, const float *weights, const float *q, const float *k,
                          const float *v, bool first, const struct Shape *s, enum SoftmaxAxis axis)
{
    float *d_weights = scratch + 2 * s->d * s->stride, *d_scores = d_weights;
    float *shared = scratch + s->d * s->stride;

    /* out = weights·v */
    shared_product(d_v, shared, weights, d_out, s->out_row, first, s);
    scores_product(d_weights, d_out, s->out_row, v, scratch, s);
    /* weights = softmax(scale·scores + bias) */
    if (axis == OVER_KEYS) {
        softmax_over_keys_backward(d_weights, d_bias, weights, s);
    } else {
        softmax_over_queries_backward(d_weights, weights, s);
    }
    /* scores = q·kᵀ */
    for (int t = 0; t < s->first; t++) {
        memset(d_q + t * s->q_row, 0, (size_t)s->d * sizeof *d_q);
    }
    mix_product(d_q + s->first * s->q_row, s->q_row, d_scores, k, s);
    shared_product(d_k, shared, d_scores, q, s->q_row, first, s);
}

void attention_forward(float *out, float *weights, float *scratch, const float *qkv,
                       const struct Bias *bias, struct Sequences sequences, int d_model,
                       const struct AttentionConfig *config)
{
    for (int n = 0; n < sequences.count; n++) {
        struct Shape s = shape_of(sequences, n, bias, d_model, config);
        const float *k = qkv + d_model, *v = k + s.d * config->n_kv_heads;
        sequence_forward(out, weights, scratch, qkv + s.first * s.q_row, k, v, bias, s, config);
        weights += config->n_heads * row_of(s.length, &s);
        qkv += s.length * s.q_row;
        out += (ptrdiff_t)(s.length - s.first) * d_model;
    }
}

void attention_of_last(float *out, float *weights, float *scratch, const float *q, ptrdiff_t q_row,
                       const float *keys, const float *values, ptrdiff_t kv_row,
                       const struct Bias *bias, const int32_t *place, int count, int length,
                       int d_model, const struct AttentionConfig *config)
{
    const int32_t start[] = {0, length}, first = length - count;
    struct Sequences one = {.start = start, .count = 1, .first = &first, .place = place};
    struct Shape s = shape_of(one, 0, bias, d_model, config);
    s.skipped = first;
    s.q_row = q_row;
    s.kv_row = kv_row;
    sequence_forward(out, weights, scratch, q, keys, values, bias, s, config);
}

void attention_backward(float *d_qkv, const struct Bias *d_bias, float *scratch, const float *d_out,
                        const float *qkv, const float *weights, struct Sequences sequences,
                        int d_model, const struct AttentionConfig *config)
{
    int group = config->n_heads / config->n_kv_heads;
    for (int n = 0; n < sequences.count; n++) {
        struct Shape s = shape_of(sequences, n, d_bias, d_model, config);
        ptrdiff_t values = s.d * config->n_kv_heads; /* from a key to its value */
        for (int h = 0; h < config->n_heads; h++) {
            const float *q = qkv + h * s.d, *k = qkv + d_model + h / group * s.d;
            float *d_q = d_qkv + h * s.d, *d_k = d_qkv + d_model + h / group * s.d;
            head_backward(d_q, d_k, d_k + values, bias_of(d_bias, h), scratch,
                          d_out + h * s.out_head, weights, q + s.first * s.q_row, k, k + values,
                          h % group == 0, &s, config->axis);
            weights += row_of(s.length, &s);
        }
        qkv += s.length * s.q_row;
        d_qkv += s.length * s.q_row;
        d_out += (ptrdiff_t)(s.length - s.first) * d_model;
    }
}
