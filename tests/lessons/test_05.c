/* Lesson 05: its page and tables against the same model in double precision, whose gradients are
   found by moving one number at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/reversal.h"
#include "common/tensors.h"
#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

static void enter_05(void)
{
    enter_lesson("lesson-05");
}

/* The model of "--depth 2 --width 8", with the lesson's tokens and targets. */

enum { DEPTH = 2, D = 8, N_HEADS = 2, T = 16, ROWS = 4 * T, SIZE = ROWS * D };
enum Order { PRE_NORM, POST_NORM, NO_RESIDUAL, ORDERS };

static struct BlockTensors blocks[DEPTH];
static struct ModelTensors w = {.blocks = blocks};
static double first[SIZE];
static int targets[ROWS];

/* Weights inside the blocks times scale. */
static void make_model(uint64_t seed, float scale)
{
    struct ModelConfig config = model_config(VOCAB, CONTEXT, D, N_HEADS, DEPTH);
    struct ParamList list = {0};
    struct Rng rng = rng_stream(seed, "init"), tokens = rng_stream(seed, "tokens");
    model_params(&w, &(struct ParamWalk){.list = &list}, &config);
    float *base = calloc(list.size, sizeof *base);
    params_init(&list, base, &rng);
    model_params(&w, &(struct ParamWalk){.base = base}, &config);
    for (float *x = blocks[0].ln1_weight; x < w.ln_weight; x++) {
        *x *= scale;
    }
    for (int i = 0; i < DEPTH; i++) { /* but for the norms */
        for (int k = 0; k < D; k++) {
            blocks[i].ln1_weight[k] = blocks[i].ln2_weight[k] = 1.0f;
        }
    }
    for (int r = 0; r < ROWS; r++) {
        int token = rng_below(&tokens, VOCAB);
        targets[r] = rng_below(&tokens, VOCAB);
        for (int i = 0; i < D; i++) {
            first[r * D + i] = (double)(w.token[token * D + i] + w.position[r % T * D + i]);
        }
    }
}

static void linear(double *y, const double *x, const struct Linear *l, int rows, int k, int n)
{
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            y[r * n + j] = (double)l->bias[j];
            for (int i = 0; i < k; i++) {
                y[r * n + j] += x[r * k + i] * (double)l->weight[j * k + i];
            }
        }
    }
}

/* gamma is 1 and beta 0 in fresh weights. */
static void norm(double *y, const double *x)
{
    for (int r = 0; r < ROWS; r++, x += D, y += D) {
        double mean = 0.0, square = 0.0;
        for (int i = 0; i < D; i++) {
            mean += x[i] / D;
            square += x[i] * x[i] / D;
        }
        for (int i = 0; i < D; i++) {
            y[i] = (x[i] - mean) / sqrt(square - mean * mean + 1e-5);
        }
    }
}

static double gelu(double x)
{
    return x * erfc(-x / sqrt(2.0)) / 2.0;
}

static void attention(double *y, const double *x, const struct BlockTensors *b)
{
    enum { D_HEAD = D / N_HEADS };
    static double qkv[3 * SIZE], heads[SIZE];
    linear(qkv, x, &b->qkv, ROWS, D, 3 * D);
    memset(heads, 0, sizeof heads);
    for (int r = 0; r < ROWS; r++) {
        for (int h = 0; h < D; h += D_HEAD) {
            double e[T], sum = 0.0;
            int start = r / T * T;
            for (int k = start; k <= r; k++) {
                double score = 0.0;
                for (int i = h; i < h + D_HEAD; i++) {
                    score += qkv[r * 3 * D + i] * qkv[k * 3 * D + D + i];
                }
                sum += e[k - start] = exp(score / sqrt(D_HEAD));
            }
            for (int k = start; k <= r; k++) {
                for (int i = h; i < h + D_HEAD; i++) {
                    heads[r * D + i] += e[k - start] / sum * qkv[k * 3 * D + 2 * D + i];
                }
            }
        }
    }
    linear(y, heads, &b->out, ROWS, D, D);
}

