/* Lesson 13: its examples drawn, its model trained and asked once more, by other code. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/decode.h"
#include "common/loss.h"
#include "common/model.h"
#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

static void enter_13(void)
{
    enter_lesson("lesson-13");
}

START_TEST(options_have_bounds)
{
    static const char *const refused[][2] = {
        {"--steps 0", "--steps takes a whole number from 1 to 10000, not \"0\""},
        {"--pairs 1", "--pairs takes a whole number from 2 to 8, not \"1\""},
        {"--pairs 9", "--pairs takes a whole number from 2 to 8, not \"9\""},
        {"--most 3", "--most takes a whole number from 4 to 64, not \"3\""},
        {"--most 65", "--most takes a whole number from 4 to 64, not \"65\""},
        {"--clip -1", "--clip takes a number from 0 to 1e+06, not \"-1\""},
        {"--clip nan", "--clip takes a number from 0 to 1e+06, not \"nan\""},
        {"--seeds 0", "--seeds takes a whole number from 1 to 100, not \"0\""},
        {"--seeds 2 --seed 18446744073709551615",
         "--seed 18446744073709551615 leaves no room for 2 seeds"},
        {"--seeds 2 --most 8", "--most 8: with --seeds the lab runs alone, which has 8 keys"},
    };
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-13: %s", refused[i][1]);
        assert_died(sh("./lesson-13 --out out %s", refused[i][0]), line);
    }
    ck_assert_str_eq(names_in("."), "golden lesson-13");
}
END_TEST

/* An example as the lesson draws it: of each key, whether it is there, its value and its row. */
enum { KEYS = 8, VALUES = 8, TRAINED = 2048, TESTED = 384, BATCH = 64 };
struct Example {
    int pairs, question, value[KEYS]; /* -1: this key is not there */
    int32_t keys[KEYS + 1], values[KEYS + 1];
};
static struct Example examples[TRAINED + TESTED]; /* the test set behind the training set */

static struct Example draw(struct Rng *rng, int pairs)
{
    struct Example e = {.pairs = pairs};
    int deck[KEYS];
    for (int k = 0; k < KEYS; k++) {
        deck[k] = k;
        e.value[k] = -1;
    }
    for (int i = 0; i < pairs; i++) {
        int at = i + rng_below(rng, KEYS - i), key = deck[at];
        deck[at] = deck[i];
        e.keys[i] = key;
        e.values[i] = e.value[key] = rng_below(rng, VALUES);
    }
    e.question = e.keys[pairs] = e.keys[rng_below(rng, pairs)];
    e.values[pairs] = VALUES;
    return e;
}

static void draw_all(int pairs)
{
    struct Rng rngs[] = {rng_stream(5, "train"), rng_stream(5, "test")};
    for (int i = 0; i < TRAINED + TESTED;) {
        struct Example e = draw(&rngs[i >= TRAINED], pairs);
        bool fresh = true;
        for (int j = 0; j < i && fresh; j++) {
            fresh = e.question != examples[j].question ||
                    memcmp(e.value, examples[j].value, sizeof e.value) != 0;
        }
        if (fresh) {
            examples[i++] = e;
        }
    }
}

static void put_example(struct Batch *batch, const struct Example *e, bool query_only)
{
    int first = query_only ? e->pairs : 0, rows = e->pairs + 1 - first;
    int32_t targets[KEYS + 1];
    for (int i = 0; i < rows; i++) {
        targets[i] = i + 1 == rows ? e->value[e->question] : IGNORE;
    }
    int at = batch->rows;
    batch_add(batch, e->keys + first, targets, rows);
    for (int i = 0; i < rows; i++) {
        batch->positions[at + i] = e->values[first + i];
    }
}

/* The test set, changed or not: the loss; *right := how many answers are those of the examples. */
static double test(struct Model *model, const struct Example *e, bool query_only, int *right)
{
    struct Batch batch;
    double loss = 0.0;
    batch_new(&batch, TESTED, KEYS + 1);
    *right = 0;
    for (int i = 0; i < TESTED; i++) {
        batch_clear(&batch);
        put_example(&batch, &e[i], query_only);
        loss += model_forward(model, &batch) / TESTED;
        *right += argmax(model_logits(model, batch.rows - 1), KEYS) == e[i].value[e[i].question];
    }
    return loss;
}

/* A training with the steps of the core; losses and norms overwritten. */
static struct Model *trained(double *losses, double *norms, int steps, double longest,
                             bool query_only)
{
    struct ModelConfig config = model_config(KEYS, KEYS + 1, 32, 4, 1);
    config.d_ff = 64;
    config.activation = ACTIVATION_RELU;
    struct Model *model = model_new(config, BATCH);
    struct AdamW adamw;
    struct Batch batch;
    struct Rng rng = rng_stream(5, "batches");
    model_init(model, 5);
    adamw_new(&adamw, model->params.size, 0.005, 0.01);
    batch_new(&batch, BATCH, KEYS + 1);
    for (int step = 0; step < steps; step++) {
        batch_clear(&batch);
        for (int i = 0; i < BATCH; i++) {
            put_example(&batch, &examples[rng_below(&rng, TRAINED)], query_only);
        }
        losses[step] = model_gradient(model, &batch);
        norms[step] = model_update_clipped(model, &adamw, longest);
    }
    return model;
}

