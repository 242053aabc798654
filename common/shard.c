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
    size_t d = (size_t)config->d_model, d_ff = (size_t)config->d_ff;
    size_t stride = (size_t)attention_stride(config->context);
    b->mean1 = take(m, used, rows);
    b->rstd1 = take(m, used, rows);
    b->normed1 = take(m, used, rows * d);
    b->qkv = take(m, used, rows * (size_t)attention_row(config->d_model, &config->attention));
    b->weights = take(m, used, rows * (size_t)config->attention.n_heads * stride);
    b->heads = take(m, used, rows * d);
    b->middle = take(m, used, rows * d);
    b->mean2 = take(m, used, rows);
    b->rstd2 = take(m, used, rows);
    b->normed2 = take(m, used, rows * d);
    b->slope = take(m, used, rows * d_ff);
    b->gelu = take(m, used, rows * d_ff);
}

static void lay_out_scratch(struct BlockScratch *s, float *m, size_t *used,
                            const struct ModelConfig *config, size_t rows)
{
    size_t d = (size_t)config->d_model;
    int d_head = config->d_model / config->attention.n_heads;
    s->attention = take(m, used, attention_scratch_size(config->context, d_head));
    s->d_middle = take(m, used, rows * d);
    s->d_normed = take(m, used, rows * d);
    s->d_heads = take(m, used, rows * d);
    s->d_qkv = take(m, used, rows * (size_t)attention_row(config->d_model, &config->attention));
    s->d_gelu = take(m, used, rows * (size_t)config->d_ff);
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
    s->d_bias = (struct Bias){.span = config->context};
    if (config->position == POSITION_T5) {
        s->d_bias.at = take(m, &used, bias_size(s->d_bias.span, config->attention.n_heads));
    }
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

struct Sequences shard_sequences(const struct Shard *s, int layer, int n_layers)
{
    struct Sequences sequences = s->sequences;
    if (layer < n_layers - 1) {
        sequences.first = NULL;
    }
    return sequences;
}

void embed_rows(float *x, const float *token, const float *added, const int32_t *tokens,
                const int32_t *place, int rows, int d)
{
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < d; i++) {
            x[r * d + i] = token[tokens[r] * d + i];
        }
        for (int i = 0; added != NULL && i < d; i++) {
            x[r * d + i] += added[place[r] * d + i];
        }
    }
}

void shard_embed_forward(struct Shard *s, const struct ModelConfig *config,
                         const struct ModelTensors *w)
{
    embed_rows(s->work->x[0], w->token, s->positions.added, s->tokens, s->places, s->rows,
               config->d_model);
}

/* table[row[r]] += x[r] */
static void add_to_rows(float *table, const float *x, const int32_t *row, int rows, int d)
{
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < d; i++) {
            table[row[r] * d + i] += x[r * d + i];
        }
    }
}

void shard_embed_backward(struct Shard *s, const struct ModelConfig *config)
{
    int d = config->d_model;
    const float *d_x = s->work->d_x;
    memset(s->d.token, 0, (size_t)(config->vocab * d) * sizeof(float));
    add_to_rows(s->d.token, d_x, s->tokens, s->rows, d);
    if (s->d.position != NULL) {
        memset(s->d.position, 0, (size_t)(config->context * d) * sizeof(float));
        add_to_rows(s->d.position, d_x, s->places, s->rows, d);
    }
    if (s->d.position_bias != NULL) {
        t5_bias_backward(s->d.position_bias, &s->work->d_bias, config->attention.n_heads);
    }
}

/* x[layer+1] = block(x[layer]) */
void shard_block_forward(struct Shard *s, int layer, const struct ModelConfig *config,
                         const struct ModelTensors *w)
{
    struct Workspace *work = s->work;
    block_forward(work->x[layer + 1], &work->blocks[layer], &work->scratch, work->x[layer],
                  &w->blocks[layer], s->positions, shard_sequences(s, layer, config->n_layers),
                  s->rows, config);
}

void shard_block_backward(struct Shard *s, int layer, const struct ModelConfig *config,
                          const struct ModelTensors *w)
{
    struct Workspace *work = s->work;
    float *d_y = work->d_x, *d_x = work->d_y;
    struct Positions positions = s->positions;
    positions.d_bias = work->d_bias.at != NULL ? &work->d_bias : NULL;
    block_backward(d_x, &s->d.blocks[layer], &work->scratch, d_y, work->x[layer],
                   &work->blocks[layer], &w->blocks[layer], positions,
                   shard_sequences(s, layer, config->n_layers), s->rows, config);
    work->d_x = d_x;
    work->d_y = d_y;
}

/* The targets of the rows that the last block computes. */
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

/* loss = cross_entropy(head(layernorm(x[n_layers]))) */
void shard_head_forward(struct Shard *s, const struct ModelConfig *config,
                        const struct ModelTensors *w)
{
    struct Workspace *work = s->work;
    int d = config->d_model, vocab = config->vocab;
    gather_targets(s);
    layernorm_forward(work->normed, work->mean, work->rstd, work->x[config->n_layers], w->ln_weight,
                      w->ln_bias, s->n_queries, d);
    linear_forward(work->logits, work->normed, w->head.packed_y, w->head.bias, s->n_queries, d,
                   vocab);
    s->loss = cross_entropy_forward(work->probabilities, work->logits, work->query_targets,
                                    s->n_queries, vocab);
}

void shard_head_backward(struct Shard *s, const struct ModelConfig *config,
                         const struct ModelTensors *w, int n_targets)
{
    struct Workspace *work = s->work;
    int d = config->d_model, vocab = config->vocab;
    cross_entropy_backward(work->d_logits, work->probabilities, work->query_targets, s->n_queries,
                           vocab, n_targets);
    linear_backward_input(work->d_normed, work->d_logits, w->head.packed_dx, s->n_queries, d,
                          vocab);
    linear_backward_weight(s->d.head.weight, s->d.head.bias, work->d_logits, work->normed,
                           s->n_queries, d, vocab);
    memset(work->d_x, 0, (size_t)(s->n_queries * d) * sizeof *work->d_x);
    layernorm_backward(work->d_x, s->d.ln_weight, s->d.ln_bias, work->d_normed,
                       work->x[config->n_layers], work->mean, work->rstd, w->ln_weight,
                       s->n_queries, d);
}

void shard_forward(struct Shard *s, const struct ModelConfig *config, const struct ModelTensors *w)
{
    shard_embed_forward(s, config, w);
    for (int layer = 0; layer < config->n_layers; layer++) {
        shard_block_forward(s, layer, config, w);
    }
    shard_head_forward(s, config, w);
}

void shard_backward(struct Shard *s, const struct ModelConfig *config, const struct ModelTensors *w,
                    int n_targets)
{
    struct Bias *d_bias = &s->work->d_bias;
    if (d_bias->at != NULL) { /* every block adds to it */
        memset(d_bias->at, 0, bias_size(d_bias->span, config->attention.n_heads) * sizeof(float));
    }
    shard_head_backward(s, config, w, n_targets);
    for (int layer = config->n_layers - 1; layer >= 0; layer--) {
        shard_block_backward(s, layer, config, w);
    }
    shard_embed_backward(s, config);
}
