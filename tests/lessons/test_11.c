/* Lesson 11: its numbers against the same computed another way, in double and with libm, and what
   it refuses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

static void enter_11(void)
{
    enter_lesson("lesson-11");
}

static bool about(double got, double wanted, double bound)
{
    return fabs(got - wanted) <= bound;
}

/* Section 1: after each key, its softmax from the beginning. */
START_TEST(the_state_after_each_key_is_that_of_all_keys_so_far)
{
    char *page = page_of("./lesson-11 --longest 0 --out out");
    static const double scores[] = {1, 2, 5}, values[] = {1, 2, 3};
    assert_page(page);
    double before = 0.0;
    for (int n = 1; n <= 3; n++) {
        double l = 0.0, u = 0.0, m = scores[n - 1], got[4];
        char line[80], factor[16];
        for (int j = 0; j < n; j++) {
            l += exp(scores[j] - m);
            u += exp(scores[j] - m) * values[j];
        }
        snprintf(line, sizeof line, "\n  %6g %6g %6g", m, values[n - 1], m);
        ck_assert_int_eq(
            sscanf(after(page, line), "%15s %lf %lf %lf", factor, &got[0], &got[1], &got[2]), 4);
        ck_assert(about(got[0], l, 6e-5) && about(got[1], u, 6e-5) && about(got[2], u / l, 6e-4));
        ck_assert(n == 1 || about(strtod(factor, NULL), exp(before - m), 6e-5));
        before = m;
    }
    double l = (exp(1) * 1 + 1) * exp(3) + 1, u = (exp(1) * 1 + 2) * exp(3) + 3;
    ck_assert(about(strtod(after(page, "e^(new m - old m)"), NULL), u / l, 6e-4));
}
END_TEST

START_TEST(without_a_maximum_it_breaks_where_a_float_ends)
{
    char *page = page_of("./lesson-11 --longest 0 --out out");
    static const int shifts[] = {0, 80, 90, 1000, -80, -110, -1000};
    for (int i = 0; i < COUNT(shifts); i++) {
        char line[20], sum[16], bare[16], output[16];
        snprintf(line, sizeof line, "\n  %8d ", shifts[i]);
        ck_assert_int_eq(sscanf(after(page, line), "%15s %15s %15s", sum, bare, output), 3);
        float exact = 0.0f;
        for (int j = 0; j < 3; j++) {
            exact += (float)exp((double)(shifts[i] + "\1\2\5"[j]));
        }
        bool fits = exact > 0.0f && !isinf(exact);
        ck_assert(!isinf(exact) ? about(strtod(sum, NULL), (double)exact, 1e-3 * (double)exact)
                                : strcmp(sum, "INFINITY") == 0);
        ck_assert_str_eq(bare, fits ? "2.919" : "NaN");
        ck_assert_str_eq(output, "2.9191");
    }
}
END_TEST

/* Section 4: how many blocks a causal mask leaves. */
static void check_blocks(const char *page, int T, int queries, int keys)
{
    char line[20];
    int all = 0, skipped = 0, got[3];
    for (int i = 0; i < T; i += queries) {
        for (int j = 0; j < T; j += keys) {
            int last = i + queries < T ? i + queries - 1 : T - 1;
            all++;
            skipped += j > last;
        }
    }
    snprintf(line, sizeof line, "\n  %3d by %-3d", queries, keys);
    ck_assert_int_eq(sscanf(after(page, line), "%d %d %d", &got[0], &got[1], &got[2]), 3);
    ck_assert_int_eq(got[0], all - skipped);
    ck_assert_int_eq(got[1], skipped);
    ck_assert_int_eq(got[2], queries * keys);
}

START_TEST(blocks_above_the_diagonal_are_left_out)
{
    static const int tokens[] = {1, 2, 13, 64};
    int T = tokens[_i], four = T < 4 ? T : 4, five = T < 5 ? T : 5, three = T < 3 ? T : 3;
    char *page = page_of("./lesson-11 --longest 0 --tokens %d --seed %d --out out", T, T);
    assert_page(page);
    check_blocks(page, T, 1, 1);
    check_blocks(page, T, four, four);
    check_blocks(page, T, five, three);
    check_blocks(page, T, 1, T);
    check_blocks(page, T, T, 1);
    check_blocks(page, T, T, T);
}
END_TEST

START_TEST(tables_have_the_numbers_of_the_formulas)
{
    page_of("./lesson-11 --longest 0 --out out");
    long long T, plain, tiled, qkv, n, attention, ffn, projections, lines = 0, first = 0;
    FILE *memory = open_table("out/memory.tsv", "tokens\tplain\ttiled\tqkv\n");
    while (fscanf(memory, "%lld\t%lld\t%lld\t%lld\n", &T, &plain, &tiled, &qkv) == 4) {
        ck_assert_int_eq(T, 64 << lines++);
        ck_assert_int_eq(qkv, 4 * 3 * 64 * T);
        ck_assert_int_eq(plain, 4 * (2 * T * T + 128 * T)); /* weights, scores; keys, values */
        first = T == 64 ? tiled - 4 * T : first;
        ck_assert_int_eq(tiled, first + 4 * T);
    }
    ck_assert(feof(memory) && T == 8192);
    FILE *cost = open_table("out/cost.tsv", "tokens\tattention\tffn\tprojections\n");
    for (lines = 0;
         fscanf(cost, "%lld\t%lld\t%lld\t%lld\n", &n, &attention, &ffn, &projections) == 4;) {
        ck_assert_int_eq(n, 256 << lines++);
        ck_assert(attention == 4 * n * n * 4096 && ffn == 16 * n * 4096 * 4096);
        ck_assert_int_eq(2 * projections, ffn);
    }
    ck_assert(feof(cost) && n == 1048576);
}
END_TEST

