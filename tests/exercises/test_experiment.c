/* The experiments: right answers pass, wrong ones are told what they are, and nothing that can
   stand in an answer.txt, or be missing among the pages, passes or goes unsaid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base.h"
#include "common/file.h"
#include "suites.h"
#include "tests/graders/answers.h"
#include "tests/graders/experiment.h"
#include "tests/graders/stub.h"
#include "tests/helpers.h"

/* When there is only a minute (SHORT, as in test_table.c), less is done with what trains. */
static bool in_short(void)
{
    return getenv("SHORT") != NULL;
}

static char place[200]; /* where the learner's files of the exercise stand */

static const char *file_in(const char *name)
{
    static char paths[2][300];
    static int turn;
    turn = !turn;
    snprintf(paths[turn], sizeof *paths, "%s/%s", place, name);
    return paths[turn];
}

static const char *solution(const struct Experiment *e, const char *type)
{
    static char path[100];
    snprintf(path, sizeof path, "tests/solutions/%s.%s", e->name, type);
    return path;
}

static const struct Experiment *experiment_number(int i)
{
    ck_assert(n_experiments > 0 && i < n_experiments);
    return experiments[i];
}

static const struct Experiment *experiment_named(const char *name)
{
    int i = 0;
    while (i < n_experiments && strcmp(experiments[i]->name, name) != 0) {
        i++;
    }
    return experiment_number(i);
}

/* In the checkout, with the solution's files as the learner's. */
static void prepare(const struct Experiment *e)
{
    snprintf(place, sizeof place, "build/experiment/%s", e->name);
    directory_make(place);
    char *text = file_text(solution(e, "txt"));
    put(file_in("answer.txt"), text, strlen(text));
    free(text);
    if (e->change != NULL) {
        text = solution_text(solution(e, "c"));
        put(file_in("answer.c"), text, strlen(text));
        free(text);
    }
}

static struct Result grade(const struct Experiment *e)
{
    return experiment_grade(e, file_in("answer.txt"), file_in("built"));
}

static struct Result grade_text(const struct Experiment *e, const char *text)
{
    put(file_in("answer.txt"), text, strlen(text));
    return grade(e);
}

/* The solution with this value for this question. */
static struct Result grade_value(const struct Experiment *e, const char *name, const char *value)
{
    char *text = file_text(solution(e, "txt")), *changed, begin[60];
    size_t size;
    snprintf(begin, sizeof begin, "\n%s = ", name);
    char *at = strstr(text, begin);
    ck_assert_msg(at != NULL, "%s has no %s", e->name, name);
    at += strlen(begin);
    FILE *out = open_memstream(&changed, &size);
    fprintf(out, "%.*s%s%s", (int)(at - text), text, value, at + strcspn(at, " \n"));
    fclose(out);
    struct Result r = grade_text(e, changed);
    free(text);
    free(changed);
    return r;
}

/* One check is WRONG, and this is why. */
static void expect_mistake(const struct Result *r, const char *name, const char *id)
{
    ck_assert_msg(r->state == WRONG && r->passed == r->n_checks - 1, "%s %s: %s, %d of %d",
                  r->exercise, name, state_name(r->state), r->passed, r->n_checks);
    ck_assert_msg(strcmp(r->mistake, id) == 0, "%s %s: '%s' for '%s': %s", r->exercise, name,
                  r->mistake, id, r->lines[0]);
    ck_assert_msg(strncmp(r->lines[0], name, strlen(name)) == 0 && strlen(r->lines[0]) < LINE - 1,
                  "%s", r->lines[0]);
}

START_TEST(solution_passes)
{
    const struct Experiment *e = experiment_number(_i);
    prepare(e);
    ck_assert_int_eq(system("rm -rf build/trials"), 0); /* what was trained by another grader */
    struct Result r = grade(e);
    ck_assert_msg(r.state == PASS && r.passed == r.n_checks && r.lines[0][0] == '\0', "%s: %s: %s",
                  e->name, state_name(r.state), r.lines[0]);
    ck_assert_int_eq(r.n_checks, e->n_questions + (e->change != NULL));
    ck_assert(e->n_questions >= 4 && e->n_questions <= 8);
}
END_TEST

