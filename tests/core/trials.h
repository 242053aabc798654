/* trials: random arrays for the core's tests, and comparing. An array ends where the readable
   memory ends and begins behind guards; what was not written is NaN; an input must stay as it is.
   Every message tells the place, both numbers, the trial and the seed (TEST_SEED, default 1). */
#ifndef TESTS_CORE_TRIALS_H
#define TESTS_CORE_TRIALS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/rng.h"
#include "tests/helpers.h"

extern uint64_t seed;
extern struct Rng rng;

/* A setup: rng and seed begin anew. */
void begin_trials(void);

/* What is being tried, for the messages. */
extern char trial[160];
#define TRY(...) snprintf(trial, sizeof trial, __VA_ARGS__)

float *array_of(const char *name, size_t count);     /* all NaN */
float *random_array(const char *name, size_t count); /* standard normal */
float *copy_of(const char *name, const float *x, size_t count);
double *doubles_of(const float *x, size_t count); /* x NULL: zeros */

/* From now on x, which came from one of the above, must stay as it is. */
const float *input(const float *x);
const float *random_input(const char *name, size_t count);

/* Guards and inputs are as they were; then all arrays are given back. */
void arrays_done(void);

/* got[i] must have the bits of wanted[i]. */
void same_bits(const char *name, const float *got, const float *wanted, size_t count);

/* |got - wanted| <= bound, which NaN does not pass. i is the index for the message. */
void near(const char *name, size_t i, double got, double wanted, double bound);

/* How far an entry of x may be off: 1e-5 of the largest, and 1e-6. */
double bound_among(const double *x, size_t count);

/* d[i] - before[i] must be the slope of value() along x[i], for all i < count, or for most of them
   taken at random. before NULL: zeros. */
void check_gradient(const char *name, const float *d, const float *before, double *x, size_t count,
                    size_t most, double (*value)(void));

/* n cells that should be equally full: chi-square within five standard deviations of its mean. */
void check_even(const char *name, const int *counts, int n);

#endif
