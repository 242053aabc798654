/* Lesson 08: its options, and that the page says what the tables hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

#define QUICK " --steps 30 --width 8 "
enum { RUNS = 6, WINDOW = 25, MOST_STEPS = 400 };
static const char *const runs[RUNS] = {"reference", "no-scale",       "query-axis",
                                       "no-mask",   "every-position", "stacked"};

static void enter_08(void)
{
    enter_lesson("lesson-08");
}

static const char *const refused[][2] = {
    {"--run nothing", "--run takes reference, no-scale, ..., not \"nothing\""},
    {"--run ''", "--run ..."},
    {"--seeds 0", "--seeds takes a whole number from 1 to 100, not \"0\""},
    {"--seeds 101", "--seeds takes a whole number from 1 to 100, not \"101\""},
    {"--steps 0", "--steps takes a whole number from 1 to 100000, not \"0\""},
    {"--width 0", "--width takes a whole number from 2 to 1024, not \"0\""},
    {"--lr -1", "--lr takes a number from 0 to 1000, not \"-1\""},
    {"--seed 18446744073709551615 --seeds 2",
     "--seed 18446744073709551615 leaves no room for 2 ..."},
    {"--width 9", "--width 9 cannot be split among 2 heads: it must be even"},
};

START_TEST(what_cannot_be_done_is_refused)
{
    const char *names = names_in(".");
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-08: %s", refused[i][1]);
        assert_died(sh("./lesson-08" QUICK "--out out %s", refused[i][0]), line);
        ck_assert_str_eq(names_in("."), names);
    }
}
END_TEST

/* losses of one run and seed, from step 1; how many. */
static int losses_of_run(double losses[MOST_STEPS], const char *run, int seed)
{
    FILE *table = open_table("out/loss.tsv", "run\tseed\tstep\tloss\n");
    char name[40];
    int of, step, count = 0;
    double loss;
    while (fscanf(table, "%39s %d %d %lf", name, &of, &step, &loss) == 4) {
        if (strcmp(name, run) == 0 && of == seed) {
            ck_assert(step == count + 1 && isfinite(loss) && loss > 0.0);
            losses[count++] = loss;
        }
    }
    fclose(table);
    return count;
}

/* The first step at which the mean of 25 is below the mark, and the mean of all, by hand. */
static int first_below(const double *losses, int count, double mark)
{
    for (int step = WINDOW; step <= count; step++) {
        double sum = 0.0;
        for (int i = step - WINDOW; i < step; i++) {
            sum += losses[i];
        }
        if (sum / WINDOW < mark) {
            return step;
        }
    }
    return 0;
}

START_TEST(the_summary_says_what_the_losses_are)
{
    page_of("./lesson-08 --steps 90 --width 32 --run no-mask --seeds 2 --seed 3 --out out");
    FILE *table =
        open_table("out/summary.tsv", "run\tseed\tfirst_below\tlast_mean\taccuracy\ttold\n");
    for (int seed = 3; seed <= 4; seed++) {
        double losses[MOST_STEPS], last, itself, told, sum = 0.0;
        char name[40];
        int of, below;
        ck_assert_int_eq(losses_of_run(losses, "no-mask", seed), 90);
        ck_assert_int_eq(
            fscanf(table, "%39s %d %d %lf %lf %lf", name, &of, &below, &last, &itself, &told), 6);
        for (int i = 0; i < 90; i++) {
            sum += losses[i];
        }
        ck_assert_int_eq(of, seed);
        ck_assert_int_eq(below, first_below(losses, 90, 0.01));
        ck_assert_double_eq_tol(last, sum / 90, 1e-6);
        ck_assert(itself >= 0.0 && itself < told && told <= 100.0);
    }
}
END_TEST