static void mlp(double *y, const double *x, const struct BlockTensors *b)
{
    static double hidden[4 * SIZE];
    linear(hidden, x, &b->up, ROWS, D, 4 * D);
    for (int i = 0; i < 4 * SIZE; i++) {
        hidden[i] = gelu(hidden[i]);
    }
    linear(y, hidden, &b->down, ROWS, 4 * D, D);
}

/* What f gave in each half of a block. Frozen, it stays what it was: then x only counts along the
   residual path. */
static double f[2 * DEPTH][SIZE];

static void half(double *x, enum Order order, int i, bool frozen)
{
    static double normed[SIZE];
    norm(normed, x);
    if (!frozen) {
        (i % 2 == 0 ? attention : mlp)(f[i], order == POST_NORM ? x : normed, &blocks[i / 2]);
    }
    for (int j = 0; j < SIZE; j++) {
        x[j] = order == NO_RESIDUAL ? f[i][j] : x[j] + f[i][j];
    }
    if (order == POST_NORM) {
        norm(normed, x);
        memcpy(x, normed, sizeof normed);
    }
}

/* The mean loss with x as the input of block from. */
static double loss(const double *x, enum Order order, int from, bool frozen)
{
    static double y[SIZE], normed[SIZE], logits[ROWS * VOCAB];
    double total = 0.0;
    memcpy(y, x, sizeof y);
    for (int i = 2 * from; i < 2 * DEPTH; i++) {
        half(y, order, i, frozen);
    }
    norm(normed, y);
    linear(logits, normed, &w.head, ROWS, D, VOCAB);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0.0;
        for (int j = 0; j < VOCAB; j++) {
            sum += exp(logits[r * VOCAB + j]);
        }
        total += log(sum) - logits[r * VOCAB + targets[r]];
    }
    return total / ROWS;
}

static double gradient_length(const double *input, enum Order order, int from, bool frozen)
{
    const double step = 1e-5;
    static double x[SIZE];
    double square = 0.0;
    memcpy(x, input, sizeof x);
    loss(x, order, from, false); /* leaves f as it is here */
    for (int i = 0; i < SIZE; i++) {
        x[i] = input[i] + step;
        double up = loss(x, order, from, frozen);
        x[i] = input[i] - step;
        double slope = (up - loss(x, order, from, frozen)) / (2.0 * step);
        x[i] = input[i];
        square += slope * slope;
    }
    return sqrt(square);
}

static double similarity(const double *x)
{
    double sum = 0.0;
    int pairs = 0;
    for (int a = 0; a < ROWS; a++) {
        for (int b = a + 1; b < (a / T + 1) * T; b++, pairs++) {
            double ab = 0.0, aa = 0.0, bb = 0.0;
            for (int i = 0; i < D; i++) {
                ab += x[a * D + i] * x[b * D + i];
                aa += x[a * D + i] * x[a * D + i];
                bb += x[b * D + i] * x[b * D + i];
            }
            sum += ab / sqrt(aa * bb);
        }
    }
    return sum / pairs;
}

/* A table whose first column counts from 1: column c of row r at values[r*columns + c]. */
static double *values_of(const char *path, const char *header, int columns, int rows)
{
    FILE *table = open_table(path, header);
    double *values = calloc((size_t)(rows * columns), sizeof *values);
    for (int r = 0; r < rows; r++) {
        int number;
        ck_assert_int_eq(fscanf(table, "%d", &number), 1);
        ck_assert_int_eq(number, r + 1);
        for (int c = 0; c < columns; c++) {
            ck_assert_int_eq(fscanf(table, "\t%lf", &values[r * columns + c]), 1);
        }
        ck_assert_int_eq(fgetc(table), '\n');
    }
    ck_assert_int_eq(fgetc(table), EOF);
    return values;
}

static void assert_close(double got, double wanted, const char *what, int order, int block)
{
    ck_assert_msg(fabs(got - wanted) <= 1e-3 * fabs(wanted), "%s, order %d, block %d: %g, not %g",
                  what, order, block, got, wanted);
}

