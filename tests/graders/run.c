/* A check is a test of Check's, in a forked process (CK_FORK), which starts the learner's process
   and judges what comes back. What it found goes through shared memory, with a flag that is set
   last: a check that ended in any other way than by coming to its end has found nothing, and that
   is an error of the grader, not a pass. */
#include "run.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "build.h"
#include "common/base.h"
#include "common/file.h"
#include "explain.h"
#include "judge.h"

enum { CHECK_SECONDS = 2, CHECK_MEGABYTES = 512, LARGEST_CASE = 32 << 20 };

/* What a check leaves for the process that started it. */
struct Found {
    bool finished; /* set last */
    bool returned; /* the function came back, and bytes hold its arrays */
    bool endless;  /* it ran until it was out of time or memory */
    enum State state;
    char text[LINE];
    char printed[PRINTED];
    char bytes[];
};

/* The exercise that is being graded: Check's tests take nothing but a number. */
static struct {
    const struct Exercise *exercise;
    const struct Build *build;
    const struct Grading *grading;
    struct Found *found[MAX_CHECKS];
} now;

/* The same values for the same seed, whoever asks. */
static void make_case(struct Case *c, const struct Exercise *e, int check, uint64_t seed)
{
    char stream[80];
    snprintf(stream, sizeof stream, "%s/%d", e->name, check);
    struct Rng rng = rng_stream(seed, stream);
    *c = (struct Case){0};
    e->checks[check].make(c, &rng);
    if (case_bytes(c) > LARGEST_CASE) {
        die("check %d of %s is too large", check + 1, e->name);
    }
}

static void run_check(int check)
{
    struct Found *found = now.found[check];
    struct Trial trial = {.name = now.exercise->checks[check].name};
    struct Limits limits = {.seconds = CHECK_SECONDS * now.grading->timeout_scale,
                            .memory = (size_t)CHECK_MEGABYTES << 20,
                            .untrusted = true};
    struct Ended ran;
    make_case(&trial.given, now.exercise, check, now.grading->seed);
    case_copy(&trial.got, &trial.given);
    found->returned = call_answer(now.build->program, &trial.got, &limits, &ran);
    snprintf(found->printed, sizeof found->printed, "%s", ran.out.bytes);
    if (found->returned) {
        case_write(&trial.got, found->bytes);
        found->state = judge(now.exercise, &trial, found->text) ? PASS : WRONG;
    } else {
        found->state = explain(found->text, &ran, now.build->program, &limits);
        found->endless = ran.how == OUT_OF_TIME || ran.how == OUT_OF_MEMORY;
    }
    ended_free(&ran);
    case_free(&trial.given);
    case_free(&trial.got);
    found->finished = true;
}

START_TEST(one_check)
{
    run_check(_i);
    ck_assert_msg(now.found[_i]->state == PASS, "%s", now.found[_i]->text);
}
END_TEST

/* Run checks from..to-1 of the current exercise; how many ran. */
static int run_checks(int from, int to, double timeout_scale)
{
    Suite *suite = suite_create(now.exercise->name);
    TCase *cases = tcase_create("checks");
    tcase_set_timeout(cases, 30 * CHECK_SECONDS * timeout_scale);
    tcase_add_loop_test(cases, one_check, from, to);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK);
    srunner_run(runner, now.exercise->name, "checks", CK_SILENT); /* whatever CK_RUN_CASE says */
    int ran = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner), passed = 0;
    srunner_free(runner);
    for (int i = from; i < to; i++) {
        if (!now.found[i]->finished) {
            die("the grader broke in check %d of %s; this is no fault of the answer", i + 1,
                now.exercise->name);
        }
        passed += now.found[i]->state == PASS;
    }
    if (passed + failed != ran) {
        die("Check counts %d of %d checks of %s as passed, the grader %d", ran - failed, ran,
            now.exercise->name, passed);
    }
    return ran;
}

static void *share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        die("no memory to grade with");
    }
    return memory;
}

/* The mistakes that explain these trials, if any do, told to the learner. */
static Mistakes name_known(struct Result *result, const struct Exercise *e,
                           const struct Trial *trials, int n)
{
    Mistakes mistakes = diagnose(e, trials, n);
    for (int m = 0; m < e->n_mistakes; m++) {
        if (made(mistakes, m)) {
            size_t used = strlen(result->mistake);
            snprintf(result->mistake + used, sizeof result->mistake - used, "%s%s",
                     used > 0 ? "+" : "", e->mistakes[m].id);
            result_add(result, e->mistakes[m].sentence);
        }
    }
    return mistakes;
}

/* Which mistake it was, or what can be read off the first check that went wrong. */
static void name_mistake(struct Result *result, const struct Exercise *e,
                         const struct Trial *trials, int n)
{
    Mistakes mistakes = name_known(result, e, trials, n);
    for (int i = 0; i < n; i++) {
        char evidence[LINE], line[LINE];
        if (judge(e, &trials[i], evidence)) {
            continue;
        }
        if (mistakes == 0) {
            read_off(e, &trials[i], line);
            result_add(result, line);
        }
        write_line(line, "%s (check: %s)", evidence, trials[i].name);
        result_add(result, line);
        return;
    }
}

