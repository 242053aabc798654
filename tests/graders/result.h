/* result: what grading one exercise gave. Everything that prints, writes a report or fills in a
   gradebook reads this and nothing else. */
#ifndef GRADERS_RESULT_H
#define GRADERS_RESULT_H

#include <stdbool.h>
#include <stdint.h>

enum State { TODO, PASS, WRONG, CRASH, TIMEOUT, COMPILE };

enum { MAX_CHECKS = 16, MAX_LINES = 4, LINE = 400, PRINTED = 1000 };

struct CheckResult {
    char name[80];
    enum State state; /* PASS, WRONG, CRASH or TIMEOUT; TODO: it was not run */
    char text[LINE];  /* why it did not pass; empty if it did */
};

struct Result {
    char exercise[32]; /* "02-scaled-dot": the directory in exercises/ */
    char lesson[24];   /* where to read: "lesson 04" */
    char file[64];     /* what the learner edits: "exercises/02-scaled-dot/answer.c" */
    enum State state;
    int passed, n_checks;
    struct CheckResult checks[MAX_CHECKS];
    char mistake[64];            /* the mistake that was recognised, by its id; empty if none was */
    char lines[MAX_LINES][LINE]; /* what to tell the learner, most important first; "" ends it */
    char printed[PRINTED];       /* the beginning of what the learner's function printed */
    uint64_t seed;               /* the checks' values were drawn from it */
    double seconds;              /* of the wall clock */
};

/* A line of text, cut off where it is too long. */
void write_line(char line[LINE], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One more line for the learner; nothing if it is empty or if there is no room. */
void result_add(struct Result *result, const char *line);

/* "PASS" and so on, as it stands in the rows. */
const char *state_name(enum State state);

/* Does this state fail a whole run? TODO does only when strict. */
static inline bool state_fails(enum State state, bool strict)
{
    return state == TODO ? strict : state != PASS;
}

#endif