START_TEST(stub_is_to_do)
{
    const struct Experiment *e = experiment_number(_i);
    prepare(e);
    char *stub = answers_stub(solution(e, "txt"));
    if (e->change != NULL) {
        char *code = stub_of(solution(e, "c"));
        put(file_in("answer.c"), code, strlen(code));
    }
    ck_assert_int_eq(grade_text(e, stub).state, TODO);
    char *text = file_text(solution(e, "txt"));
    struct Result r = grade_text(e, text);
    if (e->change != NULL) { /* numbers without a change */
        ck_assert(r.state == WRONG && strcmp(r.mistake, "unchanged") == 0);
        prepare(e);
    }
    r = grade_text(e, stub);
    ck_assert_int_eq(r.state, e->change != NULL ? WRONG : TODO);
    for (int i = 0; i < (e->change != NULL ? 1 : e->n_questions); i++) { /* a change takes time */
        r = grade_value(e, e->questions[i].name, "");
        ck_assert_int_eq(r.state, WRONG);
        ck_assert_int_eq(r.passed, r.n_checks - 1);
        ck_assert_int_eq(r.checks[r.n_checks - e->n_questions + i].state, TODO);
        char line[LINE];
        write_line(line, "Still empty: %s", e->questions[i].name);
        ck_assert_str_eq(r.lines[0], line);
    }
}
END_TEST

/* Every letter but one is wrong, each for a reason of its own. */
START_TEST(letters_are_told_why)
{
    const struct Experiment *e = experiment_number(_i);
    if (e->change != NULL && in_short()) {
        return;
    }
    prepare(e);
    for (int i = 0; i < e->n_questions; i++) {
        const struct Question *q = &e->questions[i];
        int right = 0;
        for (int c = 0; q->run == NULL && c < CHOICES; c++) {
            const char value[] = {(char)((c % 2 ? 'a' : 'A') + c), '\0'};
            if (q->choices[c].sentence == NULL) {
                right++;
                continue;
            }
            struct Result r = grade_value(e, q->name, value);
            expect_mistake(&r, q->name, q->choices[c].id);
            ck_assert(strstr(r.lines[0], q->choices[c].sentence) != NULL);
            for (int other = 0; other < c; other++) {
                ck_assert(q->choices[other].id == NULL ||
                          strcmp(q->choices[other].id, q->choices[c].id) != 0);
            }
        }
        ck_assert_int_eq(right, q->run == NULL);
    }
}
END_TEST

/* The numbers that the tables expect to be mistaken for the right one, read from their pages. */
START_TEST(other_numbers_are_named)
{
    const struct Experiment *e = experiment_number(_i);
    prepare(e);
    for (int i = 0; i < e->n_questions; i++) {
        const struct Question *q = &e->questions[i];
        for (int o = 0; o < MAX_OTHERS && q->others[o].id != NULL; o++) {
            char *page = page_read(q->others[o].place.page);
            struct Figure figure = page_figure(page, &q->others[o].place);
            struct Result r = grade_value(e, q->name, figure.text);
            expect_mistake(&r, q->name, q->others[o].id);
            free(page);
        }
    }
}
END_TEST

static const struct {
    const char *experiment, *name, *value, *id; /* id NULL: it is right */
} numbers[] = {
    {"14-scaling", "scaled", "0385", NULL},
    {"14-scaling", "scaled", "385.0", NULL},
    {"14-scaling", "scaled", "385%", "form"},
    {"14-scaling", "scaled", "385 steps", "form"},
    {"14-scaling", "scaled", "step 385", "form"},
    {"14-scaling", "scaled", "-385", "form"},
    {"14-scaling", "scaled", "3.85e2", "form"},
    {"14-scaling", "scaled", "nan", "form"},
    {"14-scaling", "scaled", "386", ""},
    {"14-scaling", "scaled", "553", "exchanged"},
    {"14-scaling", "scaled", "never", "exchanged"},
    {"14-scaling", "unscaled", "Never", NULL},
    {"14-scaling", "unscaled", "1500", "not-never"},
    {"14-scaling", "unscaled", "0", "not-never"},
    {"14-scaling", "unscaled", "0.1348", "column"},
    {"14-scaling", "buys", "cc", "form"},
    {"14-scaling", "buys", "e", "form"},
    {"14-scaling", "buys", "3", "form"},
    {"15-query-axis", "written", "13.2%", NULL},
    {"15-query-axis", "written", "13.20 %", NULL},
    {"15-query-axis", "written", "13,2", "form"},
    {"15-query-axis", "written", "13", "rounded"},
    {"15-query-axis", "written", "14", ""},
    {"15-query-axis", "written", "66", "count"},
    {"15-query-axis", "written", "0.132", "fraction"},
    {"15-query-axis", "written", ".132", "fraction"},
    {"15-query-axis", "written", "100", "exchanged"},
    {"15-query-axis", "told", "100%", NULL},
    {"15-query-axis", "told", "500", "count"},
    {"15-query-axis", "told", "1", "fraction"},
    {"15-query-axis", "before", "0.375", "rounded"},
    {"15-query-axis", "before", "0.4012", "exchanged"},
    {"17-one-head", "short", "74.6", "share"},
    {"17-one-head", "short", "74.6%", "share"},
    {"17-one-head", "short", "0.746", "share"},
    {"17-one-head", "eight_short", "78", "column"},
};

