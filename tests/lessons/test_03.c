/* Lesson 03: weights, leaks, losses and counts against the formulas, written down once more in
   double; and what it refuses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

enum { LONGEST = 10, LETTERS = 11, D = 8, FOUR = 4, NO_MASK = 4 };

static const char *const names[FOUR] = {"right", "score 0", "mask after", "over queries"};

static void enter_03(void)
{
    enter_lesson("lesson-03");
}

/* The letters' queries, keys, values and rows of the head. */
static double letters[3][LETTERS][D], head[LETTERS][D];

static void draw(uint64_t seed)
{
    float drawn[3 * LETTERS * D];
    struct Rng rng = rng_stream(seed, "mask");
    rng_normal(&rng, drawn, 3 * LETTERS * D);
    for (int i = 0; i < 3 * LETTERS * D; i++) {
        letters[i / (LETTERS * D)][i / D % LETTERS][i % D] = (double)drawn[i];
    }
    rng_uniform(&rng, drawn, LETTERS * D, 0.5f);
    for (int i = 0; i < LETTERS * D; i++) {
        head[i / D][i % D] = (double)drawn[i];
    }
}

struct Result {
    double e[LONGEST][LONGEST], weights[LONGEST][LONGEST], out[LONGEST][D];
};

/* Each weight by a formula of its own; no largest score is taken off, no -inf occurs. */
static void attend(struct Result *r, double (*q)[D], double (*k)[D], double (*v)[D], int T, int way)
{
    double row[LONGEST] = {0}, seen[LONGEST] = {0}, column[LONGEST] = {0};
    for (int t = 0; t < T; t++) {
        for (int j = 0; j < T; j++) {
            double dot = 0.0;
            for (int i = 0; i < D; i++) {
                dot += q[t][i] * k[j][i];
            }
            r->e[t][j] = exp(dot / sqrt(D));
            row[t] += r->e[t][j];
            seen[t] += j <= t ? r->e[t][j] : 0.0;
            column[j] += j <= t ? r->e[t][j] : 0.0;
        }
    }
    memset(r->out, 0, sizeof r->out);
    for (int t = 0; t < T; t++) {
        for (int j = 0; j < T; j++) {
            double e = r->e[t][j], none = j <= t ? e : 0.0;
            const double weights[] = {none / seen[t], (j <= t ? e : 1.0) / (seen[t] + T - 1 - t),
                                      none / row[t], none / column[j], e / row[t]};
            r->weights[t][j] = weights[way];
            for (int i = 0; i < D; i++) {
                r->out[t][i] += weights[way] * v[j][i];
            }
        }
    }
}

/* abc... with token changed as the spare letter, -1: none; second -1: one layer. */
static struct Result text(int T, int changed, int first, int second)
{
    double x[3][LONGEST][D];
    struct Result r, above;
    for (int i = 0; i < 3; i++) {
        for (int t = 0; t < T; t++) {
            memcpy(x[i][t], letters[i][t == changed ? LETTERS - 1 : t], sizeof x[i][t]);
        }
    }
    attend(&r, x[0], x[1], x[2], T, first);
    if (second < 0) {
        return r;
    }
    attend(&above, r.out, r.out, r.out, T, second);
    return above;
}

static double moved(int T, int output, int changed, int first, int second)
{
    struct Result a = text(T, -1, first, second), b = text(T, changed, first, second);
    double most = 0.0;
    for (int i = 0; i < D; i++) {
        most = fmax(most, fabs(a.out[output][i] - b.out[output][i]));
    }
    return most;
}

static double loss(const struct Result *r, int t)
{
    double sum = 0.0, logit = 0.0;
    for (int n = LETTERS - 1; n >= 0; n--) {
        double z = 0.0;
        for (int i = 0; i < D; i++) {
            z += r->out[t][i] * head[n][i];
        }
        sum += exp(z);
        logit = n == t + 1 ? z : logit;
    }
    return log(sum) - logit;
}

