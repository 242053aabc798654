/* Results as grading would give them. */
#include <stdio.h>
#include <string.h>

#include "suites.h"

const char nasty[] =
    "\033[31mred\r\n\t<b a=\"1\" b='2'>&amp; ]]> a & b gr\xc3\xb6\xc3\x9f \xff\xc3( \xed\xa0\x80 "
    "\xef\xbf\xbe # TODO \\ \"quoted\" 'x' \xe2\x80\xae--- ok 1 \x7f=1+1";

struct Result sample(const char *exercise, enum State state, int passed, int n_checks)
{
    struct Result r = {.state = state, .passed = passed, .n_checks = n_checks, .seconds = 0.25};
    snprintf(r.exercise, sizeof r.exercise, "%s", exercise);
    snprintf(r.lesson, sizeof r.lesson, "lesson 04");
    snprintf(r.file, sizeof r.file, "exercises/%s/answer.c", exercise);
    for (int i = 0; i < n_checks; i++) {
        struct CheckResult *check = &r.checks[i];
        snprintf(check->name, sizeof check->name, "check %d", i + 1);
        check->state = i < passed ? PASS : i == passed ? state : TODO;
        if (check->state != PASS && check->state != TODO) {
            snprintf(check->text, sizeof check->text, "why %d", i + 1);
        }
    }
    return r;
}

void samples(struct Result results[N_SAMPLES])
{
    results[0] = sample("01-softmax", PASS, 6, 6);
    results[1] = sample("02-scaled-dot", WRONG, 4, 6);
    results[2] = sample("03-causal-mask", CRASH, 1, 5);
    results[3] = sample("04-layernorm", TIMEOUT, 1, 5);
    results[4] = sample("05-gelu", COMPILE, 0, 4);
    results[5] = sample("06-adamw", TODO, 0, 3);
    strcpy(results[1].lines[0],
           "You scale by 1/sqrt(d_model) = 0.289; each head needs 1/sqrt(d_head) = 0.500");
    strcpy(results[1].lines[1], "score[b0 h1 q2 k0]: yours 0.4113, expected 0.7124");
    strcpy(results[1].mistake, "d_model");
    results[1].seed = UINT64_MAX;
    strcpy(results[2].lines[0], "writes 4 bytes past scores[25] at answer.c:22");
    strcpy(results[3].lines[0], "2 s in check 2 of 5 (TIMEOUT_SCALE=3 on a slow machine)");
    strcpy(results[4].lines[0], "answer.c:12: 'x' undeclared");
}
