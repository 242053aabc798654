/* The matrix products at the shapes that training has: the rows of a shard, and of a shard's part
   of the last block, times every weight of a block. In turn: the peak, ours, the naive twin and
   OpenBLAS. All arrays are warm in the cache, as they are in training at width 64. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "blas.h"
#include "common/base.h"
#include "common/matmul.h"
#include "common/page.h"
#include "common/rng.h"
#include "common/table.h"
#include "common/tile.h"
#include "peak.h"
#include "work.h"

/* y = x·Wᵀ + b with everything that its passes read and write. */
struct Layer {
    int rows, k, n;
    float *x, *w, *bias, *y, *d_x, *d_w, *d_bias, *d_y;
    float *forward, *backward; /* W packed */
};

static float *random_array(struct Rng *rng, int rows, int columns)
{
    int count = rows * columns;
    float *array = array_new((size_t)count);
    rng_uniform(rng, array, count, 1.0f);
    return array;
}

static struct Layer layer_new(int rows, int k, int n)
{
    struct Rng rng = rng_stream(1, "bench");
    struct Layer l = {.rows = rows,
                      .k = k,
                      .n = n,
                      .x = random_array(&rng, rows, k),
                      .w = random_array(&rng, n, k),
                      .bias = random_array(&rng, 1, n),
                      .y = random_array(&rng, rows, n),
                      .d_x = random_array(&rng, rows, k),
                      .d_w = random_array(&rng, n, k),
                      .d_bias = random_array(&rng, 1, n),
                      .d_y = random_array(&rng, rows, n),
                      .forward = array_new(packed_size(n, k)),
                      .backward = array_new(packed_size(n, k))};
    pack_forward(l.forward, l.w, n, k);
    pack_backward(l.backward, l.w, n, k);
    return l;
}

static void layer_free(struct Layer *l)
{
    float *arrays[] = {l->x,   l->w,   l->bias,   l->y,       l->d_x,
                       l->d_w, l->d_y, l->d_bias, l->forward, l->backward};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
}

static void forward(void *what)
{
    struct Layer *l = what;
    linear_forward(l->y, l->x, l->forward, l->bias, l->rows, l->k, l->n);
}

static void backward_input(void *what)
{
    struct Layer *l = what;
    linear_backward_input(l->d_x, l->d_y, l->backward, l->rows, l->k, l->n);
}

static void backward_weight(void *what)
{
    struct Layer *l = what;
    linear_backward_weight(l->d_w, l->d_bias, l->d_y, l->x, l->rows, l->k, l->n);
}

static void naive_forward(void *what)
{
    struct Layer *l = what;
    linear_forward_ref(l->y, l->x, l->w, l->bias, l->rows, l->k, l->n);
}

static void naive_backward(void *what)
{
    struct Layer *l = what;
    linear_backward_ref(l->d_x, l->d_w, l->d_bias, l->d_y, l->x, l->w, l->rows, l->k, l->n);
}

static void openblas_forward(void *what)
{
    struct Layer *l = what;
    blas_product(l->y, l->x, false, l->w, true, l->rows, l->n, l->k);
}

static void openblas_backward_input(void *what)
{
    struct Layer *l = what;
    blas_product(l->d_x, l->d_y, false, l->w, false, l->rows, l->k, l->n);
}

static void openblas_backward_weight(void *what)
{
    struct Layer *l = what;
    blas_product(l->d_w, l->d_y, true, l->x, false, l->n, l->k, l->rows);
}

/* The naive backward pass is one loop for both products. */
static const struct {
    const char *name;
    void (*ours)(void *), (*naive)(void *), (*blas)(void *);
    double naive_products;
} passes[] = {
    {"y", forward, naive_forward, openblas_forward, 1.0},
    {"d_x", backward_input, naive_backward, openblas_backward_input, 2.0},
    {"d_W", backward_weight, naive_backward, openblas_backward_weight, 2.0},
};
enum { PASSES = 3, PEAK = 0, OURS, NAIVE, BLAS };

static void print_cell(const struct Case turns[], bool blas)
{
    struct Sample share = case_share(&turns[OURS], &turns[PEAK]);
    printf("%5.0f %-13s%5.1f", 1e-9 * case_rate(&turns[OURS]).median, percent(share).text,
           1e-9 * case_rate(&turns[NAIVE]).median);
    if (blas) {
        printf("%5.0f", 1e-9 * case_rate(&turns[BLAS]).median);
    } else {
        printf("%5s", "-");
    }
}

static void tabulate(struct Table *table, const struct Layer *l, const char *pass,
                     const struct Case turns[], bool blas)
{
    struct Sample ours = case_rate(&turns[OURS]);
    struct Sample share = case_share(&turns[OURS], &turns[PEAK]);
    table_row(table, "%d\t%d\t%d\t%s\t%.2f\t%.2f\t%.2f\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f", l->rows,
              l->k, l->n, pass, 1e-9 * ours.median, 1e-9 * ours.least, 1e-9 * ours.most,
              share.median, share.least, share.most, 1e-9 * case_rate(&turns[NAIVE]).median,
              blas ? 1e-9 * case_rate(&turns[BLAS]).median : NAN);
}

/* One cell of the printed table: a product, a pass, a number of rows. */
static void measure(const struct Bench *bench, struct Table *table, int rows, int k, int n,
                    int pass)
{
    bool blas = blas_here();
    struct Layer l = layer_new(rows, k, n);
    double work = linear_work(rows, k, n);
    struct Case turns[] = {
        [PEAK] = peak_case(),
        [OURS] = {.run = passes[pass].ours, .what = &l, .amount = work},
        [NAIVE] = {.run = passes[pass].naive,
                   .what = &l,
                   .amount = work * passes[pass].naive_products},
        [BLAS] = {.run = passes[pass].blas, .what = &l, .amount = work},
    };
    take_turns(turns, blas ? 4 : 3, bench->fast ? 3 : 11, bench->fast ? 3e-4 : 1e-3);
    print_cell(turns, blas);
    tabulate(table, &l, passes[pass].name, turns, blas);
    layer_free(&l);
}

static void width(const struct Bench *bench, struct Table *table, int d)
{
    const int shapes[][2] = {{d, 3 * d}, {d, d}, {d, 4 * d}, {4 * d, d}, {d, 12}};
    for (int s = 0; s < 5; s++) {
        for (int pass = 0; pass < PASSES; pass++) {
            int k = shapes[s][0], n = shapes[s][1];
            printf("%5d%5d %-4s|", k, n, passes[pass].name);
            measure(bench, table, 88, k, n, pass);
            printf(" |");
            measure(bench, table, 44, k, n, pass);
            printf("\n");
        }
    }
}

void bench_kernels(const struct Bench *bench)
{
    page_heading("The matrix products: y = x W' + b, d_x = d_y W, d_W = d_y' x");
    printf("One thread, x (rows,k), W (n,k). Ours in Gflop/s and as a share of the peak; the\n"
           "naive loop of matmul.c, which makes d_x and d_W in one; OpenBLAS%s.\n\n",
           blas_here() ? "'s sgemm" : " is not\ninstalled here");
    printf("               |           88 rows            |           44 rows\n"
           "    k    n     | ours  of the peak naive BLAS | ours  of the peak naive BLAS\n");
    struct Table *table = table_new(bench->out, "kernels",
                                    "rows k n pass gflops least most share share_least share_most "
                                    "naive openblas");
    const int widths[] = {64, 256, 512};
    for (int i = 0; i < (bench->fast ? 2 : 3); i++) {
        width(bench, table, widths[i]);
    }
    table_save(table);
}