static bool about(double got, double wanted, double tolerance)
{
    return fabs(got - wanted) <= tolerance; /* not so for NaN */
}

static void check_weights(int T)
{
    char name[30];
    double weight;
    FILE *table = open_table("out/weights.tsv", "way\tquery\tkey\tweight\n");
    for (int i = 0, t, j; i < FOUR * T * T; i++) {
        int way = i / (T * T);
        int n = fscanf(table, "%29[^\t]\t%d\t%d\t%lf\n", name, &t, &j, &weight);
        ck_assert(n == 4 && t == i / T % T && j == i % T);
        ck_assert_str_eq(name, names[way]);
        double wanted = text(T, -1, way, -1).weights[t][j];
        if (!about(weight, wanted, 2e-6) || (wanted == 0.0 && weight != 0.0)) {
            ck_abort_msg("%s, query %d, key %d: %g, not %g", name, t, j, weight, wanted);
        }
    }
    ck_assert_int_eq(fgetc(table), EOF);
}

static void check_leaks(const char *page, int T)
{
    static const struct {
        const char *name;
        int first, second;
        bool tight;
    } stacks[] = {{"right", 0, -1, true},
                  {"score 0", 1, -1, false},
                  {"mask after", 2, -1, false},
                  {"over queries", 3, -1, false},
                  {"both layers", 0, 0, true},
                  {"first only", 0, NO_MASK, false},
                  {"second only", NO_MASK, 0, false}};
    char name[30], line[200];
    double got;
    FILE *table = open_table("out/leak.tsv", "way\toutput\tchanged\tmoved\n");
    for (int i = 0, output, changed; i < COUNT(stacks) * T * T; i++) {
        int s = i / (T * T);
        int n = fscanf(table, "%29[^\t]\t%d\t%d\t%lf\n", name, &output, &changed, &got);
        ck_assert(n == 4 && output == i / T % T && changed == i % T);
        ck_assert_str_eq(name, stacks[s].name);
        double wanted = moved(T, output, changed, stacks[s].first, stacks[s].second);
        if (!about(got, wanted, 2e-5) || (stacks[s].tight && changed > output && got != 0.0)) {
            ck_abort_msg("%s, output %d, token %d: %g, not %g", name, output, changed, got, wanted);
        }
    }
    ck_assert_int_eq(fgetc(table), EOF);
    int pairs = T * (T - 1) / 2;
    snprintf(line, sizeof line, "leaks, of %d: ", pairs);
    char *one = after(page, line);
    snprintf(line, sizeof line, "right 0, score 0 %d, mask after %d, over queries %d", pairs, pairs,
             pairs);
    ck_assert_str_eq(one, line);
    snprintf(line, sizeof line,
             "...leaks, of %d: both layers 0, first only %d, second only %d\n...", pairs, pairs,
             pairs);
    assert_like(page, line);
}

/* The row before the token that is changed, and the two fractions. */
static void check_change(const char *page, int T, int j)
{
    char line[100];
    for (int way = 0; way < FOUR; way++) {
        struct Result r[2] = {text(T, -1, way, -1), text(T, j, way, -1)};
        double by, out, most = 0.0;
        snprintf(line, sizeof line, "\n  %-12s  weights move by ", names[way]);
        ck_assert_int_eq(sscanf(after(page, line), "%lf, the output by %lf", &by, &out), 2);
        for (int key = 0; key < T; key++) {
            most = fmax(most, fabs(r[0].weights[j - 1][key] - r[1].weights[j - 1][key]));
        }
        ck_assert(about(by, most, 0.00051) && about(out, moved(T, j - 1, j, way, -1), 0.00051));
        ck_assert_int_eq(strstr(after(page, line), "not one bit") != NULL, way == 0);
    }
    int key = after(page, "\n  Over queries, a weight for ")[0] - 'a', row = j - 1;
    struct Result both[2] = {text(T, -1, 3, -1), text(T, j, 3, -1)};
    for (int n = 0; n < T; n++) { /* it takes the weight that moves most */
        ck_assert_double_le(fabs(both[1].weights[row][n] - both[0].weights[row][n]),
                            fabs(both[1].weights[row][key] - both[0].weights[row][key]) + 1e-6);
    }
    for (int i = 0; i < 2; i++) {
        double above, below, weight, sum = 0.0;
        for (int t = key; t < T; t++) {
            sum += both[i].e[t][key];
        }
        snprintf(line, sizeof line, "the weight of %c for %c, %s: ", 'a' + row, 'a' + key,
                 i == 0 ? "before" : "after");
        ck_assert_int_eq(sscanf(after(page, line), "%lf / %lf = %lf", &above, &below, &weight), 3);
        ck_assert(about(above, both[i].e[row][key], 0.00051) && about(below, sum, 0.00051));
        ck_assert(about(weight, both[i].weights[row][key], 0.00051));
    }
}

