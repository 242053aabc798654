/* One training step, layer by layer, on one thread: the parts of common/shard.c with a clock between
   them. That they do the work of the whole step is claimed at the end, to the last bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/base.h"
#include "common/page.h"
#include "common/shard.h"
#include "common/table.h"
#include "common/threads.h"
#include "peak.h"
#include "trainer.h"
#include "work.h"

enum { FORWARD, BACKWARD };
enum { DRAW, EMBEDDING, BLOCK_1, BLOCK_2, HEAD, UPDATE, PARTS, MAX_STEPS = 200 };
static const char *const names[PARTS] = {"draw the batch", "embedding",      "block 1",
                                         "block 2",        "norm+head+loss", "sum+AdamW+pack"};

/* One step: seconds and operations of every part. */
struct Walk {
    double seconds[PARTS][2], work[PARTS][2], clock;
};

/* All steps. */
struct Record {
    int steps;
    double seconds[PARTS][2][MAX_STEPS], share[PARTS][2][MAX_STEPS], work[PARTS][2];
    double whole[MAX_STEPS], whole_share[MAX_STEPS]; /* by model_gradient and model_update */
};

/* What was done since the last lap was this. */
static void lap(struct Walk *walk, int part, int pass, double work)
{
    double now = thread_time();
    walk->seconds[part][pass] += now - walk->clock;
    walk->work[part][pass] += work;
    walk->clock = now;
}

static void walk_shard(struct Walk *walk, struct Shard *s, const struct Model *model, int n_targets)
{
    const struct ModelConfig *config = &model->config;
    const struct ModelTensors *w = &model->w;
    int d = config->d_model, layers = config->n_layers;
    shard_embed_forward(s, config, w);
    lap(walk, EMBEDDING, FORWARD, 0.0);
    for (int layer = 0; layer < layers; layer++) {
        shard_block_forward(s, layer, config, w);
        lap(walk, BLOCK_1 + layer, FORWARD,
            block_work(shard_sequences(s, layer, layers), s->rows, d));
    }
    shard_head_forward(s, config, w);
    double head_work = linear_work(s->n_queries, d, config->vocab);
    lap(walk, HEAD, FORWARD, head_work);

    shard_head_backward(s, config, w, n_targets);
    lap(walk, HEAD, BACKWARD, 2.0 * head_work);
    for (int layer = layers - 1; layer >= 0; layer--) {
        shard_block_backward(s, layer, config, w);
        lap(walk, BLOCK_1 + layer, BACKWARD,
            2.0 * block_work(shard_sequences(s, layer, layers), s->rows, d));
    }
    shard_embed_backward(s, config);
    lap(walk, EMBEDDING, BACKWARD, 0.0);
}

static void walk_shards(struct Walk *walk, struct Model *model, int n_targets)
{
    for (int i = 0; i < SHARDS; i++) {
        walk_shard(walk, &model->shards[i], model, n_targets);
    }
}

static void copy_gradients(float *to, const struct Model *model)
{
    for (int i = 0; i < SHARDS; i++) {
        size_t n = model->shards[i].n_weights;
        memcpy(to + (size_t)i * n, model->shards[i].gradient, n * sizeof *to);
    }
}

/* Did the walk leave the gradients that model_gradient left before it? */
static bool same_gradients(const float *gradients, const struct Model *model)
{
    bool same = true;
    for (int i = 0; i < SHARDS; i++) {
        size_t n = model->shards[i].n_weights;
        same &=
            memcmp(gradients + (size_t)i * n, model->shards[i].gradient, n * sizeof(float)) == 0;
    }
    return same;
}

static void note(struct Record *record, const struct Walk *walk, double whole, double work,
                 double peak)
{
    int step = record->steps++;
    for (int part = 0; part < PARTS; part++) {
        for (int pass = 0; pass < 2; pass++) {
            double seconds = walk->seconds[part][pass];
            record->seconds[part][pass][step] = seconds;
            record->share[part][pass][step] = walk->work[part][pass] / (seconds * peak);
            record->work[part][pass] = walk->work[part][pass];
        }
    }
    record->whole[step] = whole;
    record->whole_share[step] = work / (whole * peak);
}

/* One step twice: as it is done in training, and with the clock. Returns whether both gave the
   same gradients. */
