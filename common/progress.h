/* progress: one line on the terminal that says how far a long loop is: steps, loss, speed, time
   left. It goes to stderr, and only when that is a terminal: nothing else ever sees it. Write
   nothing to stdout between start and end, or the two mix on the screen. */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>

struct Progress {
    int total, step;
    bool shown;
    double start, drawn; /* seconds of the monotonic clock */
};

/* Overwrites progress. It shows nothing, ever, when quiet, when total is 0, when stderr is no
   terminal or TERM is "dumb", empty or not set. It uses no colour, so NO_COLOR has nothing to
   turn off. */
void progress_start(struct Progress *progress, int total, bool quiet);

/* step steps of total are done. Draws at most ten times a second, so call it after every step. */
void progress_step(struct Progress *progress, int step, double loss);

/* Replace the bar by one line: how many steps it were, how long they took. */
void progress_end(struct Progress *progress);

#endif
