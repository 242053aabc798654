/* The backward pass undoes the forward pass line by line, last line first; each step quotes the
   line that it undoes. */
#include "block.h"

#include <string.h>

#include "activation.h"
#include "matmul.h"
#include "norm.h"

struct BlockTensors block_params(struct ParamWalk *walk, const char *prefix,
                                 const struct ModelConfig *config)
{
    int d = config->d_model;
    struct BlockTensors t;
    t.ln1_weight = param(walk, prefix, "ln1.weight", d, 0, INIT_ONES, 0);
    t.ln1_bias = param(walk, prefix, "ln1.bias", d, 0, INIT_ZEROS, 0);
    t.qkv = param_linear(walk, prefix, "attn.qkv", attention_row(d, &config->attention), d);
    t.out = param_linear(walk, prefix, "attn.out", d, d);
    t.ln2_weight = param(walk, prefix, "ln2.weight", d, 0, INIT_ONES, 0);
    t.ln2_bias = param(walk, prefix, "ln2.bias", d, 0, INIT_ZEROS, 0);
    t.up = param_linear(walk, prefix, "mlp.0", config->d_ff, d);
    t.down = param_linear(walk, prefix, "mlp.2", d, config->d_ff);
    return t;
}

static void add(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] += x[i];
    }
}

/* Where the rows of sequence s with a query begin among all rows, and how many they are. */
static int query_rows(struct Sequences sequences, int s, int *count)
{
    int first = sequences.start[s] - sequences.start[0] + sequences_first_query(sequences, s);
    *count = sequences.start[s + 1] - sequences.start[0] - first;
    return first;
}

/* y (Q,D) += the rows of x (R,D) with a query. */
static void add_query_rows(float *y, const float *x, struct Sequences sequences, int d)
{
    for (int s = 0, n; s < sequences.count; s++, y += n * d) {
        int first = query_rows(sequences, s, &n);
        add(y, x + first * d, n * d);
    }
}

/* x (R,D) = y (Q,D) in the rows with a query, zeros in the others. */
static void spread_query_rows(float *x, const float *y, struct Sequences sequences, int d)
{
    float *rest = x;
    for (int s = 0, n; s < sequences.count; s++, y += n * d) {
        float *rows = x + query_rows(sequences, s, &n) * d;
        memset(rest, 0, (size_t)(rows - rest) * sizeof *x);
        memcpy(rows, y, (size_t)(n * d) * sizeof *x);
        rest = rows + n * d;
    }
}

static void multiply(float *restrict y, const float *restrict x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] *= x[i];
    }
}

/* The queries and keys of all heads, side by side, are turned in one go. */
static void rotate(float *qkv, const struct Rope *rope, const int32_t *place, int rows,
                   const struct AttentionConfig *a, int d_model, bool back)
{
    if (rope != NULL) {
        rope_rotate(qkv, attention_row(d_model, a), place, rows, a->n_heads + a->n_kv_heads, rope,
                    back);
    }
}

struct AttentionConfig block_attention(const struct Rope *rope, const struct ModelConfig *config)
{
    struct AttentionConfig attention = config->attention;
    attention.scale *= rope != NULL ? rope->scale : 1.0f;
    return attention;
}

void block_qkv(struct BlockSaved *s, const float *x, const struct BlockTensors *w,
               const struct Rope *rope, const int32_t *place, int rows,
               const struct ModelConfig *config)
{
    int d = config->d_model;
    layernorm_forward(s->normed1, s->mean1, s->rstd1, x, w->ln1_weight, w->ln1_bias, rows, d);
    linear_forward(s->qkv, s->normed1, w->qkv.packed_y, w->qkv.bias, rows, d,
                   attention_row(d, &config->attention));
    rotate(s->qkv, rope, place, rows, &config->attention, d, false);
}

/* h becomes its slope, y its value. */
static void activate(float *y, float *h, size_t n, enum Activation activation)
{
    if (activation == ACTIVATION_GELU) {
        gelu_forward_slope(y, h, n);
    } else {
        relu_forward_slope(y, h, n);
    }
}

