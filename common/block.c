/* The backward pass undoes the forward pass line by line, last line first; each step quotes the
   line that it undoes. */
#include "block.h"

#include <string.h>

#include "activation.h"
#include "matmul.h"
#include "norm.h"

struct BlockTensors block_params(struct ParamWalk *walk, const char *prefix, int d_model)
{
    int d = d_model;
    struct BlockTensors t;
    t.ln1_weight = param(walk, prefix, "ln1.weight", d, 0, INIT_ONES, 0);
    t.ln1_bias = param(walk, prefix, "ln1.bias", d, 0, INIT_ZEROS, 0);
    t.qkv = param_linear(walk, prefix, "attn.qkv", 3 * d, d);
    t.out = param_linear(walk, prefix, "attn.out", d, d);
    t.ln2_weight = param(walk, prefix, "ln2.weight", d, 0, INIT_ONES, 0);
    t.ln2_bias = param(walk, prefix, "ln2.bias", d, 0, INIT_ZEROS, 0);
    t.up = param_linear(walk, prefix, "mlp.0", 4 * d, d);
    t.down = param_linear(walk, prefix, "mlp.2", d, 4 * d);
    return t;
}

static void add(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] += x[i];
    }
}

/* Where the rows of sequence s that ask begin among all rows, and how many they are. */
static int asking_rows(struct Sequences sequences, int s, int *count)
{
    int first = sequences.start[s] - sequences.start[0] + sequences_first(sequences, s);
    *count = sequences.start[s + 1] - sequences.start[0] - first;
    return first;
}

/* y (Q,D) += the rows of x (R,D) that ask. */
static void add_asking(float *y, const float *x, struct Sequences sequences, int d)
{
    for (int s = 0, n; s < sequences.count; s++, y += n * d) {
        int first = asking_rows(sequences, s, &n);
        add(y, x + first * d, n * d);
    }
}

/* The rows of x (R,D) that ask += y (Q,D). */
static void add_to_asking(float *x, const float *y, struct Sequences sequences, int d)
{
    for (int s = 0, n; s < sequences.count; s++, y += n * d) {
        int first = asking_rows(sequences, s, &n);
        add(x + first * d, y, n * d);
    }
}

static float *zeros(float *x, int n)
{
    return memset(x, 0, (size_t)n * sizeof *x);
}

void block_forward(float *y, struct BlockSaved *s, struct BlockScratch *scratch, const float *x,
                   const struct BlockTensors *w, struct Sequences sequences, int rows, int d_model,
                   const struct AttentionConfig *config)
{
    int d = d_model, asking = sequences_asking(sequences);
    layernorm_forward(s->normed1, s->mean1, s->rstd1, x, w->ln1_weight, w->ln1_bias, rows, d);
    linear_forward(s->qkv, s->normed1, w->qkv.forward, w->qkv.bias, rows, d, 3 * d);
    attention_forward(s->heads, s->weights, scratch->attention, s->qkv, sequences, d, config);
    linear_forward(s->middle, s->heads, w->out.forward, w->out.bias, asking, d, d);
    add_asking(s->middle, x, sequences, d);

    layernorm_forward(s->normed2, s->mean2, s->rstd2, s->middle, w->ln2_weight, w->ln2_bias, asking,
                      d);
    linear_forward(s->up, s->normed2, w->up.forward, w->up.bias, asking, d, 4 * d);
    gelu_forward(s->gelu, s->up, (size_t)asking * 4 * d);
    linear_forward(y, s->gelu, w->down.forward, w->down.bias, asking, 4 * d, d);
    add(y, s->middle, asking * d);
}

/* y = linear(x): d_x and the gradients of weight and bias added to. */
static void linear_backward(float *d_x, struct Linear *d, float *scratch, const float *d_y,
                            const float *x, const struct Linear *w, int rows, int k, int n)
{
    linear_backward_input(d_x, d_y, w->backward, rows, k, n);
    linear_backward_weight(d->weight, d->bias, d_y, x, scratch, rows, k, n);
}

void block_backward(float *d_x, struct BlockTensors *d, struct BlockScratch *scratch,
                    const float *d_y, const float *x, const struct BlockSaved *s,
                    const struct BlockTensors *w, struct Sequences sequences, int rows, int d_model,
                    const struct AttentionConfig *config)
{
    int width = d_model, asking = sequences_asking(sequences);
    struct BlockScratch *t = scratch;

    /* y = middle + down(gelu) */
    float *d_middle = memcpy(t->d_middle, d_y, (size_t)asking * (size_t)width * sizeof *d_y);
    float *d_gelu = zeros(t->d_gelu, asking * 4 * width);
    linear_backward(d_gelu, &d->down, t->linear, d_y, s->gelu, &w->down, asking, 4 * width, width);
    /* gelu = GELU(up) */
    float *d_up = zeros(t->d_up, asking * 4 * width);
    gelu_backward(d_up, d_gelu, s->up, (size_t)asking * 4 * (size_t)width);
    /* up = up(normed2) */
    float *d_normed = zeros(t->d_normed, asking * width);
    linear_backward(d_normed, &d->up, t->linear, d_up, s->normed2, &w->up, asking, width,
                    4 * width);
    /* normed2 = layernorm(middle) */
    layernorm_backward(d_middle, d->ln2_weight, d->ln2_bias, d_normed, s->middle, s->mean2,
                       s->rstd2, w->ln2_weight, asking, width);

    /* middle = x + out(heads) */
    add_to_asking(d_x, d_middle, sequences, width);
    float *d_heads = zeros(t->d_heads, asking * width);
    linear_backward(d_heads, &d->out, t->linear, d_middle, s->heads, &w->out, asking, width, width);
    /* heads = attention(qkv) */
    float *d_qkv = zeros(t->d_qkv, rows * 3 * width);
    attention_backward(d_qkv, t->attention, d_heads, s->qkv, s->weights, sequences, width, config);
    /* qkv = qkv(normed1) */
    d_normed = zeros(t->d_normed, rows * width);
    linear_backward(d_normed, &d->qkv, t->linear, d_qkv, s->normed1, &w->qkv, rows, width,
                    3 * width);
    /* normed1 = layernorm(x) */
    layernorm_backward(d_x, d->ln1_weight, d->ln1_bias, d_normed, x, s->mean1, s->rstd1,
                       w->ln1_weight, rows, width);
}
