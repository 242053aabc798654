/* The wiring of the whole transformer, forward and backward, in reading order. Every tensor has a
   name and an array of its own, products are the plain loops of matmul.h, and all rows go through
   together: no shards, no threads, no packed weights. What a single layer does (layer norm,
   attention, GELU, cross-entropy) stands in common/ under its name, each forward function with its
   backward function below it.

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

/* Every array of one step; they live until the step is over. */
struct Arrays {
    float **list;
    int count;
};

static float *array(struct Arrays *arrays, size_t n)
{
    arrays->list = realloc(arrays->list, (size_t)(arrays->count + 1) * sizeof *arrays->list);
    if (arrays->list == NULL) {
        die("out of memory");
    }
    return arrays->list[arrays->count++] = array_new(n);
}

static float *zeros(struct Arrays *arrays, size_t n)
{
    return memset(array(arrays, n), 0, n * sizeof(float));
}

static float *sum_of(struct Arrays *arrays, const float *a, const float *b, size_t n)
{
    float *sum = array(arrays, n);
    for (size_t i = 0; i < n; i++) {
        sum[i] = a[i] + b[i];
    }
    return sum;
}

/* What one block computes on its way forward. */
struct Kept {
    const float *x;
    float *mean1, *rstd1, *normed1, *qkv, *weights, *heads, *middle;
    float *mean2, *rstd2, *normed2, *up, *gelu, *y;
};

/* What all of it works on. */
struct Setting {
    struct Sequences sequences;
    const struct AttentionConfig *attention;
    int R, D;
    float *scratch;          /* of the attention */
    const struct Swap *swap; /* NULL: none */
    struct Arrays *arrays;
};

/* In qkv (R,3D) the values stand behind queries and keys. */
static void swap_values(float *qkv, const struct Swap *swap, int D)
{
    float *a = qkv + swap->row * 3 * D + 2 * D, *b = qkv + swap->other * 3 * D + 2 * D;
    for (int i = 0; i < D; i++) {
        float value = a[i];
        a[i] = b[i];
        b[i] = value;
    }
}

/* x -> middle = x + attention(norm(x)) -> y = middle + mlp(norm(middle)) */
static struct Kept forward(const float *x, int layer, const struct BlockTensors *w,
                           const struct Setting *s)
{
    int R = s->R, D = s->D;
    size_t n = (size_t)R * (size_t)D;
    struct Arrays *a = s->arrays;
    struct Kept k = {.x = x};

    k.mean1 = array(a, (size_t)R), k.rstd1 = array(a, (size_t)R), k.normed1 = array(a, n);
    layernorm_forward(k.normed1, k.mean1, k.rstd1, x, w->ln1_weight, w->ln1_bias, R, D);
    k.qkv = array(a, 3 * n);
    linear_forward_ref(k.qkv, k.normed1, w->qkv.weight, w->qkv.bias, R, D, 3 * D);
    if (s->swap != NULL && s->swap->layer == layer) {
        swap_values(k.qkv, s->swap, D);
    }
    k.weights = array(a, attention_weights_size(s->sequences, s->attention->n_heads));
    k.heads = array(a, n);
    attention_forward(k.heads, k.weights, s->scratch, k.qkv, NULL, s->sequences, D, s->attention);
    float *attended = array(a, n);
    linear_forward_ref(attended, k.heads, w->out.weight, w->out.bias, R, D, D);
    k.middle = sum_of(a, x, attended, n);

    k.mean2 = array(a, (size_t)R), k.rstd2 = array(a, (size_t)R), k.normed2 = array(a, n);
    layernorm_forward(k.normed2, k.mean2, k.rstd2, k.middle, w->ln2_weight, w->ln2_bias, R, D);
    k.up = array(a, 4 * n);
    linear_forward_ref(k.up, k.normed2, w->up.weight, w->up.bias, R, D, 4 * D);
    k.gelu = array(a, 4 * n);
    gelu_forward(k.gelu, k.up, 4 * n);
    float *down = array(a, n);
    linear_forward_ref(down, k.gelu, w->down.weight, w->down.bias, R, 4 * D, D);
    k.y = sum_of(a, k.middle, down, n);
    return k;
}

