/* The training is lesson 07's; what is new is that the test is taken twice. */
#include "faults.h"

#include <math.h>
#include <stdlib.h>

#include "common/base.h"
#include "common/curve.h"
#include "common/decode.h"
#include "common/diverged.h"
#include "common/loss.h"

static const double DECAY = 0.01, LEARNED = 0.01;

bool looks_ahead(const struct Fault *fault)
{
    return fault->no_mask || fault->stacked || fault->axis == OVER_QUERIES;
}

/* The reference, but for what the fault says. */
static struct ModelConfig config_of(const struct Fault *fault, int width)
{
    struct ModelConfig config = model_config(VOCAB, CONTEXT, width, HEADS, LAYERS);
    config.attention.scale = fault->scale != 0.0f ? fault->scale : config.attention.scale;
    config.attention.axis = fault->axis;
    config.attention.mask.causal = !fault->no_mask;
    config.attention.stacked = fault->stacked;
    return config;
}

/* The batch := examples of these strings. */
static void fill(struct Result *r, const struct String *strings, int count, bool every_position)
{
    int32_t tokens[BATCH * CONTEXT], targets[BATCH * CONTEXT];
    for (int i = 0; i < count; i++) {
        reversal_example(tokens + i * CONTEXT, targets + i * CONTEXT, &strings[i], every_position);
    }
    batch_from_padded(&r->batch, tokens, targets, count, CONTEXT, !looks_ahead(r->fault));
}

static void train(struct Result *r, double lr, struct Progress *bar, int done)
{
    struct Rng rng = rng_stream(r->seed, "train");
    struct AdamW adamw;
    adamw_new(&adamw, r->model->params.size, lr, DECAY);
    for (int step = 0; step < r->steps; step++) {
        struct String strings[BATCH];
        for (int i = 0; i < BATCH; i++) {
            strings[i] = string_draw(&rng, SHORTEST, LONGEST_TRAINED);
        }
        fill(r, strings, BATCH, r->fault->every_position);
        r->losses[step] = model_gradient(r->model, &r->batch);
        if (!isfinite(r->losses[step])) {
            struct Place place = diverged_at(r->model, &r->batch, step + 1);
            progress_end(bar);
            die("%s, seed %llu: training diverged in step %d: the first value that is not finite "
                "is in %s",
                r->fault->name, (unsigned long long)r->seed, place.step, place.text);
        }
        model_update(r->model, &adamw);
        progress_step(bar, done + step + 1, r->losses[step]);
    }
    adamw_free(&adamw);
}

/* Is the most likely token the right one at every target of sequence s? */
static bool told_right(const struct Result *r, int s)
{
    const struct Batch *b = &r->batch;
    for (int row = b->start[s]; row < b->start[s + 1]; row++) {
        if (b->targets[row] != IGNORE &&
            argmax(model_logits(r->model, row), VOCAB) != b->targets[row]) {
            return false;
        }
    }
    return true;
}

/* Teacher forcing: at every place the model reads the right letters, whatever it would have written
   itself. That is how it is trained. */
static struct Score score_told(struct Result *r, const struct String *strings)
{
    struct Score score = {0};
    for (int first = 0; first < TESTED; first += BATCH) {
        int count = TESTED - first < BATCH ? TESTED - first : BATCH;
        fill(r, strings + first, count, false);
        model_forward(r->model, &r->batch);
        for (int s = 0; s < count; s++) {
            int length = strings[first + s].length;
            score.total[length]++;
            score.right[length] += told_right(r, s);
        }
    }
    return score;
}

static void test(struct Result *r)
{
    struct String strings[TESTED], output[TESTED];
    strings_draw(strings, TESTED, r->seed, "test", SHORTEST, LONGEST_TRAINED);
    reversal_decode(r->model, &r->batch, output, strings, TESTED);
    r->itself = reversal_score(strings, output, TESTED, NULL);
    r->truth = score_told(r, strings);
}

int fault_steps(const struct Fault *fault, int steps)
{
    return fault->most_steps != 0 && fault->most_steps < steps ? fault->most_steps : steps;
}

struct Result fault_run(const struct Fault *fault, uint64_t seed, const struct Settings *settings,
                        struct Progress *bar, int done)
{
    struct Result r = {.fault = fault,
                       .seed = seed,
                       .steps = fault_steps(fault, settings->steps),
                       .model = model_new(config_of(fault, settings->width), BATCH)};
    r.losses = zeros_new((size_t)r.steps, sizeof *r.losses);
    batch_new(&r.batch, BATCH, CONTEXT);
    model_init(r.model, seed);
    train(&r, settings->lr, bar, done);
    test(&r);
    int last = r.steps < LAST ? r.steps : LAST;
    r.below = loss_first_below(r.losses, r.steps, WINDOW, LEARNED);
    r.last = loss_mean(r.losses + r.steps - last, last);
    return r;
}

void result_free(struct Result *r)
{
    model_free(r->model);
    batch_free(&r->batch);
    free(r->losses);
}

void show_string(struct Result *r, const struct String *string)
{
    fill(r, string, 1, false);
}
