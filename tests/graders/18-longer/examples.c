/* What may change is where the string stands. All else would answer another question, and each way
   of doing so has its sentence. */
#include "examples.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/loss.h"
#include "tests/graders/build.h"
#include "tests/graders/explain.h"

enum { SHORTEST = 3, LONGEST_TRAINED = 8, NEEDED = 2 * LONGEST };

void examples_new(struct Examples *e, uint64_t seed)
{
    e->strings = zeros_new(EXAMPLES, sizeof *e->strings);
    e->tokens = zeros_new(EXAMPLES * CONTEXT, sizeof *e->tokens);
    e->targets = zeros_new(EXAMPLES * CONTEXT, sizeof *e->targets);
    strings_draw(e->strings, EXAMPLES, seed, "train", SHORTEST, LONGEST_TRAINED);
}

void examples_free(struct Examples *e)
{
    free(e->strings);
    free(e->tokens);
    free(e->targets);
}

static bool refuse(struct Change *change, enum State state, const char *mistake, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
static bool refuse(struct Change *change, enum State state, const char *mistake, const char *format,
                   ...)
{
    va_list arguments;
    va_start(arguments, format);
    *change = (struct Change){.how = REFUSED, .state = state, .mistake = mistake};
    vsnprintf(change->text, LINE, format, arguments);
    va_end(arguments);
    return true;
}

/* One case holds all examples, so that a whole training is one run of the learner's program. Behind
   the last there is room for one more: a string that begins too late makes the function look one
   place too far, and that its end is cut off says more than a crash. */
static void make_case(struct Case *c, const struct Examples *e, uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "examples");
    int32_t *letters = case_integers(c, IN, "letters", "ni", EXAMPLES, LONGEST);
    int32_t *length = case_integers(c, IN, "length", "n", EXAMPLES);
    int32_t *random = case_integers(c, IN, "random", "ni", EXAMPLES, 2);
    case_integers(c, OUT, "tokens", "nt", EXAMPLES + 1, CONTEXT);
    case_integers(c, OUT, "targets", "nt", EXAMPLES, CONTEXT);
    for (int i = 0; i < EXAMPLES; i++) {
        uint64_t bits = rng_next(&rng);
        memcpy(letters + i * LONGEST, e->strings[i].letters, LONGEST * sizeof *letters);
        memcpy(random + 2 * i, &bits, sizeof bits);
        length[i] = e->strings[i].length;
    }
}

/* One run of the program; false if the function did not come back. */
static bool call(struct Examples *e, const char *program, uint64_t seed, struct Change *change)
{
    const struct Limits limits = {.seconds = 5, .memory = (size_t)1 << 30, .untrusted = true};
    size_t bytes = EXAMPLES * CONTEXT * sizeof *e->tokens;
    struct Case c = {0};
    struct Ended ran;
    make_case(&c, e, seed);
    bool returned = call_answer(program, &c, &limits, &ran);
    if (returned) {
        memcpy(e->tokens, integers(&c, "tokens"), bytes);
        memcpy(e->targets, integers(&c, "targets"), bytes);
    } else {
        *change = (struct Change){.how = REFUSED};
        change->state = explain(change->text, &ran, program, &limits);
    }
    ended_free(&ran);
    case_free(&c);
    return returned;
}

bool examples_collect(struct Examples *e, const char *program, uint64_t seed, struct Change *change)
{
    size_t bytes = EXAMPLES * CONTEXT * sizeof *e->tokens;
    if (!call(e, program, seed, change)) {
        return false;
    }
    int32_t *first = zeros_new(1, bytes);
    memcpy(first, e->tokens, bytes);
    bool again = call(e, program, seed, change);
    if (again && memcmp(first, e->tokens, bytes) != 0) {
        again = !refuse(change, WRONG, "unrepeatable",
                        "The same calls gave other examples the second time. Take what is to be "
                        "left to chance from random, and from nothing else.");
    }
    free(first);
    return again;
}

/* Is the token at this place one of the string that begins at `begin`? */
static bool fits(const struct String *s, int begin, int place, int32_t token)
{
    int i = place - begin, n = s->length;
    int32_t wanted = i < 0 || i > 2 * n ? PAD
                     : i == n           ? SEPARATOR
                                        : s->letters[i < n ? i : 2 * n - i];
    return token == wanted;
}

int example_begin(const struct Examples *e, int i)
{
    const struct String *s = &e->strings[i];
    const int32_t *tokens = e->tokens + i * CONTEXT;
    for (int begin = 0; begin + 2 * s->length < CONTEXT; begin++) {
        int right = 0;
        while (right < CONTEXT && fits(s, begin, right, tokens[right])) {
            right++;
        }
        if (right == CONTEXT) {
            return begin;
        }
    }
    return -1;
}

