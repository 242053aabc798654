/* The wiring of the model on the rows of one shard: forward, then backward in the opposite
   order. */
#include "shard.h"

#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "loss.h"
#include "matmul.h"
#include "norm.h"

/* The next size floats of memory, each array at the start of a cache line. With memory NULL nothing
   is handed out: used counts what a second call will need. */
static float *take(float *memory, size_t *used, size_t size)
{
    float *array = memory != NULL ? memory + *used : NULL;
    *used += (size + 15) / 16 * 16;
    return array;
}

static void lay_out_block(struct BlockSaved *b, float *m, size_t *used,
                          const struct ModelConfig *config, size_t rows)
{
    size_t d = (size_t)config->d_model;
    size_t stride = (size_t)attention_stride(config->context);
    b->mean1 = take(m, used, rows);
    b->rstd1 = take(m, used, rows);
    b->normed1 = take(m, used, rows * d);
    b->qkv = take(m, used, rows * 3 * d);
    b->weights = take(m, used, rows * (size_t)config->attention.n_heads * stride);
    b->heads = take(m, used, rows * d);
    b->middle = take(m, used, rows * d);
    b->mean2 = take(m, used, rows);
    b->rstd2 = take(m, used, rows);
    b->normed2 = take(m, used, rows * d);
    b->slope = take(m, used, rows * 4 * d);
    b->gelu = take(m, used, rows * 4 * d);
}

static void lay_out_scratch(struct BlockScratch *s, float *m, size_t *used,
                            const struct ModelConfig *config, size_t rows)
{
    size_t d = (size_t)config->d_model;
    int d_head = config->d_model / config->attention.n_heads;
    s->attention = take(m, used, attention_scratch_size(config->context, d_head));
    s->linear = take(m, used, linear_scratch_size((int)rows));
    s->d_middle = take(m, used, rows * d);
    s->d_normed = take(m, used, rows * d);
    s->d_heads = take(m, used, rows * d);
    s->d_qkv = take(m, used, rows * 3 * d);
    s->d_gelu = take(m, used, rows * 4 * d);
    s->d_up = take(m, used, rows * 4 * d);
}

/* Give every array of the workspace its place in m; returns the floats needed in all. */
static size_t lay_out(struct Workspace *s, float *m, const struct ModelConfig *config, size_t rows)
{
    size_t used = 0, d = (size_t)config->d_model, vocab = (size_t)config->vocab;
    for (int layer = 0; layer <= config->n_layers; layer++) {
        s->x[layer] = take(m, &used, rows * d);
    }
    for (int layer = 0; layer < config->n_layers; layer++) {
        lay_out_block(&s->blocks[layer], m, &used, config, rows);
    }
    s->mean = take(m, &used, rows);
    s->rstd = take(m, &used, rows);
    s->normed = take(m, &used, rows * d);
    s->logits = take(m, &used, rows * vocab);
    s->probabilities = take(m, &used, rows * vocab);
    lay_out_scratch(&s->scratch, m, &used, config, rows);
    s->d_x = take(m, &used, rows * d);
    s->d_y = take(m, &used, rows * d);
    s->d_normed = take(m, &used, rows * d);
    s->d_logits = take(m, &used, rows * vocab);
    return used;
}

void workspace_new(struct Workspace *work, const struct ModelConfig *config, int rows)
{
    size_t layers = (size_t)config->n_layers;
    *work = (struct Workspace){.x = zeros_new(layers + 1, sizeof *work->x),
                               .blocks = zeros_new(layers, sizeof *work->blocks),
                               .query_targets = zeros_new((size_t)rows, sizeof(int32_t))};
    work->memory = array_new(lay_out(work, NULL, config, (size_t)rows));
    lay_out(work, work->memory, config, (size_t)rows);
}

void workspace_free(struct Workspace *work)
{
    free(work->x);
    free(work->blocks);
    free(work->query_targets);
    free(work->memory);
}

void shard_new(struct Shard *s, const struct ModelConfig *config, size_t n_weights)
{
    *s = (struct Shard){.d = {.blocks = zeros_new((size_t)config->n_layers, sizeof *s->d.blocks)},
                        .gradient = array_new(n_weights),
                        .n_weights = n_weights};
    model_params(&s->d, &(struct ParamWalk){.base = s->gradient}, config);
}

void shard_free(struct Shard *s)
{
    free(s->d.blocks);
    free(s->gradient);
}

