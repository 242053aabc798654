/* measure: clocks, medians, and things that take turns. What is to be compared is run in turn,
   A B C A B C ..., so that a machine that grows slower grows slower for all of them. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

double wall_time(void); /* seconds */

/* Seconds that this thread has had a processor. What runs on one thread is timed with it: other
   programs then disturb little. */
double thread_time(void);

enum { MAX_COUNTS = 32 };

/* counts overwritten with 1, 2, 4, ... up to most, and the number of processors; how many. */
int thread_counts(int counts[MAX_COUNTS], int most, int processors);

struct Sample {
    double median, least, most;
};

/* Sorts values. n >= 1. */
struct Sample sample_of(double *values, int n);

enum { MAX_ROUNDS = 64 };

/* One of the things that take turns: run(what) does amount of work, in whatever unit. */
struct Case {
    void (*run)(void *what);
    void *what;
    double amount;
    int calls, rounds;       /* calls in a turn; turns taken */
    double rate[MAX_ROUNDS]; /* amount a second, turn by turn */
};

/* Each case in turn, rounds times, each turn about so many seconds long. A case that takes much
   longer than that for a single call drops out after three turns. One thread. */
void take_turns(struct Case *cases, int count, int rounds, double seconds);

struct Sample case_rate(const struct Case *c);
/* The rate of c over that of another, turn by turn. */
struct Sample case_share(const struct Case *c, const struct Case *of);

/* "91% (88-93)" */
struct Percent {
    char text[32];
};
struct Percent percent(struct Sample share);

#endif