START_TEST(numbers_are_judged)
{
    const struct Experiment *e = experiment_named(numbers[_i].experiment);
    prepare(e);
    struct Result r = grade_value(e, numbers[_i].name, numbers[_i].value);
    if (numbers[_i].id == NULL) {
        ck_assert_msg(r.state == PASS, "%s: %s", numbers[_i].value, r.lines[0]);
    } else {
        expect_mistake(&r, numbers[_i].name, numbers[_i].id);
    }
}
END_TEST

static const struct {
    const char *text;
    enum State state;
    const char *line;
} files[] = {
    {"\xef\xbb\xbfscaled=385\r\n\tunscaled \t= NEVER # so\r\n", WRONG,
     "Still empty: unscaled_fa..."},
    {"scaled=385\runscaled=never", WRONG, "Still empty: unscaled_fastest, ..."},
    {"scaled = 384\n", WRONG, "scaled = 384 (line 1): The page of run A has ... Still empty..."},
    {"", COMPILE, "...answer.txt: it is empty..."},
    {"\n\n# scaled = 385\n", COMPILE, "...answer.txt: it has no line \"scaled = ...\""},
    {"\nscaled 385\n", COMPILE, "...answer.txt:2: \"scaled 385\" has no = ..."},
    {"scaled = 385\nbuys = c\nscaled = 385\n", COMPILE, "...answer.txt:3: scaled ... in line 1"},
    {"Scaled = 385\n", COMPILE, "...answer.txt:1: there is no question \"Scaled\""},
    {"= 385\n", COMPILE, "...answer.txt:1: there is no question \"\""},
    {"sca\033[31mled = 385\n", COMPILE, "...answer.txt:1: a byte here is no text"},
    {"# fine\nscaled = 3\0018\n", COMPILE, "...answer.txt:2: a byte here is no text"},
    {"scaled = \xff\xfe\n", WRONG, "scaled = ... (line 1): Write the number alone..."},
    {"scaled = 3850000000000000000000000000000000000000000000000000000000000000\n", COMPILE,
     "...answer.txt:1: this is too long for an answer"},
    {"scaled = 38500000000000000000000000000000\n", WRONG, "scaled = 3850...: Write the number..."},
};

START_TEST(files_get_their_state)
{
    const struct Experiment *e = experiment_named("14-scaling");
    prepare(e);
    struct Result r = grade_text(e, files[_i].text);
    char lines[2 * LINE + 2];
    snprintf(lines, sizeof lines, "%s %s", r.lines[0], r.lines[1]);
    ck_assert_msg(r.state == files[_i].state && r.passed < r.n_checks, "%s: %s",
                  state_name(r.state), lines);
    assert_printable(r.lines[0]);
    char pattern[300];
    snprintf(pattern, sizeof pattern, "%s...", files[_i].line);
    assert_like(lines, pattern);
}
END_TEST

static void expect_complaint(const char *pattern)
{
    struct Result r = grade(experiment_named("14-scaling"));
    ck_assert_int_eq(r.state, COMPILE);
    assert_like(r.lines[0], pattern);
}

/* What is no file with text. */
START_TEST(other_things_are_no_answers)
{
    static char large[1 << 17];
    const char *path;
    prepare(experiment_named("14-scaling"));
    path = file_in("answer.txt");
    unlink(path);
    expect_complaint("...answer.txt: there is no such file");
    ck_assert_int_eq(mkdir(path, 0777), 0);
    expect_complaint("...answer.txt: it is no file, ...");
    rmdir(path);
    ck_assert_int_eq(mkfifo(path, 0666), 0);
    expect_complaint("...answer.txt: it is no file, ...");
    unlink(path);
    ck_assert_int_eq(symlink("/dev/zero", path), 0);
    expect_complaint("...answer.txt: it is no file, ...");
    unlink(path);
    put(path, "scaled = 385\n\0\n", 15);
    expect_complaint("...answer.txt: it holds zero bytes, ...");
    memset(large, '\n', sizeof large);
    put(path, large, sizeof large);
    expect_complaint("...answer.txt: it is too large ...");
    unlink(path);
}
END_TEST

