/* Answers that are broken, or mean harm: each gets its state, the other checks stand, and
   nothing of it is left. All of them are put where the softmax of exercise 01 should stand. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "suites.h"
#include "tests/graders/build.h"
#include "tests/graders/course.h"
#include "tests/graders/filter.h"
#include "tests/graders/stub.h"
#include "tests/helpers.h"

static const char WHERE[] = "build/hostile/01-softmax", EVIL[] = "build/hostile/evil";

/* Two right answers to put a fault into: R is computed first, what stands behind it comes after. */
#define RIGHT "right(weights, scores, rows, n); "

#define BEFORE_MAIN "__attribute__((constructor)) void f(void) "

struct Abuse {
    const char *body; /* of softmax */
    enum State state;
    const char *says;    /* a part of the first line */
    const char *outside; /* what stands before the function; may be NULL */
};

static const struct Abuse leaving[] = {
    {"exit(0);", CRASH, "ends the program (with status 0) instead of returning", NULL},
    {RIGHT "exit(0);", CRASH, "instead of returning", NULL},
    {"_exit(0);", CRASH, "instead of returning", NULL},
    {RIGHT "quick_exit(0);", CRASH, "instead of returning", NULL},
    {"exit(3);", CRASH, "status 3", NULL},
    {"", CRASH, "instead of returning", BEFORE_MAIN "{ exit(0); }"},
    {RIGHT, CRASH, "instead of returning", BEFORE_MAIN "{ _exit(0); }"},
    {"abort();", CRASH, "abort", NULL},
    {"raise(SIGKILL);", CRASH, "killed", NULL},
};

static const struct Abuse endless[] = {
    {"for (;;);", TIMEOUT, "takes more than", NULL},
    {RIGHT "if (rows == 7) for (;;);", TIMEOUT, "check 2 of 7", NULL},
    {"for (;;) printf(\"and again\\n\");", TIMEOUT, "prints without end", NULL},
    {"for (;;) fprintf(stderr, \"and again\");", TIMEOUT, "takes more than", NULL},
    {"close(0); close(1); close(2); close(3); for (;;);", TIMEOUT, "takes more than", NULL},
    {"for (;;) memset(malloc(1 << 20), 1, 1 << 20);", CRASH, "memory", NULL},
    {"memset(malloc((size_t)8 << 30), 1, 1);", CRASH, "memory", NULL},
    {"softmax(weights, scores, rows + 1, n); weights[0] = 1;", CRASH, "runs out of stack", NULL},
};

static const struct Abuse memory[] = {
    {"weights[rows * n] = 1;", CRASH, "4 bytes past the end of weights (weights[15]", NULL},
    {RIGHT "weights[-1] = 1;", CRASH, "writes 4 bytes before the beginning of weights", NULL},
    {RIGHT "weights[0] += 0 * scores[rows * n];", CRASH, "past the end of scores", NULL},
    {"free(weights); free(weights);", CRASH, "frees the same memory twice at answer.c:", NULL},
    {"float *w = malloc(4); free(w); w[0] = 1; weights[0] = w[0];", CRASH, "was freed", NULL},
    {"float a[4]; a[rows + 1] = 1; weights[0] = a[rows + 1];", CRASH, "answer.c:", NULL},
    {"*(volatile int *)8 = 1;", CRASH, "", NULL},
    {"volatile int zero = 0; weights[0] = 1 / zero;", CRASH, "zero", NULL},
    {"fputs(\"grader: \", stderr); abort();", CRASH, "calls abort", NULL},
    {"fputs(\": runtime error: \", stderr); abort();", CRASH, "calls abort", NULL},
    {RIGHT "((float *)scores)[1] = 0;", WRONG, "You change scores", NULL},
    {RIGHT, PASS, "", NULL},
    {"", WRONG, "In this check weights is never written", NULL},
    {RIGHT "if (rows == 1) for (int i = 0; i < n; i++) weights[i] *= 3;", WRONG,
     "In this check every entry of weights is 3 times", NULL},
    {RIGHT "weights[0] = NAN;", WRONG, "NaN", NULL},
    {RIGHT "weights[n - 1] = INFINITY;", WRONG, "", NULL},
};

