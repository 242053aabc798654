/* Lesson 12: its tables against the formulas in double and with libm, its trainings against the same
   ones written with the core alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/decode.h"
#include "common/reversal.h"
#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

static void enter_12(void)
{
    enter_lesson("lesson-12");
}

START_TEST(options_have_bounds)
{
    static const char *const refused[][2] = {
        {"--steps 0", "--steps takes a whole number from 1 to 100000, not \"0\""},
        {"--tested 0", "--tested takes a whole number from 1 to 1000, not \"0\""},
        {"--tested 1001", "--tested takes a whole number from 1 to 1000, not \"1001\""},
        {"--study --seeds 21", "--seeds takes a whole number from 1 to 20, not \"21\""},
        {"--seeds 3", "--seeds 3: only the study takes several; add --study"},
        {"--study --seed 18446744073709551615 --seeds 2",
         "--seed 18446744073709551615 leaves no room for 2 seeds"},
    };
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-12: %s", refused[i][1]);
        assert_died(sh("./lesson-12 --out out %s", refused[i][0]), line);
    }
    ck_assert_str_eq(names_in("."), "golden lesson-12");
    assert_narrow(page_of("./lesson-12 --study --steps 1 --tested 1 --seeds 1 --out out "
                          "--seed 18446744073709551615"));
}
END_TEST

/* Section 3: slopes 1/4 to 1/256; buckets by logarithm; the mean cosine of four pairs. */
START_TEST(distances_are_the_formulas)
{
    char *page = page_of("./lesson-12 --steps 1 --tested 1 --out out"), line[200];
    assert_page(page);
    static const int distances[] = {1, 2, 3, 8, 15, 16, 18, 19, 24, 64, 127, 128, 1000};
    for (int i = 0; i < COUNT(distances); i++) {
        int d = distances[i];
        int bucket = d < 16 ? d : (int)fmin(31.0, 16.0 + floor(log(d / 16.0) / log(8.0) * 16.0));
        double left = 0.0;
        for (int pair = 0; pair < 4; pair++) {
            left += cos(d * pow(10000.0, -pair / 4.0)) / 4.0;
        }
        snprintf(line, sizeof line, "%10.3f%10.3f%10.3f%10.3f%8d%9.3f", d / 4.0, d / 16.0, d / 64.0,
                 d / 256.0, bucket, left);
        char start[20];
        snprintf(start, sizeof start, "\n  %8d", d);
        assert_like(after(page, start), line);
    }
    after(page, "  score         1.000   0.707   0.000  -0.707  -1.000");
}
END_TEST

/* The table behind section 8. */
START_TEST(stretches_are_the_formulas)
{
    page_of("./lesson-12 --steps 1 --tested 1 --out out");
    FILE *table = open_table("out/frequencies.tsv",
                             "model\tpair\ttrained\tfrequency\tinterpolation\tbase\tyarn\n");
    for (int row = 0; row < 64 + 16; row++) {
        int pairs = row < 64 ? 64 : 16, i = row < 64 ? row : row - 64, pair, trained;
        double factor = row < 64 ? 8.0 : 1.5, frequency, interpolation, base, yarn;
        char model[10];
        ck_assert_int_eq(fscanf(table, "%9s\t%d\t%d\t%lf\t%lf\t%lf\t%lf\n", model, &pair, &trained,
                                &frequency, &interpolation, &base, &yarn),
                         7);
        ck_assert_str_eq(model, row < 64 ? "large" : "ours");
        ck_assert(pair == i && trained == (row < 64 ? 4096 : 16));
        double plain = pow(10000.0, -2.0 * i / (2 * pairs)), turns = trained * plain / (2 * M_PI);
        double keep = fmin(1.0, fmax(0.0, (turns - 1.0) / 31.0));
        ck_assert_double_eq_tol(frequency, plain, 1e-8 * plain);
        ck_assert_double_eq_tol(interpolation, factor, 1e-6);
        ck_assert_double_eq_tol(base, pow(factor, i / (pairs - 1.0)), 1e-6);
        ck_assert_double_eq_tol(yarn, 1.0 / (keep + (1.0 - keep) / factor), 1e-6);
    }
    ck_assert_int_eq(fgetc(table), EOF);
}
END_TEST

/* The reverser once more. Rows stand at 0, 1, 2, ..., or, scattered, at random ones of the context:
   each place is taken with the chance that leaves every choice equally likely. */
enum { STEPS = 4, STRINGS = 64, TESTED = 3 };

static void stand(struct Batch *batch, int first, int rows, bool scattered, struct Rng *rng)
{
    for (int place = 0, left = rows; scattered && left > 0; place++) {
        if (rng_below(rng, CONTEXT - place) < left) {
            batch->positions[first + rows - left--] = place;
        }
    }
}

static struct Model *trained(enum PositionKind kind, bool scattered, uint64_t seed)
{
    struct ModelConfig config = model_config(VOCAB, CONTEXT, 64, 2, 2);
    struct Rng rng = rng_stream(seed, "train"), places = rng_stream(seed, "places");
    struct AdamW adamw;
    struct Batch batch;
    config.position = kind;
    struct Model *model = model_new(config, STRINGS);
    model_init(model, seed);
    adamw_new(&adamw, model->params.size, 0.003, 0.01);
    batch_new(&batch, STRINGS, CONTEXT);
    for (int step = 0; step < STEPS; step++) {
        batch_clear(&batch);
        for (int i = 0; i < STRINGS; i++) {
            int32_t tokens[CONTEXT], targets[CONTEXT];
            struct String s = string_draw(&rng, 3, 8);
            reversal_example(tokens, targets, &s, false);
            int first = batch.rows;
            batch_add(&batch, tokens, targets, 2 * s.length);
            stand(&batch, first, 2 * s.length, scattered, &places);
        }
        model_gradient(model, &batch);
        model_update(model, &adamw);
    }
    return model;
}

