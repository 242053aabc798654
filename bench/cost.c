/* What a step costs when the model or the batch grows: milliseconds against operations, on one
   thread. One thing is varied at a time, the others stay as in lesson 07. */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "common/page.h"
#include "common/table.h"
#include "common/threads.h"
#include "peak.h"
#include "trainer.h"

enum { TURNS = 7 };

static const struct {
    const char *what;
    struct Setting setting;
    bool fast; /* measured by --fast as well */
} points[] = {
    {"batch", {16, 64, 2, 2, 3, 8}, true},    {"batch", {32, 64, 2, 2, 3, 8}, false},
    {"batch", {64, 64, 2, 2, 3, 8}, false},   {"batch", {128, 64, 2, 2, 3, 8}, false},
    {"batch", {256, 64, 2, 2, 3, 8}, true},   {"width", {64, 32, 1, 2, 3, 8}, true},
    {"width", {64, 64, 2, 2, 3, 8}, true},    {"width", {64, 128, 4, 2, 3, 8}, false},
    {"width", {64, 256, 8, 2, 3, 8}, true},   {"width", {64, 512, 16, 2, 3, 8}, false},
    {"layers", {64, 64, 2, 1, 3, 8}, true},   {"layers", {64, 64, 2, 2, 3, 8}, false},
    {"layers", {64, 64, 2, 3, 3, 8}, false},  {"layers", {64, 64, 2, 4, 3, 8}, false},
    {"layers", {64, 64, 2, 5, 3, 8}, false},  {"layers", {64, 64, 2, 6, 3, 8}, true},
    {"length", {64, 64, 2, 2, 3, 8}, false},  {"length", {64, 64, 2, 2, 3, 10}, false},
    {"length", {64, 64, 2, 2, 3, 12}, false}, {"length", {64, 64, 2, 2, 12, 12}, true},
};
enum { POINTS = sizeof points / sizeof *points };

struct Value {
    char text[16];
};

static struct Value value_of(int point)
{
    const struct Setting *s = &points[point].setting;
    struct Value v;
    if (strcmp(points[point].what, "batch") == 0) {
        snprintf(v.text, sizeof v.text, "%d", s->batch);
    } else if (strcmp(points[point].what, "width") == 0) {
        snprintf(v.text, sizeof v.text, "%d", s->width);
    } else if (strcmp(points[point].what, "layers") == 0) {
        snprintf(v.text, sizeof v.text, "%d", s->layers);
    } else if (s->shortest == s->longest) {
        snprintf(v.text, sizeof v.text, "%d", s->longest);
    } else {
        snprintf(v.text, sizeof v.text, "%d-%d", s->shortest, s->longest);
    }
    return v;
}

/* Seconds for so many steps. */
static double time_steps(struct Trainer *t, int steps)
{
    double start = thread_time();
    trainer_run(t, steps);
    return thread_time() - start;
}

static void measure(const struct Bench *bench, struct Table *table, int point)
{
    struct Trainer t;
    trainer_new(&t, points[point].setting);
    trainer_run(&t, 1);
    int turns = bench->fast ? 3 : TURNS;
    int steps = 1 + (int)((bench->fast ? 0.02 : 0.05) / time_steps(&t, 1));
    double seconds[TURNS], share[TURNS], peak[TURNS];
    double before = t.operations;
    for (int turn = 0; turn < turns; turn++) {
        double start = t.operations;
        peak[turn] = peak_alone(2e-3);
        seconds[turn] = time_steps(&t, steps) / steps;
        share[turn] = (t.operations - start) / steps / seconds[turn] / peak[turn];
    }
    double gflop = 1e-9 * (t.operations - before) / (turns * steps);
    struct Sample time = sample_of(seconds, turns), part = sample_of(share, turns);
    char range[32];
    snprintf(range, sizeof range, "(%.2f-%.2f)", 1e3 * time.least, 1e3 * time.most);
    printf("%-8s%6s%10.3f%12.2f %-17s%9.1f%17s\n", points[point].what, value_of(point).text, gflop,
           1e3 * time.median, range, gflop / time.median, percent(part).text);
    table_row(table, "%s\t%s\t%.5f\t%.4f\t%.4f\t%.4f\t%.4f\t%.2f", points[point].what,
              value_of(point).text, gflop, 1e3 * time.median, 1e3 * time.least, 1e3 * time.most,
              part.median, 1e-9 * sample_of(peak, turns).median);
    trainer_free(&t);
}

void bench_cost(const struct Bench *bench)
{
    threads_set(1);
    page_heading("The cost of a step, on one thread");
    printf("As in lesson 07 (batch 64, width 64 in heads of 32, 2 layers, 3-8 letters)\n"
           "but for:      Gflop          ms (range)            Gflop/s      of the peak\n");
    struct Table *table =
        table_new(bench->out, "cost", "what value gflop milliseconds least most share peak");
    for (int i = 0; i < POINTS; i++) {
        if (points[i].fast || !bench->fast) {
            measure(bench, table, i);
        }
    }
    table_save(table);
}
