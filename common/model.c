/* The model owns the weights, cuts batches into shards and adds up what the shards found. How the
   layers are wired stands in shard.c. */
#include "model.h"

#include <math.h>
#include <stdlib.h>

#include "base.h"
#include "clip.h"
#include "shard.h"
#include "threads.h"

static void check_config(const struct ModelConfig *c)
{
    const struct AttentionConfig *a = &c->attention;
    bool rotates = c->position == POSITION_ROPE || c->position == POSITION_ROPE_HALVES;
    if (a->n_kv_heads < 1 || a->n_heads % a->n_kv_heads != 0) {
        die("%d heads cannot share %d of keys and values: their number must be divisible by it",
            a->n_heads, a->n_kv_heads);
    }
    if (rotates && c->d_model / a->n_heads % 2 != 0) {
        die("a head of %d numbers cannot be rotated: they are taken in pairs",
            c->d_model / a->n_heads);
    }
    if (c->position == POSITION_SINUSOIDAL && c->d_model % 2 != 0) {
        die("sinusoidal positions need an even width, not %d: a sine and a cosine are a pair",
            c->d_model);
    }
}

/* What the kind of position needs besides tensors. */
static void positions_new(struct Model *model)
{
    const struct ModelConfig *c = &model->config;
    int heads = c->attention.n_heads, pairs = c->d_model / heads / 2;
    if (c->position == POSITION_SINUSOIDAL) {
        model->sinusoids = array_new((size_t)c->context * (size_t)c->d_model);
        sinusoidal_table(model->sinusoids, c->context, c->d_model);
    } else if (c->position == POSITION_ROPE || c->position == POSITION_ROPE_HALVES) {
        double *frequency = zeros_new((size_t)pairs, sizeof *frequency);
        rope_frequencies(frequency, pairs, 10000.0);
        rope_new(&model->rope, frequency, pairs, c->context, c->position == POSITION_ROPE_HALVES);
        free(frequency);
    } else if (c->position == POSITION_T5 || c->position == POSITION_ALIBI) {
        model->bias =
            (struct Bias){.at = array_new(bias_size(c->context, heads)), .span = c->context};
    }
    if (c->position == POSITION_ALIBI) {
        alibi_bias(&model->bias, heads);
    }
}

/* T5's bias follows its table. */
static void spread_bias(struct Model *model)
{
    if (model->w.position_bias != NULL) {
        t5_bias(&model->bias, model->w.position_bias, model->config.attention.n_heads);
    }
}

struct Positions model_positions(const struct Model *model)
{
    return (struct Positions){
        .added = model->sinusoids != NULL ? model->sinusoids : model->w.position,
        .rope = model->rope.pairs > 0 ? &model->rope : NULL,
        .bias = model->bias.at != NULL ? &model->bias : NULL,
    };
}

struct Model *model_new(struct ModelConfig config, int max_count)
{
    check_config(&config);
    struct Model *model = zeros_new(1, sizeof *model);
    model->config = config;
    model->max_count = max_count;
    model->w.blocks = zeros_new((size_t)config.n_layers, sizeof *model->w.blocks);
    model_params(&model->w, &(struct ParamWalk){.list = &model->params}, &config);
    model->weights = array_new(model->params.size);
    model->gradient = array_new(model->params.size);
    model->packed = array_new(model->params.packed_size);
    model_params(&model->w, &(struct ParamWalk){.base = model->weights, .packed = model->packed},
                 &config);
    positions_new(model);
    model->shards = zeros_new(SHARDS, sizeof *model->shards);
    /* A shard ends with the sequence that reaches its share: at most one sequence over it. */
    int rows = (max_count * config.context + SHARDS - 1) / SHARDS + config.context;
    model->workspaces = zeros_new(SHARDS, sizeof *model->workspaces);
    for (int i = 0; i < SHARDS; i++) {
        shard_new(&model->shards[i], &config, model->params.size);
        workspace_new(&model->workspaces[i], &config, rows);
    }
    return model;
}

void model_free(struct Model *model)
{
    for (int i = 0; i < SHARDS; i++) {
        shard_free(&model->shards[i]);
        workspace_free(&model->workspaces[i]);
    }
    free(model->shards);
    free(model->workspaces);
    free(model->weights);
    free(model->gradient);
    free(model->packed);
    free(model->sinusoids);
    free(model->bias.at);
    rope_free(&model->rope);
    free(model->w.blocks);
    params_free(&model->params);
    free(model);
}

void model_init(struct Model *model, uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "init");
    params_init(&model->params, model->weights, &rng);
    model_pack(model);
}

void model_pack(struct Model *model)
{
    for (int i = 0; i < model->params.count; i++) {
        param_pack(&model->params.items[i], model->packed, model->weights);
    }
    spread_bias(model);
}

/* all_rows: even those of the last block that no loss can see. Shard i begins with the first
   sequence at or after row i/SHARDS of the batch. */