/* Strings and letters right, of TESTED strings of each length, one string after the other. */
static void count_right(int strings[LONGEST + 1], int letters[LONGEST + 1], struct Model *model,
                        bool scattered, uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "lengths"), places = rng_stream(seed, "test places");
    struct Batch batch;
    batch_new(&batch, 1, CONTEXT);
    memset(strings, 0, (LONGEST + 1) * sizeof *strings);
    memset(letters, 0, (LONGEST + 1) * sizeof *letters);
    for (int length = 3; length <= LONGEST; length++) {
        for (int i = 0; i < TESTED; i++) {
            struct String s = string_draw(&rng, length, length);
            int32_t tokens[CONTEXT], place[CONTEXT];
            memcpy(tokens, s.letters, sizeof s.letters);
            tokens[length] = SEPARATOR;
            for (int t = 0; t < CONTEXT; t++) {
                place[t] = t;
            }
            batch.positions = place;
            stand(&batch, 0, 2 * length, scattered, &places);
            int right = 0;
            for (int t = length + 1; t < 2 * length + 1; t++) {
                int32_t kept[CONTEXT];
                memcpy(kept, place, sizeof kept);
                batch_clear(&batch);
                batch_add(&batch, tokens, NULL, t);
                memcpy(place, kept, sizeof kept);
                model_forward(model, &batch);
                tokens[t] = argmax(model_logits(model, t - 1), VOCAB);
                right += tokens[t] == s.letters[2 * length - t];
            }
            strings[length] += right == length;
            letters[length] += right;
        }
    }
}

static void check_rows(FILE *table, const char *kind, const char *rows, uint64_t seed,
                       const int *strings, const int *letters)
{
    for (int length = 3; length <= LONGEST; length++) {
        char line[200], wanted[200];
        ck_assert(fgets(line, sizeof line, table) != NULL);
        snprintf(wanted, sizeof wanted, "%s\t%s\t%d\t%d\t%d\t%d\t%d\n", kind, rows, (int)seed,
                 length, strings[length], letters[length], TESTED);
        ck_assert_str_eq(line, wanted);
    }
}

START_TEST(the_training_is_that_of_the_core)
{
    static const enum PositionKind kinds[] = {
        POSITION_NONE,  POSITION_LEARNED, POSITION_SINUSOIDAL, POSITION_T5,
        POSITION_ALIBI, POSITION_ROPE,    POSITION_ROPE_HALVES};
    int strings[LONGEST + 1], letters[LONGEST + 1];
    page_of("./lesson-12 --steps %d --tested %d --seed 7 --out out", STEPS, TESTED);
    FILE *table =
        open_table("out/length.tsv", "kind\trows\tseed\tlength\tstrings\tletters\ttested\n");
    for (int i = 0; i < POSITION_KINDS; i++) {
        struct Model *model = trained(kinds[i], false, 7);
        count_right(strings, letters, model, false, 7);
        check_rows(table, position_name(kinds[i]), "from 0", 7, strings, letters);
        model_free(model);
    }
    ck_assert_int_eq(fgetc(table), EOF);
}
END_TEST

/* Of the study those rows that stand spread out, and how many there are of all. */
START_TEST(the_study_spreads_rows)
{
    int strings[LONGEST + 1], letters[LONGEST + 1], lines = 0, found = 0;
    char line[200];
    page_of("./lesson-12 --study --steps %d --tested %d --seeds 2 --out out", STEPS, TESTED);
    ck_assert_str_eq(names_in("out"), "study.tsv");
    FILE *table =
        open_table("out/study.tsv", "kind\trows\tseed\tlength\tstrings\tletters\ttested\n");
    struct Model *model = trained(POSITION_ROPE, true, 6);
    for (long at = ftell(table); fgets(line, sizeof line, table) != NULL; at = ftell(table)) {
        lines++;
        bool from_zero = strncmp(line, "rope\tspread, from 0\t6\t3\t", 24) == 0;
        if (from_zero || strncmp(line, "rope\tspread\t6\t3\t", 16) == 0) {
            fseek(table, at, SEEK_SET);
            count_right(strings, letters, model, !from_zero, 6);
            check_rows(table, "rope", from_zero ? "spread, from 0" : "spread", 6, strings, letters);
            lines += 9;
            found++;
        }
    }
    ck_assert_int_eq(found, 2);
    ck_assert_int_eq(lines, (15 + 6 + 8) * 2 * 10);
}
END_TEST

Suite *lesson_12_suite(void)
{
    Suite *suite = suite_create("lesson 12");
    TCase *cases = new_case(suite, "lesson 12", enter_12);
    tcase_add_test(cases, options_have_bounds);
    tcase_add_test(cases, distances_are_the_formulas);
    tcase_add_test(cases, stretches_are_the_formulas);
    tcase_add_test(cases, the_training_is_that_of_the_core);
    tcase_add_test(cases, the_study_spreads_rows);
    return suite;
}