START_TEST(gradients_and_similarities_are_those_of_a_model_in_double)
{
    page_of("./lesson-05 --depth 2 --width 8 --seed 3 --out out");
    double *gradient = values_of("out/gradient.tsv", "block\tpre_norm\tpost_norm\tno_residual\n",
                                 ORDERS, DEPTH + 1),
           *alike = values_of("out/similarity.tsv", "block\tpre_norm\tpost_norm\tno_residual\n",
                              ORDERS, DEPTH + 1),
           *path = values_of("out/path.tsv",
                             "block\tpre_norm\tpost_norm\tlarger_pre_norm\tlarger_post_norm\n", 4,
                             DEPTH + 1);
    for (int larger = 0; larger < 2; larger++) {
        make_model(3, larger ? sqrtf(3.0f) : 1.0f);
        for (int order = 0; order < ORDERS; order++) {
            double x[SIZE];
            memcpy(x, first, sizeof x);
            for (int k = 0; k <= DEPTH; k++) {
                if (!larger) {
                    assert_close(gradient[k * ORDERS + order], gradient_length(x, order, k, false),
                                 "gradient", order, k);
                    assert_close(alike[k * ORDERS + order], similarity(x), "similarity", order, k);
                }
                if (order != NO_RESIDUAL) {
                    assert_close(path[k * 4 + 2 * larger + order],
                                 gradient_length(x, order, k, true), "path", order, k);
                }
                for (int i = 2 * k; i < 2 * k + 2 && k < DEPTH; i++) {
                    half(x, order, i, false);
                }
            }
        }
    }
}
END_TEST

/* The pieces. */

static void assert_moments(const char *page, const char *words, double mean, double variance)
{
    double got_mean, got_variance;
    const char *line = after(page, words);
    ck_assert_int_eq(sscanf(line, "%lf %lf", &got_mean, &got_variance), 2);
    ck_assert_double_eq_tol(got_mean, mean, 1e-6 * fmax(1.0, fabs(mean)));
    ck_assert_double_eq_tol(got_variance, variance, 1e-6 * fmax(1.0, variance));
}

START_TEST(layer_norm_moves_mean_and_variance)
{
    char *page = page_of("./lesson-05 --depth 1 --width 8 --seed 3 --out out");
    double mean = 0.0, square = 0.0;
    make_model(3, 1.0f);
    for (int i = 0; i < D; i++) {
        mean += first[i] / D;
        square += first[i] * first[i] / D;
    }
    double variance = square - mean * mean;
    assert_moments(page, "\n  as it comes ", mean, variance);
    assert_moments(page, "\n  times 10, plus 3 ", 10.0 * mean + 3.0, 100.0 * variance);
    assert_moments(page, "\n  LN of that ", 0.0, variance / (variance + 1e-7));
    assert_moments(page, "\n  LN of it as it came ", 0.0, variance / (variance + 1e-5));
    assert_moments(page, "\n  LN with gamma = 2, beta = 0.5 ", 0.5,
                   4.0 * variance / (variance + 1e-5));
}
END_TEST

static double by_tanh(double x)
{
    return x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x))) / 2.0;
}

START_TEST(gelu_is_that_of_libm)
{
    static const double points[] = {-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0};
    char *page = page_of("./lesson-05 --depth 1 --out out");
    double most = 0.0, relu, erf_form, tanh_form;
    for (int i = 0; i < COUNT(points); i++) {
        char words[20];
        snprintf(words, sizeof words, "\n  %6.1f ", points[i]);
        const char *line = after(page, words);
        ck_assert_int_eq(sscanf(line, "%lf %lf %lf", &relu, &erf_form, &tanh_form), 3);
        ck_assert_double_eq(relu, fmax(0.0, points[i]));
        ck_assert_double_eq_tol(erf_form, gelu(points[i]), 1e-6);
        ck_assert_double_eq_tol(tanh_form, by_tanh(points[i]), 1e-6);
    }
    for (double x = 0.0; x < 6.0; x += 1e-4) {
        most = fmax(most, fabs(gelu(x) - by_tanh(x)));
    }
    ck_assert_double_eq_tol(atof(after(page, "\n  to ")), most, 0.05 * most);
}
END_TEST

