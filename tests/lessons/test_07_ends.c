/* Terminals, and runs that cannot go on: no half of a file, no success that is none. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lessons/suites.h"
#include "tests/lessons/test_07.h"

static const char twenty[] = "./lesson-07" SMALL "--steps 20 --out out";

START_TEST(the_bar_is_for_terminals_only)
{
    static const char *const without[] = {"TERM=dumb ", "TERM=xterm "};
    char *plain = page_of("%s", twenty), command[200];
    setenv("TERM", "xterm-256color", 1);
    struct Ran ran = run_on_terminal(shell, twenty, 80);
    assert_like(ran.err, "...20 steps in ... steps/s\n");
    ck_assert_msg(strchr(ran.err, 'm') == NULL, "a colour in \"%s\"", ran.err); /* ESC [ ... m */
    assert_same_page(ran.out, plain);
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "%s%s%s", without[i], twenty, i == 1 ? " --quiet" : "");
        ran = run_on_terminal(shell, command, 80);
        ck_assert_str_eq(ran.err, "");
        assert_same_page(ran.out, plain);
    }
}
END_TEST

/* Ctrl-C in the middle of training leaves an earlier run's files alone, and makes no new ones. */
START_TEST(an_interrupt_leaves_whole_files)
{
    static const char *const commands[] = {
        "exec ./lesson-07" SMALL "--steps 100000 --out out --save out/w",
        "exec ./lesson-07" SMALL "--steps 100000 --out new --save new/w"};
    setenv("TERM", "xterm", 1);
    page_of("./lesson-07" SMALL "--steps 2 --out out --save out/w && cp -rp out before");
    for (int i = 0; i < COUNT(commands); i++) {
        FILE *seen;
        pid_t child = start_on_terminal(shell, commands[i], 80, tmpfile(), &seen);
        ck_assert_int_ne(getc(seen), EOF); /* the bar: it is training */
        ck_assert_int_eq(kill(child, SIGINT), 0);
        ck_assert_int_eq(wait_for(child), -SIGINT);
    }
    assert_same("out", "before");
    ck_assert_str_eq(names_in("new"), "");
}
END_TEST

/* Ten thousand roundings later the positions still are what decay alone makes of them. */
START_TEST(a_long_run_keeps_its_claims)
{
    char *page = page_of("./lesson-07 --width 4 --heads 1 --layers 1 --batch 1 --steps 10000 "
                         "--lr 1e-5 --out out");
    ck_assert_ptr_nonnull(strstr(page, "holds  nothing but weight decay touched them"));
}
END_TEST

/* At the end of training it either says that it diverged, or every number that it gives is one. */
START_TEST(a_diverged_run_is_no_success)
{
    static const char *const rates[] = {"1", "100", "101", "250", "1000"};
    static const int steps[] = {1, 39};
    int diverged = 0;
    for (int i = 0; i < COUNT(rates) * COUNT(steps); i++) {
        int n = steps[i % COUNT(steps)];
        struct Ran ran = sh("rm -rf out; ./lesson-07" SMALL "--lr %s --steps %d --out out",
                            rates[i / COUNT(steps)], n);
        if (ran.status == 0) {
            check_run(ran.out, n, SMALL_WIDTH, SMALL_HEADS, SMALL_LAYERS);
        } else {
            ran.out[0] = '\0'; /* the page breaks off */
            assert_died(
                ran, "lesson-07: training diverged in step ...: the first value that is not finite "
                     "is in ...; try a smaller --lr than...");
            ck_assert_str_eq(names_in("out"), "");
            diverged++;
        }
    }
    ck_assert_int_gt(diverged, 0);
}
END_TEST

/* It stops at once, and the message does not hang on the end of the bar. */
START_TEST(a_diverged_run_ends_its_bar_first)
{
    setenv("TERM", "xterm", 1);
    struct Ran ran = run_on_terminal(shell, "./lesson-07" SMALL "--lr 1000 --steps 39 --out o", 80);
    ck_assert_int_eq(ran.status, 2);
    assert_like(ran.err, "...8 steps in ... steps/s\nlesson-07: training diverged in step 9: the "
                         "first value that is not finite is in block 1, attention weights; try a "
                         "smaller --lr than 1000\n");
}
END_TEST

void add_07_ends(Suite *suite)
{
    TCase *cases = new_case(suite, "ends", enter_07);
    if (terminals_exist()) {
        tcase_add_test(cases, the_bar_is_for_terminals_only);
        tcase_add_test(cases, an_interrupt_leaves_whole_files);
        tcase_add_test(cases, a_diverged_run_ends_its_bar_first);
    }
    tcase_add_test(cases, a_long_run_keeps_its_claims);
    tcase_add_test(cases, a_diverged_run_is_no_success);
}
