/* bench: how fast is it, and how far from what the machine can do? Every section measures one
   thing, prints a table and leaves the same numbers as TSV. A noisy machine makes ranges wide and
   fails nothing; what is claimed, and fails, is only that the work measured is the right work. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>

struct Bench {
    bool fast;       /* fewer rounds, fewer shapes */
    const char *out; /* the directory of the tables */
    int processors;
    double memory_before, memory_peak; /* MB, from memory_measure */
};

/* To be called before any thread was started and any array made: a child process trains, and the
   most that it held in memory is noted. */
void memory_measure(struct Bench *bench);

/* The sections, each in the file of its name. */
void bench_peak(const struct Bench *bench);
void bench_ladder(const struct Bench *bench);
void bench_kernels(const struct Bench *bench);
void bench_layers(const struct Bench *bench);
void bench_tiled(const struct Bench *bench);
void bench_step(const struct Bench *bench);
void bench_training(const struct Bench *bench);
void bench_cost(const struct Bench *bench);
void bench_memory(const struct Bench *bench);
void bench_torch(const struct Bench *bench);

#endif
