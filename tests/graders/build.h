/* build: from the learner's file to a program, by the compiler, under limits of its own. */
#ifndef GRADERS_BUILD_H
#define GRADERS_BUILD_H

#include <stdbool.h>
#include <stdio.h>

#include "exercise.h"
#include "result.h"
#include "sandbox.h"

/* Where the build is, and a path in it (until the next call). */
extern const char *build_directory;
const char *build_path(const char *name);

/* Say what this compiler or system cannot do; nothing, if it can do all. */
void build_notes(FILE *stream);

enum Built { BUILT, NOT_BUILT, UNCHANGED /* nothing but comments differs from the stub */ };

struct Build {
    enum Built how;
    int lock;             /* of the directory; -1: none */
    char program[200];    /* where it is, if it was built */
    char complaint[LINE]; /* why not: one line, "answer.c:12: 'x' undeclared" */
    char warning[LINE];   /* the compiler's first warning, or empty */
};

/* Compile source (a path) as the answer to e, under the directory (which is made). Who else would
   build there, another make check beside this one, waits until build_done. */
struct Build build_answer(const struct Exercise *e, const char *source, const char *directory);
void build_done(const struct Build *build);

/* One call of the learner's function: c handed in, and replaced with what came back. Returns true
   if it returned and sent everything; else why not is in *ran. */
bool call_answer(const char *program, struct Case *c, const struct Limits *limits,
                 struct Ended *ran);

#endif
