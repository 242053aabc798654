/* A step as in train() of lesson 07, with the operations counted beside it. */
#include "trainer.h"

#include <stdlib.h>

#include "common/base.h"
#include "common/cli.h"
#include "work.h"

void trainer_new(struct Trainer *t, struct Setting setting)
{
    struct ModelConfig config =
        model_config(VOCAB, CONTEXT, setting.width, setting.heads, setting.layers);
    size_t numbers = (size_t)setting.batch * CONTEXT;
    *t = (struct Trainer){.setting = setting,
                          .model = model_new(config, setting.batch),
                          .rng = rng_stream(DEFAULT_SEED, "train"),
                          .tokens = zeros_new(numbers, sizeof(int32_t)),
                          .targets = zeros_new(numbers, sizeof(int32_t))};
    model_init(t->model, DEFAULT_SEED);
    adamw_new(&t->adamw, t->model->params.size, 0.003, 0.01);
    batch_new(&t->batch, setting.batch, CONTEXT);
}

void trainer_free(struct Trainer *t)
{
    model_free(t->model);
    adamw_free(&t->adamw);
    batch_free(&t->batch);
    free(t->tokens);
    free(t->targets);
}

void trainer_draw(struct Trainer *t, int32_t *tokens, int32_t *targets)
{
    for (int i = 0; i < t->setting.batch; i++) {
        struct String s = string_draw(&t->rng, t->setting.shortest, t->setting.longest);
        reversal_example(tokens + i * CONTEXT, targets + i * CONTEXT, &s, false);
    }
}

void trainer_learn(struct Trainer *t, const int32_t *tokens, const int32_t *targets)
{
    batch_from_padded(&t->batch, tokens, targets, t->setting.batch, CONTEXT, true);
    t->loss = model_gradient(t->model, &t->batch);
    model_update(t->model, &t->adamw);
    t->operations += step_work(&t->model->config, &t->batch);
}

void trainer_run(struct Trainer *t, int steps)
{
    for (int i = 0; i < steps; i++) {
        trainer_draw(t, t->tokens, t->targets);
        trainer_learn(t, t->tokens, t->targets);
    }
}