static void check_losses(const char *page, int T)
{
    char line[200];
    int scores = 0;
    for (int t = 0; t < T; t++) {
        double got[4];
        snprintf(line, sizeof line, "\n  %-10.*s  %c ", t + 1, "abcdefghij", 'a' + t + 1);
        ck_assert_int_eq(
            sscanf(after(page, line), "%lf %lf %lf %lf", &got[0], &got[1], &got[2], &got[3]), 4);
        for (int i = 0; i < 4; i++) { /* the whole text or up to here; right or over queries */
            struct Result r = text(i % 2 == 0 ? T : t + 1, -1, i < 2 ? 0 : 3, -1);
            ck_assert_double_eq_tol(got[i], loss(&r, t), 1e-5);
        }
        ck_assert(got[0] == got[1] && (got[2] == got[3]) == (t == T - 1));
        scores += (t + 1) * (t + 1);
    }
    snprintf(line, sizeof line,
             "...right %d, score 0 1, mask after 1,\n  over queries 1; it took "
             "%d scores in one pass, %d in all prefixes\n...",
             T, T * T, scores);
    assert_like(page, line);
}

static void check_empty(const char *page, int T)
{
    char line[300];
    snprintf(line, sizeof line,
             "...\n  -INFINITY %12d%9d%9d\n  -1e9      %12d%9d%9d\n"
             "  +INFINITY %12d%9d%9d\n...",
             0, 1, T, 0, 0, 0, T - 1, T, T);
    assert_like(page, line);
    char *nan = after(page, "\n  -INFINITY    NaN"), *even = after(page, "\n  -1e9       0");
    ck_assert_uint_eq(strlen(nan), 6 * ((size_t)T - 1));
    for (int j = 1; j < T; j++) {
        ck_assert_int_eq(strncmp(nan + 6 * (j - 1), "   NaN", 6), 0);
        ck_assert(about(strtod(even + 6 * j - 2, NULL), 1.0 / T, 0.00051));
    }
}

static void check_cost(const char *page)
{
    int tokens = 64, T, scores, seen;
    FILE *table = open_table("out/cost.tsv", "tokens\tscores\tseen\n");
    for (; fscanf(table, "%d\t%d\t%d\n", &T, &scores, &seen) == 3; tokens *= 2) {
        ck_assert(T == tokens && scores == T * T && seen == T * T - T * (T - 1) / 2);
    }
    ck_assert(feof(table) && tokens == 1024);
    assert_like(page, "...\n     512     262,144 ... 131,328 ... 131,072 ... 4.00\n...");
    assert_like(page, "...48 heads: 12,582,912 scores (Sprout: 262,144 a head, over 12...");
}

static const struct {
    const char *arguments;
    int seed, length, change;
} runs[] = {
    {"", 5, 6, 5},
    {"--length 2", 5, 2, 1},
    {"--length 10", 5, 10, 9},
    {"--change 1 --length 3 --seed 1", 1, 3, 1},
    {"--seed 2 --length 9 --change 4", 2, 9, 4},
    {"--seed 0 --length 7 --change 6", 0, 7, 6},
};