/* The worst of the states; a crash says more than a wrong number. */
static enum State overall(const struct Result *result)
{
    static const enum State order[] = {TIMEOUT, CRASH, WRONG};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        for (int c = 0; c < result->n_checks; c++) {
            if (result->checks[c].state == order[i]) {
                return order[i];
            }
        }
    }
    return result->passed == result->n_checks ? PASS : WRONG;
}

/* The first check that crashed, or ran out of time. */
static void tell_end(struct Result *result)
{
    char line[LINE];
    int i = 0;
    while (result->checks[i].state != result->state) {
        i++;
    }
    write_line(line, "%s, in check %d of %d: %s", result->checks[i].text, i + 1, result->n_checks,
               result->checks[i].name);
    result_add(result, line);
    if (result->state == TIMEOUT) {
        result_add(result, "An endless loop? On a slow machine: TIMEOUT_SCALE=3");
    }
}

/* The checks that the function came back from; how many. */
static int gather(struct Trial *trials, const struct Exercise *e, uint64_t seed)
{
    int n = 0;
    for (int i = 0; i < e->n_checks; i++) {
        if (now.found[i]->finished && now.found[i]->returned) {
            struct Trial *t = &trials[n++];
            t->name = e->checks[i].name;
            make_case(&t->given, e, i, seed);
            case_copy(&t->got, &t->given);
            case_take(&t->got, now.found[i]->bytes, case_bytes(&t->given));
        }
    }
    return n;
}

static void tell(struct Result *result, const struct Exercise *e, const struct Build *build,
                 const struct Grading *grading)
{
    struct Trial trials[MAX_CHECKS];
    char line[LINE];
    int n = gather(trials, e, grading->seed);
    if (result->state == WRONG) {
        name_mistake(result, e, trials, n);
    } else if (result->state != PASS) {
        tell_end(result);
        if (n >= 2) { /* what crashed may be wrong where it does not crash too */
            name_known(result, e, trials, n);
        }
    }
    if (result->state != PASS && result->mistake[0] == '\0' && build->warning[0] != '\0') {
        write_line(line, "The compiler warns: %s", build->warning);
        result_add(result, line);
    }
    for (int i = 0; i < n; i++) {
        case_free(&trials[i].given);
        case_free(&trials[i].got);
    }
}

static void run_all_checks(struct Result *result, const struct Exercise *e,
                           const struct Build *build, const struct Grading *grading)
{
    size_t room = sizeof(struct Found) + LARGEST_CASE;
    int ran = 0;
    now.exercise = e, now.build = build, now.grading = grading;
    for (int i = 0; i < e->n_checks; i++) {
        now.found[i] = share(room);
    }
    /* After one that had to be ended the rest would only take time. */
    for (int i = 0; i < e->n_checks && (i == 0 || !now.found[i - 1]->endless); i++) {
        ran += run_checks(i, i + 1, grading->timeout_scale);
    }
    if (ran == 0) {
        die("not one check of %s ran: an error of the grader", e->name);
    }
    for (int i = 0; i < e->n_checks; i++) {
        struct CheckResult *c = &result->checks[i];
        if (now.found[i]->finished) {
            c->state = now.found[i]->state;
            memcpy(c->text, now.found[i]->text, LINE);
            result->passed += c->state == PASS;
            if (result->printed[0] == '\0') {
                memcpy(result->printed, now.found[i]->printed, sizeof result->printed);
            }
        }
    }
    result->state = overall(result);
    tell(result, e, build, grading);
    for (int i = 0; i < e->n_checks; i++) {
        munmap(now.found[i], room);
    }
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct Result not_started(const struct Exercise *e)
{
    struct Result result = {.state = TODO, .n_checks = e->n_checks};
    snprintf(result.exercise, sizeof result.exercise, "%s", e->name);
    snprintf(result.lesson, sizeof result.lesson, "%s", e->lesson);
    snprintf(result.file, sizeof result.file, "exercises/%s/answer.c", e->name);
    for (int i = 0; i < e->n_checks; i++) {
        snprintf(result.checks[i].name, sizeof result.checks[i].name, "%s", e->checks[i].name);
    }
    return result;
}

struct Result grade_answer(const struct Exercise *e, const char *source, const char *directory,
                           const struct Grading *grading)
{
    double start = seconds_now();
    struct Result result = not_started(e);
    result.seed = grading->seed;
    struct Build build = build_answer(e, source, directory);
    if (build.how == BUILT) {
        run_all_checks(&result, e, &build, grading);
    } else if (build.how == NOT_BUILT) {
        result.state = COMPILE;
        result_add(&result, build.complaint);
    }
    build_done(&build);
    result.seconds = seconds_now() - start;
    return result;
}
