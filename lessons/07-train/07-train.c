/* Lesson 07: train a transformer to write strings backwards.

   A step is four lines (train, below): take examples, keep their rows, find the gradient,
   update. How the model behind them is wired stands in wiring.c, and section 3 of the page
   compares the two. The rest of the lesson asks what was learned, and what was not. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/checkpoint.h"
#include "common/cli.h"
#include "common/diverged.h"
#include "common/file.h"
#include "common/live.h"
#include "common/page.h"
#include "common/progress.h"
#include "report.h"
#include "source.h"
#include "study.h"

static struct Options options = {
    .steps = 1500,
    .batch = 64,
    .width = 64,
    .heads = 2,
    .layers = 2,
    .lengths = {3, 8},
    .lr = 0.003,
    .decay = 0.01,
};

static struct Option command_line[] = {
    {"steps", OPTION_INTEGER, &options.steps, "N", "training steps", 0, MAX_STEPS, NULL, false},
    {"batch", OPTION_INTEGER, &options.batch, "N", "strings in a batch", 1, MAX_BATCH, NULL, false},
    {"lengths", OPTION_RANGE, &options.lengths, "A-B", "letters in a training string", 1, LONGEST,
     NULL, false},
    {"width", OPTION_INTEGER, &options.width, "N", "numbers in a token's vector (d_model)", 1, 1024,
     NULL, false},
    {"heads", OPTION_INTEGER, &options.heads, "N", "heads; they must divide the width", 1, 1024,
     NULL, false},
    {"layers", OPTION_INTEGER, &options.layers, "N", "blocks", 1, 64, NULL, false},
    {"lr", OPTION_REAL, &options.lr, "X", "learning rate", 0, 1000, NULL, false},
    {"init", OPTION_TEXT, &options.init, "FILE", "start from these weights (safetensors)", 0, 0,
     "fresh ones", false},
    {"batches", OPTION_TEXT, &options.batches, "FILE",
     "train on the tensors tokens and targets of this file, in order", 0, 0, "drawn at random",
     false},
    {"save", OPTION_TEXT, &options.save, "FILE", "write the weights here at the end", 0, 0, NULL,
     false},
    {"reverse", OPTION_TEXT, &options.reverse, "STRING",
     "let the model reverse this: 1 to 12 letters from a to j", 0, 0, NULL, false},
    {"study", OPTION_TEXT, &options.study, "longer",
     "instead: why longer strings fail, by three trainings of --steps", 0, 0, NULL, false},
    {"live", OPTION_FLAG, &options.live, NULL, "show the loss in a gnuplot window as it falls", 0,
     0, NULL, false},
};

/* Was the option that sets this value on the command line? */
static bool given(const void *value)
{
    const struct Option *option = command_line;
    while (option->value != value) {
        option++;
    }
    return option->given;
}

/* Refuse what does not fit together, before anything is read or written. */
static void check_options(void)
{
    struct String ignored;
    if (options.reverse != NULL && !string_parse(&ignored, options.reverse)) {
        die("--reverse takes 1 to %d letters from a to j, not \"%s\"", LONGEST,
            printable(options.reverse).text);
    }
    if (options.study != NULL && strcmp(options.study, "longer") != 0) {
        die("--study takes longer, not \"%s\"", printable(options.study).text);
    }
    for (size_t i = 0; options.study != NULL && i < sizeof command_line / sizeof *command_line;
         i++) {
        const struct Option *o = &command_line[i];
        if (o->given && o->value != &options.study && o->value != &options.steps) {
            die("--study longer takes no --%s: it has settings of its own", o->name);
        }
    }
    if (options.live) {
        live_check();
    }
    if (options.batches != NULL && given(&options.batch)) {
        die("--batch has no meaning beside --batches: the file says how many strings a batch has");
    }
}

/* Is --save a table of this run? */
static bool saves_over_table(const char *out)
{
    const char *slash = strrchr(options.save, '/'),
               *name = slash != NULL ? slash + 1 : options.save;
    size_t length = slash != NULL ? (size_t)(slash - options.save) : 0;
    char place[PATH_MAX], given_place[PATH_MAX], directory[PATH_MAX] = ".";
    if (length < sizeof directory && length > 0) {
        snprintf(directory, sizeof directory, "%.*s", (int)length, options.save);
    }
    size_t n = strlen(name);
    bool table = n > 4 && strcmp(name + n - 4, ".tsv") == 0;
    bool same = realpath(out, place) != NULL && realpath(directory, given_place) != NULL
                    ? strcmp(place, given_place) == 0
                    : strcmp(out, directory) == 0;
    return table && same;
}

/* Make the directory for the files, and see that --save will work, before hours of training. A
   --save that is refused must leave no directory behind; but one inside out needs the directory
   first. */
