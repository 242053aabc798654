/* The page, first half: what layer norm and GELU do, what the parts weigh, and whether the block of
   block.c is the one of common/. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "block.h"
#include "common/page.h"
#include "common/reversal.h"
#include "report.h"

/* Without a sign where nothing but zeros is printed. */
static double plain_zero(double x)
{
    return fabs(x) < 5e-7 ? 0.0 : x;
}

/* 1. */

struct Moments {
    double mean, variance;
};

static struct Moments moments(const float *x, int n)
{
    struct Moments m = {0};
    for (int i = 0; i < n; i++) {
        m.mean += (double)x[i] / n;
    }
    for (int i = 0; i < n; i++) {
        m.variance += ((double)x[i] - m.mean) * ((double)x[i] - m.mean) / n;
    }
    return m;
}

static void print_moments(const char *name, const float *x, int width)
{
    struct Moments m = moments(x, width);
    printf("  %-40s %10.6f %10.6f\n", name, plain_zero(m.mean), m.variance);
}

void report_norm(int width)
{
    static float y[ROWS * MAX_WIDTH], moved[MAX_WIDTH], ones[MAX_WIDTH], zeros[MAX_WIDTH],
        gamma[MAX_WIDTH], beta[MAX_WIDTH];
    const float *x = stack_input(0);
    double worst_mean = 0.0, worst_variance = 0.0, moved_by = 0.0;
    for (int i = 0; i < width; i++) {
        ones[i] = 1.0f, gamma[i] = 2.0f, beta[i] = 0.5f;
        moved[i] = 10.0f * x[i] + 3.0f;
    }
    page_heading("Layer norm: mean 0, variance 1, for each token by itself");
    printf("  %-40s %10s %10s\n", "the first token's vector", "mean", "variance");
    print_moments("as it comes", x, width);
    print_moments("times 10, plus 3", moved, width);
    layer_norm(y, moved, ones, zeros, 1, width);
    print_moments("LN of that", y, width);
    layer_norm(y + width, x, ones, zeros, 1, width);
    print_moments("LN of it as it came", y + width, width);
    for (int i = 0; i < width; i++) {
        double by = fabs((double)y[i] - (double)y[width + i]);
        moved_by = by > moved_by ? by : moved_by; /* fmax stops gcc 12 at -O3 for AArch64 */
    }
    layer_norm(y, x, gamma, beta, 1, width);
    print_moments("LN with gamma = 2, beta = 0.5", y, width);
    printf("  The two LNs differ by at most %.0e: size and offset of x are gone.\n"
           "  gamma and beta, learned for each of the %d places, can set both anew.\n",
           moved_by, width);
    layer_norm(y, x, ones, zeros, ROWS, width);
    for (int r = 0; r < ROWS; r++) {
        struct Moments m = moments(y + r * width, width);
        worst_mean = fmax(worst_mean, fabs(m.mean));
        worst_variance = fmax(worst_variance, fabs(m.variance - 1.0));
    }
    printf("  Of all %d tokens the mean furthest from 0 is %.0e, and the variance\n"
           "  furthest from 1 is %.0e away: 1e-5 is added to it under the root.\n",
           ROWS, worst_mean, worst_variance);
    page_claim(worst_mean < 1e-6 && worst_variance < 1e-4, "mean 0 and variance 1 for every token");
}

/* 2. */

void report_gelu(void)
{
    static const float points[] = {-3.0f, -2.0f, -1.0f, -0.5f, 0.0f, 0.5f, 1.0f, 2.0f, 3.0f};
    double most = 0.0, at = 0.0;
    page_heading("GELU: a ReLU with a round corner");
    printf("  %6s %10s %10s %10s\n", "x", "ReLU", "GELU", "by tanh");
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        float x = points[i];
        printf("  %6.1f %10.6f %10.6f %10.6f\n", (double)x, x > 0.0f ? (double)x : 0.0,
               (double)gelu(x), (double)gelu_tanh(x));
    }
    for (int i = 0; i <= 6 * 256; i++) {
        float x = (float)i / 256.0f;
        double gap = fabs((double)gelu(x) - (double)gelu_tanh(x));
        if (gap > most) {
            most = gap, at = (double)x;
        }
    }
    printf("  Ours is the erf form. The tanh form, made when erf was slow, is off by up\n"
           "  to %.1e (at x = %.2f): too little to see, enough to fail a comparison.\n",
           most, at);
    page_claim(most > 4e-4 && most < 5e-4, "the two forms are not the same function");
}

/* 3. */

