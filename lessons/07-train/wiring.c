/* The whole transformer, forward and backward, in reading order. Every tensor gets a name and an
   array of its own, products are the plain loops, and all rows go through together: no shards, no
   threads, no packed weights. What common/ does in 4 milliseconds a step is what stands here.

   R rows, D = d_model. A gradient d_x is how much the loss grows when x does. */
#include "wiring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/activation.h"
#include "common/attention.h"
#include "common/base.h"
#include "common/loss.h"
#include "common/matmul.h"
#include "common/norm.h"

/* What one block computes on its way forward. */
struct Kept {
    float *x, *mean1, *rstd1, *normed1, *qkv, *weights, *heads, *middle;
    float *mean2, *rstd2, *normed2, *up, *gelu, *y;
};

static float *sum_of(const float *a, const float *b, size_t n)
{
    float *sum = array_new(n);
    for (size_t i = 0; i < n; i++) {
        sum[i] = a[i] + b[i];
    }
    return sum;
}

/* x -> middle = x + attention(norm(x)) -> y = middle + mlp(norm(middle)) */
static struct Kept forward(float *x, const struct BlockTensors *w, const struct Batch *batch, int D,
                           const struct AttentionConfig *config, float *scratch)
{
    int R = batch->rows;
    size_t n = (size_t)R * (size_t)D;
    struct Sequences sequences = {.start = batch->start, .count = batch->count};
    struct Kept k = {.x = x};

    k.mean1 = array_new((size_t)R), k.rstd1 = array_new((size_t)R), k.normed1 = array_new(n);
    layernorm_forward(k.normed1, k.mean1, k.rstd1, x, w->ln1_weight, w->ln1_bias, R, D);
    k.qkv = array_new(3 * n);
    linear_forward_ref(k.qkv, k.normed1, w->qkv.weight, w->qkv.bias, R, D, 3 * D);
    k.weights = array_new(attention_weights_size(sequences, config->n_heads));
    k.heads = array_new(n);
    attention_forward(k.heads, k.weights, scratch, k.qkv, sequences, D, config);
    float *attended = array_new(n);
    linear_forward_ref(attended, k.heads, w->out.weight, w->out.bias, R, D, D);
    k.middle = sum_of(x, attended, n);

    k.mean2 = array_new((size_t)R), k.rstd2 = array_new((size_t)R), k.normed2 = array_new(n);
    layernorm_forward(k.normed2, k.mean2, k.rstd2, k.middle, w->ln2_weight, w->ln2_bias, R, D);
    k.up = array_new(4 * n);
    linear_forward_ref(k.up, k.normed2, w->up.weight, w->up.bias, R, D, 4 * D);
    k.gelu = array_new(4 * n);
    gelu_forward(k.gelu, k.up, 4 * n);
    float *down = array_new(n);
    linear_forward_ref(down, k.gelu, w->down.weight, w->down.bias, R, 4 * D, D);
    k.y = sum_of(k.middle, down, n);
    free(attended);
    free(down);
    return k;
}

/* Returns d_x; the parameters' gradients in d are added to. Each paragraph undoes the line it
   quotes, and frees what only that line needed. */
static float *backward(float *d_y, struct Kept k, const struct BlockTensors *w,
                       struct BlockTensors *d, const struct Batch *batch, int D,
                       const struct AttentionConfig *config, float *scratch)
{
    int R = batch->rows;
    size_t n = (size_t)R * (size_t)D, F = sizeof(float);
    struct Sequences sequences = {.start = batch->start, .count = batch->count};

    /* y = middle + down(gelu(up(norm(middle)))): the plus sends d_y both ways */
    float *d_middle = memcpy(array_new(n), d_y, n * F);
    float *d_gelu = zeros_new(4 * n, F), *d_up = zeros_new(4 * n, F), *d_normed2 = zeros_new(n, F);
    linear_backward_ref(d_gelu, d->down.weight, d->down.bias, d_y, k.gelu, w->down.weight, R, 4 * D,
                        D);
    gelu_backward(d_up, d_gelu, k.up, 4 * n);
    linear_backward_ref(d_normed2, d->up.weight, d->up.bias, d_up, k.normed2, w->up.weight, R, D,
                        4 * D);
    layernorm_backward(d_middle, d->ln2_weight, d->ln2_bias, d_normed2, k.middle, k.mean2, k.rstd2,
                       w->ln2_weight, R, D);

    /* middle = x + out(attention(qkv(norm(x)))) */
    float *d_x = memcpy(array_new(n), d_middle, n * F);
    float *d_heads = zeros_new(n, F), *d_qkv = zeros_new(3 * n, F), *d_normed1 = zeros_new(n, F);
    linear_backward_ref(d_heads, d->out.weight, d->out.bias, d_middle, k.heads, w->out.weight, R, D,
                        D);
    attention_backward(d_qkv, scratch, d_heads, k.qkv, k.weights, sequences, D, config);
    linear_backward_ref(d_normed1, d->qkv.weight, d->qkv.bias, d_qkv, k.normed1, w->qkv.weight, R,
                        D, 3 * D);
    layernorm_backward(d_x, d->ln1_weight, d->ln1_bias, d_normed1, k.x, k.mean1, k.rstd1,
                       w->ln1_weight, R, D);

    float *done[] = {d_y,       d_middle, d_gelu,  d_up,      d_normed2, d_heads,   d_qkv,
                     d_normed1, k.mean1,  k.rstd1, k.normed1, k.qkv,     k.weights, k.heads,
                     k.middle,  k.mean2,  k.rstd2, k.normed2, k.up,      k.gelu,    k.y};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) {
        free(done[i]);
    }
    return d_x;
}