START_TEST(the_numbers_are_those_of_the_formulas)
{
    int T = runs[_i].length;
    char *page = page_of("./lesson-03 --out out %s", runs[_i].arguments);
    draw((uint64_t)runs[_i].seed);
    assert_page(page);
    check_weights(T);
    check_change(page, T, runs[_i].change);
    check_leaks(page, T);
    check_losses(page, T);
    check_empty(page, T);
    check_cost(page);
}
END_TEST

START_TEST(it_holds_for_every_text_and_for_any_letters)
{
    for (int length = 2; length <= LONGEST; length++) {
        for (int change = 1; change < length; change++) {
            char *page = page_of("./lesson-03 --out out --length %d --change %d --seed %d", length,
                                 change, 100 * length + change);
            assert_page(page);
            for (char *line = strtok(page, "\n"); line != NULL; line = strtok(NULL, "\n")) {
                ck_assert_uint_le(strlen(line), 80);
            }
        }
    }
}
END_TEST

START_TEST(attend_is_held_against_common)
{
    static const char *const ways[] = {"causal, over keys", "causal, over queries",
                                       "no mask, over keys", "no mask, over queries"};
    char *page = page_of("./lesson-03 --out out");
    for (int i = 0; i < COUNT(ways); i++) {
        double apart = strtod(after(page, ways[i]), NULL);
        ck_assert(apart >= 0.0 && apart <= 4e-6);
        ck_assert_int_eq(apart == 0.0, i % 2 == 1); /* over keys sums have another order */
    }
}
END_TEST

START_TEST(another_seed_is_another_page)
{
    page_of("./lesson-03 --out one --seed 1");
    page_of("./lesson-03 --out two --seed 2");
    ck_assert_int_ne(sh("cmp one/weights.tsv two/weights.tsv").status, 0);
    ck_assert_int_ne(sh("cmp one/leak.tsv two/leak.tsv").status, 0);
    ck_assert_int_eq(sh("cmp one/cost.tsv two/cost.tsv").status, 0);
}
END_TEST

static const char *const refused[][2] = {
    {"--length 1", "--length takes a whole number from 2 to 10, not \"1\""},
    {"--length 11", "--length takes a whole number from 2 to 10, not \"11\""},
    {"--length x", "--length takes a whole number from 2 to 10, not \"x\""},
    {"--change 0", "--change takes a whole number from 1 to 9, not \"0\""},
    {"--change 10", "--change takes a whole number from 1 to 9, not \"10\""},
    {"--change 6", "--change 6: with 6 tokens it takes 1 to 5, a token with others before it"},
    {"--length 2 --change 2",
     "--change 2: with 2 tokens it takes 1 to 1, a token with others before it"},
};

START_TEST(what_cannot_be_done_is_refused)
{
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-03: %s", refused[i][1]);
        assert_died(sh("./lesson-03 --out out %s", refused[i][0]), line);
        ck_assert_str_eq(names_in("."), "golden lesson-03");
    }
}
END_TEST

START_TEST(help_names_its_options_and_their_defaults)
{
    assert_like(page_of("./lesson-03 --help"),
                "usage: lesson-03 [options]\n...\n  --length T ...6)\n  --change J ...the last)\n"
                "  --seed N ...");
}
END_TEST

Suite *lesson_03_suite(void)
{
    Suite *suite = suite_create("lesson 03");
    TCase *cases = new_case(suite, "lesson 03", enter_03);
    tcase_add_loop_test(cases, the_numbers_are_those_of_the_formulas, 0, COUNT(runs));
    tcase_add_test(cases, it_holds_for_every_text_and_for_any_letters);
    tcase_add_test(cases, attend_is_held_against_common);
    tcase_add_test(cases, another_seed_is_another_page);
    tcase_add_test(cases, what_cannot_be_done_is_refused);
    tcase_add_test(cases, help_names_its_options_and_their_defaults);
    return suite;
}
