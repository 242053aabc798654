/* Lesson 02: why the scores are divided by the root of d.

   A score is a sum of d products, and the more terms, the wider it spreads. Random queries and keys
   show how wide, what a softmax makes of that, and how much of the gradient is left: undivided,
   divided by sqrt(d), divided by d. measure, below, finds one line of each table; report.c prints
   them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cli.h"
#include "common/page.h"
#include "common/rng.h"
#include "common/softmax.h"
#include "common/table.h"
#include "common/vmath.h"
#include "report.h"

enum { MOST_KEYS = 64, MOST_DRAWS = 100000 };
static int n_keys = 16, draws = 2000;

static struct Option command_line[] = {
    {"keys", OPTION_INTEGER, &n_keys, "N", "keys that each query is held against", 2, MOST_KEYS,
     NULL, false},
    {"draws", OPTION_INTEGER, &draws, "N", "random queries for each d", 500, MOST_DRAWS, NULL,
     false},
};

/* What the scores are divided by. */
static float divisor(enum Divisor which, int d)
{
    return which == ONE ? 1.0f : which == ROOT ? sqrtf((float)d) : (float)d;
}

static float dot(const float *query, const float *key, int d)
{
    float sum = 0.0f;
    for (int c = 0; c < d; c++) {
        sum += query[c] * key[c];
    }
    return sum;
}

static int first_of(const float *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++) {
        best = x[i] > x[best] ? i : best;
    }
    return best;
}

static void softmax(float *p, const float *scores, int n)
{
    float max = scores[first_of(scores, n)], sum = 0.0f;
    for (int i = 0; i < n; i++) {
        p[i] = exp_f32(scores[i] - max);
        sum += p[i];
    }
    for (int i = 0; i < n; i++) {
        p[i] /= sum;
    }
}

/* dp_ds (n,n): dp_i/ds_j = p_i (delta_ij - p_j), how far weight i moves with score j. With one
   weight near 1 and the others near 0, each of these products has a factor near 0. */
static void softmax_jacobian(float *dp_ds, const float *p, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            dp_ds[i * n + j] = p[i] * ((i == j ? 1.0f : 0.0f) - p[j]);
        }
    }
}

/* dp_dq (n,d): with s_j = q.k_j / divisor, dp_i/dq = sum_j dp_i/ds_j k_j / divisor. */
static void query_jacobian(float *dp_dq, const float *dp_ds, const float *keys, float by, int n,
                           int d)
{
    for (int i = 0; i < n * d; i++) {
        dp_dq[i] = 0.0f;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            float dp_dscore = dp_ds[i * n + j] / by; /* of the score before the division */
            for (int c = 0; c < d; c++) {
                dp_dq[i * d + c] += dp_dscore * keys[j * d + c];
            }
        }
    }
}

/* The size of a matrix as one number (Frobenius): the root of the sum of its squares. */
static double norm(const float *a, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += (double)a[i] * (double)a[i];
    }
    return sqrt(sum);
}

static double entropy(const float *p, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum -= p[i] > 0.0f ? (double)p[i] * bits(p[i]) : 0.0; /* p log p goes to 0 with p */
    }
    return sum;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return values[n / 2];
}

static void measure(struct Measured *m, int d, struct Rng *rng)
{
    static float query[LARGEST_D], keys[MOST_KEYS * LARGEST_D], dp_dq[MOST_KEYS * LARGEST_D];
    static float scores[MOST_KEYS], p[MOST_KEYS], dp_ds[MOST_KEYS * MOST_KEYS];
    static double on_score[N_DIVISORS][MOST_DRAWS], on_query[N_DIVISORS][MOST_DRAWS];
    for (int draw = 0; draw < draws; draw++) {
        rng_normal(rng, query, d);
        rng_normal(rng, keys, n_keys * d);
        for (int v = 0; v < N_DIVISORS; v++) {
            float by = divisor(v, d);
            for (int j = 0; j < n_keys; j++) {
                scores[j] = dot(query, keys + j * d, d) / by;
            }
            m->spread[v] += norm(scores, n_keys) * norm(scores, n_keys) / n_keys / draws;
            softmax(p, scores, n_keys);
            m->largest[v] += (double)p[first_of(p, n_keys)] / draws;
            m->entropy[v] += entropy(p, n_keys) / draws;
            softmax_jacobian(dp_ds, p, n_keys);
            on_score[v][draw] = norm(dp_ds, n_keys * n_keys);
            query_jacobian(dp_dq, dp_ds, keys, by, n_keys, d);
            on_query[v][draw] = norm(dp_dq, n_keys * d);
        }
    }
    for (int v = 0; v < N_DIVISORS; v++) {
        m->spread[v] = sqrt(m->spread[v]); /* around 0, the mean of q.k */
        m->on_score[v] = median(on_score[v], draws);
        m->on_query[v] = median(on_query[v], draws);
    }
}