void block_rest(float *y, struct BlockSaved *s, const float *x, const struct BlockTensors *w,
                struct Sequences sequences, const struct ModelConfig *config)
{
    int d = config->d_model, d_ff = config->d_ff, n_queries = sequences_queries(sequences);
    linear_forward(s->middle, s->heads, w->out.packed_y, w->out.bias, n_queries, d, d);
    add_query_rows(s->middle, x, sequences, d);

    layernorm_forward(s->normed2, s->mean2, s->rstd2, s->middle, w->ln2_weight, w->ln2_bias,
                      n_queries, d);
    linear_forward(s->slope, s->normed2, w->up.packed_y, w->up.bias, n_queries, d, d_ff);
    activate(s->gelu, s->slope, (size_t)n_queries * (size_t)d_ff, config->activation);
    linear_forward(y, s->gelu, w->down.packed_y, w->down.bias, n_queries, d_ff, d);
    add(y, s->middle, n_queries * d);
}

void block_forward(float *y, struct BlockSaved *s, struct BlockScratch *scratch, const float *x,
                   const struct BlockTensors *w, struct Positions positions,
                   struct Sequences sequences, int rows, const struct ModelConfig *config)
{
    struct AttentionConfig attention = block_attention(positions.rope, config);
    block_qkv(s, x, w, positions.rope, sequences.place, rows, config);
    attention_forward(s->heads, s->weights, scratch->attention, s->qkv, positions.bias, sequences,
                      config->d_model, &attention);
    block_rest(y, s, x, w, sequences, config);
}

/* y = linear(x) */
static void linear_backward(float *d_x, struct Linear *d, const float *d_y, const float *x,
                            const struct Linear *w, int rows, int k, int n)
{
    linear_backward_input(d_x, d_y, w->packed_dx, rows, k, n);
    linear_backward_weight(d->weight, d->bias, d_y, x, rows, k, n);
}

void block_backward(float *d_x, struct BlockTensors *d, struct BlockScratch *scratch,
                    const float *d_y, const float *x, const struct BlockSaved *s,
                    const struct BlockTensors *w, struct Positions positions,
                    struct Sequences sequences, int rows, const struct ModelConfig *config)
{
    int width = config->d_model, d_ff = config->d_ff, n_queries = sequences_queries(sequences);
    struct AttentionConfig attention = block_attention(positions.rope, config);
    struct BlockScratch *t = scratch;

    /* y = middle + down(gelu) */
    float *d_middle = memcpy(t->d_middle, d_y, (size_t)n_queries * (size_t)width * sizeof *d_y);
    float *d_gelu = t->d_gelu;
    linear_backward(d_gelu, &d->down, d_y, s->gelu, &w->down, n_queries, d_ff, width);
    /* gelu = GELU(up) */
    float *d_up = d_gelu;
    multiply(d_up, s->slope, n_queries * d_ff);
    /* up = up(normed2) */
    float *d_normed = t->d_normed;
    linear_backward(d_normed, &d->up, d_up, s->normed2, &w->up, n_queries, width, d_ff);
    /* normed2 = layernorm(middle) */
    layernorm_backward(d_middle, d->ln2_weight, d->ln2_bias, d_normed, s->middle, s->mean2,
                       s->rstd2, w->ln2_weight, n_queries, width);

    /* middle = x + out(heads) */
    spread_query_rows(d_x, d_middle, sequences, width);
    float *d_heads = t->d_heads;
    linear_backward(d_heads, &d->out, d_middle, s->heads, &w->out, n_queries, width, width);
    /* heads = attention(qkv) */
    float *d_qkv = t->d_qkv;
    attention_backward(d_qkv, positions.d_bias, t->attention, d_heads, s->qkv, s->weights,
                       sequences, width, &attention);
    rotate(d_qkv, positions.rope, sequences.place, rows, &attention, width, true);
    /* qkv = qkv(normed1) */
    linear_backward(d_normed, &d->qkv, d_qkv, s->normed1, &w->qkv, rows, width,
                    attention_row(width, &attention));
    /* normed1 = layernorm(x) */
    layernorm_backward(d_x, d->ln1_weight, d->ln1_bias, d_normed, x, s->mean1, s->rstd1,
                       w->ln1_weight, rows, width);
}