/* 500 strings a run, as many right as the page says in percent. */
START_TEST(the_page_says_what_the_tables_hold)
{
    char *page = page_of("./lesson-08" QUICK "--out out");
    assert_page(page);
    FILE *table = open_table("out/accuracy.tsv", "run\tseed\tlength\tright\ttotal\n");
    for (int run = 0; run < RUNS; run++) {
        int right = 0, total = 0;
        for (int length = 3; length <= 8; length++) {
            char name[40];
            int seed, n, r, t;
            ck_assert_int_eq(fscanf(table, "%39s %d %d %d %d", name, &seed, &n, &r, &t), 5);
            ck_assert_str_eq(name, runs[run]);
            ck_assert(n == length && r >= 0 && r <= t);
            right += r;
            total += t;
        }
        ck_assert_int_eq(total, 500);
        char begin[40], percent[16];
        snprintf(begin, sizeof begin, "\n  %-15s never", runs[run]);
        snprintf(percent, sizeof percent, " %.1f%%", right / 5.0);
        ck_assert_msg(strstr(after(page, begin), percent) != NULL, "%s: %s", runs[run], percent);
    }
}
END_TEST

/* A page of another learning rate says so, holds no number of the chapter, and trains with it. */
START_TEST(the_learning_rate_is_an_option)
{
    char *page = page_of("./lesson-08 --run reference --steps 30 --width 8 --lr 0.001 --out out");
    ck_assert(strstr(page, "\n  seed 5, learning rate 0.001\n") != NULL);
    double slow[MOST_STEPS], usual[MOST_STEPS];
    ck_assert_int_eq(losses_of_run(slow, "reference", 5), 30);
    page = page_of("./lesson-08" QUICK "--run reference --out out");
    ck_assert(strstr(page, "\n  seed 5\n") != NULL);
    ck_assert_int_eq(losses_of_run(usual, "reference", 5), 30);
    ck_assert(slow[0] == usual[0] && slow[29] > usual[29]);
}
END_TEST

/* The reference is lesson 07's training, to the last bit; the others are not. */
START_TEST(the_reference_is_the_training_of_lesson_07)
{
    ck_assert_int_eq(symlink(in_checkout("lesson-07"), "lesson-07"), 0);
    page_of("./lesson-07 --steps 12 --seed 2 --out seven");
    page_of("./lesson-08 --steps 12 --seed 2 --out out");
    double seven[MOST_STEPS], ours[MOST_STEPS];
    FILE *table = open_table("seven/loss.tsv", "step\tloss\n");
    for (int i = 0, step; i < 12; i++) {
        ck_assert_int_eq(fscanf(table, "%d %lf", &step, &seven[i]), 2);
    }
    for (int run = 0; run < RUNS; run++) {
        ck_assert_int_eq(losses_of_run(ours, runs[run], 2), 12);
        bool same = memcmp(ours, seven, 12 * sizeof *seven) == 0;
        ck_assert_msg(same == (run == 0), "%s", runs[run]);
    }
}
END_TEST

/* Alone or among the others, a run is the same run. */
START_TEST(one_run_alone_is_that_run)
{
    double among[MOST_STEPS], alone[MOST_STEPS];
    page_of("./lesson-08" QUICK "--out out");
    for (int run = 0; run < RUNS; run++) {
        ck_assert_int_eq(losses_of_run(among, runs[run], 5), 30);
        sh("rm -rf all; mv out all");
        assert_page(page_of("./lesson-08" QUICK "--run %s --out out", runs[run]));
        ck_assert_int_eq(losses_of_run(alone, runs[run], 5), 30);
        ck_assert(memcmp(among, alone, 30 * sizeof *alone) == 0);
        sh("rm -rf out; mv all out");
    }
}
END_TEST

Suite *lesson_08_suite(void)
{
    Suite *suite = suite_create("lesson 08");
    TCase *cases = new_case(suite, "lesson 08", enter_08);
    tcase_add_test(cases, what_cannot_be_done_is_refused);
    tcase_add_test(cases, the_summary_says_what_the_losses_are);
    tcase_add_test(cases, the_page_says_what_the_tables_hold);
    tcase_add_test(cases, the_learning_rate_is_an_option);
    tcase_add_test(cases, the_reference_is_the_training_of_lesson_07);
    tcase_add_test(cases, one_run_alone_is_that_run);
    return suite;
}