static void grade_here(const void *e)
{
    (void)grade(e);
}

/* Without the pages there is nothing to grade by, and nothing passes. */
START_TEST(missing_pages_are_an_error)
{
    const struct Experiment *e = experiment_named("15-query-axis");
    char *page = page_read("08-faults"), *row;
    prepare(e);
    const char *answers = realpath(file_in("answer.txt"), NULL);
    enter_directory();
    snprintf(place, sizeof place, "%.*s", (int)(strrchr(answers, '/') - answers), answers);
    assert_died(run(grade_here, e),
                "...tests/expected/08-faults.txt is what answers are graded by...");
    directory_make("tests/expected");
    put("tests/expected/08-faults.txt", "", 0);
    assert_died(run(grade_here, e), "...08-faults.txt is what answers are graded by...empty");
    while ((row = strstr(page, "j last  ")) != NULL) {
        memcpy(row, "k last  ", 8);
    }
    put("tests/expected/08-faults.txt", page, strlen(page));
    assert_died(run(grade_here, e), "...the page 08-faults has no number 7 behind \"j last\" ...");
    while ((row = strstr(page, "k last  ")) != NULL) {
        memcpy(row, "j last  ", 8);
    }
    put("tests/expected/08-faults.txt", page, strlen(page));
    ck_assert_int_eq(grade(e).state, PASS);
}
END_TEST

/* The table of ten seeds in the README is the one that was recorded. */
START_TEST(the_table_of_seeds_is_the_recorded_one)
{
    char *table = file_text("tests/expected/experiments/17-seeds.txt"), *rest = table;
    char *readme = file_text("exercises/17-one-head/README.md");
    int lines = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0'; lines++) {
        ck_assert_msg(strstr(readme, line) != NULL, "not in the README: %s", line);
    }
    ck_assert_int_eq(lines, 6);
}
END_TEST

static const char small_page[] = "A page. 1\n"
                                 "\n1. First\n--------\n  row  1,500 (2.50%)  never/7  x3 a-4\n"
                                 "  row  9\n"
                                 "\n2. Second\n---------\n  none\n  the row: (1-2), 96,000.\n";

START_TEST(numbers_are_found)
{
    static const char *const found[] = {"1500", "2.50", "never", "7", "4"};
    struct Figure f[MAX_FIGURES];
    int n = page_figures(f, small_page, &(struct Place){"small", "First", "row", 1});
    ck_assert_int_eq(n, COUNT(found));
    for (int i = 0; i < n; i++) {
        ck_assert_str_eq(f[i].text, found[i]);
        ck_assert(f[i].percent == (i == 1) && f[i].bracketed == (i == 1));
    }
    n = page_figures(f, small_page, &(struct Place){"small", "Second", "row:", 1});
    ck_assert(n == 3 && f[0].bracketed && f[1].bracketed && !f[2].bracketed);
    ck_assert_str_eq(f[2].text, "96000");
    ck_assert_int_eq(page_figures(f, small_page, &(struct Place){"small", "Third", "row", 1}), 0);
    ck_assert_int_eq(page_figures(f, small_page, &(struct Place){"small", "Second", "first", 1}),
                     0);
    ck_assert_int_eq(page_figures(f, small_page, &(struct Place){"small", "Second", "none", 1}), 0);
}
END_TEST

/* Each line of the file is a change to the solution's function that is no fair one. */
START_TEST(unfair_changes_are_named)
{
    const struct Experiment *e = experiment_named("18-longer");
    char *mutants = file_text("tests/mutants/18-longer.txt"), *rest = mutants, id[64];
    int commands, count = 0;
    prepare(e);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char command[700];
        if (line[0] == '#' || sscanf(line, "%63s %n", id, &commands) < 1) {
            continue;
        }
        if (count++ % 4 != 0 && in_short()) {
            continue;
        }
        put(file_in("change.sed"), line + commands, strlen(line + commands));
        snprintf(command, sizeof command, "sed -f %s/change.sed %s >%s/answer.c", place,
                 solution(e, "c"), place);
        ck_assert_int_eq(system(command), 0);
        struct Result r = grade(e);
        ck_assert_msg(r.state == WRONG && r.passed == 0 && strcmp(r.mistake, id) == 0,
                      "%s is %s, '%s': %s", line, state_name(r.state), r.mistake, r.lines[0]);
    }
    ck_assert_int_ge(count, 10);
    free(mutants);
}
END_TEST

