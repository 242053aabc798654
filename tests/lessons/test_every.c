/* What every lesson owes: the same bytes whatever stands around it, a line for what it cannot do, and
   nothing half-written. */
#include <string.h>

#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

/* A lesson, options that make it quick, and the files that it leaves. */
static const struct {
    const char *program, *quick, *files;
} lessons[] = {
    {"lesson-01", "--query 1,2", "attention.tsv query.tsv sharpness.tsv"},
    {"lesson-02", "--keys 3 --draws 500", "scale.tsv"},
    {"lesson-03", "", "cost.tsv leak.tsv weights.tsv"},
    {"lesson-04", "--tokens 3 --heads 2", "attention.tsv layout.tsv reach.tsv"},
    {"lesson-05", "--depth 2 --width 8", "gradient.tsv parameters.tsv path.tsv similarity.tsv"},
    {"lesson-06", "--steps 2", "loss.tsv rows.tsv similarity.tsv"},
    {"lesson-07", "--width 16 --layers 1 --steps 2 --lr 0.01",
     "ablation.tsv accuracy.tsv attention.tsv loss.tsv model.safetensors strongest.tsv"},
    {"lesson-08", "--steps 4 --width 8", "accuracy.tsv loss.tsv summary.tsv"},
    {"lesson-09", "--steps 2", "labels.tsv least.tsv masks.tsv"},
    {"lesson-10", "--steps 2 --words 5 --timed 8", "bytes.tsv time.tsv"},
    {"lesson-11", "--longest 0", "cost.tsv memory.tsv time.tsv"},
    {"lesson-12", "--steps 1 --tested 1", "frequencies.tsv length.tsv"},
    {"lesson-13", "--steps 2 --most 4", "loss.tsv pairs.tsv places.tsv test.tsv"},
};

/* The one that is being tried. */
static const char *program, *quick, *files;

static void enter(int i)
{
    program = lessons[i].program, quick = lessons[i].quick, files = lessons[i].files;
    enter_lesson(program);
}

START_TEST(threads_place_and_environment_change_no_byte)
{
    static const char *const environments[] = {
        "TERM=dumb", "TERM=", "NO_COLOR=1", "LANG=C", "LC_ALL=de_DE.UTF-8", "COLUMNS=20", "env -i"};
    enter(_i);
    char *plain = page_of("./%s %s --threads 1 --out plain", program, quick);
    assert_page(plain);
    ck_assert_str_eq(names_in("plain"), files);
    char *three = page_of("./%s %s --threads 3 --quiet --out three/deep/", program, quick);
    assert_same_page(three, plain);
    assert_same("three/deep", "plain");
    for (int i = 0; i < COUNT(environments); i++) {
        char *page = page_of("%s ./%s %s --out out", environments[i], program, quick);
        assert_same_page(page, plain);
        assert_same("out", "plain");
    }
    assert_same_page(page_of("./%s %s --out out <&- 2>&-", program, quick), plain);
    assert_same("out", "plain");
}
END_TEST

START_TEST(the_first_seed_and_the_last_are_like_others)
{
    enter(_i);
    static const char *const seeds[] = {"0", "18446744073709551615"};
    for (int i = 0; i < COUNT(seeds); i++) {
        char *page = page_of("./%s %s --seed %s --out out", program, quick, seeds[i]);
        assert_page(page);
        assert_narrow(page);
    }
}
END_TEST

START_TEST(its_place_may_have_any_name)
{
    enter(_i);
    page_of("./%s %s --out 'a b'\\''s \"$x\" -n'", program, quick);
    ck_assert_str_eq(names_in("a b's \"$x\" -n"), files);
}
END_TEST

/* Behind the quick options, of which the last of two counts; the line behind the program's name. */
static const char *const refused[][2] = {
    {"--nonsense", "there is no option --nonsense; --help lists them"},
    {"stray", "\"stray\" belongs to no option; --help lists them"},
    {"--seed -1", "--seed takes ..., not \"-1\""},
    {"--seed x", "--seed takes ..., not \"x\""},
    {"--threads 0", "--threads takes ..., not \"0\""},
    {"--threads two", "--threads takes ..., not \"two\""},
    {"--out", "--out ..."},
    {"--out ''", "--out ..."},
    {"--out file", "cannot make the directory file: something else has that name"},
    {"--out file/x", "cannot make the directory file...: something else has that name"},
};

START_TEST(what_cannot_be_done_is_refused)
{
    enter(_i);
    put("file", "", 0);
    const char *names = names_in(".");
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "%s: %s", program, refused[i][1]);
        assert_died(sh("./%s %s --out out %s", program, quick, refused[i][0]), line);
        ck_assert_str_eq(names_in("."), names);
    }
}
END_TEST

/* A place that cannot take one of the files is found before the work, not after it. */
START_TEST(a_file_in_the_way_is_found_at_once)
{
    enter(_i);
    char *list = strdup(files), *rest = list;
    for (const char *name = strsep(&rest, " "); name != NULL; name = strsep(&rest, " ")) {
        char line[200];
        snprintf(line, sizeof line, "%s: cannot write out/%s: it is a link or a device, ...",
                 program, name);
        sh("rm -rf out; mkdir out; ln -s /dev/null out/%s", name);
        assert_died(sh("./%s %s --out out", program, quick), line);
        ck_assert_str_eq(names_in("out"), name);
    }
}
END_TEST

START_TEST(a_page_that_cannot_be_written_is_no_success)
{
    static const char *const sinks[] = {">&-", ">/dev/full"};
    char line[200];
    enter(_i);
    snprintf(line, sizeof line, "%s: the page could not be written to stdout: ...", program);
    for (int i = 0; i < COUNT(sinks); i++) {
        assert_died(sh("./%s %s --out out %s", program, quick, sinks[i]), line);
        ck_assert_int_eq(sh("./%s --help %s", program, sinks[i]).status, 2);
    }
}
END_TEST

START_TEST(help_is_a_page_and_does_nothing)
{
    char usage[300];
    enter(_i);
    const char *names = names_in(".");
    snprintf(usage, sizeof usage,
             "usage: %s [options]\n...\n  --seed N ...\n  --threads N ...processors)\n"
             "  --out DIR ...out/%s-...)\n  --quiet ...\n  --help ...\n",
             program, program + strlen("lesson-"));
    assert_like(page_of("./%s %s --nonsense --out out --help", program, quick), usage);
    ck_assert_str_eq(names_in("."), names);
}
END_TEST

Suite *every_lesson_suite(void)
{
    Suite *suite = suite_create("every lesson");
    TCase *cases = new_case(suite, "every lesson", NULL);
    const int n = COUNT(lessons);
    tcase_add_loop_test(cases, threads_place_and_environment_change_no_byte, 0, n);
    tcase_add_loop_test(cases, the_first_seed_and_the_last_are_like_others, 0, n);
    tcase_add_loop_test(cases, its_place_may_have_any_name, 0, n);
    tcase_add_loop_test(cases, what_cannot_be_done_is_refused, 0, n);
    tcase_add_loop_test(cases, a_file_in_the_way_is_found_at_once, 0, n);
    tcase_add_loop_test(cases, a_page_that_cannot_be_written_is_no_success, 0, n);
    tcase_add_loop_test(cases, help_is_a_page_and_does_nothing, 0, n);
    return suite;
}
