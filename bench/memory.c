/* The most that training holds in memory. A process's peak never falls, and a child begins with its
   parent's: so the child that trains is made before the parent has anything. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "common/base.h"
#include "common/page.h"
#include "common/table.h"
#include "trainer.h"

static double megabytes(const struct rusage *usage)
{
#ifdef __APPLE__
    return 1e-6 * (double)usage->ru_maxrss;
#else
    return 1.024e-3 * (double)usage->ru_maxrss;
#endif
}

void memory_measure(struct Bench *bench)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    bench->memory_before = megabytes(&usage);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct Trainer t;
        trainer_new(&t, lesson_07);
        trainer_run(&t, 20);
        _exit(0);
    }
    int status;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        die("the process that was to measure the memory of training did not finish");
    }
    bench->memory_peak = megabytes(&usage);
}

void bench_memory(const struct Bench *bench)
{
    page_heading("Memory at its peak, training lesson 07");
    printf("%.1f MB, of which %.1f MB were there before the first array: the program and its\n"
           "libraries.\n",
           bench->memory_peak, bench->memory_before);
    struct Table *table = table_new(bench->out, "memory", "peak_MB before_MB");
    table_row(table, "%.3f\t%.3f", bench->memory_peak, bench->memory_before);
    table_save(table);
}
