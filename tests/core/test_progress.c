/* The progress bar, on terminals of all widths and kinds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/progress.h"
#include "tests/core/suites.h"
#include "tests/helpers.h"

#define CLEAR "\r\033[K"

/* Three steps of 0.11 s, then thousands that take no time. */
static void work(const void *ignored)
{
    (void)ignored;
    struct Progress progress;
    progress_start(&progress, 5000, false);
    for (int step = 1; step <= 5000; step++) {
        if (step <= 3) {
            nanosleep(&(struct timespec){.tv_nsec = 110000000}, NULL);
        }
        progress_step(&progress, step, 1.0 / step);
    }
    progress_end(&progress);
}

struct Work {
    int steps;
    bool quiet;
    double loss;
};

/* Three steps have taken 300 s, by a clock that was set back; then come many more. */
static void work_slowly(const void *argument)
{
    const struct Work *w = argument;
    struct Progress progress;
    progress_start(&progress, w->steps, w->quiet);
    progress.start -= 300;
    progress.drawn -= 300;
    progress_step(&progress, 3, w->loss);
    progress_step(&progress, 999, w->loss);
    progress_end(&progress);
}

static const struct Work four_steps = {4, false, 1.0};

static void use_xterm(void)
{
    setenv("TERM", "xterm", 1);
}

static char *seen_from(void (*program)(const void *), const void *argument, int width)
{
    struct Ran ran = run_on_terminal(program, argument, width);
    ck_assert_int_eq(ran.status, 0);
    return ran.err;
}

START_TEST(the_bar_says_how_far_it_is_and_then_how_long_it_took)
{
    double seconds, speed;
    int drawn = 0, end = 0;
    char *seen = seen_from(work, NULL, 80), *last = strrchr(seen, '\r');
    assert_like(seen, CLEAR "[....] 1/5000  loss 1.0000  ... steps/s  ... left...");
    assert_like(seen, "..." CLEAR "[...] 3/5000  loss 0.3333  ...");
    for (const char *at = seen; (at = strstr(at, CLEAR)) != NULL; at++) {
        drawn++;
    }
    ck_assert(drawn >= 3 && drawn <= 20); /* ten a second, and this took a third of one */
    int read = sscanf(last, CLEAR "5000 steps in %lf s, %lf steps/s\n%n", &seconds, &speed, &end);
    ck_assert_msg(read == 2 && last[end] == '\0', "\"%s\"", last);
    ck_assert(seconds >= 0.3 && seconds < 30 && fabs(speed * seconds / 5000 - 1) < 0.2);
}
END_TEST

START_TEST(the_time_left_follows_from_the_time_taken)
{
    char *seen = seen_from(work_slowly, &four_steps, 80);
    ck_assert_msg(strstr(seen, "  1:40 left") || strstr(seen, "  1:41 left"), "\"%s\"", seen);
    assert_like(seen, "..." CLEAR "4 steps in 30..."); /* those were all there are */
}
END_TEST

/* A bar has at most 40 places; a terminal that does not tell its width has 80 columns. */
START_TEST(the_bar_fits_its_terminal)
{
    const struct Work odd = {4, false, 1e300};
    for (int width = 8; width <= 240; width++) {
        char *seen = seen_from(work_slowly, width % 2 ? &odd : &four_steps, width);
        ck_assert_int_eq(strncmp(seen, CLEAR, strlen(CLEAR)), 0);
        ck_assert_int_lt((int)strcspn(seen + strlen(CLEAR), "\r"), width);
    }
    assert_like(seen_from(work_slowly, &four_steps, 0), CLEAR "[...] 3/4...");
    ck_assert_ptr_null(strchr(seen_from(work_slowly, &four_steps, 20), ']'));
    const char *bar = strchr(seen_from(work_slowly, &four_steps, 200), '#');
    ck_assert_uint_eq(strcspn(bar, "."), 30); /* three of four steps */
    ck_assert_uint_eq(strcspn(bar, "]"), 40);
}
END_TEST

START_TEST(where_there_is_no_terminal_there_is_no_bar)
{
    static const struct Work quiet = {4, true, 1.0}, none = {0, false, 1.0};
    ck_assert_str_eq(run(work_slowly, &four_steps).err, "");
    ck_assert_str_eq(seen_from(work_slowly, &quiet, 80), "");
    ck_assert_str_eq(seen_from(work_slowly, &none, 80), "");
    setenv("TERM", "dumb", 1);
    ck_assert_str_eq(seen_from(work_slowly, &four_steps, 80), "");
    setenv("TERM", "", 1);
    ck_assert_str_eq(seen_from(work_slowly, &four_steps, 80), "");
    unsetenv("TERM");
    ck_assert_str_eq(seen_from(work_slowly, &four_steps, 80), "");
}
END_TEST

Suite *progress_suite(void)
{
    Suite *suite = suite_create("progress");
    TCase *cases = new_case(suite, "progress", use_xterm);
    if (terminals_exist()) {
        tcase_add_test(cases, the_bar_says_how_far_it_is_and_then_how_long_it_took);
        tcase_add_test(cases, the_time_left_follows_from_the_time_taken);
        tcase_add_test(cases, the_bar_fits_its_terminal);
        tcase_add_test(cases, where_there_is_no_terminal_there_is_no_bar);
    }
    return suite;
}
