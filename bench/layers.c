/* Everything of a step that is no plain matrix product. The rows are those of a shard; for one call
   of each: how long, how long a row, and how many bytes it must read and write a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/activation.h"
#include "common/adamw.h"
#include "common/attention.h"
#include "common/base.h"
#include "common/loss.h"
#include "common/matmul.h"
#include "common/norm.h"
#include "common/page.h"
#include "common/rng.h"
#include "common/softmax.h"
#include "common/table.h"
#include "peak.h"
#include "work.h"

enum {
    ROWS = 88,
    WIDTH = 64,
    KEYS = 17,
    VOCABULARY = 12,
    PARAMETERS = 103244,
    LARGEST = PARAMETERS, /* no array below needs more */
};

/* What all of them work on; each takes as much of an array as it needs. */
struct Stage {
    float *x, *y, *d_x, *d_y, *weights, *packed;
    float *mean, *rstd, *gamma, *beta, *d_gamma, *d_beta, *scratch;
    int32_t targets[ROWS], start[ROWS + 1];
    struct Sequences sequences;
    struct AttentionConfig attention;
    struct AdamW adamw;
};

static void run_norm(void *what)
{
    struct Stage *s = what;
    layernorm_forward(s->y, s->mean, s->rstd, s->x, s->gamma, s->beta, ROWS, WIDTH);
}

static void run_norm_backward(void *what)
{
    struct Stage *s = what;
    layernorm_backward(s->d_x, s->d_gamma, s->d_beta, s->d_y, s->x, s->mean, s->rstd, s->gamma,
                       ROWS, WIDTH);
}

static void run_gelu(void *what)
{
    struct Stage *s = what;
    gelu_forward(s->y, s->x, (size_t)ROWS * 4 * WIDTH);
}

static void run_gelu_backward(void *what)
{
    struct Stage *s = what;
    gelu_backward(s->d_x, s->d_y, s->x, (size_t)ROWS * 4 * WIDTH);
}

static void run_softmax(void *what)
{
    struct Stage *s = what;
    for (int r = 0; r < ROWS; r++) {
        softmax_row(s->weights + r * KEYS, s->x + r * KEYS, KEYS);
    }
}

static void run_softmax_backward(void *what)
{
    struct Stage *s = what;
    for (int r = 0; r < ROWS; r++) {
        softmax_row_backward(s->d_x + r * KEYS, s->d_y + r * KEYS, s->weights + r * KEYS, KEYS);
    }
}

static void run_loss(void *what)
{
    struct Stage *s = what;
    cross_entropy_forward(s->y, s->x, s->targets, ROWS, VOCABULARY);
}

static void run_loss_backward(void *what)
{
    struct Stage *s = what;
    cross_entropy_backward(s->d_x, s->y, s->targets, ROWS, VOCABULARY, ROWS);
}

static void run_adamw(void *what)
{
    struct Stage *s = what;
    adamw_begin_step(&s->adamw);
    adamw_update(&s->adamw, s->weights, s->d_y, 0, PARAMETERS);
}

static void run_pack_forward(void *what)
{
    struct Stage *s = what;
    pack_forward(s->packed, s->weights, 3 * WIDTH, WIDTH);
}

static void run_pack_backward(void *what)
{
    struct Stage *s = what;
    pack_backward(s->packed, s->weights, 3 * WIDTH, WIDTH);
}

static void run_attention(void *what)
{
    struct Stage *s = what;
    attention_forward(s->y, s->weights, s->scratch, s->x, NULL, s->sequences, WIDTH, &s->attention);
}

static void run_attention_backward(void *what)
{
    struct Stage *s = what;
    attention_backward(s->d_x, NULL, s->scratch, s->d_y, s->x, s->weights, s->sequences, WIDTH,
                       &s->attention);
}

/* bytes: read and written by one call. A gradient that is added to is read and written. */
static const struct {
    const char *name;
    void (*run)(void *);
    int rows;
    double bytes;
} layers[] = {
    {"layer norm (88,64)", run_norm, ROWS, 4.0 * ROWS *WIDTH * 2},
    {"  backward", run_norm_backward, ROWS, 4.0 * ROWS *WIDTH * 4},
    {"GELU (88,256)", run_gelu, ROWS, 4.0 * ROWS * 4 * WIDTH * 2},
    {"  backward", run_gelu_backward, ROWS, 4.0 * ROWS * 4 * WIDTH * 3},
    {"softmax (88,17)", run_softmax, ROWS, 4.0 * ROWS *KEYS * 2},
    {"  backward", run_softmax_backward, ROWS, 4.0 * ROWS *KEYS * 3},
    {"cross-entropy (88,12)", run_loss, ROWS, 4.0 * ROWS *VOCABULARY * 2},
    {"  backward", run_loss_backward, ROWS, 4.0 * ROWS *VOCABULARY * 2},
    {"pack (192,64) for y", run_pack_forward, 3 * WIDTH, 4.0 * 3 * WIDTH *WIDTH * 2},
    {"  for d_x", run_pack_backward, 3 * WIDTH, 4.0 * 3 * WIDTH *WIDTH * 2},
    {"AdamW, 103,244 weights", run_adamw, 0, 4.0 * PARAMETERS * 7},
};
enum { LAYERS = sizeof layers / sizeof *layers };

