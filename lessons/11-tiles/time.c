/* How long both ways take, in processor time of one thread, and as a share of what the processor
   can do at most, which is measured beside it. That is for the figure; no page could promise it.
   What the page says is that both ways that were timed have computed the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/base.h"
#include "common/burst.h"
#include "common/page.h"
#include "common/progress.h"
#include "common/threads.h"
#include "common/tiled.h"
#include "tiles.h"

enum { D = 64, SHORTEST = 256, PASSES = 4 };

/* One head, and both ways to attend. */
struct Bench {
    int T;
    int32_t start[2];
    struct Sequences one;
    struct AttentionConfig config;
    float *qkv, *d_out;
    float *plain_out, *plain_d, *weights, *plain_scratch;
    float *tiled_out, *tiled_d, *lse, *tiled_scratch;
};

static void plain_forward(struct Bench *b)
{
    attention_forward(b->plain_out, b->weights, b->plain_scratch, b->qkv, NULL, b->one, D,
                      &b->config);
}

static void plain_backward(struct Bench *b)
{
    attention_backward(b->plain_d, NULL, b->plain_scratch, b->d_out, b->qkv, b->weights, b->one, D,
                       &b->config);
}

static void tiled_there(struct Bench *b)
{
    tiled_forward(b->tiled_out, b->lse, b->tiled_scratch, b->qkv, b->one, D, &b->config);
}

static void tiled_back(struct Bench *b)
{
    tiled_backward(b->tiled_d, b->tiled_scratch, b->d_out, b->qkv, b->tiled_out, b->lse, b->one, D,
                   &b->config);
}

/* Products of (T,d) with (T,d): two there; four back, and one more to make the scores again. */
static const struct {
    const char *way, *pass;
    void (*run)(struct Bench *);
    int products;
} passes[PASSES] = {{"plain", "forward", plain_forward, 2},
                    {"plain", "backward", plain_backward, 4},
                    {"tiles", "forward", tiled_there, 2},
                    {"tiles", "backward", tiled_back, 5}};

static double thread_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Operations a second with nothing to fetch. */
static double peak(void)
{
    double operations = 0.0, start = thread_time(), spent = 0.0;
    while (spent < 2e-3) {
        burst();
        operations += burst_operations;
        spent = thread_time() - start;
    }
    return operations / spent;
}

static struct Bench bench_new(int T)
{
    size_t n = (size_t)T * D;
    struct Rng rng =
        rng_stream(1, "time"); /* the same whatever the seed: no number of it is shown */
    struct Bench b = {.T = T,
                      .start = {0, T},
                      .one = {.count = 1},
                      .config = {.n_heads = 1, .n_kv_heads = 1, .scale = 0.125f},
                      .qkv = array_new(3 * n),
                      .d_out = array_new(n),
                      .plain_out = array_new(n),
                      .plain_d = array_new(3 * n),
                      .plain_scratch = array_new(attention_scratch_size(T, D)),
                      .tiled_out = array_new(n),
                      .tiled_d = array_new(3 * n),
                      .lse = array_new((size_t)T),
                      .tiled_scratch = array_new(tiled_scratch_size(D, 1))};
    rng_normal(&rng, b.qkv, 3 * T * D);
    rng_normal(&rng, b.d_out, T * D);
    return b;
}

static void bench_free(struct Bench *b)
{
    float *all[] = {b->qkv,       b->d_out,         b->plain_out, b->plain_d, b->weights,
                    b->tiled_out, b->plain_scratch, b->tiled_d,   b->lse,     b->tiled_scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

/* The best of three turns, in which all passes are run one after the other; of the longest, one. */
static void measure(struct Bench *b, struct Table *table)
{
    double best[PASSES], most = 0.0;
    int turns = b->T > 4096 ? 1 : 3;
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < PASSES; i++) {
            double start = thread_time();
            passes[i].run(b);
            double spent = thread_time() - start, now = peak();
            best[i] = turn == 0 || spent < best[i] ? spent : best[i];
            most = now > most ? now : most;
        }
    }
    for (int i = 0; i < PASSES; i++) {
        double rate = 2.0 * passes[i].products * b->T * b->T * D / best[i];
        table_row(table, "%d\t%s\t%s\t%.4f\t%.2f\t%.4f", b->T, passes[i].way, passes[i].pass,
                  1e3 * best[i], 1e-9 * rate, rate / most);
    }
}

void report_time(int longest, const struct Common *common, struct Table *table)
{
    float out = 0.0f, d = 0.0f;
    struct Progress progress;
    int lengths = 0, done = 0;
    for (int T = SHORTEST; T <= longest; T *= 2) {
        lengths++;
    }
    page_heading("How long it takes");
    if (lengths == 0) {
        printf("  Nothing was timed (--longest).\n");
        return;
    }
    threads_set(1);
    progress_start(&progress, lengths, common->quiet);
    for (int T = SHORTEST; T <= longest; T *= 2) {
        struct Bench b = bench_new(T);
        b.one.start = b.start;
        b.weights = array_new(attention_weights_size(b.one, 1));
        measure(&b, table);
        out = fmaxf(out, distance(b.tiled_out, b.plain_out, T * D));
        d = fmaxf(d, distance(b.tiled_d, b.plain_d, 3 * T * D));
        bench_free(&b);
        progress_step(&progress, ++done, (double)out);
    }
    progress_end(&progress);
    threads_set(common->threads);
    printf("  No two machines take the same time, so the times are in time.tsv and in the\n"
           "  figure 11-time, and not here. attention.h and tiled.h were timed, each there\n"
           "  and back, at %d lengths from %d to %s. They differ by at most:\n"
           "    outputs %.1e, gradients %.1e\n",
           lengths, SHORTEST, grouped(SHORTEST << (lengths - 1)).text, (double)out, (double)d);
    page_claim(out < 1e-5f && d < 1e-4f, "what was timed has computed the same");
}
