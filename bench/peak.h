/* peak: the limit that everything else is held against. A loop of fused multiply-adds on registers
   alone, in enough independent chains that none waits for the one before it: what the arithmetic
   units can do when nothing has to be fetched. */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include "measure.h"

/* Some ten microseconds of it, for take_turns; amount in operations, two a multiply-add. */
struct Case peak_case(void);

/* Operations a second on this thread, by its own time. All of these take about so many seconds. */
double peak_alone(double seconds);

/* Operations a second on so many threads: the sum of what each does by its own time, and what all
   did by the clock on the wall. They differ where other programs want the processors too. */
struct Peak {
    double own, wall;
};
struct Peak peak_together(int threads, double seconds);

#endif
