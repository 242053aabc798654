/* Training the reverser, as lesson 07 does it, with an eye on the gradient of the position table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/progress.h"
#include "position.h"

/* Each row's gradient: is it zero, and how long is it? */
static void note_gradient(struct Training *t)
{
    const float *g = t->model->gradient + (t->model->w.position - t->model->weights);
    for (int row = 0; row < CONTEXT; row++, g += WIDTH) {
        double square = 0.0;
        for (int i = 0; i < WIDTH; i++) {
            square += (double)g[i] * (double)g[i];
            t->reached[row] |= g[i] != 0.0f;
        }
        t->gradient[row] += sqrt(square) / t->steps;
    }
}

/* Draw a batch. trim: leave out the rows that no loss can see, as training does. */
static void draw(struct Batch *batch, struct Rng *rng, struct Range lengths, bool trim)
{
    static int32_t tokens[BATCH * CONTEXT], targets[BATCH * CONTEXT];
    for (int i = 0; i < BATCH; i++) {
        struct String string = string_draw(rng, lengths.first, lengths.last);
        reversal_example(tokens + i * CONTEXT, targets + i * CONTEXT, &string, false);
    }
    batch_from_padded(batch, tokens, targets, BATCH, CONTEXT, trim);
}

/* Even when the pads are computed, are the rows behind the last target of the first batch without
   gradient? */
static bool pads_get_nothing(struct Training *t, struct Batch *batch, uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "train");
    draw(batch, &rng, t->lengths, false);
    model_gradient(t->model, batch);
    model_sum_gradients(t->model);
    const float *g = t->model->gradient + (t->model->w.position - t->model->weights);
    bool nothing = batch->rows == BATCH * CONTEXT;
    for (int i = 2 * t->lengths.last * WIDTH; i < TABLE; i++) {
        nothing &= g[i] == 0.0f;
    }
    return nothing;
}

void train(struct Training *t, bool with_table, const struct Common *common)
{
    struct Batch batch;
    struct AdamW adamw;
    struct Progress progress;
    struct Rng rng = rng_stream(common->seed, "train");
    t->model = model_new(model_config(VOCAB, CONTEXT, WIDTH, HEADS, LAYERS), BATCH);
    model_init(t->model, common->seed);
    batch_new(&batch, BATCH, CONTEXT);
    adamw_new(&adamw, t->model->params.size, LEARNING_RATE, DECAY);
    memcpy(t->before, t->model->w.position, sizeof t->before);
    t->losses = zeros_new((size_t)t->steps, sizeof *t->losses);
    t->pads_get_nothing = pads_get_nothing(t, &batch, common->seed);
    progress_start(&progress, t->steps, common->quiet);
    for (int step = 0; step < t->steps; step++) {
        if (!with_table) {
            memset(t->model->w.position, 0, sizeof t->before);
        }
        draw(&batch, &rng, t->lengths, true);
        t->losses[step] = model_gradient(t->model, &batch);
        model_update(t->model, &adamw);
        note_gradient(t);
        for (int row = 0; row < batch.rows; row++) {
            t->strings[batch.positions[row]]++;
        }
        progress_step(&progress, step + 1, t->losses[step]);
    }
    progress_end(&progress);
    adamw_free(&adamw);
    batch_free(&batch);
}

void training_free(struct Training *t)
{
    model_free(t->model);
    free(t->losses);
}
