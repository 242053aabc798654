/* Train 20 steps of a few models and write every loss, weight and attention weight to stdout as raw
   bytes. Two builds of this program must write the same bytes: run.sh compares them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/cli.h"
#include "common/reversal.h"

enum { STEPS = 20, BATCH = 16 };

struct Case {
    int width, heads, layers;
    bool causal, scaled;
    enum SoftmaxAxis axis;
    int kv_heads; /* 0: as many as heads */
    enum PositionKind position;
    struct Mask mask; /* besides causal */
};

static const struct Case cases[] = {
    {64, 2, 2, true, true, .axis = OVER_KEYS},    /* the reference */
    {36, 3, 1, true, false, .axis = OVER_KEYS},   /* odd sizes, no division by sqrt(d) */
    {20, 1, 1, true, true, .axis = OVER_QUERIES}, /* the faults that look at pads */
    {24, 2, 1, false, true, .axis = OVER_KEYS},
    {24, 6, 2, true, true, .kv_heads = 2, .position = POSITION_ROPE},
    {24, 3, 1, true, true, .kv_heads = 1, .position = POSITION_ROPE_HALVES, .mask = {.window = 4}},
    {24, 3, 1, true, true, .position = POSITION_T5},
    {24, 3, 1, true, true, .position = POSITION_ALIBI, .mask = {.prefix = 3}},
    {24, 3, 1, true, true, .position = POSITION_SINUSOIDAL},
};

static void put(const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, stdout) != size) {
        die("the bytes could not be written");
    }
}

static void train(const struct Case *c, uint64_t seed)
{
    struct ModelConfig config = model_config(VOCAB, CONTEXT, c->width, c->heads, c->layers);
    config.attention.mask = c->mask;
    config.attention.mask.causal = c->causal;
    config.attention.n_kv_heads = c->kv_heads > 0 ? c->kv_heads : c->heads;
    config.position = c->position;
    config.attention.axis = c->axis;
    config.attention.scale = c->scaled ? config.attention.scale : 1.0f;
    struct Model *model = model_new(config, BATCH);
    model_init(model, seed);
    struct AdamW adamw;
    adamw_new(&adamw, model->params.size, 0.003, 0.01);
    struct Batch batch;
    batch_new(&batch, BATCH, CONTEXT);
    struct Rng rng = rng_stream(seed, "train");
    static int32_t tokens[BATCH * CONTEXT], targets[BATCH * CONTEXT];
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BATCH; i++) {
            struct String s = string_draw(&rng, 1, LONGEST);
            reversal_example(tokens + i * CONTEXT, targets + i * CONTEXT, &s, false);
        }
        batch_from_padded(&batch, tokens, targets, BATCH, CONTEXT,
                          c->causal && c->axis == OVER_KEYS);
        double loss = model_gradient(model, &batch);
        model_update(model, &adamw);
        put(&loss, sizeof loss);
    }
    put(model->weights, model->params.size * sizeof *model->weights);
    model_forward(model, &batch);
    for (int key = 0; key < batch.start[1]; key++) {
        float weight = model_attention(model, 0, 0, 0, batch.start[1] - 1, key);
        put(&weight, sizeof weight);
    }
    model_free(model);
    batch_free(&batch);
    adamw_free(&adamw);
}

int main(int argc, char **argv)
{
    struct Common common;
    cli_parse(argc, argv, "Train 20 steps of a few models and write the bytes to stdout.",
              "train20", &common, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        train(&cases[i], common.seed);
    }
    return fflush(stdout) == 0 ? 0 : 2;
}
