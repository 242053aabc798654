/* Lesson 01: its options and what it refuses, and its tables and its page against the same sums in
   double, written anew here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

#define QUERY_LINE                                                                                 \
    "--query takes two numbers from -1000 to 1000 with a comma between them, such as 1,2, not "

enum { N = 4 };

static void enter_01(void)
{
    enter_lesson("lesson-01");
}

static void softmax(double *weights, const double *scores, int n)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++) {
        sum += exp(scores[j]);
    }
    for (int j = 0; j < n; j++) {
        weights[j] = exp(scores[j]) / sum;
    }
}

static const char *const refused[][2] = {
    {"--query 1", QUERY_LINE "\"1\""},
    {"--query nan,1", QUERY_LINE "\"nan,1\""},
    {"--query 1,inf", QUERY_LINE "\"1,inf\""},
    {"--query 1,1e999", QUERY_LINE "\"1,1e999\""},
    {"--query 1,2,3", QUERY_LINE "\"1,2,3\""},
    {"--query ,", QUERY_LINE "\",\""},
    {"--query ,2", QUERY_LINE "\",2\""},
    {"--query 1,", QUERY_LINE "\"1,\""},
    {"--query 1,-", QUERY_LINE "\"1,-\""},
    {"--query 1,e", QUERY_LINE "\"1,e\""},
    {"--query '1;2'", QUERY_LINE "\"1;2\""},
    {"--query '1, 2'", QUERY_LINE "\"1, 2\""},
    {"--query 0x1,2", QUERY_LINE "\"0x1,2\""},
    {"--query 1000.1,2", QUERY_LINE "\"1000.1,2\""},
    {"--query 1,-1001", QUERY_LINE "\"1,-1001\""},
    {"--query \"$(printf '1,\\033')\"", QUERY_LINE "\"1,\\x1b\""},
    {"--query ''", "--query takes a text that is not empty ..., not \"\""},
    {"--sharpness -1", "--sharpness takes a number from 0 to 1000, not \"-1\""},
    {"--sharpness inf", "--sharpness takes a number from 0 to 1000, not \"inf\""},
    {"--sharpness nan", "--sharpness takes a number from 0 to 1000, not \"nan\""},
    {"--sharpness 1001", "--sharpness takes a number from 0 to 1000, not \"1001\""},
};

START_TEST(what_cannot_be_asked_is_refused)
{
    const char *names = names_in(".");
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-01: %s", refused[i][1]);
        assert_died(sh("./lesson-01 --out out %s", refused[i][0]), line);
        ck_assert_str_eq(names_in("."), names);
    }
}
END_TEST

/* The first table and the output of section 1, for the query (x, y). */
static void check_sentence(const char *page, double x, double y)
{
    static const char *const tokens[N] = {"the", "cat", "sat", "on"};
    static const double keys[N][2] = {{0, 0}, {1, 2}, {1, 0}, {0, 1}};
    static const double values[N][2] = {{0, 0}, {2, 1}, {0, 1}, {1, 0}};
    double scores[N], weights[N], out[2] = {0, 0}, numbers[6], shown[2];
    char token[8], line[80];
    for (int j = 0; j < N; j++) {
        scores[j] = (x * keys[j][0] + y * keys[j][1]) / sqrt(2.0);
    }
    softmax(weights, scores, N);
    FILE *table =
        open_table("out/attention.tsv", "token\tkey_x\tkey_y\tvalue_x\tvalue_y\tscore\tweight\n");
    for (int j = 0; j < N; j++) {
        ck_assert_int_eq(fscanf(table, "%7s\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\n", token, &numbers[0],
                                &numbers[1], &numbers[2], &numbers[3], &numbers[4], &numbers[5]),
                         7);
        ck_assert_str_eq(token, tokens[j]);
        ck_assert(memcmp(numbers, keys[j], sizeof keys[j]) == 0);
        ck_assert(memcmp(numbers + 2, values[j], sizeof values[j]) == 0);
        ck_assert_double_eq_tol(numbers[4], scores[j], 1e-5);
        ck_assert_double_eq_tol(numbers[5], weights[j], 1e-5);
        out[0] += weights[j] * values[j][0];
        out[1] += weights[j] * values[j][1];
        snprintf(line, sizeof line, "\n  %-5s  (%g, %g) ", token, keys[j][0], keys[j][1]);
        const char *row = strchr(after(page, line), ')') + 1;
        ck_assert_int_eq(sscanf(row, "%lf %lf", &shown[0], &shown[1]), 2);
        ck_assert_double_eq_tol(shown[0], scores[j], 0.00501);
        ck_assert_double_eq_tol(shown[1], weights[j], 0.0000511);
    }
    ck_assert_int_eq(fgetc(table), EOF);
    table = open_table("out/query.tsv", "query_x\tquery_y\toutput_x\toutput_y\n");
    ck_assert_int_eq(
        fscanf(table, "%lf\t%lf\t%lf\t%lf\n", &numbers[0], &numbers[1], &numbers[2], &numbers[3]),
        4);
    ck_assert_int_eq(fgetc(table), EOF);
    ck_assert_double_eq_tol(numbers[0], x, 1e-5);
    ck_assert_double_eq_tol(numbers[1], y, 1e-5);
    ck_assert_int_eq(
        sscanf(after(page, "\n  output                "), "(%lf, %lf)", &shown[0], &shown[1]), 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(numbers[2 + i], out[i], 1e-5);
        ck_assert_double_eq_tol(shown[i], out[i], 0.0000511);
    }
}

