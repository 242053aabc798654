/* What a block of a transformer costs, in operations: two for each multiply-add. The loops of a
   whole block are run, on small sizes, and count themselves; then the formulas, which must give the
   same, are asked about large ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base.h"
#include "common/page.h"
#include "common/rng.h"
#include "tiles.h"

struct Cost {
    long long attention, ffn, projections;
};

/* y (n,m) = x (n,d)·w (d,m); returns what it took. */
static long long product(float *y, const float *x, const float *w, int n, int d, int m)
{
    long long operations = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float sum = 0.0f;
            for (int c = 0; c < d; c++) {
                sum += x[i * d + c] * w[c * m + j];
                operations += 2;
            }
            y[i * m + j] = sum;
        }
    }
    return operations;
}

/* Scores (n,n) of all queries for all keys, or those before the mask, and the mix of values.
   Softmax is not counted, nor how many heads there are: each has its share of the d numbers. */
static long long pairs(float *out, float *scores, const float *q, const float *k, const float *v,
                       int n, int d, bool causal)
{
    long long operations = 0;
    for (int i = 0; i < n; i++) {
        int seen = causal ? i + 1 : n;
        for (int j = 0; j < seen; j++) {
            scores[j] = 0.0f;
            for (int c = 0; c < d; c++) {
                scores[j] += q[i * d + c] * k[j * d + c];
                operations += 2;
            }
        }
        for (int c = 0; c < d; c++) {
            out[i * d + c] = 0.0f;
            for (int j = 0; j < seen; j++) {
                out[i * d + c] += scores[j] * v[j * d + c];
                operations += 2;
            }
        }
    }
    return operations;
}

static float *random_array(struct Rng *rng, int n)
{
    float *x = array_new((size_t)n);
    rng_uniform(rng, x, n, 0.1f);
    return x;
}

/* One block: queries, keys, values and output; pairs; and a feed-forward layer, d to 4d to d. */
static struct Cost run_block(struct Rng *rng, int n, int d, bool causal)
{
    float *x = random_array(rng, n * d), *w = random_array(rng, 4 * d * d);
    float *q = array_new((size_t)(n * d)), *k = array_new((size_t)(n * d));
    float *v = array_new((size_t)(n * d)), *mixed = array_new((size_t)(n * d));
    float *wide = array_new((size_t)(4 * n * d)), *scores = array_new((size_t)n);
    struct Cost cost = {0};
    cost.projections += product(q, x, w, n, d, d);
    cost.projections += product(k, x, w, n, d, d);
    cost.projections += product(v, x, w, n, d, d);
    cost.attention += pairs(mixed, scores, q, k, v, n, d, causal);
    cost.projections += product(x, mixed, w, n, d, d);
    cost.ffn += product(wide, x, w, n, d, 4 * d);
    cost.ffn += product(x, wide, w, n, 4 * d, d);
    float *all[] = {x, w, q, k, v, mixed, wide, scores};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    return cost;
}

/* The formulas, for all pairs of tokens. */
static struct Cost formula(long long n, long long d)
{
    return (struct Cost){
        .attention = 4 * n * n * d, .ffn = 16 * n * d * d, .projections = 8 * n * d * d};
}

static bool same(struct Cost a, struct Cost b)
{
    return a.attention == b.attention && a.ffn == b.ffn && a.projections == b.projections;
}

static void report_counted(struct Rng *rng)
{
    static const int sizes[][2] = {{16, 64}, {64, 16}, {128, 8}};
    bool holds = true, half = true, two = true;
    printf("\n      n    d    attention       FFN   projections   causal attention\n");
    for (int i = 0; i < 3; i++) {
        int n = sizes[i][0], d = sizes[i][1];
        struct Cost all = run_block(rng, n, d, false), causal = run_block(rng, n, d, true);
        printf("  %5d%5d%13s%10s%14s%19s\n", n, d, grouped(all.attention).text,
               grouped(all.ffn).text, grouped(all.projections).text,
               grouped(causal.attention).text);
        holds &= same(all, formula(n, d));
        two &= all.ffn + all.projections == 2LL * n * 12 * d * d;
        half &= causal.attention == 2LL * n * (n + 1) * d;
    }
    page_claim(holds, "attention 4*n*n*d, FFN 16*n*d*d, projections 8*n*d*d, to the last one");
    page_claim(two, "FFN and projections: 2 a token for each of their 12*d*d parameters");
    page_claim(half, "causal: 2*n*(n+1)*d, half of all pairs and half a diagonal");
}

static void print_shares(long long n, long long d)
{
    struct Cost c = formula(n, d);
    double attention = (double)c.attention, ffn = (double)c.ffn;
    double sum = attention + ffn + (double)c.projections;
    printf("  %9s%8s%9.1f%%%9.1f%%%13.1f%%%18.4g\n", grouped(n).text, grouped(d).text,
           100.0 * attention / sum, 100.0 * ffn / sum, 100.0 * (double)c.projections / sum,
           ffn / attention);
}

void report_cost(uint64_t seed, int n, int d, struct Table *table)
{
    struct Rng rng = rng_stream(seed, "cost");
    page_heading("What a block costs");
    printf("  n tokens, width d, all pairs of tokens; operations of the matrix products, two\n"
           "  for each multiply-add. Counted by loops that ran:\n");
    report_counted(&rng);
    printf("\n  By the formulas, for models as they are built:\n"
           "          n       d  attention      FFN  projections   FFN to attention\n");
    print_shares(n, d);
    for (long long longer = 4096; longer <= 262144; longer *= 4) {
        print_shares(longer, 4096);
    }
    for (long long longer = 256; longer <= 1048576; longer *= 2) {
        struct Cost c = formula(longer, 4096);
        table_row(table, "%lld\t%lld\t%lld\t%lld", longer, c.attention, c.ffn, c.projections);
    }
    struct Cost text = formula(1024, 4096), even = run_block(&rng, 64, 16, false);
    page_claim(text.ffn == 16 * text.attention,
               "n = 1024, d = 4096: the FFN takes 16 times as much");
    page_claim(even.ffn == even.attention, "n = 4d: as much for pairs as for the FFN, as counted");
}
