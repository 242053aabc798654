/* The grading table. For each exercise the stub is TODO, the solution passes, and so does every
   variant in tests/variants/NN-name/; every line of tests/mutants/NN-name.txt, a change to the
   solution, is WRONG, or a CRASH in one of its checks, and its mistake is named; no mistake of a
   grader is without such a line. Numbers that come of one mistake are never taken for another. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "suites.h"
#include "tests/graders/build.h"
#include "tests/graders/judge.h"
#include "tests/graders/run.h"
#include "tests/graders/stub.h"
#include "tests/helpers.h"

enum { MAX_MUTANTS = 48 };

/* SHORT=1 in the environment: a part of what there is to do (make test FAST=1). */
static int unless_short(int all, int few)
{
    return getenv("SHORT") != NULL ? few : all;
}

static uint64_t seeds(void)
{
    return (uint64_t)unless_short(2, 1);
}

static const struct Exercise *exercise_number(int i)
{
    ck_assert(n_exercises > 0 && i < n_exercises);
    return exercises[i];
}

static char directory[200];

/* In the checkout; each exercise has a build directory of its own. */
static void prepare(const struct Exercise *e)
{
    snprintf(directory, sizeof directory, "build/table/%s", e->name);
    directory_make(directory);
}

static struct Result grade(const struct Exercise *e, const char *source, uint64_t seed)
{
    struct Grading grading = {.seed = seed, .timeout_scale = 5};
    return grade_answer(e, source, directory, &grading);
}

/* text as the answer to e. */
static struct Result grade_text(const struct Exercise *e, const char *text, uint64_t seed)
{
    char path[300];
    snprintf(path, sizeof path, "%s/given.c", directory);
    file_replace(path, text, strlen(text));
    return grade(e, path, seed);
}

static void expect_pass(const struct Result *r, const char *what)
{
    ck_assert_msg(r->state == PASS && r->passed == r->n_checks && r->n_checks >= 3,
                  "%s: %s is %s: %s", r->exercise, what, state_name(r->state), r->lines[0]);
}

START_TEST(stub_is_to_do)
{
    const struct Exercise *e = exercise_number(_i);
    char path[300];
    prepare(e);
    snprintf(path, sizeof path, "tests/solutions/%s.c", e->name);
    char *stub = stub_of(path);
    struct Result r = grade_text(e, stub, 1);
    ck_assert_msg(r.state == TODO, "%s: the stub is %s: %s", e->name, state_name(r.state),
                  r.lines[0]);
    /* A stub compiles: with one more statement it is an answer, and a wrong one. */
    char *body = strstr(stub, "/* Your code. */");
    ck_assert(body != NULL);
    memcpy(body, "{;}             ", strlen("/* Your code. */"));
    r = grade_text(e, stub, 1);
    ck_assert_msg(r.state == WRONG, "%s: a stub that does nothing is %s: %s", e->name,
                  state_name(r.state), r.lines[0]);
    free(stub);
}
END_TEST

START_TEST(solution_passes)
{
    const struct Exercise *e = exercise_number(_i);
    char path[300];
    prepare(e);
    snprintf(path, sizeof path, "tests/solutions/%s.c", e->name);
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct Result r = grade(e, path, seed);
        expect_pass(&r, "the solution");
    }
}
END_TEST

START_TEST(variants_pass)
{
    const struct Exercise *e = exercise_number(_i);
    char path[600];
    int found = 0;
    prepare(e);
    snprintf(path, sizeof path, "tests/variants/%s", e->name);
    DIR *variants = opendir(path);
    ck_assert_msg(variants != NULL, "no %s", path);
    for (struct dirent *entry; (entry = readdir(variants)) != NULL;) {
        if (strstr(entry->d_name, ".c") == NULL) {
            continue;
        }
        snprintf(path, sizeof path, "tests/variants/%s/%s", e->name, entry->d_name);
        if (found++ < unless_short(MAX_MUTANTS, 1)) {
            struct Result r = grade(e, path, (uint64_t)found);
            expect_pass(&r, entry->d_name);
        }
    }
    closedir(variants);
    ck_assert_msg(found >= 2, "%s has %d variants", e->name, found);
}
END_TEST

/* The solution of e changed by these sed commands; to be freed. */
static char *changed(const struct Exercise *e, const char *commands)
{
    char path[300], command[1000], *text = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/commands.sed", directory);
    file_replace(path, commands, strlen(commands));
    snprintf(command, sizeof command, "sed -f %s tests/solutions/%s.c", path, e->name);
    FILE *sed = popen(command, "r"), *gathered = open_memstream(&text, &size);
    for (int c; (c = getc(sed)) != EOF;) {
        putc(c, gathered);
    }
    fclose(gathered);
    ck_assert_msg(pclose(sed) == 0, "%s: sed fails with %s", e->name, commands);
    return text;
}

