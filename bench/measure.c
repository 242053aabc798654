/* How many calls make a turn is found once, before the first. */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/threads.h"

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double wall_time(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double thread_time(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

int thread_counts(int counts[MAX_COUNTS], int most, int processors)
{
    int n = 0;
    for (int threads = 1; threads <= most; threads *= 2) {
        counts[n++] = threads;
        if (threads < processors && processors < 2 * threads) {
            counts[n++] = processors;
        }
    }
    return n;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

struct Sample sample_of(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    double median = n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2.0;
    return (struct Sample){median, values[0], values[n - 1]};
}

static double time_calls(const struct Case *c, int calls)
{
    double start = thread_time();
    for (int i = 0; i < calls; i++) {
        c->run(c->what);
    }
    return thread_time() - start;
}

static void find_calls(struct Case *c, int rounds, double seconds)
{
    time_calls(c, 1); /* fills the caches */
    int calls = 1;
    double spent = time_calls(c, calls);
    while (spent < seconds / 4.0) {
        calls *= 2;
        spent = time_calls(c, calls);
    }
    c->calls = spent < seconds ? (int)(calls * seconds / spent) : calls;
    c->rounds = calls == 1 && spent > 5.0 * seconds && rounds > 3 ? 3 : rounds;
}

void take_turns(struct Case *cases, int count, int rounds, double seconds)
{
    for (int i = 0; i < count; i++) {
        find_calls(&cases[i], rounds, seconds);
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            struct Case *c = &cases[i];
            if (round < c->rounds) {
                c->rate[round] = c->amount * c->calls / time_calls(c, c->calls);
            }
        }
    }
}

struct Sample case_rate(const struct Case *c)
{
    double rate[MAX_ROUNDS];
    memcpy(rate, c->rate, sizeof rate);
    return sample_of(rate, c->rounds);
}

struct Sample case_share(const struct Case *c, const struct Case *of)
{
    double share[MAX_ROUNDS];
    int rounds = c->rounds < of->rounds ? c->rounds : of->rounds;
    for (int i = 0; i < rounds; i++) {
        share[i] = c->rate[i] / of->rate[i];
    }
    return sample_of(share, rounds);
}

struct Percent percent(struct Sample share)
{
    struct Percent p;
    snprintf(p.text, sizeof p.text, "%.0f%% (%.0f-%.0f)", 100.0 * share.median, 100.0 * share.least,
             100.0 * share.most);
    return p;
}
