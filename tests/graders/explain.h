/* explain: how the learner's process ended, if not by coming back. */
#ifndef GRADERS_EXPLAIN_H
#define GRADERS_EXPLAIN_H

#include "result.h"
#include "sandbox.h"

/* CRASH or TIMEOUT, and text := what happened, with the line of answer.c if it is known:
   "writes 4 bytes past the end of scores (...) at answer.c:22". */
enum State explain(char text[LINE], const struct Ended *ran, const char *program,
                   const struct Limits *limits);

#endif