static const struct {
    const char *body;
    enum State state;
    const char *line;
} broken[] = {
    {"begin = 1;", COMPILE, "answer.c:5: 'begin' undeclared..."},
    {"for (;;) {}", TIMEOUT, "takes more than ..."},
    {"*(volatile int *)0 = 1;", CRASH, "..."},
    {"tokens[96000 * CONTEXT] = 0;", CRASH, "...past the end of tokens..."},
    {"__builtin_exit(0);", CRASH, "ends the program ..."},
    {";", WRONG, "tokens[0] of example 0 is no token..."},
};

START_TEST(broken_changes_get_their_state)
{
    const struct Experiment *e = experiment_named("18-longer");
    char text[1000];
    prepare(e);
    snprintf(text, sizeof text,
             "#include \"exercises/18-longer/answer.h\"\n"
             "void training_example(int32_t *tokens, int32_t *targets, const int32_t *letters,\n"
             "                      int length, uint64_t random)\n{\n%s\n}\n",
             broken[_i].body);
    put(file_in("answer.c"), text, strlen(text));
    struct Result r = grade(e);
    ck_assert_msg(r.state == broken[_i].state && r.passed == 0, "%s: %s: %s", broken[_i].body,
                  state_name(r.state), r.lines[0]);
    assert_like(r.lines[0], broken[_i].line);
    ck_assert_int_eq(r.checks[0].state, r.state == COMPILE ? TODO : r.state);
}
END_TEST

/* Another line, as fair: its numbers are others, and those of the solution are wrong for it. What a
   training gave is kept, and taken from there: here it is changed to see that. */
START_TEST(numbers_are_those_of_the_change)
{
    const struct Experiment *e = experiment_named("18-longer");
    char command[500];
    if (in_short()) {
        return;
    }
    prepare(e);
    snprintf(command, sizeof command, "sed 's/random %%/(random >> 32) %%/' %s >%s",
             solution(e, "c"), file_in("answer.c"));
    ck_assert_int_eq(system(command), 0);
    struct Result r = grade_value(e, "longer_after", "199");
    ck_assert_msg(r.state == WRONG && r.checks[0].state == PASS && r.passed < r.n_checks - 1,
                  "%s: %s", state_name(r.state), r.lines[0]);
    ck_assert_int_eq(system("sed -i.old 's/12 letters: [0-9]*/12 letters: 199/' build/trials/*"),
                     0);
    struct Result changed = grade_value(e, "longer_after", "199");
    ck_assert_int_eq(system("rm -rf build/trials"), 0);
    ck_assert_int_eq(changed.passed, r.passed + 1);
}
END_TEST

static void add_questions(TCase *cases, int from, int to)
{
    tcase_add_loop_test(cases, solution_passes, from, to);
    tcase_add_loop_test(cases, stub_is_to_do, from, to);
    tcase_add_loop_test(cases, letters_are_told_why, from, to);
    tcase_add_loop_test(cases, other_numbers_are_named, from, to);
}

/* The last experiment is the one with a change: it trains. */
Suite *experiment_suite(void)
{
    Suite *suite = suite_create("experiments");
    TCase *answers = new_case(suite, "answers", NULL);
    TCase *change = new_case(suite, "change", NULL);
    add_questions(answers, 0, n_experiments - 1);
    tcase_add_loop_test(answers, numbers_are_judged, 0, COUNT(numbers));
    tcase_add_loop_test(answers, files_get_their_state, 0, COUNT(files));
    tcase_add_test(answers, other_things_are_no_answers);
    tcase_add_test(answers, missing_pages_are_an_error);
    tcase_add_test(answers, numbers_are_found);
    tcase_add_test(answers, the_table_of_seeds_is_the_recorded_one);
    tcase_set_timeout(change, 300);
    add_questions(change, n_experiments - 1, n_experiments);
    tcase_add_test(change, unfair_changes_are_named);
    tcase_add_loop_test(change, broken_changes_get_their_state, 0, COUNT(broken));
    tcase_add_test(change, numbers_are_those_of_the_change);
    return suite;
}