/* Names that are ours, or the C library's, or nobody's. */
static const struct Abuse names[] = {
    {RIGHT, PASS, "", "void call(void) {}\nint main(void) { return 1; }\nvoid case_read(void) {}"},
    {RIGHT, PASS, "", "int size(void) { return 1; }\nint given(void) { return 2; }"},
    {RIGHT, PASS, "", "long read(int a, void *b, size_t c) { return 0; }"},
    {RIGHT, PASS, "", "float *array_new(size_t n) { return 0; }\nvoid die(void) {}"},
    {"weights[0] = nobody;", COMPILE, "'nobody' undeclared", NULL},
    {"nowhere();", COMPILE, "'nowhere', but nothing here defines it", "void nowhere(void);"},
    {"} }", COMPILE, "answer.c:", NULL},
    {"", COMPILE, "answer.c:", "int softmax(int a);"},
    {"weights[0] = max(rows, n);", COMPILE, "'max'", "int max(int a, int b);"},
    {"", COMPILE, "the compiler needed more than", "#include \"/dev/zero\""},
    {"", COMPILE, "the compiler needed more than", "__asm__(\".data\\n.fill 1 << 30, 1, 1\");"},
    {"", COMPILE, "the compiler needed more than", /* after endless warnings */
     "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(x))))\n"
     "void f(void) { B({ int *a = 1; }) }\n"
     "#include \"/dev/zero\""},
    {RIGHT, COMPILE, "nowhere", "__asm__(\".incbin \\\"nowhere\\\"\");"},
    {"", COMPILE, "must stand alone",
     "# 1 \"system.h\" 1 3\n"
     "#include \"tests/solutions/04-heads.c\"\n"
     "# 1 \"answer.c\" 2"},
};

/* Processes, files, signals: these take the filter of system calls to be stopped, or told apart. */
static const struct Abuse filtered[] = {
    {"for (;;) fork();", CRASH, "start a process", NULL},
    {"system(\"echo evil >build/hostile/evil\");", CRASH, "start a process", NULL},
    {"execl(\"/bin/touch\", \"touch\", \"build/hostile/evil\", NULL);", CRASH, "start", NULL},
    {"fclose(fopen(\"build/hostile/evil\", \"w\"));", CRASH, "write a file", NULL},
    {"unlink(\"build/hostile/01-softmax/answer.c\");", CRASH, "write a file", NULL},
    {"kill(getppid(), SIGKILL); pause();", CRASH, "start a process", NULL},
    {"setsid(); for (;;);", CRASH, "start a process", NULL},
    {"", CRASH, "start a process", BEFORE_MAIN "{ for (;;) fork(); }"},
    {"", CRASH, "start a process",
     "static void f(void) { fork(); }\n"
     "__attribute__((section(\".preinit_array\"), used)) static void (*g)(void) = f;"},
    {"", CRASH, "write a file", /* while the program is being loaded, before its first function */
     "static void *f(void) { open(\"build/hostile/evil\", O_CREAT | O_WRONLY, 0666); return right; "
     "}\n"
     "static void g(void) __attribute__((ifunc(\"f\")));\n"
     "void (*h)(void) = g;"},
    /* kill the grader as soon as it reads */
    {"fcntl(1, F_SETOWN, getppid()); fcntl(1, F_SETSIG, SIGKILL); fcntl(1, F_SETFL, O_ASYNC);"
     "for (int i = 0; i < 1000; i++) printf(\"line\\n\");",
     CRASH, "start a process", NULL},
    {"prctl(PR_SET_PDEATHSIG, 0);", CRASH, "start a process", NULL}, /* outlive the grader */
    {"fallocate(0, FALLOC_FL_KEEP_SIZE, 0, 1 << 20);", CRASH, "write a file", NULL},
    {RIGHT
     "if (syscall(452, AT_FDCWD, \"build/hostile/01-softmax/answer.c\", 0777, 0) == 0) abort();",
     PASS, "", NULL}, /* fchmodat2 */
    {RIGHT "if (mmap(0, 1, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) abort();",
     PASS, "", NULL},
    {RIGHT "if (ioctl(0, FIONREAD, &rows) == 0 || errno != ENOTTY) abort();", PASS, "", NULL},
};

static struct Result grade(void)
{
    struct Grading grading = {.seed = 7, .timeout_scale = 0.5};
    return course_grade(0, WHERE, "hostile/built", &grading);
}

static void give(const char *text)
{
    directory_make(WHERE);
    file_replace("build/hostile/01-softmax/answer.c", text, strlen(text));
}

/* The answer of an abuse: the solution under the name of right, then the abuse. */
static char *answer_of(const struct Abuse *abuse)
{
    char *text, *solution = file_text("tests/solutions/01-softmax.c");
    char *end = strstr(solution, "void softmax(");
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "#include <errno.h>\n#include <fcntl.h>\n#include <signal.h>\n#include <stdio.h>\n"
                 "#include <stdlib.h>\n#include <string.h>\n#include <sys/ioctl.h>\n"
                 "#include <sys/mman.h>\n#include <sys/prctl.h>\n#include <unistd.h>\n");
    fprintf(out, "%.*sstatic void right(%s\n", (int)(end - solution), solution,
            end + strlen("void softmax("));
    fprintf(out, "%s\nvoid softmax(float *weights, const float *scores, int rows, int n)\n{\n",
            abuse->outside != NULL ? abuse->outside : "");
    fprintf(out, "    %s\n}\n", abuse->body);
    fclose(out);
    free(solution);
    return text;
}