enum { STEPS = 40 };

static void check_losses(const double *losses, const double *norms, const double *blind,
                         double longest)
{
    FILE *table = open_table("out/loss.tsv", "step\tloss\tquery_only\tnorm\tclipped\n");
    double loss, query_only, norm, after;
    int step;
    for (int i = 0; i < STEPS; i++) {
        ck_assert_int_eq(
            fscanf(table, "%d\t%lf\t%lf\t%lf\t%lf\n", &step, &loss, &query_only, &norm, &after), 5);
        ck_assert_int_eq(step, i + 1);
        ck_assert_double_eq_tol(loss, losses[i], 1e-4 * losses[i]);
        ck_assert_double_eq_tol(query_only, blind[i], 1e-4 * blind[i]);
        ck_assert_double_eq_tol(norm, norms[i], 1e-3 * norms[i]);
        ck_assert_double_eq_tol(after, fmin(norm, longest), 1e-6 * norm);
    }
    ck_assert_int_eq(fgetc(table), EOF);
}

static void check_tests(struct Model *model, struct Model *blind)
{
    FILE *table =
        open_table("out/test.tsv", "step\tloss\tquery_only\tright\tquery_only_right\ttotal\n");
    double loss, query_only, wanted, wanted_blind;
    int step, right, right_blind, total, wanted_right, wanted_right_blind, n = 0;
    while (fscanf(table, "%d\t%lf\t%lf\t%d\t%d\t%d\n", &step, &loss, &query_only, &right,
                  &right_blind, &total) == 6) {
        ck_assert_int_eq(step, 10 * n++);
        ck_assert_int_eq(total, TESTED);
    }
    ck_assert(feof(table) && step == STEPS);
    wanted = test(model, examples + TRAINED, false, &wanted_right);
    wanted_blind = test(blind, examples + TRAINED, true, &wanted_right_blind);
    ck_assert_double_eq_tol(loss, wanted, 1e-3 * wanted);
    ck_assert_double_eq_tol(query_only, wanted_blind, 1e-3 * wanted_blind);
    ck_assert_int_le(abs(right - wanted_right), 1);
    ck_assert_int_le(abs(right_blind - wanted_right_blind), 1);
}

/* The number behind these words. */
static double told(const char *page, const char *words)
{
    return strtod(after(page, words), NULL);
}

static void check_percent(const char *page, const char *words, int right)
{
    double wanted = 100.0 * right / TESTED;
    ck_assert_msg(fabs(told(page, words) - wanted) < 0.35, "%s: %g, not %g", words,
                  told(page, words), wanted);
}

/* The controls of section 4, each made here by the keys and not by the rows. */
static void check_controls(const char *page, struct Model *model)
{
    static struct Example changed[TESTED];
    const struct Example *given = examples + TRAINED;
    int right;
    test(model, given, false, &right);
    check_percent(page, "  nothing is changed", right);
    test(model, given, true, &right);
    check_percent(page, "  no context: the last row alone", right);
    for (int other = 0; other < 3;
         other++) { /* its value, that of the row behind it, another key */
        static const char *const names[] = {"  its value is another",
                                            "  another row's value is another",
                                            "  another key is asked for"};
        memcpy(changed, given, sizeof changed);
        for (int i = 0; i < TESTED; i++) {
            struct Example *e = &changed[i];
            int row = 0;
            while (e->keys[row] != e->question) {
                row++;
            }
            row = (row + (other > 0)) % e->pairs;
            int key = e->keys[row];
            if (other == 2) {
                e->question = e->keys[e->pairs] = key;
            } else {
                e->values[row] = e->value[key] = (e->value[key] + 1) % VALUES;
            }
        }
        test(model, changed, false, &right);
        check_percent(page, names[other], right);
    }
}

/* What the key alone allows on the training set. */
static void check_least(const char *page)
{
    int count[KEYS][VALUES] = {{0}}, most = 0;
    double loss = 0.0;
    for (int i = 0; i < TRAINED; i++) {
        count[examples[i].question][examples[i].value[examples[i].question]]++;
    }
    for (int k = 0; k < KEYS; k++) {
        int all = 0, best = 0;
        for (int v = 0; v < VALUES; v++) {
            all += count[k][v];
            best = count[k][v] > best ? count[k][v] : best;
        }
        most += best;
        for (int v = 0; v < VALUES; v++) {
            loss -= count[k][v] > 0 ? count[k][v] * log((double)count[k][v] / all) / TRAINED : 0.0;
        }
    }
    ck_assert_double_eq_tol(told(page, "  alone allows is "), loss, 6e-5);
    ck_assert_double_eq_tol(told(strstr(page, "  alone allows is "), ", the most "),
                            100.0 * most / TRAINED, 0.06);
}

