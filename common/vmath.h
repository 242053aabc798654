/* vmath: exp, log, erf, sine and cosine, a register at a time. The bits of a result depend on the
   argument, not on lane, width, compiler or level: no branch, no table, no libm, only + - *, vfma
   (rounded once, even where the machine has no such instruction), integer lanes and vselect.
   Bounds are in ulp, units in the last place of the true result. make test-exhaustive measures them
   over every float against the double functions of libm, and fails where a bound here is passed or
   too generous; tests/core/test_vmath.c looks at a sample.
   NaN gives NaN, its own bits not promised. The coefficients are our own minimax fits (Remez),
   rounded to float, then nudged by a few units towards the least measured error. */
#ifndef COMMON_VMATH_H
#define COMMON_VMATH_H

#include "common/simd.h"

#include <float.h>

typedef uint32_t vu __attribute__((vector_size(LANES * sizeof(uint32_t))));

/* 1.5 * 2^23. A float of this size has no fraction: adding ROUND to x rounds x to an integer, which
   then stands in the low bits. */
static const float ROUND = 12582912.0f;

/* ln 2 in two pieces: an fma takes k*LN2_HIGH from a number near it without loss, and LN2_LOW is
   what LN2_HIGH leaves out (Cody & Waite, Software Manual for the Elementary Functions, 1980). */
static const float LN2_HIGH = 0.693147182f;
static const float LN2_LOW = -1.90465421e-9f;

/* c[0] + c[1] x + ... + c[n-1] x^(n-1), by Horner's rule: a long chain, but in a loop over
   registers one chain fills the gaps of another, and no scheme has fewer operations. */
INLINE vf poly(vf x, const float *c, int n)
{
    vf sum = vset(c[n - 1]);
    UNROLL
    for (int i = n - 2; i >= 0; i--) {
        sum = vfma(sum, x, vset(c[i]));
    }
    return sum;
}

/* e^x = 2^k e^r with x = k ln 2 + r, |r| <= ln(2)/2 (Cody & Waite 1980); e^r = 1 + r + r^2 q(r).
   Error at most EXP_ULP. exp(0) = 1, and +inf exactly where the true result rounds to it.
   No result is subnormal: below x = -125.5 ln 2 = -86.99, where e^x < 1.7e-38, it is +0. */
static const double EXP_ULP = 1.01; /* 1.0031 at 26.7168999 */

INLINE vf vexp(vf x)
{
    static const float q[] = {0.5f, 0.166665018f, 0.041667074f, 0.00836914126f, 0.00138396327f};
    x = vmin(vset(89.0f), vmax(vset(-87.5f), x)); /* keeps k within -126 .. 128, and NaN as it is */
    /* The low bits hold k + 126, which is the exponent field of 2^(k-1): 254 for k = 128, where 2^k
       would not fit, and 0 for k = -126, which reads as zero. The polynomial has the other 2. */
    vf shifted = vfma(x, vset(1.44269502f), vset(ROUND + 126.0f)); /* 1/ln 2 */
    vf half_scale = (vf)((vu)shifted << 23);
    vf k = shifted - (ROUND + 126.0f);
    vf r = vfma(k, vset(-LN2_LOW), vfma(k, vset(-LN2_HIGH), x));
    vf exp_minus_1 = vfma(poly(r, q, 5), r * r, r);
    return vfma(exp_minus_1, vset(2.0f), vset(2.0f)) * half_scale;
}

/* ln x = k ln 2 + ln(1+f) with x = 2^k (1+f), sqrt(1/2) <= 1+f < sqrt(2) (Cody & Waite 1980);
   ln(1+f) = f + f^2 q(f). Error at most LOG_ULP, subnormal x included.
   log(1) = +0, log(0) = log(-0) = -inf, log(inf) = inf; NaN for x < 0. */
static const double LOG_ULP = 0.84; /* 0.8345 at 2.71064138 */

INLINE vf vlog(vf x)
{
    static const float q[] = {-0.499999881f, 0.333333343f,  -0.250016391f,
                              0.200012043f,  -0.166066945f, 0.141961515f,
                              -0.132808715f, 0.128249377f,  -0.0742128342f};
    const uint32_t sqrt_half = 0x3f3504f3; /* the bits of the float next to sqrt(1/2) */
    vi tiny = x < vset(FLT_MIN);
    vf normal = vselect(tiny, x * 8388608.0f, x); /* 2^23 */
    vu bits = (vu)normal - sqrt_half; /* the exponent now steps at sqrt(1/2), not at 1 */
    vf k = __builtin_convertvector(((vi)bits >> 23) - (tiny & 23), vf);
    vf f = (vf)((bits & 0x7fffff) + sqrt_half) - 1.0f;
    vf tail = vfma(poly(f, q, 9), f * f, k * LN2_LOW);
    vf result = vfma(k, vset(LN2_HIGH), f + tail);

    result = vselect(x < vset(INFINITY), result, x);
    vf not_positive = vselect(x == vset(0.0f), vset(-INFINITY), vset(NAN));
    return vselect(x > vset(0.0f), result, not_positive);
}