/* A tensor, or two of a kind: rows x cols, and a bias for each row where there is one. */
struct Part {
    const char *name, *kind;
    int rows, cols;
    bool bias;
};

static long long size_of(const struct Part *part)
{
    return (long long)part->rows * part->cols + (part->bias ? part->rows : 0);
}

/* All parts of this kind; NULL: of every kind. */
static long long total(const struct Part *parts, int n, const char *kind)
{
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        sum += kind == NULL || strcmp(parts[i].kind, kind) == 0 ? size_of(&parts[i]) : 0;
    }
    return sum;
}

static void print_count(const char *name, const char *shape, long long count)
{
    printf("  %-32s %-16s %10s\n", name, shape, grouped(count).text);
}

static void print_parts(const struct Part *parts, int n)
{
    for (int i = 0; i < n; i++) {
        char shape[40];
        snprintf(shape, sizeof shape, parts[i].bias ? "%d x %d + %d" : "%d x %d", parts[i].rows,
                 parts[i].cols, parts[i].rows);
        print_count(parts[i].name, shape, size_of(&parts[i]));
    }
}

void report_parameters(struct Table *table, int width)
{
    enum { BLOCKS = 2, LARGE = 4096, LARGE_BLOCKS = 32, CHAPTER = 103244, CHAPTER_WIDTH = 64 };
    const int d = width;
    const struct Part ends[] = {{"token table", "token table", VOCAB, d, false},
                                {"position table", "position table", CONTEXT, d, false},
                                {"final norm: gamma, beta", "norms", 2, d, false},
                                {"head", "head", VOCAB, d, true}};
    const struct Part block_parts[] = {{"  norm before attention", "norms", 2, d, false},
                                       {"  queries, keys, values", "attention", 3 * d, d, true},
                                       {"  what the heads found", "attention", d, d, true},
                                       {"  norm before the MLP", "norms", 2, d, false},
                                       {"  MLP, up", "MLP", 4 * d, d, true},
                                       {"  MLP, down", "MLP", d, 4 * d, true}};
    static const char *const kinds[] = {"MLP",  "attention",   "position table",
                                        "head", "token table", "norms"};
    const long long one = total(block_parts, 6, NULL), mlp = total(block_parts, 6, "MLP"),
                    all = total(ends, 4, NULL) + BLOCKS * one,
                    large = 12LL * LARGE * LARGE * LARGE_BLOCKS;
    page_heading("What it weighs");
    print_parts(ends, 2);
    printf("  each of two blocks:\n");
    print_parts(block_parts, 6);
    print_count("  together", "", one);
    print_parts(ends + 2, 2);
    print_count("all", "", all);
    printf("  12 d^2 = %s of a block's %s are its matrices, 4 d^2 for attention\n"
           "  and 8 d^2 for the MLP, which with its biases has %.1f%% of the block.\n"
           "  %d blocks of width %s: %d x 12 x %d^2 = %s, %.1f B\n",
           grouped(12LL * d * d).text, grouped(one).text, 100.0 * (double)mlp / (double)one,
           LARGE_BLOCKS, grouped(LARGE).text, LARGE_BLOCKS, LARGE, grouped(large).text,
           (double)large / 1e9);
    if (d == CHAPTER_WIDTH) {
        page_claim(all == CHAPTER, "the chapter counts %s", grouped(CHAPTER).text);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        table_row(table, "%s\t%lld", kinds[i],
                  total(ends, 4, kinds[i]) + BLOCKS * total(block_parts, 6, kinds[i]));
    }
}

/* 4. */

void report_block(uint64_t seed)
{
    static const int shapes[][3] = {{1, 3, 1},  {1, 12, 3},  {5, 3, 3},   {5, 33, 1},
                                    {17, 3, 1}, {17, 12, 1}, {17, 12, 3}, {17, 33, 3}};
    double worst = 0.0;
    page_heading("The block of block.c and the one of common/");
    printf("  Largest difference, as a share of the largest entry. T tokens and T + 1\n"
           "  more in a second sequence, vectors of d numbers.\n\n"
           "  %4s %4s %6s %12s %12s %12s\n",
           "T", "d", "heads", "layer norm", "GELU", "block");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int *shape = shapes[i];
        double difference[DIFFERENCES];
        block_differences(difference, shape[0], shape[1], shape[2], seed);
        printf("  %4d %4d %6d", shape[0], shape[1], shape[2]);
        for (int j = 0; j < DIFFERENCES; j++) {
            printf(" %12.1e", difference[j]);
            worst = difference[j] <= worst ? worst : difference[j];
        }
        putchar('\n');
    }
    page_claim(worst <= 2e-5, "the same but for the order of the additions");
}
