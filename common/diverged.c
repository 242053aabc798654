/* Nothing is watched while training runs. What was computed last is all still there: the summed
   gradient and the weights of the step before; and the activations are computed once more. */
#include "diverged.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "shard.h"

static bool all_finite(const float *x, size_t n)
{
    float sum = 0.0f; /* of zeros, unless one is NaN or infinite */
    for (size_t i = 0; i < n; i++) {
        sum += 0.0f * x[i];
    }
    return sum == 0.0f;
}

static bool param_finite(const struct Param *p, const float *array)
{
    return all_finite(array + p->offset, p->size);
}

/* The weights were spoiled by the update of the step before: by a gradient, which came from the
   last tensor back to the first, or by the step itself. */
static bool in_update(const struct Model *model, struct Place *place)
{
    const struct Param *broken = NULL, *gradient = NULL;
    for (int i = 0; i < model->params.count; i++) {
        const struct Param *p = &model->params.items[i];
        gradient = param_finite(p, model->gradient) ? gradient : p;
        broken = broken != NULL || param_finite(p, model->weights) ? broken : p;
    }
    if (broken == NULL) {
        return false;
    }
    snprintf(place->text, sizeof place->text, "%s%s%s", gradient != NULL ? "the gradient of " : "",
             gradient != NULL ? gradient->name : broken->name,
             gradient != NULL ? "" : ", as the update left it");
    place->step--;
    return true;
}

/* The forward pass in stages: the tables, eight in each block, two in the head. One stage of one
   shard is an array. */
enum { BLOCK_STAGES = 8, HEAD_STAGES = 2 };

struct Stage {
    const char *name;
    const float *x;
    size_t size;
};

static struct Stage block_stage(const struct Shard *s, int layer, int i,
                                const struct ModelConfig *config)
{
    const struct BlockSaved *b = &s->work->blocks[layer];
    size_t n = (size_t)s->rows * (size_t)config->d_model;
    size_t qkv = (size_t)s->rows * (size_t)attention_row(config->d_model, &config->attention);
    size_t weights = attention_weights_size(s->sequences, config->attention.n_heads);
    const struct Stage stages[BLOCK_STAGES] = {
        {"layer norm 1", b->normed1, n},
        {"queries, keys and values", b->qkv, qkv},
        {"attention weights", b->weights, weights},
        {"what the heads give", b->heads, n},
        {"x + attention", b->middle, n},
        {"layer norm 2", b->normed2, n},
        {config->activation == ACTIVATION_GELU ? "GELU" : "ReLU", b->gelu,
         (size_t)s->rows * (size_t)config->d_ff},
        {"its output", s->work->x[layer + 1], n},
    };
    return stages[i];
}

static struct Stage stage_of(const struct Shard *s, int stage, const struct ModelConfig *config)
{
    size_t rows = (size_t)s->rows, d = (size_t)config->d_model, vocab = (size_t)config->vocab;
    int layer = (stage - 1) / BLOCK_STAGES;
    if (stage == 0) {
        return (struct Stage){"token + position", s->work->x[0], rows * d};
    }
    if (layer < config->n_layers) {
        return block_stage(s, layer, (stage - 1) % BLOCK_STAGES, config);
    }
    return stage == 1 + config->n_layers * BLOCK_STAGES
               ? (struct Stage){"layer norm", s->work->normed, rows * d}
               : (struct Stage){"logits", s->work->logits, rows * vocab};
}

/* The first stage that is not finite in one of the shards; the number of stages if all are. */
static int first_broken(const struct Model *model, int stages, const char **name)
{
    int stage = 0;
    for (; stage < stages; stage++) {
        for (int i = 0; i < SHARDS; i++) {
            struct Stage s = stage_of(&model->shards[i], stage, &model->config);
            if (!all_finite(s.x, s.size)) {
                *name = s.name;
                return stage;
            }
        }
    }
    return stage;
}

struct Place diverged_at(struct Model *model, const struct Batch *batch, int step)
{
    struct Place place = {.step = step};
    if (in_update(model, &place)) {
        return place;
    }
    double loss = model_forward(model, batch);
    int head = 1 + model->config.n_layers * BLOCK_STAGES, stages = head + HEAD_STAGES;
    const char *name = isfinite(loss) ? "" : "the loss";
    int stage = first_broken(model, stages, &name);
    if (stage >= 1 && stage < head) {
        snprintf(place.text, sizeof place.text, "block %d, %s", (stage - 1) / BLOCK_STAGES + 1,
                 name);
    } else {
        bool of_head = stage >= head && stage < stages;
        snprintf(place.text, sizeof place.text, "%s%s", of_head ? "the head, " : "", name);
    }
    return place;
}