START_TEST(the_lab_is_that_of_the_core)
{
    static const struct {
        int pairs;
        double longest;
    } tried[] = {{4, 1.0}, {6, 0.5}};
    const int pairs = tried[_i].pairs;
    const double longest = tried[_i].longest;
    double losses[STEPS], norms[STEPS], blind[STEPS], ignored[STEPS];
    char *page = page_of("./lesson-13 --steps %d --most 4 --pairs %d --clip %g --out out", STEPS,
                         pairs, longest);
    assert_page(page);
    draw_all(pairs);
    struct Model *model = trained(losses, norms, STEPS, longest, false);
    struct Model *blind_model = trained(blind, ignored, STEPS, longest, true);
    check_losses(losses, norms, blind, longest);
    check_tests(model, blind_model);
    check_controls(page, model);
    check_least(page);
}
END_TEST

START_TEST(clipping_keeps_the_direction)
{
    char *page = page_of("./lesson-13 --steps 1 --most 4 --out out");
    const double g[] = {3.0, 4.0, 12.0}, each[] = {2.6 * 0.6, 2.6 * 0.8, 2.6};
    double length = sqrt(each[0] * each[0] + each[1] * each[1] + each[2] * each[2]);
    double cosine = (g[0] * each[0] + g[1] * each[1] + g[2] * each[2]) / (13.0 * length);
    char line[100];
    snprintf(line, sizeof line, "...%.2f  %.2f |  %.2f ... %.2f    %.3f", each[0], each[1], each[2],
             length, cosine);
    assert_like(after(page, "  each tensor by its own length"), line);
    assert_like(after(page, "  together, which is clipping"),
                "...0.60  0.80 |  2.40     2.60    1.000");
}
END_TEST

/* No training, no talk of what was learned; and the tables are whole. */
START_TEST(a_short_run_claims_nothing_it_did_not_learn)
{
    char *page = page_of("./lesson-13 --steps 2 --most 16 --out out"), reader[64];
    int pairs, few, any, same, commonest, total, place, right, rows = 0;
    assert_page(page);
    assert_without(page, "under a quarter");
    assert_without(page, "(2.22747)");
    FILE *table = open_table("out/pairs.tsv", "pairs\tfour\tany\tsame\tcommonest\ttotal\n");
    while (fscanf(table, "%d\t%d\t%d\t%d\t%d\t%d\n", &pairs, &few, &any, &same, &commonest,
                  &total) == 6) {
        ck_assert_int_eq(pairs, 1 << rows++);
        ck_assert(total == TESTED && few <= total && any <= total && same <= total);
        ck_assert(pairs > 1 || commonest == total); /* the only value is the commonest */
    }
    ck_assert(feof(table) && rows == 5);
    table = open_table("out/places.tsv", "reader\tplace\tright\ttotal\n");
    for (rows = 0; fscanf(table, "%63[^\t]\t%d\t%d\t%d\n", reader, &place, &right, &total) == 4;
         rows++) {
        ck_assert(place == rows % 16 + 1 && total == 64 && right >= 0 && right <= total);
    }
    ck_assert(feof(table) && rows == 3 * 16);
}
END_TEST

/* Gradients so short that AdamW's eps swallows them: nothing is learned, and the page says so. */
START_TEST(what_was_not_learned_fails)
{
    struct Ran ran = sh("./lesson-13 --seeds 1 --clip 1e-12 --out out");
    ck_assert_int_eq(ran.status, 1);
    assert_like(ran.out, "...0 of 1 pass.\n  FAILS  most seeds pass\n");
    ck_assert_str_eq(names_in("out"), "seeds.tsv");
}
END_TEST

START_TEST(a_seed_is_the_same_alone_and_among_others)
{
    char *last = page_of("./lesson-13 --seeds 1 --steps 3 --seed 18446744073709551615 --out out");
    assert_narrow(last);
    after(last, "\n  18446744073709551615\n        ");
    char *two = page_of("./lesson-13 --seeds 2 --steps 3 --seed 8 --out out");
    char *one = page_of("./lesson-13 --seeds 1 --steps 3 --seed 9 --out out");
    ck_assert_str_eq(after(two, "\n     9  "), after(one, "\n     9  "));
    assert_like(two, "...: 0 of 2 pass.\n");
}
END_TEST

Suite *lesson_13_suite(void)
{
    Suite *suite = suite_create("lesson 13");
    TCase *cases = new_case(suite, "lesson 13", enter_13);
    tcase_add_test(cases, options_have_bounds);
    tcase_add_loop_test(cases, the_lab_is_that_of_the_core, 0, 2);
    tcase_add_test(cases, clipping_keeps_the_direction);
    tcase_add_test(cases, a_short_run_claims_nothing_it_did_not_learn);
    tcase_add_test(cases, what_was_not_learned_fails);
    tcase_add_test(cases, a_seed_is_the_same_alone_and_among_others);
    return suite;
}