START_TEST(the_first_table_is_that_of_the_query)
{
    static const struct {
        const char *options;
        double x, y;
    } runs[] = {
        {"", 1, 2},
        {"--query -1,0.5", -1, 0.5},
        {"--query 1.5e0,-.25 --sharpness 2", 3, -0.5},
        {"--sharpness 0", 0, 0},
        {"--sharpness 0.25", 0.25, 0.5},
        {"--query -3,-4", -3, -4},
    };
    for (int i = 0; i < COUNT(runs); i++) {
        char *page = page_of("./lesson-01 --out out %s", runs[i].options);
        assert_page(page);
        check_sentence(page, runs[i].x, runs[i].y);
        if (i > 0) { /* its figures stand beside its own query only */
            assert_without(page, "chapter");
        }
    }
    page_of("./lesson-01 --out out --query 1000,-1000 --sharpness 1000");
}
END_TEST

START_TEST(the_same_query_is_the_same_page)
{
    char *page = page_of("./lesson-01 --out out");
    assert_same_page(page_of("./lesson-01 --out out --query 1,2 --sharpness 1"), page);
    assert_same_page(page_of("./lesson-01 --out out --query 0.5,1 --sharpness 2"), page);
    after(page, "chapter: (1.75, 0.88)");
}
END_TEST

START_TEST(rounded_weights_give_the_other_output)
{
    double cat, on, both;
    char *page = page_of("./lesson-01 --out out");
    ck_assert(strncmp(after(page, "from rounded weights  "), "(1.76, 0.88)", 12) == 0);
    ck_assert_int_eq(sscanf(after(page, "Rounding gives cat "), "%lf and on %lf", &cat, &on), 2);
    both = atof(after(page, "once: "));
    double scores[N] = {0, 5 / sqrt(2.0), 1 / sqrt(2.0), 2 / sqrt(2.0)}, weights[N];
    softmax(weights, scores, N);
    ck_assert_double_eq_tol(cat, 0.83 - weights[1], 0.000051);
    ck_assert_double_eq_tol(on, 0.10 - weights[3], 0.000051);
    ck_assert_double_eq_tol(both, 2 * (0.83 - weights[1]) + (0.10 - weights[3]), 0.000051);
}
END_TEST

START_TEST(the_two_tokens_and_their_slopes)
{
    double p = 1 / (1 + exp(-1.0)), y = 10 * p + 20 * (1 - p), shown[3];
    char *page = page_of("./lesson-01 --out out");
    ck_assert_int_eq(
        sscanf(after(page, "\n  row 1   "), "%lf %lf %lf", &shown[0], &shown[1], &shown[2]), 3);
    ck_assert_double_eq_tol(shown[0], p, 0.0000051);
    ck_assert_double_eq_tol(shown[1], 1 - p, 0.0000051);
    ck_assert_double_eq_tol(shown[2], y, 0.000051);
    ck_assert_int_eq(sscanf(after(page, "\n  row 1, mask"), "%lf hidden %lf", shown, shown + 1), 2);
    ck_assert(shown[0] == 1 && shown[1] == 10);
    for (int j = 0; j < 2; j++) {
        double v = j == 0 ? 10 : 20, weight = j == 0 ? p : 1 - p;
        ck_assert_int_eq(sscanf(after(page, j == 0 ? "token 1: formula " : "token 2: formula "),
                                "%lf, difference quotient %lf", &shown[0], &shown[1]),
                         2);
        ck_assert_double_eq_tol(shown[0], weight * (v - y), 0.00051);
        ck_assert_double_eq_tol(shown[1], weight * (v - y), 0.00101);
    }
}
END_TEST

