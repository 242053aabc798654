/* Lesson 09: the masks against rules written down once more, weights against the formula in double,
   the losses of the trainings against those of the core; and what it refuses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/loss.h"
#include "common/model.h"
#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

enum { MASKS = 6 };
static const char *const names[MASKS] = {"causal", "padding",   "window",
                                         "prefix", "documents", "together"};

static void enter_09(void)
{
    enter_lesson("lesson-09");
}

/* Is query i to see key j of T? */
static bool sees(int mask, int i, int j, int T, int window, int prefix)
{
    int cut = 3 * T / 8;
    bool near = j > i - window && j < i + window, same = (i < cut) == (j < cut);
    const bool seen[MASKS] = {
        j <= i, j < T - 2, near, j <= i || j < prefix, same, j <= i && near && same && j > 1};
    return seen[mask];
}

static const struct {
    const char *options;
    int T, window, prefix;
} runs[] = {
    {"", 8, 3, 3},
    {"--tokens 6 --window 1 --prefix 0", 6, 1, 0},
    {"--tokens 10 --window 10 --prefix 10 --seed 3", 10, 10, 10},
    {"--tokens 9 --window 2 --prefix 1 --seed 4", 9, 2, 1},
    {"--tokens 7 --window 4 --prefix 6", 7, 4, 6},
};

START_TEST(the_masks_are_those_of_the_rules)
{
    char *page = page_of("./lesson-09 --steps 0 --out out %s", runs[_i].options), name[20];
    int T = runs[_i].T, seen, pairs[MASKS] = {0}, hidden[MASKS] = {0};
    assert_page(page);
    FILE *table = open_table("out/masks.tsv", "mask\tquery\tkey\tseen\n");
    for (int n = 0, i, j; n < MASKS * T * T; n++) {
        int m = n / (T * T);
        ck_assert_int_eq(fscanf(table, "%19[^\t]\t%d\t%d\t%d\n", name, &i, &j, &seen), 4);
        ck_assert(strcmp(name, names[m]) == 0 && i == n / T % T && j == n % T);
        ck_assert_int_eq(seen, sees(m, i, j, T, runs[_i].window, runs[_i].prefix));
        pairs[m] += seen && i != j;
        hidden[m] += !seen && i != j;
    }
    ck_assert_int_eq(fgetc(table), EOF);
    for (int m = 0; m < MASKS; m++) { /* section 5: who may be seen moves, and nobody else */
        char line[30];
        int got[4];
        snprintf(line, sizeof line, "\n  %-11s   ", names[m]);
        sscanf(after(strstr(page, "who moves"), line), "%d %d %d %d", &got[0], &got[1], &got[2],
               &got[3]);
        ck_assert(got[0] == pairs[m] && got[1] == pairs[m] && got[2] == hidden[m] && got[3] == 0);
    }
}
END_TEST