static void expect_abuse(const struct Abuse *abuse)
{
    char *text = answer_of(abuse);
    give(text);
    unlink(EVIL); /* of an earlier run that was red */
    struct Result r = grade();
    ck_assert_msg(r.state == abuse->state && strstr(r.lines[0], abuse->says) != NULL,
                  "%s: is %s (should be %s): %s", text, state_name(r.state),
                  state_name(abuse->state), r.lines[0]);
    ck_assert_msg(access(EVIL, F_OK) != 0, "%s left a file", abuse->body);
    free(text);
}

START_TEST(leaving_is_no_pass)
{
    expect_abuse(&leaving[_i]);
}
END_TEST

START_TEST(nothing_lasts_for_ever)
{
    if (getenv("SHORT") == NULL || _i < 3) { /* as in test_table.c */
        expect_abuse(&endless[_i]);
    }
}
END_TEST

START_TEST(memory_is_watched)
{
    expect_abuse(&memory[_i]);
}
END_TEST

START_TEST(names_do_not_clash)
{
    expect_abuse(&names[_i]);
}
END_TEST

START_TEST(harm_is_refused)
{
    if (filter_exists()) {
        expect_abuse(&filtered[_i]);
    }
}
END_TEST

/* Two checks of six are right although the others crash. */
START_TEST(other_checks_stand)
{
    struct Abuse abuse = {.body = "if (n > 4) abort(); " RIGHT};
    char *text = answer_of(&abuse);
    give(text);
    struct Result r = grade();
    ck_assert_int_eq(r.state, CRASH);
    ck_assert_int_gt(r.passed, 1);
    ck_assert_int_lt(r.passed, r.n_checks);
    free(text);
}
END_TEST

static void expect_state(enum State state, const char *says)
{
    struct Result r = grade();
    ck_assert_msg(r.state == state && strstr(r.lines[0], says) != NULL, "is %s: %s (not %s: %s)",
                  state_name(r.state), r.lines[0], state_name(state), says);
}

START_TEST(files_that_are_no_answers)
{
    static const char path[] = "build/hostile/01-softmax/answer.c";
    give("");
    expect_state(COMPILE, "is empty");
    unlink(path);
    expect_state(COMPILE, "there is no such file");
    ck_assert_int_eq(mkdir(path, 0777), 0);
    expect_state(COMPILE, "is a directory");
    rmdir(path);
    ck_assert_int_eq(mkfifo(path, 0666), 0);
    expect_state(COMPILE, "is a pipe");
    unlink(path);
    file_replace(path, "\177ELF\0\1\2", 7);
    expect_state(COMPILE, "zero byte");
    give("\377\376 no C at all");
    expect_state(COMPILE, "answer.c:");
    give("/* nothing but a comment */\n");
    expect_state(COMPILE, "does not define the function softmax");
}
END_TEST

/* text with "\r\n" for each "\n"; to be freed. */
static char *with_carriage_returns(const char *text)
{
    char *result = malloc(2 * strlen(text) + 1), *at = result;
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            *at++ = '\r';
        }
        *at++ = *text;
    }
    *at = '\0';
    return result;
}

START_TEST(line_ends_do_not_matter)
{
    char *stub = course_stub(0, 0), *solution = course_solution(0, 0);
    char *stub_cr = with_carriage_returns(stub), *solution_cr = with_carriage_returns(solution);
    give(stub_cr);
    expect_state(TODO, "");
    give(solution_cr);
    expect_state(PASS, "");
    free(stub);
    free(solution);
    free(stub_cr);
    free(solution_cr);
}
END_TEST

/* Commented out, a solution is no answer. */
START_TEST(comments_are_no_code)
{
    char *stub = course_stub(0, 0), *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "// for (int r = 0; r < rows; r++)\n%s\n/* weights[0] = 1; */", stub);
    fclose(out);
    give(text);
    expect_state(TODO, "");
    free(text);
    free(stub);
}
END_TEST

Suite *hostile_suite(void)
{
    Suite *suite = suite_create("hostile");
    tcase_add_loop_test(new_case(suite, "leaving", NULL), leaving_is_no_pass, 0, COUNT(leaving));
    tcase_add_loop_test(new_case(suite, "endless", NULL), nothing_lasts_for_ever, 0,
                        COUNT(endless));
    tcase_add_loop_test(new_case(suite, "memory", NULL), memory_is_watched, 0, COUNT(memory));
    tcase_add_loop_test(new_case(suite, "names", NULL), names_do_not_clash, 0, COUNT(names));
    tcase_add_loop_test(new_case(suite, "harm", NULL), harm_is_refused, 0, COUNT(filtered));
    TCase *files = new_case(suite, "files", NULL);
    tcase_add_test(files, other_checks_stand);
    tcase_add_test(files, files_that_are_no_answers);
    tcase_add_test(files, line_ends_do_not_matter);
    tcase_add_test(files, comments_are_no_code);
    return suite;
}