/* The curves of the figure, and the same query at the lengths that the page lists. */
static void weights_of_she(double *weights, double sharpness)
{
    static const double keys[N][2] = {{1.6, 0.9}, {-1.2, 1.3}, {-1.5, -0.6}, {0.4, -1.6}};
    double scores[N];
    for (int j = 0; j < N; j++) {
        scores[j] = sharpness * (1.4 * keys[j][0] + 0.7 * keys[j][1]);
    }
    softmax(weights, scores, N);
}

START_TEST(sharpness_is_the_length_of_the_query)
{
    static const double listed[] = {0, 0.5, 1, 2, 4, 64};
    double weights[N], shown[N], sharpness, last = -1.0;
    char line[32];
    char *page = page_of("./lesson-01 --out out");
    FILE *table = open_table("out/sharpness.tsv", "sharpness\tgirl\tball\tred\tran\n");
    int count = 0;
    for (; fscanf(table, "%lf\t%lf\t%lf\t%lf\t%lf\n", &sharpness, &shown[0], &shown[1], &shown[2],
                  &shown[3]) == 5;
         count++) {
        ck_assert(sharpness > last && sharpness <= 2.0);
        last = sharpness;
        weights_of_she(weights, sharpness);
        for (int j = 0; j < N; j++) {
            ck_assert_double_eq_tol(shown[j], weights[j], 1e-6);
        }
    }
    ck_assert(feof(table) && count > 40 && last == 2.0);
    for (int i = 0; i < COUNT(listed); i++) {
        snprintf(line, sizeof line, "\n  %g times ", listed[i]);
        weights_of_she(weights, listed[i]);
        ck_assert_int_eq(sscanf(after(page, line), "%lf %lf %lf %lf", &shown[0], &shown[1],
                                &shown[2], &shown[3]),
                         4);
        for (int j = 0; j < N; j++) {
            ck_assert_double_eq_tol(shown[j], weights[j], 0.000051);
        }
    }
}
END_TEST

START_TEST(softmax_of_other_rows)
{
    static const struct {
        const char *line;
        double scores[N];
    } rows[] = {
        {"\n  2.25 -0.75 -2.5 -0.5 ", {2.25, -0.75, -2.5, -0.5}},
        {"\n  plus 1000 ", {2.25, -0.75, -2.5, -0.5}},
        {"\n  at temperature 1/2 ", {4.5, -1.5, -5, -1}},
        {"\n  at temperature 2 ", {1.125, -0.375, -1.25, -0.25}},
        {"\n  2.1 -0.7 -2.6 -0.3 ", {2.1, -0.7, -2.6, -0.3}},
        {"\n  -3 -5 -6 -9 ", {-3, -5, -6, -9}},
    };
    char *page = page_of("./lesson-01 --out out");
    for (int i = 0; i < COUNT(rows); i++) {
        double weights[N], shown[N];
        softmax(weights, rows[i].scores, N);
        ck_assert_int_eq(sscanf(after(page, rows[i].line), "%lf %lf %lf %lf", &shown[0], &shown[1],
                                &shown[2], &shown[3]),
                         4);
        for (int j = 0; j < N; j++) {
            ck_assert_double_eq_tol(shown[j], weights[j], 0.000051);
        }
    }
}
END_TEST

/* Only the comparison draws random numbers; every seed bears it out. */
START_TEST(any_seed_holds)
{
    char *page = page_of("./lesson-01 --out out --seed 1");
    char *other = page_of("./lesson-01 --out out --seed 2");
    char *rest = strstr(page, "\n6. "), *other_rest = strstr(other, "\n6. ");
    ck_assert(rest - page == other_rest - other &&
              strncmp(page, other, (size_t)(rest - page)) == 0);
    ck_assert_str_ne(rest, other_rest);
    for (int seed = 3; seed < 30; seed++) {
        page_of("./lesson-01 --out out --seed %d", seed);
    }
}
END_TEST

Suite *lesson_01_suite(void)
{
    Suite *suite = suite_create("lesson 01");
    TCase *cases = new_case(suite, "attention on paper", enter_01);
    tcase_add_test(cases, what_cannot_be_asked_is_refused);
    tcase_add_test(cases, the_first_table_is_that_of_the_query);
    tcase_add_test(cases, the_same_query_is_the_same_page);
    tcase_add_test(cases, rounded_weights_give_the_other_output);
    tcase_add_test(cases, the_two_tokens_and_their_slopes);
    tcase_add_test(cases, sharpness_is_the_length_of_the_query);
    tcase_add_test(cases, softmax_of_other_rows);
    tcase_add_test(cases, any_seed_holds);
    return suite;
}
