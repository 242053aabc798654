/* Lesson 02: why the scores are divided by the root of d.

   A score is a sum of d products, and the more terms, the wider it spreads. Random queries and keys
   show how wide, what a softmax makes of that, and how much of the gradient is left: undivided,
   divided by sqrt(d), divided by d. measure, below, finds one line of each table of the page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cli.h"
#include "common/page.h"
#include "common/rng.h"
#include "common/softmax.h"
#include "common/table.h"
#include "common/vmath.h"

enum Divisor { ONE, ROOT, WHOLE, N_DIVISORS };
static const char *const divisor_names[] = {"1", "sqrt(d)", "d"};

/* What is measured for each d = 2, 4, ..., 1024 and each divisor. Gradients by their median: where
   two keys happen to tie, a query keeps a large one, and a mean would show little else. */
enum Measure {
    SPREAD,   /* standard deviation of the scores */
    LARGEST,  /* weight: mean over the queries */
    ENTROPY,  /* of the weights, in bits: mean */
    ON_SCORE, /* norm of dp/ds, the softmax's Jacobian: median */
    ON_QUERY, /* norm of dp/dq: median */
    N_MEASURES
};
enum { MOST_KEYS = 64, MOST_DRAWS = 100000, N_SIZES = 10, LARGEST_D = 1 << N_SIZES };
static double measured[N_SIZES][N_MEASURES][N_DIVISORS];
static int n_keys = 16, draws = 2000;

static struct Option command_line[] = {
    {"keys", OPTION_INTEGER, &n_keys, "N", "keys that each query is held against", 2, MOST_KEYS,
     NULL, false},
    {"draws", OPTION_INTEGER, &draws, "N", "random queries for each d", 500, MOST_DRAWS, NULL,
     false},
};

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

static double bits(float x)
{
    return (double)log_f32(x) / (double)log_f32(2.0f);
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

static void measure(double m[N_MEASURES][N_DIVISORS], int d, struct Rng *rng)
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
            m[SPREAD][v] += norm(scores, n_keys) * norm(scores, n_keys) / n_keys / draws;
            softmax(p, scores, n_keys);
            m[LARGEST][v] += (double)p[first_of(p, n_keys)] / draws;
            m[ENTROPY][v] += entropy(p, n_keys) / draws;
            softmax_jacobian(dp_ds, p, n_keys);
            on_score[v][draw] = norm(dp_ds, n_keys * n_keys);
            query_jacobian(dp_dq, dp_ds, keys, by, n_keys, d);
            on_query[v][draw] = norm(dp_dq, n_keys * d);
        }
    }
    for (int v = 0; v < N_DIVISORS; v++) {
        m[SPREAD][v] = sqrt(m[SPREAD][v]); /* around 0, the mean of q.k */
        m[ON_SCORE][v] = median(on_score[v], draws);
        m[ON_QUERY][v] = median(on_query[v], draws);
    }
}

/* The page. */

static void print_three(const double *x, int width, int digits)
{
    printf("  %*.*f %*.*f %*.*f", width, digits, x[ONE], width, digits, x[ROOT], width, digits,
           x[WHOLE]);
}

