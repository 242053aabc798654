/* The limit of the machine, from the loop of common/burst.c, alone and on all threads. */
#include "peak.h"

#include <stdio.h>

#include "bench.h"
#include "common/burst.h"
#include "common/page.h"
#include "common/table.h"
#include "common/threads.h"

enum { TASKS = 16 };

static void run_burst(void *ignored)
{
    (void)ignored;
    burst();
}

struct Case peak_case(void)
{
    return (struct Case){.run = run_burst, .amount = burst_operations};
}

double peak_alone(double seconds)
{
    struct Case c = peak_case();
    take_turns(&c, 1, 1, seconds);
    return c.rate[0];
}

/* Many short tasks, so that it does not matter which thread takes how many. */
struct Task {
    int calls;
    double seconds[TASKS * MAX_THREADS]; /* that each had a processor */
};

static void run_task(void *context, int i, int thread)
{
    struct Task *task = context;
    (void)thread;
    double start = thread_time();
    for (int call = 0; call < task->calls; call++) {
        burst();
    }
    task->seconds[i] = thread_time() - start;
}

struct Peak peak_together(int threads, double seconds)
{
    static struct Task task;
    int count = TASKS * threads;
    task.calls = 1 + (int)(seconds / TASKS * peak_alone(1e-4) / burst_operations);
    threads_set(threads);
    parallel_for(count, run_task, &task); /* wakes the threads */
    double start = wall_time();
    parallel_for(count, run_task, &task);
    double wall = wall_time() - start, own = 0.0;
    for (int i = 0; i < count; i++) {
        own += task.seconds[i];
    }
    double operations = burst_operations * task.calls * count;
    return (struct Peak){.own = operations * threads / own, .wall = operations / wall};
}

static void text_of(char text[40], struct Sample s)
{
    snprintf(text, 40, "%.1f (%.1f-%.1f)", 1e-9 * s.median, 1e-9 * s.least, 1e-9 * s.most);
}

void bench_peak(const struct Bench *bench)
{
    int counts[MAX_COUNTS], n = thread_counts(counts, bench->processors, bench->processors);
    int rounds = bench->fast ? 5 : 15;
    double own[MAX_COUNTS][MAX_ROUNDS], wall[MAX_COUNTS][MAX_ROUNDS];
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) {
            struct Peak peak = peak_together(counts[i], 0.03);
            own[i][round] = peak.own;
            wall[i][round] = peak.wall;
        }
    }
    page_heading("The peak of the machine: fused multiply-adds on registers alone");
    printf("             Gflop/s (range)\n"
           "threads      by each thread's own time    by the clock on the wall\n");
    struct Table *table =
        table_new(bench->out, "peak", "threads gflops least most wall wall_least wall_most");
    for (int i = 0; i < n; i++) {
        struct Sample s = sample_of(own[i], rounds), w = sample_of(wall[i], rounds);
        char own_text[40], wall_text[40];
        text_of(own_text, s);
        text_of(wall_text, w);
        printf("%7d      %-29s%s\n", counts[i], own_text, wall_text);
        table_row(table, "%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f", counts[i], 1e-9 * s.median,
                  1e-9 * s.least, 1e-9 * s.most, 1e-9 * w.median, 1e-9 * w.least, 1e-9 * w.most);
    }
    table_save(table);
}
