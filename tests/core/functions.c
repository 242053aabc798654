/* What is stated in vmath.h, as a table. */
#include "tests/core/functions.h"

#include <string.h>

static vf vsin(vf x)
{
    vf sine, cosine;
    vsincos(x, &sine, &cosine);
    return sine;
}

static vf vcos(vf x)
{
    vf sine, cosine;
    vsincos(x, &sine, &cosine);
    return cosine;
}

float sin_f32(float x)
{
    float sine, cosine;
    sincos_f32(x, &sine, &cosine);
    return sine;
}

float cos_f32(float x)
{
    float sine, cosine;
    sincos_f32(x, &sine, &cosine);
    return cosine;
}

/* What is stated where it differs from the double function: exp makes no subnormals, and an angle
   beyond 2^18 is NaN. */
static double true_exp(double x)
{
    return x < -125.5 * 0x1.62e42fefa39efp-1 ? 0.0 : exp(x); /* ln 2 */
}

static double true_sin(double x)
{
    return fabs(x) <= 0x1p18 ? sin(x) : (double)NAN;
}

static double true_cos(double x)
{
    return fabs(x) <= 0x1p18 ? cos(x) : (double)NAN;
}

const struct Function functions[N_FUNCTIONS] = {
    {"exp", vexp, exp_f32, true_exp, &EXP_ULP, 0x1p-24f, 89.0f, 0x7f0aa1106cb33eaf},
    {"log", vlog, log_f32, log, &LOG_ULP, 0x1p-4f, 16.0f, 0x43f731c2092c185c},
    {"erf", verf, erf_f32, erf, &ERF_ULP, 0x1p-12f, 4.0f, 0xbb807f71d954a0c9},
    {"sin", vsin, sin_f32, true_sin, &SIN_ULP, 0x1p-12f, 0x1p18f, 0xbc60f8944e4de2ee},
    {"cos", vcos, cos_f32, true_cos, &COS_ULP, 0x1p-12f, 0x1p18f, 0x6c2290381c7c01e6},
};

uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The distance between floats of y's size: 2^(e-23) where |y| is from 2^e on. */
static double ulp(double y)
{
    uint64_t bits;
    y = fmax(fabs(y), (double)FLT_MIN);
    memcpy(&bits, &y, sizeof bits);
    bits = (bits & 0x7ff0000000000000u) - ((uint64_t)23 << 52);
    memcpy(&y, &bits, sizeof y);
    return y;
}

double error_in_ulp(float y, double truth)
{
    if (isnan(y) || isnan(truth)) {
        return isnan(y) && isnan(truth) ? 0.0 : (double)INFINITY;
    }
    if (isinf(y)) {
        return y == (float)truth ? 0.0 : (double)INFINITY;
    }
    return fabs(y - truth) / ulp(truth);
}

uint32_t result_bits(float y)
{
    return isnan(y) ? 0x7fc00000u : bits_of(y);
}