START_TEST(times_are_only_in_the_table)
{
    char way[8], pass[12], *page = page_of("./lesson-11 --longest 700 --out out");
    double milliseconds, gflops, share;
    int T, lines = 0;
    FILE *table = open_table("out/time.tsv", "tokens\tway\tpass\tmilliseconds\tgflops\tshare\n");
    while (fscanf(table, "%d\t%7s\t%11s\t%lf\t%lf\t%lf\n", &T, way, pass, &milliseconds, &gflops,
                  &share) == 6) {
        double products = lines % 4 == 0 || lines % 4 == 2 ? 2 : lines % 4 == 1 ? 4 : 5;
        ck_assert_int_eq(T, lines < 4 ? 256 : 512);
        ck_assert_str_eq(way, lines % 4 < 2 ? "plain" : "tiles");
        ck_assert_str_eq(pass, lines++ % 2 == 0 ? "forward" : "backward");
        ck_assert(about(gflops * milliseconds, products * 2e-6 * T * T * 64,
                        0.02 * products * 2e-6 * T * T * 64));
        ck_assert(share > 0.0 && share < 1.5);
    }
    ck_assert(feof(table) && lines == 8);
    assert_like(page, "...at 2 lengths from 256 to 512...");
    assert_same_page(page_of("./lesson-11 --longest 512 --out out"), page);
    assert_like(page_of("./lesson-11 --longest 255 --out out"), "...Nothing was timed...");
}
END_TEST

START_TEST(a_model_of_ones_own)
{
    char *page = page_of("./lesson-11 --longest 0 --n 100 --d 12 --layers 3 --out out");
    assert_page(page);
    assert_like(
        page, "...\n        100      12     58.1%     27.9%         14.0%              0.48\n...");
    assert_like(page, "...width 12 has 12*d*d = 1,728 parameters...\n  3 blocks have 5,184.\n...");
    assert_like(page, "...in a block, 4,800 a token, beside 3,456.\n...");
}
END_TEST

static const char *const refused[][2] = {
    {"--tokens 0", "--tokens takes a whole number from 1 to 64, not \"0\""},
    {"--tokens 65", "--tokens takes a whole number from 1 to 64, not \"65\""},
    {"--longest -1", "--longest takes a whole number from 0 to 16384, not \"-1\""},
    {"--longest 16385", "--longest takes a whole number from 0 to 16384, not \"16385\""},
    {"--n 0", "--n takes a whole number from 1 to 1048576, not \"0\""},
    {"--n 1048577", "--n takes a whole number from 1 to 1048576, not \"1048577\""},
    {"--d 0", "--d takes a whole number from 1 to 65536, not \"0\""},
    {"--d 65537", "--d takes a whole number from 1 to 65536, not \"65537\""},
    {"--layers 0", "--layers takes a whole number from 1 to 1000, not \"0\""},
    {"--layers x", "--layers takes a whole number from 1 to 1000, not \"x\""},
};

START_TEST(what_cannot_be_done_is_refused)
{
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-11: %s", refused[i][1]);
        assert_died(sh("./lesson-11 --out out %s", refused[i][0]), line);
    }
    ck_assert_str_eq(names_in("."), "golden lesson-11");
}
END_TEST

START_TEST(any_seed_will_do)
{
    static const int seeds[] = {0,   1,   21,  34, 96,
                                100, 101, 102, 103}; /* rows that round worse, too */
    for (int i = 0; i < COUNT(seeds); i++) {
        assert_page(page_of("./lesson-11 --longest 0 --seed %d --out out", seeds[i]));
    }
}
END_TEST

Suite *lesson_11_suite(void)
{
    Suite *suite = suite_create("lesson 11");
    TCase *cases = new_case(suite, "lesson 11", enter_11);
    tcase_add_test(cases, the_state_after_each_key_is_that_of_all_keys_so_far);
    tcase_add_test(cases, without_a_maximum_it_breaks_where_a_float_ends);
    tcase_add_loop_test(cases, blocks_above_the_diagonal_are_left_out, 0, 4);
    tcase_add_test(cases, tables_have_the_numbers_of_the_formulas);
    tcase_add_test(cases, times_are_only_in_the_table);
    tcase_add_test(cases, a_model_of_ones_own);
    tcase_add_test(cases, what_cannot_be_done_is_refused);
    tcase_add_test(cases, any_seed_will_do);
    return suite;
}