/* How many letters stand in a row before the first separator, and how many behind it. */
static int letters_around(const int32_t *tokens, int *behind)
{
    int at = 0, before = 0;
    *behind = 0;
    while (at < CONTEXT && tokens[at] != SEPARATOR) {
        before = tokens[at] >= 0 && tokens[at] < LETTERS ? before + 1 : 0;
        at++;
    }
    while (at + 1 + *behind < CONTEXT && tokens[at + 1 + *behind] >= 0 &&
           tokens[at + 1 + *behind] < LETTERS) {
        ++*behind;
    }
    return at < CONTEXT ? before : -1;
}

/* An example whose tokens are not the string, the separator, the string backwards, and pads. */
static bool tokens_fault(const struct Examples *e, int i, struct Change *change)
{
    const int32_t *tokens = e->tokens + i * CONTEXT;
    int n = e->strings[i].length, behind, before = letters_around(tokens, &behind);
    for (int t = 0; t < CONTEXT; t++) {
        if (tokens[t] < 0 || tokens[t] >= VOCAB) {
            return refuse(change, WRONG, "unwritten",
                          "tokens[%d] of example %d is no token: write all %d, pads too.", t, i,
                          CONTEXT);
        }
    }
    if (before < 0) {
        return refuse(change, WRONG, "separator",
                      "Example %d has no separator: string, separator and reversal must fit into "
                      "the %d places.",
                      i, CONTEXT);
    }
    if (before > n || behind > n) {
        return refuse(change, WRONG, "longer",
                      "Example %d shows more letters than its string has. Training on longer "
                      "strings answers another question; keep the string, change its place.",
                      i);
    }
    if (before < n || behind < n) {
        return refuse(change, WRONG, "cut-off",
                      "Example %d lacks letters of its string or of the reversal: both must fit "
                      "into the %d places.",
                      i, CONTEXT);
    }
    return refuse(change, WRONG, "letters",
                  "Example %d is not its string, a separator, the string backwards, and pads "
                  "around them. Change the place of the string, not what it says.",
                  i);
}

/* Targets that are not where and what they should be, in an example whose tokens are right. */
static bool targets_fault(const struct Examples *e, int i, int begin, struct Change *change)
{
    const int32_t *tokens = e->tokens + i * CONTEXT, *targets = e->targets + i * CONTEXT;
    int n = e->strings[i].length, separator = begin + n;
    for (int t = separator; t < separator + n; t++) {
        if (targets[t] != tokens[t + 1]) {
            return refuse(change, WRONG, "targets",
                          "Example %d has a wrong target, or none, at place %d. From the separator "
                          "on, the target of a place is the token in the next: where the string "
                          "goes, they go.",
                          i, t);
        }
    }
    for (int t = 0; t < CONTEXT; t++) {
        if (targets[t] == IGNORE || (t >= separator && t < separator + n)) {
            continue;
        }
        if (t >= begin && t < separator) {
            return refuse(change, WRONG, "every-position",
                          "Example %d has a target at place %d, before its separator. That is "
                          "another fault (lesson 08); there the target is IGNORE.",
                          i, t);
        }
        return refuse(change, WRONG, "pad-targets",
                      "Example %d has a target at place %d, where a pad or the last letter stands: "
                      "there it must be IGNORE, or the model is trained to write pads.",
                      i, t);
    }
    return false;
}

/* Rows of the position table that no string stood on in one of a hundred examples, though a string
   of 12 letters needs them. held: in how many examples each row held a token that a loss sees. */
static bool rows_fault(const int held[CONTEXT], bool moved, struct Change *change)
{
    char rows[LINE] = "";
    for (int t = 0; t < NEEDED; t++) {
        if (held[t] < EXAMPLES / 100) {
            size_t used = strlen(rows);
            snprintf(rows + used, sizeof rows - used, "%s%d", used > 0 ? ", " : "", t);
        }
    }
    if (rows[0] == '\0') {
        return false;
    }
    if (!moved) {
        return refuse(change, WRONG, "same-place",
                      "Every string begins at the same place, so these rows never hold one: %s. "
                      "Draw the place anew for each example, from random.",
                      rows);
    }
    return refuse(change, WRONG, "rows",
                  "Rows of the position table that hardly any string stands on: %s. A string of %d "
                  "letters needs rows 0 to %d.",
                  rows, LONGEST, NEEDED - 1);
}

bool examples_fault(const struct Examples *e, struct Change *change)
{
    int held[CONTEXT] = {0};
    bool moved = false;
    int first = example_begin(e, 0);
    for (int i = 0; i < EXAMPLES; i++) {
        int begin = example_begin(e, i);
        if (begin < 0) {
            return tokens_fault(e, i, change);
        }
        if (targets_fault(e, i, begin, change)) {
            return true;
        }
        for (int t = begin; t < begin + 2 * e->strings[i].length; t++) {
            held[t]++;
        }
        moved |= begin != first;
    }
    return rows_fault(held, moved, change);
}