static void report_one_query(uint64_t seed)
{
    enum { D = 64, KEYS = 8 };
    float query[D], keys[KEYS * D], scores[N_DIVISORS][KEYS], p[N_DIVISORS][KEYS];
    struct Rng rng = rng_stream(seed, "one query");
    rng_normal(&rng, query, D);
    rng_normal(&rng, keys, KEYS * D);
    page_heading("One query, three divisors");
    printf("  A query of %d numbers and %d keys. Dividing keeps the order of the keys;\n"
           "  what it changes is how much the first of them gets.\n\n"
           "                   weights if q.k is divided by\n"
           "    key       q.k           1   sqrt(d)         d\n",
           D, KEYS);
    for (int v = 0; v < N_DIVISORS; v++) {
        for (int j = 0; j < KEYS; j++) {
            scores[v][j] = dot(query, keys + j * D, D) / divisor(v, D);
        }
        softmax(p[v], scores[v], KEYS);
    }
    for (int j = 0; j < KEYS; j++) {
        printf("  %5d %9.2f", j + 1, (double)scores[ONE][j]);
        print_three((double[]){p[ONE][j], p[ROOT][j], p[WHOLE][j]}, 9, 4);
        putchar('\n');
    }
    int first = first_of(p[ONE], KEYS);
    page_claim(first == first_of(p[ROOT], KEYS) && first == first_of(p[WHOLE], KEYS),
               "the same key comes first, whatever the divisor");
}

static void keep_worst(double *worst, const float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++) {
        double off = fabs((double)a[i] - (double)b[i]);
        off = isfinite(off) ? off : INFINITY; /* a NaN is worse than any number */
        *worst = off > *worst ? off : *worst;
    }
}

static void report_common(uint64_t seed)
{
    static const int sizes[] = {1, 2, 3, 5, 12, 16, 17, 33, 64};
    enum { N = sizeof sizes / sizeof *sizes };
    float s[MOST_KEYS], by_root[MOST_KEYS], p[MOST_KEYS], d_p[MOST_KEYS], d_s[MOST_KEYS],
        core[MOST_KEYS], dp_ds[MOST_KEYS * MOST_KEYS];
    double worst[3] = {0};
    struct Rng rng = rng_stream(seed, "held against common");
    for (int i = 0; i < N * N; i++) {
        int n = sizes[i / N], d = sizes[i % N];
        rng_normal(&rng, s, n);
        rng_normal(&rng, d_p, n);
        for (int j = 0; j < n; j++) {
            s[j] *= sqrtf((float)d);
            by_root[j] = s[j] / divisor(ROOT, d);
        }
        softmax(p, s, n);
        softmax_row(core, s, n);
        keep_worst(&worst[0], p, core, n);
        softmax_jacobian(dp_ds, p, n);
        for (int j = 0; j < n; j++) {
            d_s[j] = dot(d_p, dp_ds + j * n, n); /* row j is column j */
        }
        softmax_row_backward(core, d_p, p, n);
        keep_worst(&worst[1], d_s, core, n);
        softmax(p, by_root, n);
        softmax_row_masked(core, s, 1.0f / divisor(ROOT, d), n, n);
        keep_worst(&worst[2], p, core, n);
    }
    page_heading("Held against common/softmax.c");
    printf("  Rows of 1 to %d scores as wide as for d = 1 to %d. Largest difference of\n"
           "  the softmax                            %7.1e\n"
           "  a gradient times its whole Jacobian    %7.1e\n"
           "  the softmax of the divided scores      %7.1e\n",
           MOST_KEYS, sizes[N - 1], worst[0], worst[1], worst[2]);
    page_claim(worst[0] < 1e-6 && worst[1] < 1e-6 && worst[2] < 1e-6, "both say the same, to 1e-6");
}

int main(int argc, char **argv)
{
    struct Common common;
    cli_parse(argc, argv, "Lesson 02: why the scores are divided by the root of d.", "02-scale",
              &common, command_line, sizeof command_line / sizeof *command_line);
    struct Table *table =
        table_new(common.out, "scale", "d divisor spread largest entropy on_score on_query");
    static const char *const names[] = {"1", "sqrt(d)", "d"};
    static struct Measured measured[N_SIZES];
    struct Rng rng = rng_stream(common.seed, "queries and keys");
    for (int i = 0; i < N_SIZES; i++) {
        struct Measured *m = &measured[i];
        measure(m, 2 << i, &rng);
        for (int v = 0; v < N_DIVISORS; v++) {
            table_row(table, "%d\t%s\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g", 2 << i, names[v], m->spread[v],
                      m->largest[v], m->entropy[v], m->on_score[v], m->on_query[v]);
        }
    }
    printf("Lesson 02. Why the scores are divided by the root of d\n");
    report_spread(measured, n_keys, draws);
    report_one_query(common.seed);
    report_weights(measured, n_keys);
    report_gradient(measured);
    report_common(common.seed);
    table_save(table);
    return page_verdict();
}
