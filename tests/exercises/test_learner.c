/* What a learner does at the command line, in a copy of the exercises. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "suites.h"
#include "tests/graders/course.h"
#include "tests/graders/exercise.h"
#include "tests/helpers.h"

/* Run the grader with these words; the exercises here are the learner's. */
static struct Ran grader(const char *words)
{
    char command[1000];
    snprintf(command, sizeof command, "'%s' %s", in_checkout("build/grader"), words);
    return run(shell, command);
}

static void copy_course(void)
{
    char command[4000];
    enter_directory();
    snprintf(
        command, sizeof command,
        "from='%s'; mkdir tests && cp -r \"$from/exercises\" . && "
        "rm -f exercises/*/*.kept-* && "
        "cp -r \"$from/tests/solutions\" \"$from/tests/graders\" \"$from/tests/expected\" tests",
        in_checkout("."));
    ck_assert_int_eq(system(command), 0);
    for (int i = 0; i < course_size(); i++) { /* whatever the learner has in the checkout */
        for (int k = 0; course_file(i, k) != NULL; k++) {
            char path[200], *stub = course_stub(i, k);
            snprintf(path, sizeof path, "exercises/%s/%s", course_name(i), course_file(i, k));
            put(path, stub, strlen(stub));
            free(stub);
        }
    }
}

/* The answer to exercise i: its solution, with to in place of from. */
static void answer(int i, const char *from, const char *to)
{
    char path[200], command[1000];
    snprintf(path, sizeof path, "tests/solutions/%s.c", course_name(i));
    snprintf(command, sizeof command, "sed 's/%s/%s/' %s >exercises/%s/answer.c", from, to, path,
             course_name(i));
    ck_assert_int_eq(system(command), 0);
}

START_TEST(the_course_goes_by_numbers)
{
    for (int i = 1; i < course_size(); i++) {
        ck_assert_int_lt(strcmp(course_name(i - 1), course_name(i)), 0);
    }
}
END_TEST

START_TEST(check_says_what_is_done)
{
    struct Ran r = grader("check");
    ck_assert_int_eq(r.status, 0);
    assert_like(r.out, "01 softmax              TODO     not started\n02 ... to do\n");
    ck_assert_int_eq(grader("check --strict").status, 1);

    answer(0, "x^", "");
    r = grader("check --only 01");
    ck_assert_int_eq(r.status, 0);
    assert_like(r.out, "01 softmax              PASS     ...\n...1 pass\n...make solution-01 shows "
                       "ours; make next goes on.\n");
    ck_assert_ptr_null(strstr(grader("check").out, "make solution"));

    answer(1, "sqrtf(d_head)", "sqrtf(H * d_head)");
    r = grader("check --seed 3");
    ck_assert_int_eq(r.status, 1);
    assert_like(r.out, "01 softmax              PASS     ...\n02 scaled-dot           WRONG    ..."
                       "You divide by sqrt(d_model)...SEED=3\n...");
    ck_assert_ptr_null(strstr(grader("check --only 02").out, "make solution"));
}
END_TEST

/* The same seed draws the same values, another one others. */
START_TEST(seed_repeats_a_run)
{
    answer(1, "sqrtf(d_head)", "sqrtf(H * d_head)");
    char *first = grader("check --only 02 --seed 3").out;
    ck_assert_str_eq(grader("check --only 02 --seed 3").out, first);
    ck_assert_str_ne(grader("check --only 02 --seed 4").out, first);
}
END_TEST

/* They build in the same place, and take turns. */
START_TEST(several_may_grade_at_once)
{
    char command[2000];
    answer(0, "x^", "");
    snprintf(command, sizeof command,
             "for i in 1 2 3 4 5 6; do '%s' check --only 01 >$i & done; wait; grep -c PASS.*7/7 ?",
             in_checkout("build/grader"));
    ck_assert_str_eq(run(shell, command).out, "1:1\n2:1\n3:1\n4:1\n5:1\n6:1\n");
}
END_TEST

START_TEST(the_grader_may_be_called_by_any_path)
{
    char command[1000];
    answer(0, "x^", "");
    snprintf(command, sizeof command, "ln -s '%s' built; ./built/grader check --only 01",
             in_checkout("build"));
    struct Ran r = run(shell, command);
    ck_assert_msg(strstr(r.out, "PASS     7/7") != NULL, "%s", r.out);
}
END_TEST

START_TEST(what_was_printed_is_shown)
{
    answer(0, "float max = s", "printf(\"row %d of %d\\\\n\", r, rows); &");
    struct Ran r = grader("check --only 01");
    ck_assert_msg(strstr(r.out, "row 0 of 3") != NULL, "%s", r.out);
}
END_TEST

START_TEST(next_is_the_first_that_does_not_pass)
{
    struct Ran r = grader("next");
    assert_like(r.out, "Exercise 01: ...\n...write  exercises/01-softmax/answer.c\n...");
    ck_assert_ptr_null(strstr(r.out, "\n\n\n"));
    for (const char *line = r.out; *line != '\0'; line += strcspn(line, "\n") + 1) {
        ck_assert_int_le(strcspn(line, "\n"), 80);
    }
    answer(0, "x^", "");
    assert_like(grader("next").out, "Exercise 02: ...make check-02...");
}
END_TEST