static void cut(struct Model *model, const struct Batch *batch, bool all_rows)
{
    if (batch->count > model->max_count || batch->context > model->config.context) {
        die("a batch of %d sequences of up to %d tokens is too large for this model: it takes %d "
            "of %d",
            batch->count, batch->context, model->max_count, model->config.context);
    }
    model->batch = batch;
    int sequence = 0;
    for (int i = 0; i < SHARDS; i++) {
        struct Shard *s = &model->shards[i];
        int row = batch->start[sequence];
        s->first_sequence = sequence;
        s->first_row = row;
        s->sequences.start = batch->start + sequence;
        s->sequences.first = all_rows ? NULL : batch->first + sequence;
        while (sequence < batch->count &&
               (int64_t)batch->start[sequence] * SHARDS < (int64_t)batch->rows * (i + 1)) {
            sequence++;
        }
        s->sequences.count = sequence - s->first_sequence;
        s->rows = batch->start[sequence] - row;
        s->tokens = batch->tokens + row;
        s->places = s->sequences.place = batch->positions + row;
        s->positions = model_positions(model);
        s->targets = batch->targets + row;
    }
}

static double mean_loss(const struct Model *model)
{
    double sum = 0.0;
    for (int i = 0; i < SHARDS; i++) {
        sum += model->shards[i].loss;
    }
    return model->batch->n_targets > 0 ? sum / model->batch->n_targets : NAN;
}

/* Each shard keeps its activations, to be read afterwards. */
static void forward_task(void *context, int i, int thread)
{
    struct Model *model = context;
    struct Shard *shard = &model->shards[i];
    (void)thread;
    shard->work = &model->workspaces[i];
    shard_forward(shard, &model->config, &model->w);
}

/* Nobody reads the activations later: each thread has one workspace for all of its shards. */
static void gradient_task(void *context, int i, int thread)
{
    struct Model *model = context;
    struct Shard *shard = &model->shards[i];
    shard->work = &model->workspaces[thread];
    shard_forward(shard, &model->config, &model->w);
    shard_backward(shard, &model->config, &model->w, model->batch->n_targets);
}

double model_forward(struct Model *model, const struct Batch *batch)
{
    cut(model, batch, true);
    parallel_for(SHARDS, forward_task, model);
    return mean_loss(model);
}

double model_gradient(struct Model *model, const struct Batch *batch)
{
    const struct AttentionConfig *attention = &model->config.attention;
    cut(model, batch, attention->axis == OVER_QUERIES || attention->stacked);
    parallel_for(SHARDS, gradient_task, model);
    return mean_loss(model);
}

/* ((0+1)+(2+3))+((4+5)+(6+7)) for every entry of one tensor. */
static void sum_gradient(struct Model *model, const struct Param *p)
{
    const float *g[SHARDS];
    float *restrict sum = model->gradient;
    for (int i = 0; i < SHARDS; i++) {
        g[i] = model->shards[i].gradient;
    }
    for (size_t i = p->offset; i < p->offset + p->size; i++) {
        sum[i] = ((g[0][i] + g[1][i]) + (g[2][i] + g[3][i])) +
                 ((g[4][i] + g[5][i]) + (g[6][i] + g[7][i]));
    }
}

void model_sum_gradients(struct Model *model)
{
    for (int i = 0; i < model->params.count; i++) {
        sum_gradient(model, &model->params.items[i]);
    }
}

struct Update {
    struct Model *model;
    struct AdamW *adamw;
    bool summed; /* the gradient is there already */
};

/* One tensor: its gradient, its weights and moments, its packed copies. */
static void update_task(void *context, int i, int thread)
{
    (void)thread;
    const struct Update *update = context;
    struct Model *model = update->model;
    const struct Param *p = &model->params.items[i];
    if (!update->summed) {
        sum_gradient(model, p);
    }
    adamw_update(update->adamw, model->weights, model->gradient, p->offset, p->offset + p->size);
    param_pack(p, model->packed, model->weights);
}

static void update_all(struct Model *model, struct AdamW *adamw, bool summed)
{
    adamw_begin_step(adamw);
    parallel_for(model->params.count, update_task, &(struct Update){model, adamw, summed});
    spread_bias(model);
}

void model_update(struct Model *model, struct AdamW *adamw)
{
    update_all(model, adamw, false);
}

double model_update_clipped(struct Model *model, struct AdamW *adamw, double longest)
{
    model_sum_gradients(model);
    double norm = gradient_clip(model->gradient, model->params.size, longest);
    update_all(model, adamw, true);
    return norm;
}

static const struct Shard *shard_of_sequence(const struct Model *model, int sequence)
{
    int i = 0;
    while (sequence >= model->shards[i].first_sequence + model->shards[i].sequences.count) {
        i++;
    }
    return &model->shards[i];
}

const float *model_logits(const struct Model *model, int row)
{
    const struct Shard *s = model->shards;
    while (row >= s->first_row + s->rows) {
        s++;
    }
    return s->work->logits + (row - s->first_row) * model->config.vocab;
}

float model_attention(const struct Model *model, int layer, int head, int sequence, int query,
                      int key)
{
    const struct Shard *s = shard_of_sequence(model, sequence);
    return attention_weight(s->work->blocks[layer].weights, s->sequences,
                            model->config.attention.n_heads, sequence - s->first_sequence, head,
                            query, key);
}
