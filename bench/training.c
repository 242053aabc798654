/* The training of lesson 07 on 1, 2, 4, ... threads, each number with a model of its own. They take
   turns, a slice of the steps each, so that all have the same share of a noisy machine. */
#include <stdio.h>

#include "bench.h"
#include "common/page.h"
#include "common/table.h"
#include "common/threads.h"
#include "peak.h"
#include "trainer.h"

enum { MAX_SLICES = 15 };

struct Run {
    int threads;
    struct Trainer trainer;
    double total;                                                /* seconds */
    double speed[MAX_SLICES], up[MAX_SLICES], share[MAX_SLICES]; /* operations a second, ... */
};

static void take_slice(struct Run *run, const struct Run *one, int slice, int steps)
{
    double peak = peak_together(run->threads, 0.03).wall;
    threads_set(run->threads);
    double before = run->trainer.operations, start = wall_time();
    trainer_run(&run->trainer, steps);
    double seconds = wall_time() - start;
    run->total += seconds;
    run->speed[slice] = (run->trainer.operations - before) / seconds;
    run->up[slice] = run->speed[slice] / one->speed[slice];
    run->share[slice] = run->speed[slice] / peak;
}

static void print_run(struct Run *run, struct Table *table, int steps, int slices)
{
    struct Sample up = sample_of(run->up, slices), share = sample_of(run->share, slices);
    struct Sample speed = sample_of(run->speed, slices);
    char range[32];
    snprintf(range, sizeof range, "%.2f (%.2f-%.2f)", up.median, up.least, up.most);
    printf("%7d%10.2f%10.0f   %-18s%9.1f%17s\n", run->threads, run->total, steps / run->total,
           range, 1e-9 * run->trainer.operations / run->total, percent(share).text);
    table_row(table, "%d\t%.3f\t%.1f\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%.2f\t%.4f\t%.4f\t%.4f",
              run->threads, run->total, steps / run->total, up.median, up.least, up.most,
              1e-9 * speed.median, 1e-9 * speed.least, 1e-9 * speed.most, share.median, share.least,
              share.most);
}

void bench_training(const struct Bench *bench)
{
    int slices = bench->fast ? 5 : MAX_SLICES, slice_steps = bench->fast ? 60 : 100;
    int counts[MAX_COUNTS], n = thread_counts(counts, 2 * bench->processors, bench->processors);
    struct Run runs[MAX_COUNTS];
    for (int i = 0; i < n; i++) {
        runs[i] = (struct Run){.threads = counts[i]};
        threads_set(counts[i]);
        trainer_new(&runs[i].trainer, lesson_07);
    }
    for (int slice = 0; slice < slices; slice++) {
        for (int i = 0; i < n; i++) {
            take_slice(&runs[i], &runs[0], slice, slice_steps);
        }
    }
    char heading[80];
    int steps = slices * slice_steps;
    snprintf(heading, sizeof heading, "Lesson 07: %s steps of training", grouped(steps).text);
    page_heading(heading);
    printf("%.3f Tflop: the multiply-adds of products and attention that a loss depends on.\n"
           "Ranges over %d slices of %d steps, taken in turn.\n\n"
           "threads   seconds   steps/s   speed-up           Gflop/s      of the peak\n",
           1e-12 * runs[0].trainer.operations, slices, slice_steps);
    struct Table *table = table_new(bench->out, "training",
                                    "threads seconds steps_per_second speedup speedup_least "
                                    "speedup_most gflops least most share share_least share_most");
    bool same = true;
    for (int i = 0; i < n; i++) {
        print_run(&runs[i], table, steps, slices);
        same &= runs[i].trainer.loss == runs[0].trainer.loss;
        trainer_free(&runs[i].trainer);
    }
    table_save(table);
    page_claim(same, "the last loss is %.3g, to the last bit, on any number of threads",
               runs[0].trainer.loss);
}