START_TEST(hints_come_one_by_one)
{
    char *first, *second, *third;
    unlink(in_checkout("build/hints/01-softmax"));
    first = grader("hint --only 01").out;
    second = grader("hint --only 01").out;
    third = grader("hint --only 01").out;
    assert_like(first, "## Hint 1\n...There are 3 hints; make hint-01 shows one more.\n");
    assert_like(second, "## Hint 1\n...## Hint 2\n...There are 3 hints...");
    assert_like(third, "## Hint 1\n...## Hint 2\n...## Hint 3\n...These are all 3 hints...");
    ck_assert(strstr(first, "Hint 2") == NULL && strstr(second, "Hint 3") == NULL);
    ck_assert_str_eq(grader("hint --only 01").out, third);
    unlink(in_checkout("build/hints/01-softmax"));
}
END_TEST

START_TEST(reset_keeps_what_was_there)
{
    static const char path[] = "exercises/01-softmax/answer.c";
    char *stub = content(path, NULL);
    assert_like(grader("reset --only 01").out, "...is as it was at the beginning.\n");
    put(path, "mine", 4);
    assert_like(grader("reset --only 01").out, "what was there is kept as ...answer.c.kept-1\n...");
    ck_assert_str_eq(content(path, NULL), stub);
    ck_assert_str_eq(content("exercises/01-softmax/answer.c.kept-1", NULL), "mine");
    put(path, "mine too", 8);
    grader("reset --only 01");
    ck_assert_str_eq(content("exercises/01-softmax/answer.c.kept-1", NULL), "mine");
    ck_assert_str_eq(content("exercises/01-softmax/answer.c.kept-2", NULL), "mine too");
    unlink(path);
    ck_assert_int_eq(grader("reset --only 01").status, 0);
    ck_assert_str_eq(content(path, NULL), stub);
}
END_TEST

/* Where the learner writes two files, each begins anew. */
START_TEST(reset_knows_all_files)
{
    char *code = content("exercises/18-longer/answer.c", NULL);
    char *text = content("exercises/18-longer/answer.txt", NULL);
    put("exercises/18-longer/answer.c", "mine", 4);
    assert_like(grader("reset --only 18").out, "...answer.txt is as it was at the beginning.\n"
                                               "...answer.c.kept-1\n...answer.c begins anew.\n");
    put("exercises/18-longer/answer.txt", "mine", 4);
    grader("reset --only 18");
    ck_assert_str_eq(content("exercises/18-longer/answer.c", NULL), code);
    ck_assert_str_eq(content("exercises/18-longer/answer.txt", NULL), text);
    ck_assert_str_eq(content("exercises/18-longer/answer.txt.kept-1", NULL), "mine");
}
END_TEST

START_TEST(solution_is_for_those_who_passed)
{
    struct Ran r = grader("solution --only 01");
    ck_assert_int_eq(r.status, 1);
    ck_assert(strstr(r.out, "void softmax") == NULL);
    r = grader("solution --only 01 --force");
    ck_assert_int_eq(r.status, 0);
    ck_assert(strstr(r.out, "void softmax") != NULL && strstr(r.out, "answer:") == NULL);
    put("exercises/01-softmax/answer.c", r.out, strlen(r.out));
    r = grader("solution --only 01");
    ck_assert_int_eq(r.status, 0);
    ck_assert(strstr(r.out, "void softmax") != NULL);
}
END_TEST

static void pause_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (long)seconds))};
    nanosleep(&time, NULL);
}

START_TEST(watch_grades_what_is_saved)
{
    char command[1000];
    snprintf(command, sizeof command, "exec '%s' watch >seen.txt", in_checkout("build/grader"));
    pid_t child = fork();
    if (child == 0) {
        shell(command);
    }
    char *seen = NULL;
    for (int i = 0; i < 200 && (seen == NULL || strstr(seen, "Ctrl-C") == NULL); i++) {
        pause_for(0.05);
        seen = access("seen.txt", F_OK) == 0 ? content("seen.txt", NULL) : NULL;
    }
    answer(0, "x^", "");
    for (int i = 0; i < 200 && strstr(seen, "PASS") == NULL; i++) {
        pause_for(0.05);
        seen = content("seen.txt", NULL);
    }
    kill(child, SIGTERM);
    wait_for(child);
    assert_like(seen, "Waiting ...\n01 softmax              PASS     ...\n");
}
END_TEST

START_TEST(reports_are_whole)
{
    struct Ran r = grader("check --report tap --file report.tap");
    ck_assert_int_eq(r.status, 0);
    assert_like(content("report.tap", NULL), "TAP version 13\n1...# TODO...");
    r = grader("check --report json");
    ck_assert_int_eq(r.out[0], '{'); /* the rows are on stderr */
    assert_like(r.err, "01 softmax ...");
}
END_TEST