static void report_spread(void)
{
    page_heading("How wide the scores spread");
    printf("  For each d, %s random queries against %d random keys each. All numbers\n"
           "  have mean 0 and variance 1. Each product then has variance 1 too, and a score\n"
           "  adds d of them: its variance is d, its spread (standard deviation) sqrt(d).\n\n"
           "                                spread of the scores divided by\n"
           "      d  variance   sqrt(d)           1   sqrt(d)         d\n",
           grouped(draws).text, n_keys);
    bool as_expected = true;
    for (int i = 0; i < N_SIZES; i++) {
        const double *spread = measured[i][SPREAD];
        double d = 2 << i, variance = spread[ONE] * spread[ONE];
        printf("  %5.0f %9.2f %9.2f", d, variance, sqrt(d));
        print_three(spread, 9, 3);
        putchar('\n');
        /* Of variance/d. The scores of one query share its squared length, which varies by 2d. */
        double error = sqrt((2 / d + (2 + 4 / d) / n_keys) / draws);
        as_expected &= fabs(variance / d - 1) < 5 * error;
        as_expected &= fabs(spread[ROOT] * spread[ROOT] - 1) < 5 * error;
    }
    printf("\n  A head of lesson 07 has d = 32, so its divisor is %.2f (chapter: 5.66).\n",
           (double)divisor(ROOT, 32));
    page_claim(as_expected, "the variance is d, and 1 after the division by sqrt(d), at every d:\n"
                            "         to within five standard errors of that many draws");
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

static void report_weights(void)
{
    double(*last)[N_DIVISORS] = measured[N_SIZES - 1];
    page_heading("What the softmax makes of them");
    printf("  Weights p, and dp_i/ds_j = p_i (delta_ij - p_j): how far a weight moves with a\n"
           "  score. Read down the columns under 1: one weight takes all, and none can move.\n"
           "  For comparison, an even average over %d keys: %.4f, %.2f bits, %.4f.\n\n"
           "            largest weight      entropy in bits       norm of dp/ds, median\n"
           "      d       1  root     d      1  root     d         1    root       d\n",
           n_keys, 1.0 / n_keys, bits((float)n_keys), sqrt(n_keys - 1.0) / n_keys);
    for (int i = 0; i < N_SIZES; i++) {
        printf("  %5d", 2 << i);
        print_three(measured[i][LARGEST], 5, 3);
        print_three(measured[i][ENTROPY], 5, 2);
        print_three(measured[i][ON_SCORE], 8, 5);
        putchar('\n');
    }
    page_claim(last[ON_SCORE][ONE] < 0.1 * last[ON_SCORE][ROOT],
               "undivided, at d = %d less than a tenth of the root's gradient is left", LARGEST_D);
    page_claim(fabs(last[LARGEST][ROOT] - measured[4][LARGEST][ROOT]) < 0.05,
               "with the root, the largest weight is the same at 32 and at %d", LARGEST_D);
    page_claim(last[ENTROPY][WHOLE] > 0.99 * bits((float)n_keys),
               "divided by d, at %d it is the even average, to 1%% of its bits", LARGEST_D);
}

static void report_gradient(void)
{
    const double *last = measured[N_SIZES - 1][ON_QUERY];
    page_heading("Why the root of d, and not d");
    printf("  With d, nothing is stuck: dp/ds stays large. But what learns is the query, and\n"
           "  the divisor stands in its way again: dp_i/dq = sum_j dp_i/ds_j k_j / divisor.\n"
           "  Read down the columns: one grows and then dies, one fades, and one stays.\n\n"
           "         norm of dp/dq, median, if q.k is divided by\n"
           "      d           1   sqrt(d)         d\n");
    for (int i = 0; i < N_SIZES; i++) {
        printf("  %5d", 2 << i);
        print_three(measured[i][ON_QUERY], 9, 5);
        putchar('\n');
    }
    page_claim(last[ROOT] > 5 * last[ONE] && last[ROOT] > 5 * last[WHOLE],
               "at d = %d, 1 and d leave less than a fifth of what the root leaves", LARGEST_D);
}

static void keep_worst(double *worst, const float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++) {
        double off = fabs((double)a[i] - (double)b[i]);
        *worst = off <= *worst ? *worst : off; /* a NaN stays */
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
    struct Rng rng = rng_stream(common.seed, "queries and keys");
    for (int i = 0; i < N_SIZES; i++) {
        double(*m)[N_DIVISORS] = measured[i];
        measure(m, 2 << i, &rng);
        for (int v = 0; v < N_DIVISORS; v++) {
            table_row(table, "%d\t%s\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g", 2 << i, divisor_names[v],
                      m[SPREAD][v], m[LARGEST][v], m[ENTROPY][v], m[ON_SCORE][v], m[ON_QUERY][v]);
        }
    }
    printf("Lesson 02. Why the scores are divided by the root of d\n");
    report_spread();
    report_one_query(common.seed);
    report_weights();
    report_gradient();
    report_common(common.seed);
    table_save(table);
    return page_verdict();
}
