/* rng: random numbers made of integers alone, so that they are the same everywhere. Each use has a
   stream of its own, named after it: drawing more test strings never changes the training data.
   Generator: SplitMix64 (Steele, Lea & Flood 2014). */
#ifndef COMMON_RNG_H
#define COMMON_RNG_H

#include <stdint.h>

struct Rng {
    uint64_t state;
};

/* The stream of this name for this seed. */
struct Rng rng_stream(uint64_t seed, const char *name);

uint64_t rng_next(struct Rng *rng);

/* 0 <= result < n, each equally likely (rejection, Lemire 2019). n > 0. */
int rng_below(struct Rng *rng, int n);

/* x[0..count) overwritten: even over the multiples of bound/2^23 in [-bound, bound). */
void rng_uniform(struct Rng *rng, float *x, int count, float bound);

/* x[0..count) overwritten: standard normal (Box & Muller 1958), |x| < 5.9. */
void rng_normal(struct Rng *rng, float *x, int count);

#endif