START_TEST(what_is_not_understood_is_refused)
{
    assert_died(grader("check --only 77"), "grader: there is no exercise 77; there are 01 to ...");
    assert_died(grader("check --only 1"), "grader: there is no exercise 1; ...");
    assert_died(grader("check --report xml"), "grader: REPORT can be tap, junit or json, not ...");
    assert_died(grader("check --report tap --file no/such/report"), "grader: ...no/such...");
    assert_died(grader("check --timeout-scale 0"), "grader: --timeout-scale takes ...");
    assert_died(grader("hint"), "grader: say which exercise: ...");
    assert_died(grader("dance"), "grader: say what to do: check, next, watch, ...");
    assert_died(grader(""), "grader: say what to do: ...");
    assert_died(grader("grade"), "grader: say where the submissions are: ...");
    assert_died(grader("grade --submissions nowhere"), "grader: cannot read ... nowhere: ...");
}
END_TEST

START_TEST(a_class_is_graded)
{
    ck_assert_int_eq(
        system("mkdir -p 'class/Ada, \"A\"/01-softmax' class/ben/exercises/02-scaled-dot "
               "class/nobody class/.hidden && touch class/file"),
        0);
    answer(0, "x^", "");
    answer(1, "sqrtf(d_head)", "sqrtf(H * d_head)");
    ck_assert_int_eq(
        system("cp exercises/01-softmax/answer.c 'class/Ada, \"A\"/01-softmax' && "
               "cp exercises/02-scaled-dot/answer.c class/ben/exercises/02-scaled-dot"),
        0);
    struct Ran r = grader("grade --submissions class --out marks --seed 7");
    ck_assert_msg(r.status == 0, "%s", r.err);
    assert_like(r.out, "...\nnobody\n   no answers: neither 01-softmax/ ...\nSEED=7 draws ...");
    ck_assert_ptr_null(strstr(r.out, "make "));
    ck_assert_ptr_nonnull(
        strstr(content("marks/gradescope/ben/results.json", NULL), "make hint-02"));
    assert_like(content("marks/grades.csv", NULL),
                "student,01-softmax,...\r\n\"Ada, \"\"A\"\"\",1.00,0.00,...1.00,\r\n"
                "ben,0.00,0.40,...0.40,02-scaled-dot: d-model\r\nnobody,0.00,...0.00,\r\n");
    ck_assert_str_eq(names_in("marks/gradescope"), "Ada, \"A\" ben nobody");
}
END_TEST

/* A link within what was handed in is followed, one that leads to others is not. */
START_TEST(links_are_no_answers)
{
    ck_assert_int_eq(
        system("mkdir -p class/eve/mine class/eve/14-scaling class/eve/01-softmax && "
               "cp tests/solutions/02-scaled-dot.c class/eve/mine/answer.c && "
               "ln -s mine class/eve/02-scaled-dot && "
               "ln -s \"$PWD/tests/solutions/01-softmax.c\" class/eve/01-softmax/answer.c && "
               "ln -s ../../../tests/solutions/14-scaling.txt class/eve/14-scaling/answer.txt && "
               "ln -s ../../tests/graders/03-causal-mask class/eve/03-causal-mask"),
        0);
    struct Ran r = grader("grade --submissions class --out marks");
    ck_assert_msg(r.status == 0, "%s", r.err);
    assert_like(content("marks/grades.csv", NULL), "...\r\neve,0.00,1.00,0.00,...,1.00,\r\n");
    assert_like(r.out, "...01 softmax...COMPILE...leads out of...14 scaling...leads out of...");
}
END_TEST

START_TEST(long_paths_are_refused)
{
    char command[600], name[181] = "";
    memset(name, 'x', sizeof name - 1);
    snprintf(command, sizeof command, "mkdir -p class/%s/%s/ada", name, name);
    ck_assert_int_eq(system(command), 0);
    snprintf(command, sizeof command, "grade --submissions class/%s/%s", name, name);
    assert_died(grader(command), "grader: the path of ada is too long; ...");
}
END_TEST

Suite *learner_suite(void)
{
    Suite *suite = suite_create("learner");
    TCase *cases = new_case(suite, "learner", copy_course);
    tcase_add_test(cases, the_course_goes_by_numbers);
    tcase_add_test(cases, check_says_what_is_done);
    tcase_add_test(cases, seed_repeats_a_run);
    tcase_add_test(cases, several_may_grade_at_once);
    tcase_add_test(cases, the_grader_may_be_called_by_any_path);
    tcase_add_test(cases, what_was_printed_is_shown);
    tcase_add_test(cases, next_is_the_first_that_does_not_pass);
    tcase_add_test(cases, hints_come_one_by_one);
    tcase_add_test(cases, reset_keeps_what_was_there);
    tcase_add_test(cases, reset_knows_all_files);
    tcase_add_test(cases, solution_is_for_those_who_passed);
    tcase_add_test(cases, watch_grades_what_is_saved);
    tcase_add_test(cases, reports_are_whole);
    tcase_add_test(cases, what_is_not_understood_is_refused);
    tcase_add_test(cases, a_class_is_graded);
    tcase_add_test(cases, links_are_no_answers);
    tcase_add_test(cases, long_paths_are_refused);
    return suite;
}