START_TEST(parameters_are_those_of_a_model)
{
    static const int widths[] = {8, 64, 100};
    for (int i = 0; i < COUNT(widths); i++) {
        struct ModelConfig config = model_config(VOCAB, CONTEXT, widths[i], 2, 2);
        struct ParamList list = {0};
        long sum = 0, count;
        char all[40], part[20];
        model_params(&w, &(struct ParamWalk){.list = &list}, &config);
        char *page = page_of("./lesson-05 --depth 1 --width %d --out out", widths[i]);
        snprintf(all, sizeof all, "... %zu,%03zu", list.size / 1000, list.size % 1000);
        assert_like(after(page, "\n  all "), all);
        FILE *table = open_table("out/parameters.tsv", "part\tparameters\n");
        while (fscanf(table, "%19[a-zA-Z ]\t%ld\n", part, &count) == 2) {
            sum += count;
        }
        ck_assert(feof(table));
        ck_assert_int_eq(sum, (long)list.size);
    }
}
END_TEST

/* Claims hold, and lines fit, for stacks of all sizes. */
START_TEST(its_claims_hold_for_other_stacks)
{
    static const char *const options[] = {"--depth 1 --width 8",
                                          "--depth 64 --width 8",
                                          "--depth 2 --width 34",
                                          "--depth 13 --width 128",
                                          "--seed 1",
                                          "--seed 2"};
    for (int i = 0; i < COUNT(options); i++) {
        char *page = page_of("./lesson-05 %s --out out", options[i]);
        assert_page(page);
        for (const char *line = page; *line != '\0'; line += strcspn(line, "\n") + 1) {
            ck_assert_uint_le(strcspn(line, "\n"), 80);
        }
        ck_assert_str_eq(names_in("out"), "gradient.tsv parameters.tsv path.tsv similarity.tsv");
    }
}
END_TEST

START_TEST(another_seed_is_another_stack)
{
    char *one = page_of("./lesson-05 --depth 2 --out one --seed 1");
    char *two = page_of("./lesson-05 --depth 2 --out two --seed 2");
    ck_assert_str_ne(after(one, "\n  into block 1 "), after(two, "\n  into block 1 "));
    ck_assert_int_ne(sh("cmp one/gradient.tsv two/gradient.tsv").status, 0);
    assert_same("one/parameters.tsv", "two/parameters.tsv");
}
END_TEST

static const char *const refused[][2] = {
    {"--depth 0", "--depth takes a whole number from 1 to 64, not \"0\""},
    {"--depth 65", "--depth takes a whole number from 1 to 64, not \"65\""},
    {"--depth x", "--depth takes a whole number from 1 to 64, not \"x\""},
    {"--width 7", "--width takes a whole number from 8 to 128, not \"7\""},
    {"--width 129", "--width takes a whole number from 8 to 128, not \"129\""},
    {"--width 9", "a width of 9 cannot be split among 2 heads: it must be divisible by ..."},
};

START_TEST(what_cannot_be_done_is_refused)
{
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-05: %s", refused[i][1]);
        assert_died(sh("./lesson-05 --out out %s", refused[i][0]), line);
        ck_assert_str_eq(names_in("."), "golden lesson-05");
    }
}
END_TEST

START_TEST(help_names_every_option_and_its_default)
{
    assert_like(page_of("./lesson-05 --help"),
                "usage: lesson-05 [options]\n...\n  --depth N ...24)\n  --width N ...64)\n"
                "  --seed N ...\n  --threads N ...\n  --out DIR ...out/05-block)\n...");
}
END_TEST

Suite *lesson_05_suite(void)
{
    Suite *suite = suite_create("lesson 05");
    TCase *cases = new_case(suite, "lesson 05", enter_05);
    tcase_add_test(cases, gradients_and_similarities_are_those_of_a_model_in_double);
    tcase_add_test(cases, layer_norm_moves_mean_and_variance);
    tcase_add_test(cases, gelu_is_that_of_libm);
    tcase_add_test(cases, parameters_are_those_of_a_model);
    tcase_add_test(cases, its_claims_hold_for_other_stacks);
    tcase_add_test(cases, another_seed_is_another_stack);
    tcase_add_test(cases, what_cannot_be_done_is_refused);
    tcase_add_test(cases, help_names_every_option_and_its_default);
    return suite;
}