/* erf x = 2/sqrt(pi) times the integral of e^(-t^2) over t = 0 .. x. With a = |x|:
   a < 9/8:   a + a p(a^2), whose relative error stays small down to 0;
   a >= 9/8:  1 - q(a - 5/2)^4: the fourth root of erfc is far closer to a polynomial than erfc is
              (after Hastings' sixteenth power, Abramowitz & Stegun 7.1.28), and 1 is never passed.
   Error at most ERF_ULP (2^-23.5). Odd, -0 included; exactly +-1 from |x| = 3.95 on. */
static const double ERF_ULP = 1.38; /* 1.3761 at 1.17379355 */

INLINE vf verf(vf x)
{
    static const float p[] = {0.128379166f,   -0.376126021f,    0.112832554f,   -0.026839219f,
                              0.00516025955f, -0.000776574423f, 7.06323117e-05f};
    static const float q[] = {0.142032593f,    -0.190061316f,  0.0936342701f,   -0.0123168696f,
                              -0.00650156848f, 0.00274086907f, 9.31192408e-05f, -0.000179471943f};
    vf a = vmin(vset(4.0f), vabs(x)); /* q is fitted up to 4 */
    vf small = vfma(poly(a * a, p, 7), a, a);
    vf root = poly(a - 2.5f, q, 8);
    vf square = root * root;
    vf large = vfma(-square, square, vset(1.0f));
    vf magnitude = vselect(a < vset(1.125f), small, large);
    return (vf)((vu)magnitude | ((vu)x & 0x80000000u));
}

/* sin x, cos x. |x| = k pi/2 + r, |r| <= pi/4, with pi/2 in three pieces, of which an fma takes
   the first without loss (Cody & Waite 1980). sin r = r + r^3 p(r^2), cos r = 1 - r^2/2 +
   r^4 q(r^2), and k mod 4 says which of the two is which, and with what sign.
   Error at most SIN_ULP and COS_ULP for |x| <= 2^18, also where the result is near 0.
   Beyond 2^18 = 262144, and for infinities, NaN: no angle here is meant to be as large.
   sin(-0) = -0, cos(0) = 1. */
static const double SIN_ULP = 1.58; /* 1.5702 at 1155.85388 */
static const double COS_ULP = 1.56; /* 1.5532 at 1227.04199 */

INLINE void vsincos(vf x, vf *sine, vf *cosine)
{
    static const float p[] = {-0.166666508f, 0.00833191909f, -0.000194830383f};
    static const float q[] = {0.0416666381f, -0.00138869591f, 2.43936502e-05f};
    vf a = vabs(x);
    a = vselect(a <= vset(262144.0f), a, vset(NAN));
    vf shifted = vfma(a, vset(0.636619747f), vset(ROUND)); /* 2/pi */
    vf k = shifted - ROUND;
    vf r = vfma(k, vset(-1.57079637f), a);
    r = vfma(k, vset(4.37113883e-8f), r);
    r = vfma(k, vset(1.71512451e-15f), r);
    vf square = r * r;
    vf s = vfma(poly(square, p, 3), square * r, r);
    vf c = vfma(vfma(poly(square, q, 3), square, vset(-0.5f)), square, vset(1.0f));

    vu quarter = (vu)shifted;    /* its last two bits: k mod 4 */
    vi odd = -(vi)(quarter & 1); /* all ones where k is odd */
    vu sine_sign = ((quarter & 2) << 30) ^ ((vu)x & 0x80000000u);
    vu cosine_sign = ((quarter + 1) & 2) << 30;
    *sine = (vf)((vu)vselect(odd, c, s) ^ sine_sign);
    *cosine = (vf)((vu)vselect(odd, s, c) ^ cosine_sign);
}

/* One number at a time: the same code, one lane of it read. */
INLINE float exp_f32(float x)
{
    return vexp((vf){x})[0];
}

INLINE float log_f32(float x)
{
    return vlog((vf){x})[0];
}

INLINE float erf_f32(float x)
{
    return verf((vf){x})[0];
}

INLINE void sincos_f32(float x, float *sine, float *cosine)
{
    vf s, c;
    vsincos((vf){x}, &s, &c);
    *sine = s[0];
    *cosine = c[0];
}

#endif
