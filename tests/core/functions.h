/* functions: exp, log, erf, sin and cos of common/vmath.h, each with the double function that it is
   held against, and how far two results are from each other. */
#ifndef TESTS_CORE_FUNCTIONS_H
#define TESTS_CORE_FUNCTIONS_H

#include "common/vmath.h"

enum { N_FUNCTIONS = 5 };

struct Function {
    const char *name;
    vf (*vector)(vf);
    float (*scalar)(float);
    double (*truth)(double);
    const double *bound; /* in ulp, as vmath.h states it */
    float low, high;     /* where most of it happens, with either sign */
    uint64_t digest;     /* of the results of test_vmath.c's sample */
};

extern const struct Function functions[N_FUNCTIONS];

float sin_f32(float x);
float cos_f32(float x);

uint32_t bits_of(float x);
float float_of(uint32_t bits);

/* |y - truth| in ulp of truth. Infinite where one of the two is NaN, or infinite, and the other is
   not. */
double error_in_ulp(float y, double truth);

/* NaN counts as one value: its bits are not promised. */
uint32_t result_bits(float y);

#endif