static bool step(struct Record *record, struct Trainer *t, float *gradients)
{
    struct Walk walk = {.clock = thread_time()};
    trainer_draw(t, t->tokens, t->targets);
    batch_from_padded(&t->batch, t->tokens, t->targets, t->setting.batch, CONTEXT, true);
    lap(&walk, DRAW, FORWARD, 0.0);
    double start = thread_time();
    model_gradient(t->model, &t->batch);
    double whole = thread_time() - start;
    copy_gradients(gradients, t->model);

    walk.clock = thread_time();
    walk_shards(&walk, t->model, t->batch.n_targets);
    bool same = same_gradients(gradients, t->model);
    walk.clock = thread_time();
    model_update(t->model, &t->adamw);
    lap(&walk, UPDATE, BACKWARD, 0.0);
    whole += walk.seconds[DRAW][FORWARD] + walk.seconds[UPDATE][BACKWARD];
    note(record, &walk, whole, step_work(&t->model->config, &t->batch), peak_alone(3e-4));
    return same;
}

static void print_cell(struct Record *record, struct Table *table, int width, int part, int pass,
                       double whole)
{
    struct Sample t = sample_of(record->seconds[part][pass], record->steps);
    struct Sample share = sample_of(record->share[part][pass], record->steps);
    double work = record->work[part][pass];
    if (t.median == 0.0) {
        printf("%31s", "");
        return;
    }
    printf("%6.0f%5.1f", 1e6 * t.median, 100.0 * t.median / whole);
    if (work > 0.0) {
        printf("%7.1f %12s", 1e-6 * work, percent(share).text);
    } else {
        printf("%7s %12s", "-", "-");
    }
    table_row(table, "%d\t%s\t%s\t%.2f\t%.2f\t%.2f\t%.3f\t%.4f\t%.4f\t%.4f", width, names[part],
              pass == FORWARD ? "forward" : "backward", 1e6 * t.median, 1e6 * t.least, 1e6 * t.most,
              1e-6 * work, share.median, share.least, share.most);
}

static void print_record(struct Record *record, struct Table *table, int width)
{
    struct Sample whole = sample_of(record->whole, record->steps);
    struct Sample share = sample_of(record->whole_share, record->steps);
    printf("%swidth %-9d|            forward            |            backward\n"
           "               |    us    %%  Mflop  of the peak |    us    %%  Mflop  of the peak\n",
           width > 64 ? "\n" : "", width);
    for (int part = 0; part < PARTS; part++) {
        printf("%-15s|", names[part]);
        print_cell(record, table, width, part, FORWARD, whole.median);
        if (record->seconds[part][BACKWARD][0] > 0.0) {
            printf(" |");
            print_cell(record, table, width, part, BACKWARD, whole.median);
        }
        printf("\n");
    }
    printf("The whole step without these clocks: %.0f us (%.0f-%.0f), %s of peak\n",
           1e6 * whole.median, 1e6 * whole.least, 1e6 * whole.most, percent(share).text);
    table_row(table, "%d\twhole step\tboth\t%.2f\t%.2f\t%.2f\t\t%.4f\t%.4f\t%.4f", width,
              1e6 * whole.median, 1e6 * whole.least, 1e6 * whole.most, share.median, share.least,
              share.most);
}

/* Returns whether every step gave the right gradients. */
static bool steps_at(int width, int steps, struct Table *table)
{
    struct Setting setting = lesson_07;
    setting.width = width;
    setting.heads = width / 32;
    struct Trainer t;
    trainer_new(&t, setting);
    float *gradients = array_new(SHARDS * t.model->params.size);
    struct Record *record = zeros_new(1, sizeof *record);
    bool same = true;
    trainer_run(&t, 5);
    for (int i = 0; i < steps; i++) {
        same &= step(record, &t, gradients);
    }
    print_record(record, table, width);
    trainer_free(&t);
    free(gradients);
    free(record);
    return same;
}

void bench_step(const struct Bench *bench)
{
    threads_set(1);
    page_heading("One step of training, layer by layer, on one thread");
    struct Table *table = table_new(bench->out, "step",
                                    "width part pass microseconds least most mflop share "
                                    "share_least share_most");
    bool same = steps_at(64, bench->fast ? 30 : MAX_STEPS, table);
    same &= steps_at(256, bench->fast ? 5 : 20, table);
    table_save(table);
    page_claim(same, "the layers timed one by one gave the gradients of the whole step");
}