START_TEST(it_holds_for_any_seed)
{
    for (int seed = 1; seed <= 6; seed++) {
        char *page = page_of("./lesson-09 --out out --seed %d", seed);
        assert_page(page);
        for (char *line = strtok(page, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            ck_assert_uint_le(strlen(line), 80);
        }
    }
}
END_TEST

/* Section 4: the weights and outputs of the short text, head 0, from the same random numbers. */
START_TEST(the_batch_is_attention)
{
    enum { T = 5, D = 4, SHORT = 3 };
    float x[3][T * D]; /* queries, keys, values */
    struct Rng rng = rng_stream(5, "batch");
    char *page = page_of("./lesson-09 --steps 0 --out out");
    for (int head = 0; head < 3; head++) { /* two heads of the long text go before */
        for (int i = 0; i < 3; i++) {
            rng_normal(&rng, x[i], T * D);
        }
    }
    for (int t = 0; t < T; t++) {
        char line[20], *rest;
        double e[T] = {0}, sum = 0.0, out[D] = {0};
        for (int j = 0; j <= t && j < SHORT; j++) {
            double dot = 0.0;
            for (int c = 0; c < D; c++) {
                dot += (double)x[0][t * D + c] * (double)x[1][j * D + c];
            }
            sum += e[j] = exp(dot / 2.0);
        }
        snprintf(line, sizeof line, "\n  %d %-5s ", t, t < SHORT ? "" : "pad");
        rest = after(strstr(page, "head 0; "), line);
        for (int j = 0; j < T; j++) {
            rest += strspn(rest, " ");
            double weight = *rest == '.' ? (rest++, 0.0) : strtod(rest, &rest);
            ck_assert_double_eq_tol(weight, e[j] / sum, 5.1e-4);
            for (int c = 0; c < D; c++) {
                out[c] += e[j] / sum * (double)x[2][j * D + c];
            }
        }
        ck_assert_double_eq(strtod(rest, &rest), 1.0);
        for (int c = 0; c < D; c++) {
            ck_assert_double_eq_tol(strtod(rest, &rest), out[c], 5.1e-4);
        }
    }
}
END_TEST

/* The first steps of the trainings, by the core alone. */
START_TEST(the_trainings_are_those_of_the_core)
{
    enum { STEPS = 20, BATCH = 32, READ = 8, BOS = 8, EOS = 9 };
    double got[3], losses[STEPS][3];
    int step;
    page_of("./lesson-09 --steps %d --out out", STEPS);
    for (int shift = 0; shift < 3; shift++) {
        struct Model *model = model_new(model_config(10, READ, 32, 2, 1), BATCH);
        struct Rng rng = rng_stream(5, "clock");
        struct AdamW adamw;
        struct Batch batch;
        model_init(model, 5);
        adamw_new(&adamw, model->params.size, 0.003, 0.01);
        batch_new(&batch, BATCH, READ);
        for (int i = 0; i < STEPS; i++) {
            batch_clear(&batch);
            for (int s = 0; s < BATCH; s++) {
                int n = rng_below(&rng, 512), hour = n & 7;
                int32_t text[READ + 3] = {BOS, hour};
                for (int t = 2; t < READ; t++) {
                    hour += n & 1 << (t + 1) ? 2 : 1;
                    text[t] = hour & 7;
                }
                text[READ] = EOS;
                text[READ + 1] = text[READ + 2] = IGNORE;
                batch_add(&batch, text, text + shift, READ);
            }
            adamw.lr = 0.003 * (STEPS - i) / STEPS;
            losses[i][shift] = model_gradient(model, &batch);
            model_update(model, &adamw);
        }
    }
    FILE *table = open_table("out/labels.tsv", "step\tunshifted\tonce\ttwice\n");
    for (int i = 0; i < STEPS; i++) {
        ck_assert_int_eq(fscanf(table, "%d\t%lf\t%lf\t%lf\n", &step, &got[0], &got[1], &got[2]), 4);
        ck_assert_int_eq(step, i + 1);
        for (int shift = 0; shift < 3; shift++) {
            ck_assert_double_eq_tol(got[shift], losses[i][shift], 1e-6);
        }
    }
    ck_assert_int_eq(fgetc(table), EOF);
    table = open_table("out/least.tsv", "unshifted\tonce\ttwice\n");
    ck_assert_int_eq(fscanf(table, "%lf\t%lf\t%lf\n", &got[0], &got[1], &got[2]), 3);
    ck_assert_double_eq(got[0], 0.0); /* ln 8 and six times ln 2; ln 8 and five times 3/2 ln 2 */
    ck_assert_double_eq_tol(got[1], (3.0 + 6.0) * log(2.0) / 8.0, 1e-6);
    ck_assert_double_eq_tol(got[2], (3.0 + 5.0 * 1.5) * log(2.0) / 7.0, 1e-6);
}
END_TEST

START_TEST(of_little_training_little_is_claimed)
{
    static const char words[] = "After fewer than 400 steps nothing is claimed";
    after(page_of("./lesson-09 --steps 399 --out out"), "  After fewer than 400 steps nothing");
    assert_without(page_of("./lesson-09 --steps 400 --out out"), words);
    page_of("./lesson-09 --steps 0 --out out");
    ck_assert_str_eq(content("out/labels.tsv", NULL), "step\tunshifted\tonce\ttwice\n");
}
END_TEST

static const char *const refused[][2] = {
    {"--tokens 5", "--tokens takes a whole number from 6 to 10, not \"5\""},
    {"--tokens 11", "--tokens takes a whole number from 6 to 10, not \"11\""},
    {"--window 0", "--window takes a whole number from 1 to 10, not \"0\""},
    {"--window 11", "--window takes a whole number from 1 to 10, not \"11\""},
    {"--prefix -1", "--prefix takes a whole number from 0 to 10, not \"-1\""},
    {"--prefix 9", "--prefix 9: there are 8 tokens, and it takes 0 to 8"},
    {"--tokens 6 --prefix 7", "--prefix 7: there are 6 tokens, and it takes 0 to 6"},
    {"--steps -1", "--steps takes a whole number from 0 to 10000, not \"-1\""},
    {"--steps 10001", "--steps takes a whole number from 0 to 10000, not \"10001\""},
};

START_TEST(what_cannot_be_done_is_refused)
{
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-09: %s", refused[i][1]);
        assert_died(sh("./lesson-09 --out out %s", refused[i][0]), line);
        ck_assert_str_eq(names_in("."), "golden lesson-09");
    }
}
END_TEST

Suite *lesson_09_suite(void)
{
    Suite *suite = suite_create("lesson 09");
    TCase *cases = new_case(suite, "lesson 09", enter_09);
    tcase_add_loop_test(cases, the_masks_are_those_of_the_rules, 0, COUNT(runs));
    tcase_add_test(cases, it_holds_for_any_seed);
    tcase_add_test(cases, the_batch_is_attention);
    tcase_add_test(cases, the_trainings_are_those_of_the_core);
    tcase_add_test(cases, of_little_training_little_is_claimed);
    tcase_add_test(cases, what_cannot_be_done_is_refused);
    return suite;
}