/* y = x·Wᵀ + b backward: returns d_x and fills in the gradients of W and b. */
static float *linear_backward(const struct Linear *d, const float *d_y, const float *x,
                              const struct Linear *w, int k, int n, const struct Setting *s)
{
    float *d_x = array(s->arrays, (size_t)s->R * (size_t)k);
    linear_backward_ref(d_x, d->weight, d->bias, d_y, x, w->weight, s->R, k, n);
    return d_x;
}

/* Returns d_x and fills in the parameters' gradients d. A value that went two ways on its way
   forward (x, middle: along the residual path and into a norm) gets the sum of what comes back
   from both. */
static float *backward(const float *d_y, const struct Kept *k, const struct BlockTensors *w,
                       const struct BlockTensors *d, const struct Setting *s)
{
    int R = s->R, D = s->D;
    size_t n = (size_t)R * (size_t)D;
    struct Arrays *a = s->arrays;

    /* y = middle + down(gelu(up(norm(middle)))) */
    float *d_gelu = linear_backward(&d->down, d_y, k->gelu, &w->down, 4 * D, D, s);
    float *d_up = array(a, 4 * n);
    gelu_backward(d_up, d_gelu, k->up, 4 * n);
    float *d_normed2 = linear_backward(&d->up, d_up, k->normed2, &w->up, D, 4 * D, s);
    float *d_middle = memcpy(array(a, n), d_y, n * sizeof *d_y);
    layernorm_backward(d_middle, d->ln2_weight, d->ln2_bias, d_normed2, k->middle, k->mean2,
                       k->rstd2, w->ln2_weight, R, D);

    /* middle = x + out(attention(qkv(norm(x)))) */
    float *d_heads = linear_backward(&d->out, d_middle, k->heads, &w->out, D, D, s);
    float *d_qkv = array(a, 3 * n);
    attention_backward(d_qkv, NULL, s->scratch, d_heads, k->qkv, k->weights, s->sequences, D,
                       s->attention);
    float *d_normed1 = linear_backward(&d->qkv, d_qkv, k->normed1, &w->qkv, D, 3 * D, s);
    float *d_x = memcpy(array(a, n), d_middle, n * sizeof *d_middle);
    layernorm_backward(d_x, d->ln1_weight, d->ln1_bias, d_normed1, k->x, k->mean1, k->rstd1,
                       w->ln1_weight, R, D);
    return d_x;
}

/* What the forward pass leaves behind for the backward pass. */
struct Pass {
    struct Kept *kept; /* (n_layers) */
    const float *x;    /* what the last block gives */
    float *normed, *mean, *rstd, *logits;
};

static struct Setting begin(struct Arrays *a, const struct Model *model, const struct Batch *batch,
                            const struct Swap *swap)
{
    const struct ModelConfig *config = &model->config;
    int d_head = config->d_model / config->attention.n_heads;
    return (struct Setting){.sequences = {.start = batch->start, .count = batch->count},
                            .attention = &config->attention,
                            .R = batch->rows,
                            .D = config->d_model,
                            .scratch = array(a, attention_scratch_size(config->context, d_head)),
                            .swap = swap,
                            .arrays = a};
}

static void end(struct Arrays *arrays, struct Pass *pass)
{
    for (int i = 0; i < arrays->count; i++) {
        free(arrays->list[i]);
    }
    free(arrays->list);
    free(pass->kept);
}

/* A token's row of one table plus its position's row of the other; the blocks; a last norm; and
   from each row a score for every token that could come next. */
