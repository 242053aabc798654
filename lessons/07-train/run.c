/* A run begins with its weights and ends in its files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/checkpoint.h"
#include "common/file.h"
#include "common/table.h"
#include "report.h"

const struct Chapter chapter = {
    .parameters = 103244,
    .first_learned = 362,
    .distinct = 71610,
    .unseen = 335,
    .block_means = {"0.48", "0.0090", "0.0004", "0.0002", "0.0001", "0.0001"},
    .abcdefghij = "fedabadbad",
};

bool chapters_model(const struct Options *o)
{
    return o->width == 64 && o->heads == 2 && o->layers == 2;
}

bool chapters_run(const struct Options *o, int steps, int first, int last)
{
    return chapters_model(o) && o->steps == steps && o->batch == 64 && o->lr == 0.003 &&
           o->init == NULL && o->batches == NULL && o->lengths.first == first &&
           o->lengths.last == last;
}

void run_new(struct Run *run, const struct Options *options, struct ModelConfig config,
             uint64_t seed)
{
    int most = options->batch > 64 ? options->batch : 64; /* the tests decode 64 at a time */
    size_t padded = (size_t)options->batch * CONTEXT;
    size_t table = (size_t)CONTEXT * (size_t)options->width;
    *run = (struct Run){.options = options,
                        .model = model_new(config, most),
                        .tokens = zeros_new(padded, sizeof *run->tokens),
                        .targets = zeros_new(padded, sizeof *run->targets),
                        .losses = zeros_new((size_t)options->steps, sizeof *run->losses),
                        .position_start = array_new(table)};
    batch_new(&run->batch, most, CONTEXT);
    if (options->init != NULL) {
        checkpoint_load(run->model, options->init);
    } else {
        model_init(run->model, seed);
    }
    memcpy(run->position_start, run->model->w.position, table * sizeof(float));
}

void run_free(struct Run *run)
{
    model_free(run->model);
    batch_free(&run->batch);
    free(run->tokens);
    free(run->targets);
    free(run->losses);
    free(run->position_start);
    seen_free(&run->seen);
}

void run_check_files(const char *out)
{
    static const char *const names[] = {"loss.tsv",      "accuracy.tsv", "attention.tsv",
                                        "strongest.tsv", "ablation.tsv", "model.safetensors"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/%s", out, names[i]) >= (int)sizeof path) {
            die("--out is too long for a path");
        }
        file_check_writable(path);
    }
}

void run_save(struct Run *run, const char *out)
{
    struct Table *table = table_new(out, "loss", "step loss");
    for (int step = 0; step < run->options->steps; step++) {
        table_row(table, "%d\t%.9g", step + 1, run->losses[step]);
    }
    table_save(table);
    char path[4096];
    snprintf(path, sizeof path, "%s/model.safetensors", out);
    checkpoint_save(run->model, path);
}