static void prepare_files(const char *out)
{
    if (options.save != NULL && saves_over_table(out)) {
        die("--save %s: tables go there; weights need another name, such as model.safetensors",
            printable(options.save).text);
    }
    size_t n = strlen(out);
    bool inside = options.save != NULL && strncmp(options.save, out, n) == 0 &&
                  (out[n - 1] == '/' || options.save[n] == '/');
    if (options.save != NULL && !inside) {
        file_check_writable(options.save);
    }
    directory_make(out);
    if (inside) {
        file_check_writable(options.save);
    }
    run_check_files(out);
}

static struct Source open_source(struct TensorFile *file, uint64_t seed)
{
    if (options.batches == NULL) {
        return source_drawn(seed, options.batch, options.lengths);
    }
    struct Source source = source_file(options.batches, file);
    if (!given(&options.steps)) {
        options.steps = source.steps;
    }
    if (options.steps > source.steps) {
        die("--steps %d: %s holds %d batches, so it takes 0 to %d", options.steps,
            printable(options.batches).text, source.steps, source.steps);
    }
    options.batch = source.batch;
    return source;
}

/* Which rows of the position table had a gradient that was not zero. */
static void note_positions(bool *trained, const struct Model *model)
{
    size_t d = (size_t)model->config.d_model;
    const float *g = model->gradient + (model->w.position - model->weights);
    for (size_t i = 0; i < CONTEXT * d; i++) {
        trained[i / d] |= g[i] != 0.0f;
    }
}

/* The loss of this step, counted from 1, is not finite; one step too many is the look at the model
   when training is over. */
static _Noreturn void diverged(struct Run *run, int step)
{
    struct Place place = diverged_at(run->model, &run->batch, step);
    if (options.steps == 0) {
        die("%s: with these weights the first value that is not finite is in %s",
            printable(options.init).text, place.text);
    }
    die("training diverged in step %d: the first value that is not finite is in %s; try a smaller "
        "--lr than %g",
        place.step <= options.steps ? place.step : options.steps, place.text, options.lr);
}

static void train(struct Run *run, struct Source *source, const struct Common *common)
{
    struct AdamW adamw;
    adamw_new(&adamw, run->model->params.size, options.lr, options.decay);
    struct Progress progress;
    struct Live live = {0};
    if (options.live) {
        live_open(&live);
    }
    progress_start(&progress, options.steps, common->quiet);
    for (int step = 0; step < options.steps; step++) {
        source_next(source, run->tokens, run->targets);
        batch_from_padded(&run->batch, run->tokens, run->targets, options.batch, CONTEXT, true);
        run->losses[step] = model_gradient(run->model, &run->batch);
        if (!isfinite(run->losses[step])) {
            progress_end(&progress);
            diverged(run, step + 1);
        }
        model_update(run->model, &adamw);
        note_positions(run->trained, run->model);
        for (int i = 0; i < options.batch; i++) {
            struct String string;
            if (reversal_string_of(&string, run->tokens + i * CONTEXT)) {
                seen_add(&run->seen, &string);
            }
        }
        progress_step(&progress, step + 1, run->losses[step]);
        live_draw(&live, run->losses, step + 1);
    }
    progress_end(&progress);
    live_close(&live, run->losses, options.steps);
    if (!isfinite(model_forward(run->model, &run->batch))) { /* so large that they overflow */
        diverged(run, options.steps + 1);
    }
    adamw_free(&adamw);
    seen_close(&run->seen);
}

int main(int argc, char **argv)
{
    struct Common common;
    cli_parse(argc, argv, "Lesson 07: train a transformer to write strings backwards.", "07-train",
              &common, command_line, sizeof command_line / sizeof *command_line);
    check_options();
    if (options.study != NULL) {
        directory_make(common.out);
        printf("Lesson 07. Why longer strings fail\n");
        study_longer(common.seed, options.steps, common.out, common.quiet);
        return page_verdict();
    }
    struct ModelConfig config =
        model_config(VOCAB, CONTEXT, options.width, options.heads, options.layers);
    struct TensorFile file = {0};
    struct Source source = open_source(&file, common.seed);
    struct Run run;
    run_new(&run, &options, config, common.seed);
    prepare_files(common.out);

    printf("Lesson 07. Training a transformer to write strings backwards\n");
    report_examples(&run, source);
    report_parameters(&run);
    report_wiring(&run, source);
    train(&run, &source, &common);
    report_training(&run, source);
    report_tests(&run, common.seed, common.out);
    report_attention(&run, common.seed, common.out);
    report_positions(&run);
    if (options.reverse != NULL) {
        report_string(&run, options.reverse);
    }
    run_save(&run, common.out);
    if (options.save != NULL) {
        checkpoint_save(run.model, options.save);
    }
    run_free(&run);
    safetensors_free(&file);
    return page_verdict();
}
