/* A check is a test of Check's, in a forked process (CK_FORK), which starts the learner's process
   and judges what comes back. What it found goes through shared memory, with a flag that is set
   last: a check that ended in any other way than by coming to its end has found nothing, and that
   is an error of the grader, not a pass. */
#include "run.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "build.h"
#include "common/base.h"
#include "common/file.h"
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

void draw(struct Rng *rng, float *x, int n)
{
    rng_normal(rng, x, n);
}

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

/* "answer.c:22", from the first address of a report that lies in the answer; else "". */
static void place_in_answer(char *place, size_t room, const char *program, const char *report)
{
    enum { MOST = 40 };
    char addresses[MOST][24], *argv[MOST + 4] = {"addr2line", "-e", (char *)program};
    int n = 0;
    place[0] = '\0';
    for (const char *at = report; n < MOST && (at = strstr(at, "    #")) != NULL; at++) {
        if (sscanf(at, "    #%*d %23[0-9a-fx]", addresses[n]) == 1) {
            argv[3 + n] = addresses[n];
            n++;
        }
    }
    argv[3 + n] = NULL;
    if (n == 0) {
        return;
    }
    struct Limits limits = {.seconds = 10, .memory = (size_t)1 << 30};
    struct Ended ran = sandbox_run(argv, "", 0, &limits);
    const char *found = strstr(ran.out.bytes, "/answer.c:");
    if (found != NULL) {
        int length = (int)(1 + strcspn(found + 1, " \n"));
        snprintf(place, room, " at %.*s", length - 1, found + 1);
    }
    ended_free(&ran);
}

static const char *signal_in_words(int signal)
{
    switch (signal) {
    case SIGSEGV:
    case SIGBUS:
        return "reads or writes memory that is not its own";
    case SIGFPE:
        return "divides an integer by zero";
    case SIGABRT:
        return "calls abort, or the C library did (free of what is not to be freed?)";
    case SIGSYS:
        return "asks the system for what an answer may not do: start a process, write a file, ...";
    case SIGKILL:
        return "is killed (by itself, or the machine ran out of memory)";
    case SIGILL:
    case SIGTRAP:
        return "runs into an illegal instruction";
    case SIGXFSZ:
        return "writes to a file";
    default:
        return strsignal(signal);
    }
}

struct Word {
    const char *report, *words;
};
/* AddressSanitizer's words, and ours. */
static const struct Word memory_faults[] = {
    {"stack-overflow", "runs out of stack: a function that calls itself without end, or a huge "
                       "local array"},
    {"stack-buffer", "goes past an end of a local array"},
    {"dynamic-stack-buffer", "goes past an end of a local array"},
    {"global-buffer", "goes past an end of a global array"},
    {"heap-buffer", "goes past an end of an allocated array"},
    {"double-free", "frees the same memory twice"},
    {"bad-free", "frees what malloc did not give"},
    {"heap-use-after-free", "uses memory after it was freed"},
    {"stack-use-after", "uses a local variable that is gone"},
    {"allocation-size-too-big", "asks for more memory than a check may have"},
    {"out-of-memory", "asks for more memory than a check may have"},
    {"calloc-overflow", "asks for more memory than there can be"},
    {"negative-size-param", "copies a negative number of bytes"},
    {"param-overlap", "copies between two pieces of memory that overlap"},
    {"wild-addr", "reads or writes far outside of every array"},
    {"SEGV", "reads or writes an address that holds nothing (NULL, or an index far outside)"},
    {"FPE", "divides an integer by zero"},
    {"ABRT", "calls abort, or the C library did"},
};

static const char *fault_in_words(const char *report)
{
    for (size_t i = 0; i < sizeof memory_faults / sizeof *memory_faults; i++) {
        if (strstr(report, memory_faults[i].report) != NULL) {
            return memory_faults[i].words;
        }
    }
    return report;
}

