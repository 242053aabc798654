/* Lesson 02: its numbers against the same draws in double, where the gradient at the query is
   p_i (k_i - the mean of all keys under p) / divisor; its own options; its claims for other sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

enum { SEED = 3, KEYS = 5, DRAWS = 500, SIZES = 10, MOST_D = 1024, DIVISORS = 3 };
#define SMALL "--seed 3 --keys 5 --draws 500"
#define HEADER "d\tdivisor\tspread\tlargest\tentropy\ton_score\ton_query\n"

enum { SPREAD, LARGEST, ENTROPY, ON_SCORE, ON_QUERY, MEASURES };
static const char *const columns[] = {"spread", "largest", "entropy", "on_score", "on_query"};
static const char *const divisors[] = {"1", "sqrt(d)", "d"};

static void enter_02(void)
{
    enter_lesson("lesson-02");
}

static double divisor(int which, int d)
{
    return pow(d, which / 2.0);
}

/* p[0..n) := the weights of the keys. */
static void weigh(double *p, const float *query, const float *keys, double by, int n, int d)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++) {
        double score = 0.0;
        for (int c = 0; c < d; c++) {
            score += (double)query[c] * (double)keys[j * d + c];
        }
        p[j] = exp(score / by); /* at most e^200 here */
        sum += p[j];
    }
    for (int j = 0; j < n; j++) {
        p[j] /= sum;
    }
}

static double query_gradient(const double *p, const float *keys, double by, int n, int d)
{
    double sum = 0.0;
    for (int c = 0; c < d; c++) {
        double mean = 0.0;
        for (int j = 0; j < n; j++) {
            mean += p[j] * (double)keys[j * d + c];
        }
        for (int i = 0; i < n; i++) {
            sum += pow(p[i] * ((double)keys[i * d + c] - mean) / by, 2);
        }
    }
    return sqrt(sum);
}

/* |J|^2 = sum of (p_i - p_i^2)^2 and of (p_i p_j)^2, i not j
         = sum of p_i^2 - 2 p_i^3 + (sum of p_i^2)^2. */