/* No loss sees the rows of the last block that stand before the first target of their sequence:
   they need no query there. In the blocks before it, later rows look at them. */
static struct Sequences queries_in(const struct Shard *s, int layer, int n_layers)
{
    struct Sequences sequences = s->sequences;
    if (layer < n_layers - 1) {
        sequences.first = NULL;
    }
    return sequences;
}

static void gather_targets(struct Shard *s)
{
    struct Workspace *work = s->work;
    s->n_queries = 0;
    for (int n = 0; n < s->sequences.count; n++) {
        int begin = s->sequences.start[n] - s->sequences.start[0];
        int end = s->sequences.start[n + 1] - s->sequences.start[0];
        for (int row = begin + sequences_first_query(s->sequences, n); row < end; row++) {
            work->query_targets[s->n_queries++] = s->targets[row];
        }
    }
}

void shard_forward(struct Shard *s, const struct ModelConfig *config, const struct ModelTensors *w)
{
    struct Workspace *work = s->work;
    int d = config->d_model;
    for (int r = 0; r < s->rows; r++) {
        const float *token = w->token + s->tokens[r] * d;
        const float *position = w->position + s->positions[r] * d;
        for (int i = 0; i < d; i++) {
            work->x[0][r * d + i] = token[i] + position[i];
        }
    }
    for (int layer = 0; layer < config->n_layers; layer++) {
        block_forward(work->x[layer + 1], &work->blocks[layer], &work->scratch, work->x[layer],
                      &w->blocks[layer], queries_in(s, layer, config->n_layers), s->rows, d,
                      &config->attention);
    }
    gather_targets(s);
    layernorm_forward(work->normed, work->mean, work->rstd, work->x[config->n_layers], w->ln_weight,
                      w->ln_bias, s->n_queries, d);
    linear_forward(work->logits, work->normed, w->head.packed_y, w->head.bias, s->n_queries, d,
                   config->vocab);
    s->loss = cross_entropy_forward(work->probabilities, work->logits, work->query_targets,
                                    s->n_queries, config->vocab);
}

static float *zeros(float *x, size_t n)
{
    return memset(x, 0, n * sizeof *x);
}

void shard_backward(struct Shard *s, const struct ModelConfig *config, const struct ModelTensors *w,
                    int n_targets)
{
    struct Workspace *work = s->work;
    int d = config->d_model, vocab = config->vocab;
    size_t row_floats = (size_t)s->rows * (size_t)d,
           query_floats = (size_t)s->n_queries * (size_t)d;
    zeros(s->gradient, s->n_weights);

    /* loss = cross_entropy(logits) */
    float *d_logits = zeros(work->d_logits, (size_t)s->n_queries * (size_t)vocab);
    cross_entropy_backward(d_logits, work->probabilities, work->query_targets, s->n_queries, vocab,
                           n_targets);
    /* logits = head(normed) */
    float *d_normed = zeros(work->d_normed, query_floats);
    linear_backward_input(d_normed, d_logits, w->head.packed_dx, s->n_queries, d, vocab);
    linear_backward_weight(s->d.head.weight, s->d.head.bias, d_logits, work->normed,
                           work->scratch.linear, s->n_queries, d, vocab);
    /* normed = layernorm(x[n_layers]) */
    float *d_y = zeros(work->d_y, query_floats);
    layernorm_backward(d_y, s->d.ln_weight, s->d.ln_bias, d_normed, work->x[config->n_layers],
                       work->mean, work->rstd, w->ln_weight, s->n_queries, d);
    /* x[layer+1] = block(x[layer]) */
    float *d_x = work->d_x;
    for (int layer = config->n_layers - 1; layer >= 0; layer--) {
        zeros(d_x, row_floats);
        block_backward(d_x, &s->d.blocks[layer], &work->scratch, d_y, work->x[layer],
                       &work->blocks[layer], &w->blocks[layer],
                       queries_in(s, layer, config->n_layers), s->rows, d, &config->attention);
        float *swap = d_x;
        d_x = d_y;
        d_y = swap;
    }
    /* x[0] = token + position */
    for (int r = 0; r < s->rows; r++) {
        float *d_token = s->d.token + s->tokens[r] * d;
        float *d_position = s->d.position + s->positions[r] * d;
        for (int i = 0; i < d; i++) {
            d_token[i] += d_y[r * d + i];
            d_position[i] += d_y[r * d + i];
        }
    }
}