static struct Pass whole_forward(const struct Model *model, const struct Batch *batch,
                                 const struct Setting *s)
{
    const struct ModelTensors *w = &model->w;
    int R = s->R, D = s->D, vocab = model->config.vocab, layers = model->config.n_layers;
    size_t n = (size_t)R * (size_t)D;
    struct Arrays *a = s->arrays;
    struct Pass p = {.kept = zeros_new((size_t)layers, sizeof *p.kept)};

    float *x = array(a, n);
    for (int r = 0; r < R; r++) {
        for (int i = 0; i < D; i++) {
            x[r * D + i] =
                w->token[batch->tokens[r] * D + i] + w->position[batch->positions[r] * D + i];
        }
    }
    for (int layer = 0; layer < layers; layer++) {
        p.kept[layer] = forward(x, layer, &w->blocks[layer], s);
        x = p.kept[layer].y;
    }
    p.x = x;
    p.normed = array(a, n), p.mean = array(a, (size_t)R), p.rstd = array(a, (size_t)R);
    layernorm_forward(p.normed, p.mean, p.rstd, x, w->ln_weight, w->ln_bias, R, D);
    p.logits = array(a, (size_t)R * (size_t)vocab);
    linear_forward_ref(p.logits, p.normed, w->head.weight, w->head.bias, R, D, vocab);
    return p;
}

/* The same lines, last one first. */
static void whole_backward(struct ModelTensors *d, const float *d_logits, const struct Pass *p,
                           const struct Model *model, const struct Batch *batch,
                           const struct Setting *s)
{
    const struct ModelConfig *config = &model->config;
    const struct ModelTensors *w = &model->w;
    int R = s->R, D = s->D, vocab = config->vocab;
    float *d_x = zeros(s->arrays, (size_t)R * (size_t)D);
    float *d_normed = linear_backward(&d->head, d_logits, p->normed, &w->head, D, vocab, s);
    layernorm_backward(d_x, d->ln_weight, d->ln_bias, d_normed, p->x, p->mean, p->rstd,
                       w->ln_weight, R, D);
    for (int layer = config->n_layers - 1; layer >= 0; layer--) {
        d_x = backward(d_x, &p->kept[layer], &w->blocks[layer], &d->blocks[layer], s);
    }
    memset(d->token, 0, (size_t)(vocab * D) * sizeof *d->token);
    memset(d->position, 0, (size_t)(config->context * D) * sizeof *d->position);
    for (int r = 0; r < R; r++) {
        for (int i = 0; i < D; i++) {
            d->token[batch->tokens[r] * D + i] += d_x[r * D + i];
            d->position[batch->positions[r] * D + i] += d_x[r * D + i];
        }
    }
}

double wiring_gradient(float *gradient, const struct Model *model, const struct Batch *batch)
{
    int vocab = model->config.vocab, rows = batch->rows;
    size_t n_logits = (size_t)rows * (size_t)vocab;
    struct ModelTensors d = {.blocks = zeros_new((size_t)model->config.n_layers, sizeof *d.blocks)};
    model_params(&d, &(struct ParamWalk){.base = gradient}, &model->config);
    struct Arrays arrays = {0};
    struct Setting s = begin(&arrays, model, batch, NULL);
    struct Pass pass = whole_forward(model, batch, &s);
    float *probabilities = array(&arrays, n_logits), *d_logits = array(&arrays, n_logits);
    double sum = cross_entropy_forward(probabilities, pass.logits, batch->targets, rows, vocab);
    cross_entropy_backward(d_logits, probabilities, batch->targets, rows, vocab, batch->n_targets);
    whole_backward(&d, d_logits, &pass, model, batch, &s);
    end(&arrays, &pass);
    free(d.blocks);
    return sum / batch->n_targets;
}

void wiring_logits(float *logits, const struct Model *model, const struct Batch *batch,
                   struct Swap swap)
{
    struct Arrays arrays = {0};
    struct Setting s = begin(&arrays, model, batch, &swap);
    struct Pass pass = whole_forward(model, batch, &s);
    memcpy(logits, pass.logits, (size_t)batch->rows * (size_t)model->config.vocab * sizeof *logits);
    end(&arrays, &pass);
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