static double score_gradient(const double *p, int n)
{
    double squares = 0.0, rest = 0.0;
    for (int i = 0; i < n; i++) {
        squares += p[i] * p[i];
        rest += p[i] * p[i] * (1.0 - 2.0 * p[i]);
    }
    return sqrt(fmax(0.0, rest + squares * squares));
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What the table must hold. */
static void measure(double wanted[SIZES][DIVISORS][MEASURES])
{
    static float query[MOST_D], keys[KEYS * MOST_D];
    static double on_score[DIVISORS][DRAWS], on_query[DIVISORS][DRAWS];
    struct Rng rng = rng_stream(SEED, "queries and keys");
    memset(wanted, 0, sizeof(double[SIZES][DIVISORS][MEASURES]));
    for (int i = 0; i < SIZES; i++) {
        int d = 2 << i;
        for (int draw = 0; draw < DRAWS; draw++) {
            rng_normal(&rng, query, d);
            rng_normal(&rng, keys, KEYS * d);
            for (int v = 0; v < DIVISORS; v++) {
                double p[KEYS], by = divisor(v, d), largest = 0.0;
                weigh(p, query, keys, by, KEYS, d);
                for (int j = 0; j < KEYS; j++) {
                    double score = 0.0;
                    for (int c = 0; c < d; c++) {
                        score += (double)query[c] * (double)keys[j * d + c] / by;
                    }
                    wanted[i][v][SPREAD] += score * score / (DRAWS * KEYS);
                    wanted[i][v][ENTROPY] -= p[j] > 0.0 ? p[j] * log2(p[j]) / DRAWS : 0.0;
                    largest = fmax(largest, p[j]);
                }
                wanted[i][v][LARGEST] += largest / DRAWS;
                on_score[v][draw] = score_gradient(p, KEYS);
                on_query[v][draw] = query_gradient(p, keys, by, KEYS, d);
            }
        }
        for (int v = 0; v < DIVISORS; v++) {
            qsort(on_score[v], DRAWS, sizeof(double), ascending);
            qsort(on_query[v], DRAWS, sizeof(double), ascending);
            wanted[i][v][SPREAD] = sqrt(wanted[i][v][SPREAD]);
            wanted[i][v][ON_SCORE] = on_score[v][DRAWS / 2];
            wanted[i][v][ON_QUERY] = on_query[v][DRAWS / 2];
        }
    }
}

START_TEST(the_table_is_what_double_finds)
{
    static double wanted[SIZES][DIVISORS][MEASURES];
    measure(wanted);
    page_of("./lesson-02 " SMALL " --out out");
    FILE *table = open_table("out/scale.tsv", HEADER);
    for (int row = 0; row < SIZES * DIVISORS; row++) {
        int d;
        char name[10];
        double got[MEASURES];
        ck_assert_int_eq(fscanf(table, "%d\t%9[^\t]\t%lf\t%lf\t%lf\t%lf\t%lf\n", &d, name, &got[0],
                                &got[1], &got[2], &got[3], &got[4]),
                         7);
        ck_assert_int_eq(d, 2 << row / DIVISORS);
        ck_assert_str_eq(name, divisors[row % DIVISORS]);
        for (int m = 0; m < MEASURES; m++) {
            double right = wanted[row / DIVISORS][row % DIVISORS][m];
            if (!(fabs(got[m] - right) <= 1e-5 * right + 1e-6)) {
                ck_abort_msg("d = %d, divided by %s: %s is %g, and double finds %g", d, name,
                             columns[m], got[m], right);
            }
        }
    }
    ck_assert_int_eq(fgetc(table), EOF);
}
END_TEST

/* The numbers behind "  d " in the section under this heading. */
static void numbers_of(double *numbers, int n, const char *page, const char *heading, int d)
{
    char begin[30];
    snprintf(begin, sizeof begin, "\n  %5d ", d);
    const char *section = strstr(page, heading), *line = section ? strstr(section, begin) : NULL;
    ck_assert_msg(line != NULL, "under \"%s\" there is no line for %d", heading, d);
    char *rest = (char *)line + strlen(begin);
    for (int i = 0; i < n; i++) {
        const char *at = rest;
        numbers[i] = strtod(at, &rest);
        ck_assert_msg(rest != at, "under \"%s\" the line for %d is short", heading, d);
    }
    ck_assert_int_eq(*rest, '\n');
}

static void assert_close(double got, double wanted, double tolerance, const char *what, int d)
{
    if (!(fabs(got - wanted) <= tolerance)) {
        ck_abort_msg("%s at d = %d: %g, and double finds %g", what, d, got, wanted);
    }
}

START_TEST(the_page_says_the_same)
{
    static double wanted[SIZES][DIVISORS][MEASURES];
    measure(wanted);
    char *page = page_of("./lesson-02 " SMALL " --out out");
    for (int i = 0; i < SIZES; i++) {
        double spread[5], weights[9], gradient[3];
        const int d = 2 << i;
        numbers_of(spread, 5, page, "1. How wide", d);
        numbers_of(weights, 9, page, "3. What the softmax", d);
        numbers_of(gradient, 3, page, "4. Why the root", d);
        double variance = pow(wanted[i][0][SPREAD], 2);
        assert_close(spread[0], variance, 0.0051 + 1e-5 * variance, "variance", d);
        assert_close(spread[1], sqrt(d), 0.0051, "sqrt(d)", d);
        for (int v = 0; v < DIVISORS; v++) {
            assert_close(spread[2 + v], wanted[i][v][SPREAD], 0.00055, "spread", d);
            assert_close(weights[v], wanted[i][v][LARGEST], 0.00051, "largest weight", d);
            assert_close(weights[3 + v], wanted[i][v][ENTROPY], 0.0051, "entropy", d);
            assert_close(weights[6 + v], wanted[i][v][ON_SCORE], 6e-6, "dp/ds", d);
            assert_close(gradient[v], wanted[i][v][ON_QUERY], 8e-6, "dp/dq", d);
        }
    }
    after(page, "  For comparison, an even average over 5 keys: 0.2000, 2.32 bits, 0.4000.");
    after(page, "  A head of lesson 07 has d = 32, so its divisor is 5.66 ");
}
END_TEST

START_TEST(one_query_is_weighed_as_in_double)
{
    enum { D = 64, N = 8 };
    float query[D], keys[N * D];
    double p[DIVISORS][N], got[4];
    struct Rng rng = rng_stream(SEED, "one query");
    rng_normal(&rng, query, D);
    rng_normal(&rng, keys, N * D);
    char *page = page_of("./lesson-02 " SMALL " --out out");
    for (int v = 0; v < DIVISORS; v++) {
        weigh(p[v], query, keys, divisor(v, D), N, D);
    }
    for (int j = 0; j < N; j++) {
        double score = 0.0;
        for (int c = 0; c < D; c++) {
            score += (double)query[c] * (double)keys[j * D + c];
        }
        numbers_of(got, 4, page, "2. One query", j + 1);
        assert_close(got[0], score, 0.0051, "score", D);
        for (int v = 0; v < DIVISORS; v++) {
            assert_close(got[1 + v], p[v][j], 0.000051, "weight", D);
        }
    }
}
END_TEST

/* Few keys and many, few draws, and random numbers of other seeds. */
START_TEST(its_claims_hold_for_other_sizes_and_seeds)
{
    static const int keys[] = {2, 3, 17, 64};
    for (int i = 0; i < COUNT(keys); i++) {
        for (int seed = 0; seed < (keys[i] < 64 ? 4 : 1); seed++) {
            char *page = page_of("./lesson-02 --draws 500 --keys %d --seed %d", keys[i], seed);
            assert_page(page);
            char line[60];
            snprintf(line, sizeof line, "  For each d, 500 random queries against %d ", keys[i]);
            after(page, line);
        }
    }
}
END_TEST

START_TEST(another_seed_draws_other_numbers)
{
    char *one = page_of("./lesson-02 --draws 500 --keys 3 --seed 1 --out one");
    char *two = page_of("./lesson-02 --draws 500 --keys 3 --seed 2 --out two");
    ck_assert_str_ne(strstr(one, "2. One query"), strstr(two, "2. One query"));
    ck_assert_int_ne(sh("cmp one/scale.tsv two/scale.tsv").status, 0);
}
END_TEST

static const char *const refused[][2] = {
    {"--keys 1", "--keys takes a whole number from 2 to 64, not \"1\""},
    {"--keys 65", "--keys takes a whole number from 2 to 64, not \"65\""},
    {"--keys 2.5", "--keys takes a whole number from 2 to 64, not \"2.5\""},
    {"--draws 499", "--draws takes a whole number from 500 to 100000, not \"499\""},
    {"--draws 100001", "--draws takes a whole number from 500 to 100000, not \"100001\""},
    {"--draws", "--draws ..."},
};

START_TEST(its_options_have_bounds)
{
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-02: %s", refused[i][1]);
        const char *names = names_in(".");
        assert_died(sh("./lesson-02 --out out %s", refused[i][0]), line);
        ck_assert_str_eq(names_in("."), names);
    }
}
END_TEST

START_TEST(help_names_its_options)
{
    assert_like(page_of("./lesson-02 --help"),
                "usage: lesson-02 [options]\n...\n  --keys N ...16)\n  --draws N ...2000)\n"
                "  --seed N ...\n");
}
END_TEST

Suite *lesson_02_suite(void)
{
    Suite *suite = suite_create("lesson 02");
    TCase *cases = new_case(suite, "lesson 02", enter_02);
    tcase_add_test(cases, the_table_is_what_double_finds);
    tcase_add_test(cases, the_page_says_the_same);
    tcase_add_test(cases, one_query_is_weighed_as_in_double);
    tcase_add_test(cases, its_claims_hold_for_other_sizes_and_seeds);
    tcase_add_test(cases, another_seed_draws_other_numbers);
    tcase_add_test(cases, its_options_have_bounds);
    tcase_add_test(cases, help_names_its_options);
    return suite;
}