/* From what the process wrote on stderr: a line of ours, or one of UBSan's; false if neither. */
static bool explain_report(char *text, const struct Ended *ran, const char *program)
{
    char line[LINE / 2], place[60];
    const char *ours = strstr(ran->err.bytes, "grader: ");
    const char *undefined = strstr(ran->err.bytes, ": runtime error: ");
    if (ours != NULL) {
        sscanf(ours, "grader: %199[^\n]", line);
        place_in_answer(place, sizeof place, program, ran->err.bytes);
        write_line(text, "%s%s", strstr(line, "which has entries") ? line : fault_in_words(line),
                   place);
        return true;
    }
    if (undefined != NULL) {
        const char *start = undefined;
        while (start > ran->err.bytes && start[-1] != '\n' && start[-1] != '/') {
            start--;
        }
        int place_length = (int)strcspn(start, ":");
        place_length += 1 + (int)strspn(start + place_length + 1, "0123456789");
        sscanf(undefined, ": runtime error: %199[^\n]", line);
        write_line(text, "%s at %.*s", line, place_length, start);
        return true;
    }
    return false;
}

enum State explain_end(char text[LINE], const struct Ended *ran, const char *program,
                       const struct Limits *limits)
{
    if (ran->how == OUT_OF_TIME) {
        write_line(text, "takes more than %g s%s", limits->seconds,
                   ran->out.total > ran->out.size ? " and prints without end" : "");
        return TIMEOUT;
    }
    if (ran->how == OUT_OF_MEMORY) {
        write_line(text, "takes more than %zu MB of memory", limits->memory >> 20);
    } else if (explain_report(text, ran, program)) {
    } else if (ran->how == SIGNALLED) {
        write_line(text, "%s", signal_in_words(ran->status));
    } else {
        write_line(text, "ends the program (with status %d) instead of returning", ran->status);
    }
    return CRASH;
}

static void run_check(int check)
{
    struct Found *found = now.found[check];
    struct Trial trial = {.name = now.exercise->checks[check].name};
    double seconds = CHECK_SECONDS * now.grading->timeout_scale;
    struct Limits limits = {
        .seconds = seconds, .memory = (size_t)CHECK_MEGABYTES << 20, .untrusted = true};
    struct Ended ran;
    make_case(&trial.given, now.exercise, check, now.grading->seed);
    case_copy(&trial.got, &trial.given);
    found->returned = call_answer(now.build->program, &trial.got, &limits, &ran);
    snprintf(found->printed, sizeof found->printed, "%s", ran.out.bytes);
    if (found->returned) {
        case_write(&trial.got, found->bytes);
        found->state = judge(now.exercise, &trial, found->text) ? PASS : WRONG;
    } else {
        found->state = explain_end(found->text, &ran, now.build->program, &limits);
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

static void tell(struct Result *result, const struct Exercise *e, const struct Build *build,
                 const struct Grading *grading)
{
    struct Trial trials[MAX_CHECKS];
    char line[LINE];
    int n = 0;
    for (int i = 0; i < result->n_checks; i++) {
        if (result->checks[i].state == result->state &&
            (result->state == CRASH || result->state == TIMEOUT)) {
            write_line(line, "%s, in check %d of %d: %s", result->checks[i].text, i + 1,
                       result->n_checks, e->checks[i].name);
            result_add(result, line);
            if (result->state == TIMEOUT) {
                result_add(result, "An endless loop? On a slow machine: TIMEOUT_SCALE=3");
            }
            break;
        }
    }
    for (int i = 0; i < result->n_checks; i++) {
        if (now.found[i]->finished && now.found[i]->returned) {
            struct Trial *t = &trials[n++];
            t->name = e->checks[i].name;
            make_case(&t->given, e, i, grading->seed);
            case_copy(&t->got, &t->given);
            case_take(&t->got, now.found[i]->bytes, case_bytes(&t->given));
        }
    }
    if (result->state == WRONG) {
        name_mistake(result, e, trials, n);
    } else if (result->state == CRASH && n >= 2) {
        name_known(result, e, trials,
                   n); /* what crashed may be wrong where it does not crash too */
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
    result.seconds = seconds_now() - start;
    return result;
}
