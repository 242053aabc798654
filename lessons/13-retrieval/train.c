/* Training. A step has one line more than that of lesson 07: the gradient is clipped between being
   found and being used. */
#include <math.h>
#include <stdlib.h>

#include "common/base.h"
#include "common/diverged.h"
#include "common/loss.h"
#include "retrieval.h"

/* The layer is PyTorch's TransformerEncoderLayer with the norms first: its MLP is 64 wide inside
   and has ReLU where ours had GELU. Tokens are keys, positions are values (task.c). The core has
   one number for the tokens that are read and the logits that are written: with 64 keys there are
   64 logits, of which training has to find out that only the first 8 are ever right. */
struct Model *model_of(const struct Recipe *r)
{
    struct ModelConfig config = model_config(r->keys, r->keys + 1, WIDTH, HEADS, r->layers);
    config.d_ff = INNER;
    config.activation = ACTIVATION_RELU;
    config.attention.mask.window = r->window;
    return model_new(config, BATCH);
}

static void fill(struct Batch *batch, const struct Recipe *r, struct Rng *rng)
{
    batch_clear(batch);
    for (int i = 0; i < BATCH; i++) {
        struct Example e;
        if (r->lab != NULL) {
            e = r->lab->train[rng_below(rng, TRAINED)];
        } else {
            int more = rng_below(rng, r->pairs.last - r->pairs.first + 1);
            e = example_draw(rng, r->keys, r->pairs.first + more);
        }
        example_add(batch, &e, r->query_only ? e.pairs : 0);
    }
}

static void test(struct Training *t)
{
    int answers[TESTED], right = 0;
    const struct Example *e = t->recipe.lab->test;
    t->test_losses[t->tests] = ask(t->model, e, TESTED, t->recipe.query_only, answers);
    for (int i = 0; i < TESTED; i++) {
        right += answers[i] == example_answer(&e[i]);
    }
    t->test_right[t->tests++] = right;
}

/* One step; the gradient is in the model already. */
static void update(struct Training *t, struct AdamW *adamw, int step)
{
    struct Model *model = t->model;
    model_sum_gradients(model);
    for (size_t i = 0; i < model->params.size && step == t->recipe.spike_step; i++) {
        model->gradient[i] *= (float)SPIKE;
    }
    t->norms[step - 1] = global_norm(&model->params, model->gradient);
    t->clipped += clip(&model->params, model->gradient, t->recipe.longest);
    t->after[step - 1] = global_norm(&model->params, model->gradient);
    adamw_begin_step(adamw);
    adamw_update(adamw, model->weights, model->gradient, 0, model->params.size);
    model_pack(model);
}

static double mean_root(const float *x, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += sqrt((double)x[i]);
    }
    return sum / (double)n;
}

struct Training train(struct Recipe recipe, struct Work *work)
{
    size_t steps = (size_t)work->steps;
    size_t tests = recipe.test_every > 0 ? (steps - 1) / (size_t)recipe.test_every + 2 : 0;
    struct Training t = {.recipe = recipe,
                         .steps = work->steps,
                         .model = model_of(&recipe),
                         .losses = zeros_new(steps, sizeof(double)),
                         .norms = zeros_new(steps, sizeof(double)),
                         .after = zeros_new(steps, sizeof(double)),
                         .test_losses = zeros_new(tests, sizeof(double)),
                         .test_right = zeros_new(tests, sizeof(int))};
    struct Rng rng = rng_stream(work->seed, "batches");
    struct AdamW adamw;
    struct Batch batch;
    model_init(t.model, work->seed);
    adamw_new(&adamw, t.model->params.size, LEARNING_RATE, DECAY);
    batch_new(&batch, BATCH, t.model->config.context);
    for (int step = 1; step <= t.steps; step++) {
        if (recipe.test_every > 0 && (step - 1) % recipe.test_every == 0) {
            test(&t);
        }
        fill(&batch, &recipe, &rng);
        t.losses[step - 1] = model_gradient(t.model, &batch);
        update(&t, &adamw, step);
        progress_step(&work->bar, ++work->done, t.losses[step - 1]);
    }
    if (recipe.test_every > 0) {
        test(&t);
    }
    t.memory = mean_root(adamw.v, t.model->params.size);
    adamw_free(&adamw);
    batch_free(&batch);
    return t;
}

void training_free(struct Training *t)
{
    model_free(t->model);
    free(t->losses);
    free(t->norms);
    free(t->after);
    free(t->test_losses);
    free(t->test_right);
}