static float *random_array(struct Rng *rng)
{
    float *array = array_new(LARGEST);
    rng_uniform(rng, array, LARGEST, 1.0f);
    return array;
}

static void stage_new(struct Stage *s)
{
    struct Rng rng = rng_stream(1, "bench");
    *s = (struct Stage){.x = random_array(&rng)};
    float **arrays[] = {&s->y,    &s->d_x,   &s->d_y,  &s->weights, &s->packed, &s->mean,
                        &s->rstd, &s->gamma, &s->beta, &s->d_gamma, &s->d_beta, &s->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = random_array(&rng);
    }
    for (int r = 0; r < ROWS; r++) {
        s->targets[r] = rng_below(&rng, VOCABULARY);
    }
    adamw_new(&s->adamw, PARAMETERS, 0.003, 0.01);
}

static void stage_free(struct Stage *s)
{
    float *arrays[] = {s->x,    s->y,     s->d_x,  s->d_y,     s->weights, s->packed, s->mean,
                       s->rstd, s->gamma, s->beta, s->d_gamma, s->d_beta,  s->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
    adamw_free(&s->adamw);
}

static void print_time(double seconds_median, double least, double most)
{
    char range[32];
    snprintf(range, sizeof range, "(%.1f-%.1f)", 1e6 * least, 1e6 * most);
    printf("%9.1f %-15s", 1e6 * seconds_median, range);
}

/* The time of one call: the rate upside down. */
static struct Sample call_time(const struct Case *c)
{
    struct Sample rate = case_rate(c);
    return (struct Sample){c->amount / rate.median, c->amount / rate.most, c->amount / rate.least};
}

static void passes_over_memory(const struct Bench *bench, struct Stage *stage)
{
    struct Case turns[LAYERS];
    for (int i = 0; i < LAYERS; i++) {
        turns[i] = (struct Case){.run = layers[i].run, .what = stage, .amount = layers[i].bytes};
    }
    take_turns(turns, LAYERS, bench->fast ? 5 : 21, 1e-3);
    struct Table *table =
        table_new(bench->out, "layers", "layer microseconds least most rows GB/s");
    printf("                              us (range)         ns a row     GB/s\n");
    const char *of = "";
    for (int i = 0; i < LAYERS; i++) {
        struct Sample t = call_time(&turns[i]), rate = case_rate(&turns[i]);
        bool first = layers[i].name[0] != ' ';
        of = first ? layers[i].name : of;
        printf("%-23s", layers[i].name);
        print_time(t.median, t.least, t.most);
        if (layers[i].rows > 0) {
            printf("%10.1f%9.1f\n", 1e9 * t.median / layers[i].rows, 1e-9 * rate.median);
        } else {
            printf("%10s%9.1f\n", "", 1e-9 * rate.median);
        }
        table_row(table, "%s%s\t%.3f\t%.3f\t%.3f\t%d\t%.2f", of, first ? "" : layers[i].name + 1,
                  1e6 * t.median, 1e6 * t.least, 1e6 * t.most, layers[i].rows, 1e-9 * rate.median);
    }
    table_save(table);
}

/* Sequences of one length, about as many rows as a shard has; two heads of 32. */
static void attention(const struct Bench *bench, struct Table *table, struct Stage *s, int length)
{
    int count = (ROWS + length / 2) / length, rows = count * length;
    for (int i = 0; i <= count; i++) {
        s->start[i] = i * length;
    }
    s->sequences = (struct Sequences){.start = s->start, .count = count};
    s->attention = (struct AttentionConfig){
        .n_heads = 2, .n_kv_heads = 2, .scale = 0.1767767f, .mask = {.causal = true}};
    double work = attention_work(s->sequences, WIDTH);
    struct Case turns[] = {
        peak_case(),
        {.run = run_attention, .what = s, .amount = work},
        {.run = run_attention_backward, .what = s, .amount = 2.0 * work},
    };
    take_turns(turns, 3, bench->fast ? 5 : 21, 1e-3);
    for (int i = 1; i < 3; i++) {
        struct Sample t = call_time(&turns[i]), rate = case_rate(&turns[i]);
        struct Sample share = case_share(&turns[i], &turns[0]);
        char name[32];
        snprintf(name, sizeof name, i == 1 ? "T = %d, %d sequences" : "  backward", length, count);
        printf("%-23s", name);
        print_time(t.median, t.least, t.most);
        printf("%10.1f%9.1f%13s\n", 1e9 * t.median / rows, 1e-9 * rate.median, percent(share).text);
        table_row(table, "%d\t%s\t%d\t%.3f\t%.3f\t%.3f\t%.2f\t%.4f", length,
                  i == 1 ? "forward" : "backward", rows, 1e6 * t.median, 1e6 * t.least,
                  1e6 * t.most, 1e-9 * rate.median, share.median);
    }
}

void bench_layers(const struct Bench *bench)
{
    struct Stage stage;
    stage_new(&stage);
    page_heading("The other layers, on one thread");
    passes_over_memory(bench, &stage);
    printf("\nAttention, causal, 2 heads of 32; counted are the keys before the mask:\n"
           "                              us (range)         ns a row  Gflop/s  of the peak\n");
    struct Table *table =
        table_new(bench->out, "attention", "length pass rows microseconds least most gflops share");
    attention(bench, table, &stage, 17);
    attention(bench, table, &stage, 25);
    table_save(table);
    stage_free(&stage);
}
