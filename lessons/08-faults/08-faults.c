/* Lesson 08: what goes wrong, and what only looks wrong.

   Each line of the table below is lesson 07's training with one field changed. All of them run;
   some reach a loss below 0.01 and can do nothing, one has a high loss and can do everything.
   With --seeds N each is trained N times: one seed cannot tell a fault from bad luck. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/cli.h"
#include "common/file.h"
#include "common/page.h"
#include "common/table.h"
#include "report.h"

static const struct Fault faults[] = {
    {.name = "reference",
     .what = "as in lesson 07",
     .chapter_below = "362",
     .chapter_right = "100"},
    {.name = "no-scale",
     .what = "scores are not divided by sqrt(d_head)",
     .scale = 1.0f,
     .chapter_below = "never",
     .chapter_right = "94.6"},
    {.name = "query-axis",
     .what = "the softmax runs over the queries of each key",
     .axis = OVER_QUERIES,
     .chapter_below = "128",
     .chapter_right = "9.6"},
    {.name = "no-mask",
     .what = "every token sees every other; at most 300 steps",
     .no_mask = true,
     .most_steps = 300,
     .chapter_below = "89",
     .chapter_right = "11.6"},
    {.name = "every-position",
     .what = "the letters before the separator are targets too",
     .every_position = true,
     .chapter_below = "never",
     .chapter_right = "100"},
    {.name = "stacked", .what = "heads are merged without permuting back", .stacked = true},
};
enum { FAULTS = sizeof faults / sizeof *faults };

static struct Settings settings = {.steps = 1500, .width = 64, .seeds = 1, .lr = 0.003};
static const char *only;

static struct Option command_line[] = {
    {"seeds", OPTION_INTEGER, &settings.seeds, "N",
     "train each N times, with the seeds from --seed on", 1, 100, NULL, false},
    {"run", OPTION_TEXT, &only, "NAME",
     "only this one: reference, no-scale, query-axis, no-mask, every-position or stacked", 0, 0,
     "all of them", false},
    {"steps", OPTION_INTEGER, &settings.steps, "N", "training steps", 1, 100000, NULL, false},
    {"width", OPTION_INTEGER, &settings.width, "N",
     "numbers in a token's vector (d_model), even: there are 2 heads", 2, 1024, NULL, false},
    {"lr", OPTION_REAL, &settings.lr, "X", "learning rate", 0, 1000, NULL, false},
};

static void check_options(void)
{
    if (settings.width % HEADS != 0) {
        die("--width %d cannot be split among %d heads: it must be even", settings.width, HEADS);
    }
    if (only == NULL) {
        return;
    }
    for (int i = 0; i < FAULTS; i++) {
        if (strcmp(only, faults[i].name) == 0) {
            return;
        }
    }
    die("--run takes reference, no-scale, query-axis, no-mask, every-position or stacked, not "
        "\"%s\"",
        printable(only).text);
}

/* The faults that were asked for; how many. */
static int choose(const struct Fault *chosen[FAULTS])
{
    int n = 0;
    for (int i = 0; i < FAULTS; i++) {
        if (only == NULL || strcmp(only, faults[i].name) == 0) {
            chosen[n++] = &faults[i];
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    struct Common common;
    cli_parse(argc, argv, "Lesson 08: six trainings that differ in one line each.", "08-faults",
              &common, command_line, sizeof command_line / sizeof *command_line);
    check_options();
    if (common.seed > UINT64_MAX - (uint64_t)(settings.seeds - 1)) {
        die("--seed %llu leaves no room for %d seeds", (unsigned long long)common.seed,
            settings.seeds);
    }
    struct Tables tables = tables_new(common.out);
    const struct Fault *chosen[FAULTS];
    int count = choose(chosen), done = 0, total = 0;
    for (int i = 0; i < count; i++) {
        total += fault_steps(chosen[i], settings.steps) * settings.seeds;
    }
    printf("Lesson 08. What goes wrong, and what only looks wrong\n");
    report_runs(chosen, count, &settings, common.seed);

    size_t n = (size_t)(count * settings.seeds);
    struct Result *results = zeros_new(n, sizeof *results); /* the seeds of a fault side by side */
    struct Progress bar;
    progress_start(&bar, total, common.quiet);
    for (size_t i = 0; i < n; i++) {
        const struct Fault *fault = chosen[i / (size_t)settings.seeds];
        uint64_t seed = common.seed + i % (size_t)settings.seeds;
        results[i] = fault_run(fault, seed, &settings, &bar, done);
        done += results[i].steps;
        tables_add(&tables, &results[i]);
    }
    progress_end(&bar);

    report_results(results, count, &settings);
    report_lengths(results, count, &settings);
    report_explanations(results, count, &settings);
    tables_save(&tables);
    for (size_t i = 0; i < n; i++) {
        result_free(&results[i]);
    }
    free(results);
    return page_verdict();
}
