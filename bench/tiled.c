/* Attention of long sequences: in tiles, and with all weights in memory. A backward pass in tiles
   makes the scores again, so its five products are counted and not four; what matters in the end is
   the last column, the time of the plain pass over that of the tiles. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "common/base.h"
#include "common/page.h"
#include "common/rng.h"
#include "common/table.h"
#include "common/tiled.h"
#include "peak.h"

enum { D_HEAD = 64 };

struct Stage {
    int d_model;
    int32_t start[2];
    struct AttentionConfig config;
    float *qkv, *d_qkv, *d_out, *out, *lse, *weights, *scratch, *tiled_scratch;
};

static struct Sequences one(const struct Stage *s)
{
    return (struct Sequences){.start = s->start, .count = 1};
}

static void plain_forward(void *what)
{
    struct Stage *s = what;
    attention_forward(s->out, s->weights, s->scratch, s->qkv, NULL, one(s), s->d_model, &s->config);
}

static void plain_backward(void *what)
{
    struct Stage *s = what;
    attention_backward(s->d_qkv, NULL, s->scratch, s->d_out, s->qkv, s->weights, one(s), s->d_model,
                       &s->config);
}

static void in_tiles_forward(void *what)
{
    struct Stage *s = what;
    tiled_forward(s->out, s->lse, s->tiled_scratch, s->qkv, one(s), s->d_model, &s->config);
}

static void in_tiles_backward(void *what)
{
    struct Stage *s = what;
    tiled_backward(s->d_qkv, s->tiled_scratch, s->d_out, s->qkv, s->out, s->lse, one(s), s->d_model,
                   &s->config);
}

static struct Stage stage_new(int T, int heads, bool causal)
{
    struct Rng rng = rng_stream(1, "bench");
    size_t n = (size_t)(T * heads * D_HEAD);
    struct Stage s = {.d_model = heads * D_HEAD,
                      .start = {0, T},
                      .config = {.n_heads = heads,
                                 .n_kv_heads = heads,
                                 .scale = 0.125f,
                                 .mask = {.causal = causal}},
                      .qkv = array_new(3 * n),
                      .d_qkv = array_new(3 * n),
                      .d_out = array_new(n),
                      .out = array_new(n),
                      .lse = array_new((size_t)(T * heads)),
                      .scratch = array_new(attention_scratch_size(T, D_HEAD)),
                      .tiled_scratch = array_new(tiled_scratch_size(D_HEAD, 1))};
    s.weights = array_new(attention_weights_size(one(&s), heads));
    rng_normal(&rng, s.qkv, (int)(3 * n));
    rng_normal(&rng, s.d_out, (int)n);
    return s;
}

static void stage_free(struct Stage *s)
{
    free(s->qkv), free(s->d_qkv), free(s->d_out), free(s->out);
    free(s->lse), free(s->weights), free(s->scratch), free(s->tiled_scratch);
}

enum { PEAK, TILES, PLAIN };

static void measure(const struct Bench *bench, struct Table *table, int T, int heads, bool causal)
{
    struct Stage s = stage_new(T, heads, causal);
    double product = 2.0 * T * (causal ? (T + 1) / 2.0 : T) * s.d_model;
    in_tiles_forward(&s), plain_forward(&s); /* what the backward passes need */
    for (int back = 0; back < 2; back++) {
        struct Case turns[] = {
            [PEAK] = peak_case(),
            [TILES] = {.run = back ? in_tiles_backward : in_tiles_forward,
                       .what = &s,
                       .amount = (back ? 5.0 : 2.0) * product},
            [PLAIN] = {.run = back ? plain_backward : plain_forward,
                       .what = &s,
                       .amount = (back ? 4.0 : 2.0) * product},
        };
        take_turns(turns, 3, bench->fast ? 3 : 9, 2e-2);
        double tiles = turns[TILES].amount / case_rate(&turns[TILES]).median;
        double plain = turns[PLAIN].amount / case_rate(&turns[PLAIN]).median;
        printf("%6d%6d  %-7s%-9s%10.2f%10.2f%15s%15s%7.2f\n", T, heads, causal ? "causal" : "full",
               back ? "backward" : "forward", 1e3 * tiles, 1e3 * plain,
               percent(case_share(&turns[TILES], &turns[PEAK])).text,
               percent(case_share(&turns[PLAIN], &turns[PEAK])).text, plain / tiles);
        table_row(table, "%d\t%d\t%d\t%s\t%.4f\t%.4f\t%.4f\t%.4f", T, heads, causal,
                  back ? "backward" : "forward", 1e3 * tiles, 1e3 * plain,
                  case_share(&turns[TILES], &turns[PEAK]).median,
                  case_share(&turns[PLAIN], &turns[PEAK]).median);
    }
    stage_free(&s);
}

void bench_tiled(const struct Bench *bench)
{
    static const int lengths[] = {128, 512, 2048, 4096};
    page_heading("Long sequences: attention in tiles, d_head 64, on one thread");
    printf(
        "                                ms        ms    of the peak    of the peak   plain\n"
        "     T heads  mask   pass      tiles     plain          tiles          plain / tiles\n");
    struct Table *table = table_new(
        bench->out, "tiled", "tokens heads causal pass milliseconds plain share plain_share");
    for (int i = 0; i < (bench->fast ? 3 : 4); i++) {
        measure(bench, table, lengths[i], 1, false);
        measure(bench, table, lengths[i], 1, true);
    }
    measure(bench, table, 1024, 8, true);
    table_save(table);
}
