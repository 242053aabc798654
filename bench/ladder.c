/* From the naive loop to the fast product, one step at a time: what each of them buys. All compute
   the same bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/base.h"
#include "common/matmul.h"
#include "common/page.h"
#include "common/rng.h"
#include "common/table.h"
#include "common/tile.h"
#include "measure.h"
#include "peak.h"
#include "work.h"

enum { ROWS = 88 };

/* y = x·Wᵀ + b with W as it is, transposed (k,n), and packed. */
struct Layer {
    int k, n;
    float *x, *w, *bias, *transposed, *packed, *y, *wanted;
};

static float *random_array(struct Rng *rng, int count)
{
    float *array = array_new((size_t)count);
    rng_uniform(rng, array, count, 1.0f);
    return array;
}

static struct Layer layer_new(int k, int n)
{
    struct Rng rng = rng_stream(1, "bench");
    struct Layer l = {.k = k,
                      .n = n,
                      .x = random_array(&rng, ROWS * k),
                      .w = random_array(&rng, n * k),
                      .bias = random_array(&rng, n),
                      .transposed = array_new((size_t)n * (size_t)k),
                      .packed = array_new(packed_size(n, k)),
                      .y = array_new((size_t)(ROWS * n)),
                      .wanted = array_new((size_t)(ROWS * n))};
    transpose(l.transposed, n, l.w, k, n, k);
    pack_forward(l.packed, l.w, n, k);
    linear_forward_ref(l.wanted, l.x, l.w, l.bias, ROWS, k, n);
    return l;
}

static void layer_free(struct Layer *l)
{
    float *arrays[] = {l->x, l->w, l->bias, l->transposed, l->packed, l->y, l->wanted};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
}

static void naive(void *what)
{
    struct Layer *l = what;
    linear_forward_ref(l->y, l->x, l->w, l->bias, ROWS, l->k, l->n);
}

static struct Product whole(const struct Layer *l)
{
    return (struct Product){.c = l->y,
                            .c_row = l->n,
                            .a = l->x,
                            .a_row = l->k,
                            .a_step = 1,
                            .b = l->transposed,
                            .b_row = l->n,
                            .depth = l->k,
                            .bias = l->bias};
}

/* Tiles of one size, and a rest. */
static void by_tiles(const struct Layer *l, int height, int width)
{
    for (int j = 0; j < l->n; j += width) {
        for (int r = 0; r < ROWS; r += height) {
            struct Product p = whole(l);
            p.c += r * p.c_row + j;
            p.a += r * p.a_row;
            p.b += j;
            p.bias += j;
            tile(&p, ROWS - r < height ? ROWS - r : height, width);
        }
    }
}

static void one_register(void *what)
{
    by_tiles(what, 1, LANES);
}

static void two_registers(void *what)
{
    by_tiles(what, 1, TILE_COLUMNS);
}

static void three_rows(void *what)
{
    by_tiles(what, 3, TILE_COLUMNS);
}

static void all_rows(void *what)
{
    by_tiles(what, TILE_ROWS, TILE_COLUMNS);
}

static void in_panels(void *what)
{
    struct Layer *l = what;
    linear_forward(l->y, l->x, l->packed, l->bias, ROWS, l->k, l->n);
}

static const struct {
    const char *name;
    void (*run)(void *);
} steps[] = {
    {"the naive loop", naive},
    {"a tile of one row, one register wide", one_register},
    {"one row, two registers", two_registers},
    {"three rows, two registers", three_rows},
    {"as many rows as there are registers for", all_rows},
    {"W in panels, rows in tiles of equal height", in_panels},
};
enum { STEPS = sizeof steps / sizeof *steps };
static const int shapes[][2] = {{64, 256}, {512, 2048}};

/* One shape, all steps in turn. Returns whether all gave the same bits. */
static bool climb(const struct Bench *bench, struct Case turns[STEPS + 1], int k, int n)
{
    struct Layer l = layer_new(k, n);
    bool same = true;
    turns[STEPS] = peak_case();
    for (int i = 0; i < STEPS; i++) {
        turns[i] =
            (struct Case){.run = steps[i].run, .what = &l, .amount = linear_work(ROWS, k, n)};
        steps[i].run(&l);
        same &= memcmp(l.y, l.wanted, (size_t)(ROWS * n) * sizeof *l.y) == 0;
    }
    take_turns(turns, STEPS + 1, bench->fast ? 3 : 11, bench->fast ? 3e-4 : 1e-3);
    layer_free(&l);
    return same;
}

void bench_ladder(const struct Bench *bench)
{
    page_heading("From the naive loop to the fast product");
    printf("y = x W' + b on one thread, x (%d,k), W (n,k): Gflop/s and share of the peak.\n\n"
           "%-46s%-17s%s\n",
           ROWS, "", "k 64, n 256", "k 512, n 2048");
    static struct Case turns[2][STEPS + 1];
    bool same = true;
    for (int i = 0; i < 2; i++) {
        same &= climb(bench, turns[i], shapes[i][0], shapes[i][1]);
    }
    struct Table *table = table_new(bench->out, "ladder", "k n step gflops share");
    for (int step = 0; step < STEPS; step++) {
        printf("%-43s", steps[step].name);
        for (int i = 0; i < 2; i++) {
            double rate = 1e-9 * case_rate(&turns[i][step]).median;
            struct Sample share = case_share(&turns[i][step], &turns[i][STEPS]);
            printf("%6.1f %-11s", rate, percent(share).text);
            table_row(table, "%d\t%d\t%s\t%.2f\t%.4f", shapes[i][0], shapes[i][1], steps[step].name,
                      rate, share.median);
        }
        printf("\n");
    }
    table_save(table);
    page_claim(same, "every step of it gives the bits of the naive loop");
}
