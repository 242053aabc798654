/* live: the loss in a gnuplot window, as it falls. gnuplot runs beside the training and gets the
   curve a few times a second; when its window is closed, training goes on without it. */
#ifndef COMMON_LIVE_H
#define COMMON_LIVE_H

#include <stdio.h>

struct Live {
    FILE *gnuplot; /* NULL: no window */
    double drawn;
};

/* Dies with one line if there is no display, no gnuplot, or one without windows. */
void live_check(void);

/* Open the window; dies like live_check. */
void live_open(struct Live *live);

/* Draw losses[0..count), at most four times a second. Nothing without a window. */
void live_draw(struct Live *live, const double *losses, int count);

/* Draw the whole curve once more and leave the window on the screen. */
void live_close(struct Live *live, const double *losses, int count);

#endif