double wiring_gradient(float *gradient, const struct Model *model, const struct Batch *batch)
{
    const struct ModelConfig *config = &model->config;
    const struct ModelTensors *w = &model->w;
    int R = batch->rows, D = config->d_model, vocab = config->vocab, layers = config->n_layers;
    size_t n = (size_t)R * (size_t)D;
    struct ModelTensors d = {.blocks = zeros_new((size_t)layers, sizeof *d.blocks)};
    model_params(&d, &(struct ParamWalk){.base = gradient}, config);
    memset(gradient, 0, model->params.size * sizeof *gradient);
    float *scratch =
        array_new(attention_scratch_size(config->context, D / config->attention.n_heads));
    struct Kept *kept = zeros_new((size_t)layers, sizeof *kept);

    /* Forward: a token's row of one table plus its position's row of the other; the blocks; a last
       norm; and from each row a score for every token that could come next. */
    float *x = array_new(n), *tables = x;
    for (size_t i = 0; i < n; i++) {
        size_t row = i / (size_t)D, column = i % (size_t)D;
        x[i] = w->token[(size_t)batch->tokens[row] * (size_t)D + column] +
               w->position[(size_t)batch->positions[row] * (size_t)D + column];
    }
    for (int layer = 0; layer < layers; layer++) {
        kept[layer] = forward(x, &w->blocks[layer], batch, D, &config->attention, scratch);
        x = kept[layer].y;
    }
    float *normed = array_new(n), *mean = array_new((size_t)R), *rstd = array_new((size_t)R);
    layernorm_forward(normed, mean, rstd, x, w->ln_weight, w->ln_bias, R, D);
    float *logits = array_new((size_t)R * (size_t)vocab);
    linear_forward_ref(logits, normed, w->head.weight, w->head.bias, R, D, vocab);
    float *probabilities = array_new((size_t)R * (size_t)vocab);
    double sum = cross_entropy_forward(probabilities, logits, batch->targets, R, vocab);

    /* Backward: the same lines, last one first. */
    float *d_logits = zeros_new((size_t)R * (size_t)vocab, sizeof *d_logits);
    cross_entropy_backward(d_logits, probabilities, batch->targets, R, vocab, batch->n_targets);
    float *d_normed = zeros_new(n, sizeof *d_normed), *d_x = zeros_new(n, sizeof *d_x);
    linear_backward_ref(d_normed, d.head.weight, d.head.bias, d_logits, normed, w->head.weight, R,
                        D, vocab);
    layernorm_backward(d_x, d.ln_weight, d.ln_bias, d_normed, x, mean, rstd, w->ln_weight, R, D);
    for (int layer = layers - 1; layer >= 0; layer--) {
        d_x = backward(d_x, kept[layer], &w->blocks[layer], &d.blocks[layer], batch, D,
                       &config->attention, scratch);
    }
    for (size_t i = 0; i < n; i++) {
        size_t row = i / (size_t)D, column = i % (size_t)D;
        d.token[(size_t)batch->tokens[row] * (size_t)D + column] += d_x[i];
        d.position[(size_t)batch->positions[row] * (size_t)D + column] += d_x[i];
    }

    float *done[] = {scratch, tables,   normed,   mean, rstd,
                     logits,  d_logits, d_normed, d_x,  probabilities};
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) {
        free(done[i]);
    }
    free(kept);
    free(d.blocks);
    return sum / batch->n_targets;
}

float wiring_adamw(float parameter, float gradient, float *m, float *v, int t, double lr,
                   double decay)
{
    const double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
    double keep = 1.0 - lr * decay, power1 = 1.0, power2 = 1.0;
    for (int i = 0; i < t; i++) {
        power1 *= beta1;
        power2 *= beta2;
    }
    *m = (float)(beta1 * (double)*m + (1.0 - beta1) * (double)gradient);
    *v = (float)(beta2 * (double)*v + (1.0 - beta2) * (double)gradient * (double)gradient);
    double m_hat = (double)*m / (1.0 - power1), v_hat = (double)*v / (1.0 - power2);
    return (float)((double)parameter * keep - lr * m_hat / (sqrt(v_hat) + eps));
}
