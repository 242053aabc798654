/* PyTorch and ours in turn: the same weights, the same batches, as many steps. A Python process
   waits at a pipe while ours runs (torch_train.py); its losses show that it did the same work. */
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "common/base.h"
#include "common/checkpoint.h"
#include "common/page.h"
#include "common/safetensors.h"
#include "common/table.h"
#include "common/threads.h"
#include "measure.h"
#include "trainer.h"

enum { MOST_STEPS = 300, MOST_PAIRS = 9, COMPARED = 20, TRIAL_STEPS = 20, PADDED = 0, TRIMMED = 1 };

extern char **environ;

struct Python {
    FILE *to, *from;
    pid_t id;
    char version[64];
};

/* The batches, drawn once, and where both sides find them and the weights. */
struct Task {
    int steps, batch;
    int32_t *tokens, *targets; /* (steps,batch,CONTEXT) */
    char weights_path[4096], batches_path[4096];
};

static pid_t spawn(const char *program, const struct Task *task, int in, int out, int unused_in,
                   int unused_out)
{
    char *arguments[] = {(char *)program, "bench/torch_train.py", (char *)task->weights_path,
                         (char *)task->batches_path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_addclose(&actions, unused_in);
    posix_spawn_file_actions_addclose(&actions, unused_out);
    pid_t id;
    int error = posix_spawnp(&id, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? id : -1;
}

/* False unless this Python answers that it has PyTorch. */
static bool python_start(struct Python *p, const char *program, const struct Task *task)
{
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) {
        die("no pipe to talk to Python through");
    }
    p->id = spawn(program, task, to[0], from[1], to[1], from[0]);
    close(to[0]);
    close(from[1]);
    p->to = fdopen(to[1], "w");
    p->from = fdopen(from[0], "r");
    return p->id > 0 && fscanf(p->from, "ready %63s", p->version) == 1;
}

static void python_stop(struct Python *p)
{
    fclose(p->to);
    fclose(p->from);
    if (p->id > 0) {
        waitpid(p->id, NULL, 0);
    }
}

static bool python_find(struct Python *p, const struct Task *task)
{
    const char *const programs[] = {"/usr/bin/python3", "python3"};
    for (int i = 0; i < 2; i++) {
        if (python_start(p, programs[i], task)) {
            return true;
        }
        python_stop(p);
    }
    return false;
}

/* Seconds for the first steps of the task; losses (steps) overwritten. Negative if Python died. */
static double torch_train(struct Python *p, double *losses, int threads, int steps, int trim)
{
    double seconds = -1.0;
    fprintf(p->to, "%d %d %d\n", threads, steps, trim);
    fflush(p->to);
    bool read = fscanf(p->from, "%lf", &seconds) == 1;
    for (int i = 0; i < steps; i++) {
        read = read && fscanf(p->from, "%lf", &losses[i]) == 1;
    }
    return read ? seconds : -1.0;
}

/* The same by ours. */
static double our_train(const struct Task *task, double *losses, int threads, int steps)
{
    struct Trainer t;
    threads_set(threads);
    trainer_new(&t, lesson_07);
    size_t size = (size_t)task->batch * CONTEXT;
    double start = wall_time();
    for (int i = 0; i < steps; i++) {
        trainer_learn(&t, task->tokens + (size_t)i * size, task->targets + (size_t)i * size);
        losses[i] = t.loss;
    }
    double seconds = wall_time() - start;
    trainer_free(&t);
    return seconds;
}

static void task_new(struct Task *task, const struct Bench *bench)
{
    struct Trainer t;
    trainer_new(&t, lesson_07);
    task->steps = bench->fast ? 60 : MOST_STEPS;
    task->batch = t.setting.batch;
    size_t size = (size_t)task->batch * CONTEXT, count = (size_t)task->steps * size;
    task->tokens = zeros_new(count, sizeof *task->tokens);
    task->targets = zeros_new(count, sizeof *task->targets);
    for (size_t at = 0; at < count; at += size) {
        trainer_draw(&t, task->tokens + at, task->targets + at);
    }
    snprintf(task->weights_path, sizeof task->weights_path, "%s/init.safetensors", bench->out);
    snprintf(task->batches_path, sizeof task->batches_path, "%s/batches.safetensors", bench->out);
    checkpoint_save(t.model, task->weights_path);
    struct Tensor tensor = {.name = "tokens",
                            .dtype = DTYPE_I32,
                            .n_dims = 3,
                            .shape = {(size_t)task->steps, (size_t)task->batch, CONTEXT},
                            .count = count,
                            .data = task->tokens};
    struct Tensor tensors[] = {tensor, tensor};
    tensors[1].name = "targets";
    tensors[1].data = task->targets;
    safetensors_write(task->batches_path, tensors, 2, NULL, 0);
    trainer_free(&t);
}

/* The number of threads at which it is fastest: one, half of the processors or all, by the best of
   two short runs. Python NULL: ours, otherwise PyTorch. */
static int best_threads(struct Python *p, const struct Task *task, int processors)
{
    double losses[MOST_STEPS], best[3] = {INFINITY, INFINITY, INFINITY};
    int candidates[3] = {1, processors / 2, processors}, fastest = 0;
    for (int run = 0; run < 6; run++) {
        int i = run % 3;
        bool same = i > 0 && candidates[i] <= candidates[i - 1];
        if (same || (run >= 3 && best[i] > 2.0 * fmin(best[0], fmin(best[1], best[2])))) {
            continue; /* hopeless numbers are not tried twice */
        }
        double seconds = p == NULL ? our_train(task, losses, candidates[i], TRIAL_STEPS)
                                   : torch_train(p, losses, candidates[i], TRIAL_STEPS, PADDED);
        best[i] = seconds >= 0.0 && seconds < best[i] ? seconds : best[i];
    }
    printf("%-8s", p == NULL ? "ours" : "PyTorch");
    for (int i = 0; i < 3; i++) {
        if (best[i] < INFINITY) {
            printf("%8.1f ms on %d,", 1e3 * best[i] / TRIAL_STEPS, candidates[i]);
        }
        fastest = best[i] < best[fastest] ? i : fastest;
    }
    printf(" so it gets %d\n", candidates[fastest]);
    return candidates[fastest];
}

static double worst_difference(const double *ours, const double *theirs)
{
    double worst = 0.0;
    for (int i = 0; i < COMPARED; i++) {
        worst = fmax(worst, fabs(ours[i] - theirs[i]) / fabs(theirs[i]));
    }
    return worst;
}

/* Seconds of every run, pair by pair; ours is the mean of the runs before PyTorch's two. */
struct Pairs {
    int count, our_threads, torch_threads;
    double ours[MOST_PAIRS], torch[2][MOST_PAIRS]; /* padded, trimmed */
    double difference;                             /* the largest between losses, relative */
};

static bool run_pairs(struct Pairs *pairs, int count, struct Python *p, const struct Task *task)
{
    double ours[MOST_STEPS], theirs[MOST_STEPS];
    pairs->count = count;
    for (int i = 0; i < count; i++) {
        for (int trim = PADDED; trim <= TRIMMED; trim++) {
            double seconds = our_train(task, ours, pairs->our_threads, task->steps);
            pairs->ours[i] = trim == PADDED ? seconds : (pairs->ours[i] + seconds) / 2.0;
            pairs->torch[trim][i] = torch_train(p, theirs, pairs->torch_threads, task->steps, trim);
            if (pairs->torch[trim][i] < 0.0) {
                return false;
            }
            pairs->difference = fmax(pairs->difference, worst_difference(ours, theirs));
        }
    }
    return true;
}

static void print_row(struct Table *table, const char *name, double *seconds, double *ratio,
                      int threads, const struct Pairs *pairs, int steps)
{
    double scale = (double)LESSON_STEPS / steps;
    struct Sample r = sample_of(ratio, pairs->count), s = sample_of(seconds, pairs->count);
    char text[32];
    snprintf(text, sizeof text, "%.1f (%.1f-%.1f)", scale * s.median, scale * s.least,
             scale * s.most);
    printf("%-34s%6d   %-20s", name, threads, text);
    snprintf(text, sizeof text, "%.1f (%.1f-%.1f)", r.median, r.least, r.most);
    printf("%s\n", r.most == 1.0 ? "1" : text);
    table_row(table, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f", name, threads, scale * s.median,
              scale * s.least, scale * s.most, r.median, r.least, r.most);
}

static void print_pairs(struct Pairs *pairs, const struct Task *task, const char *out)
{
    printf("\n%s steps each, %d pairs in turn; times are for %s steps, the %d times %g.\n\n"
           "                                 threads   seconds             ratio to ours\n",
           grouped(task->steps).text, pairs->count, grouped(LESSON_STEPS).text, task->steps,
           (double)LESSON_STEPS / task->steps);
    double ratio[3][MOST_PAIRS];
    for (int i = 0; i < pairs->count; i++) {
        ratio[0][i] = 1.0;
        ratio[1][i] = pairs->torch[PADDED][i] / pairs->ours[i];
        ratio[2][i] = pairs->torch[TRIMMED][i] / pairs->ours[i];
    }
    struct Table *table =
        table_new(out, "torch", "who threads seconds least most ratio ratio_least ratio_most");
    print_row(table, "ours", pairs->ours, ratio[0], pairs->our_threads, pairs, task->steps);
    print_row(table, "PyTorch, the same padded batches", pairs->torch[PADDED], ratio[1],
              pairs->torch_threads, pairs, task->steps);
    print_row(table, "PyTorch, cut to the longest string", pairs->torch[TRIMMED], ratio[2],
              pairs->torch_threads, pairs, task->steps);
    table_save(table);
    page_claim(pairs->difference <= 1e-4,
               "the same work: the first %d losses agree to %.0e of their size", COMPARED,
               pairs->difference);
}

void bench_torch(const struct Bench *bench)
{
    page_heading("PyTorch on the same weights and the same batches");
    struct Task task;
    struct Python python;
    struct Pairs pairs = {0};
    signal(SIGPIPE, SIG_IGN);
    task_new(&task, bench);
    if (python_find(&python, &task)) {
        printf("PyTorch %s. A step on 1, 2, ... threads, and the best number for each:\n",
               python.version);
        pairs.our_threads = best_threads(NULL, &task, bench->processors);
        pairs.torch_threads = best_threads(&python, &task, bench->processors);
        if (run_pairs(&pairs, 3, &python, &task)) {
            print_pairs(&pairs, &task, bench->out);
        } else {
            printf("PyTorch stopped in the middle; nothing to compare.\n");
        }
        python_stop(&python);
    } else {
        printf("No Python here can import torch (Debian: python3-torch); nothing to compare.\n");
    }
    free(task.tokens);
    free(task.targets);
}
