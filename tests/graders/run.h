/* run: grade one coding exercise. Check runs its checks, each in a process of its own. */
#ifndef GRADERS_RUN_H
#define GRADERS_RUN_H

#include "exercise.h"
#include "result.h"
#include "sandbox.h"

struct Grading {
    uint64_t seed;        /* of the values in the checks */
    double timeout_scale; /* of the 2 s of processor time that a check may take */
};

/* Grade the answer in this file, built in the given directory. */
struct Result grade_answer(const struct Exercise *e, const char *source, const char *directory,
                           const struct Grading *grading);

/* Why the learner's program did not send its arrays back: CRASH or TIMEOUT, and how in words. */
enum State explain_end(char text[LINE], const struct Ended *ran, const char *program,
                       const struct Limits *limits);

/* The result of an answer that is not there. */
struct Result not_started(const struct Exercise *e);

#endif