static void expect_mistake(const struct Exercise *e, const char *text, const char *id,
                           uint64_t seed)
{
    struct Result r = grade_text(e, text, seed);
    ck_assert_msg((r.state == WRONG || r.state == CRASH) && strcmp(id, r.mistake) == 0,
                  "%s: %s is %s and taken for '%s': %s %s", e->name, id, state_name(r.state),
                  r.mistake, r.lines[0], r.lines[1]);
}

START_TEST(mutants_are_named)
{
    const struct Exercise *e = exercise_number(_i);
    char path[300], id[64];
    bool named[MAX_MUTANTS] = {false};
    int commands, count = 0;
    prepare(e);
    snprintf(path, sizeof path, "tests/solutions/%s.c", e->name);
    char *solution = file_text(path);
    snprintf(path, sizeof path, "tests/mutants/%s.txt", e->name);
    char *mutants = file_text(path), *rest = mutants;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (line[0] == '#' || sscanf(line, "%63s %n", id, &commands) < 1) {
            continue;
        }
        char *text = changed(e, line + commands);
        ck_assert_msg(!same_code(text, solution), "%s: %s changes nothing", e->name, id);
        if (count++ < unless_short(MAX_MUTANTS, 2)) {
            expect_mistake(e, text, id, (uint64_t)count);
        }
        for (int m = 0; m < e->n_mistakes; m++) {
            named[m] |= strcmp(e->mistakes[m].id, id) == 0;
        }
        free(text);
    }
    free(mutants);
    free(solution);
    ck_assert_msg(count >= 4 && count <= MAX_MUTANTS, "%s has %d mutants", e->name, count);
    for (int m = 0; m < e->n_mistakes; m++) {
        ck_assert_msg(named[m], "%s: no mutant makes the mistake %s", e->name, e->mistakes[m].id);
    }
}
END_TEST

/* A trial in which the function gave exactly what these mistakes give. */
static struct Trial trial_of(const struct Exercise *e, int check, uint64_t seed, Mistakes mistakes)
{
    struct Trial t = {.name = e->checks[check].name};
    struct Rng rng = rng_stream(seed, e->checks[check].name);
    e->checks[check].make(&t.given, &rng);
    case_copy(&t.got, &t.given);
    struct Wanted wrong = expect(e, &t.given, mistakes);
    for (int i = 0; i < t.got.n_arrays; i++) {
        struct Array *a = &t.got.arrays[i];
        for (int j = 0; j < a->size && wrong.values[i] != NULL; j++) {
            if (a->integer) {
                a->i[j] = (int32_t)wrong.values[i][j];
            } else {
                a->f[j] = (float)wrong.values[i][j];
            }
        }
    }
    wanted_free(&wrong);
    return t;
}

START_TEST(mistakes_are_told_apart)
{
    const struct Exercise *e = exercise_number(_i);
    struct Trial trials[MAX_CHECKS];
    for (int m = 0; m < e->n_mistakes; m++) {
        for (uint64_t seed = 1; seed <= seeds(); seed++) {
            for (int check = 0; check < e->n_checks; check++) {
                trials[check] = trial_of(e, check, seed, 1u << m);
            }
            Mistakes found = diagnose(e, trials, e->n_checks);
            ck_assert_msg(found == 1u << m, "%s: %s is taken for %#x", e->name, e->mistakes[m].id,
                          found);
            for (int check = 0; check < e->n_checks; check++) {
                case_free(&trials[check].given);
                case_free(&trials[check].got);
            }
        }
    }
}
END_TEST

/* A case for each exercise, so that CK_RUN_CASE=02-scaled-dot runs one alone; in two halves, so
   that two processors can share them. */
static Suite *half(const char *name, int first)
{
    Suite *suite = suite_create(name);
    for (int i = first; i < n_exercises; i += 2) {
        TCase *cases = new_case(suite, exercises[i]->name, NULL);
        tcase_set_timeout(cases, 300);
        tcase_add_loop_test(cases, stub_is_to_do, i, i + 1);
        tcase_add_loop_test(cases, solution_passes, i, i + 1);
        tcase_add_loop_test(cases, variants_pass, i, i + 1);
        tcase_add_loop_test(cases, mutants_are_named, i, i + 1);
        tcase_add_loop_test(cases, mistakes_are_told_apart, i, i + 1);
    }
    return suite;
}

Suite *table_suite(void)
{
    return half("table", 0);
}

Suite *table_rest_suite(void)
{
    return half("table-rest", 1);
}
