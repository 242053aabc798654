/* test_vmath: what common/vmath.h states. Over a sample of all floats each function keeps within
   its bound; its edges are exact; one number alone gives the bits that it gives in a register; and
   every bit of the sample is pinned by a digest, so that a compiler or a machine that rounds
   elsewhere shows here first. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "tests/core/functions.h"
#include "tests/core/suites.h"
#include "tests/helpers.h"

enum { SAMPLES = 1 << 19 };

/* Argument i of the sample: for even i any of the 2^32 floats, for odd i one between low and high.
   Multiples of 2^32 over the golden ratio spread evenly over 32 bits (Knuth, vol. 3, 6.4). */
static float argument(const struct Function *f, uint32_t i)
{
    uint32_t spread = i / 2 * 2654435769u;
    if (i % 2 == 0) {
        return float_of(spread);
    }
    uint32_t low = bits_of(f->low), high = bits_of(f->high);
    uint32_t magnitude = low + (uint32_t)((uint64_t)spread * (high - low) >> 32);
    return float_of(magnitude | (i & 2) << 30);
}

/* Results i .. i+LANES-1 of the sample. */
static vf results(const struct Function *f, uint32_t i)
{
    vf x;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        x[lane] = argument(f, i + lane);
    }
    return f->vector(x);
}

START_TEST(error_is_within_the_bound)
{
    const struct Function *f = &functions[_i];
    double worst = 0.0;
    float at = 0.0f;
    for (uint32_t i = 0; i < SAMPLES; i += LANES) {
        vf y = results(f, i);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            float x = argument(f, i + lane);
            double error = error_in_ulp(y[lane], f->truth((double)x));
            if (error > worst) {
                worst = error;
                at = x;
            }
        }
    }
    ck_assert_msg(worst <= *f->bound, "%s(%.9g) is %.3f ulp away, more than %.2f", f->name,
                  (double)at, worst, *f->bound);
    ck_assert_msg(worst > *f->bound / 2.0, "%s: the sample finds no more than %.3f ulp", f->name,
                  worst);
}
END_TEST

START_TEST(one_lane_gives_the_bits_of_a_register)
{
    const struct Function *f = &functions[_i];
    for (uint32_t i = 0; i < SAMPLES / 8; i += LANES) {
        vf y = results(f, i);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            float x = argument(f, i + lane), alone = f->scalar(x);
            if (result_bits(y[lane]) != result_bits(alone)) {
                ck_abort_msg("%s(%a): %a in lane %u, %a alone", f->name, (double)x, (double)y[lane],
                             (unsigned)lane, (double)alone);
            }
        }
    }
}
END_TEST

/* FNV-1a over the bytes of the results, the low byte first. */
START_TEST(bits_are_pinned)
{
    const struct Function *f = &functions[_i];
    uint64_t digest = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < SAMPLES; i += LANES) {
        vf y = results(f, i);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t bits = result_bits(y[lane]);
            for (int shift = 0; shift < 32; shift += 8) {
                digest = (digest ^ (bits >> shift & 0xff)) * 0x100000001b3u;
            }
        }
    }
    ck_assert_msg(digest == f->digest, "%s: the digest is 0x%016" PRIx64 ", not 0x%016" PRIx64,
                  f->name, digest, f->digest);
}
END_TEST

static const struct Edge {
    const char *text;
    float (*function)(float);
    float x, y;
} edges[] = {
    {"exp(0) = 1", exp_f32, 0.0f, 1.0f},
    {"exp(-0) = 1", exp_f32, -0.0f, 1.0f},
    {"exp(inf) = inf", exp_f32, INFINITY, INFINITY},
    {"exp(-inf) = 0", exp_f32, -INFINITY, 0.0f},
    {"exp(NaN) = NaN", exp_f32, NAN, NAN},
    {"exp, the last finite result", exp_f32, 0x1.62e42ep6f, 0x1.ffff08p127f},
    {"exp, the first infinite one", exp_f32, 0x1.62e430p6f, INFINITY},
    {"exp, the last zero", exp_f32, -0x1.5bf5bcp6f, 0.0f},
    {"exp, the first that is not", exp_f32, -0x1.5bf5bap6f, 0x1.6a0a4p-126f},
    {"exp(-100) = 0", exp_f32, -100.0f, 0.0f},
    {"exp(-FLT_MAX) = 0", exp_f32, -FLT_MAX, 0.0f},
    {"log(1) = 0", log_f32, 1.0f, 0.0f},
    {"log(0) = -inf", log_f32, 0.0f, -INFINITY},
    {"log(-0) = -inf", log_f32, -0.0f, -INFINITY},
    {"log(inf) = inf", log_f32, INFINITY, INFINITY},
    {"log(-1) = NaN", log_f32, -1.0f, NAN},
    {"log(-inf) = NaN", log_f32, -INFINITY, NAN},
    {"log(negative subnormal) = NaN", log_f32, -0x1p-149f, NAN},
    {"log(NaN) = NaN", log_f32, NAN, NAN},
    {"log(2^-149) = -149 ln 2", log_f32, 0x1p-149f, -103.278929f},
    {"log(FLT_MAX)", log_f32, FLT_MAX, 88.7228394f},
    {"erf(0) = 0", erf_f32, 0.0f, 0.0f},
    {"erf(-0) = -0", erf_f32, -0.0f, -0.0f},
    {"erf(3.95) = 1", erf_f32, 3.95f, 1.0f},
    {"erf(-3.95) = -1", erf_f32, -3.95f, -1.0f},
    {"erf(inf) = 1", erf_f32, INFINITY, 1.0f},
    {"erf(-inf) = -1", erf_f32, -INFINITY, -1.0f},
    {"erf(NaN) = NaN", erf_f32, NAN, NAN},
    {"sin(0) = 0", sin_f32, 0.0f, 0.0f},
    {"sin(-0) = -0", sin_f32, -0.0f, -0.0f},
    {"sin(inf) = NaN", sin_f32, INFINITY, NAN},
    {"sin(NaN) = NaN", sin_f32, NAN, NAN},
    {"sin beyond 2^18 = NaN", sin_f32, 0x1.000002p18f, NAN},
    {"cos(0) = 1", cos_f32, 0.0f, 1.0f},
    {"cos(-0) = 1", cos_f32, -0.0f, 1.0f},
    {"cos(-inf) = NaN", cos_f32, -INFINITY, NAN},
    {"cos(NaN) = NaN", cos_f32, NAN, NAN},
    {"cos beyond -2^18 = NaN", cos_f32, -0x1.000002p18f, NAN},
};

START_TEST(edges_are_exact)
{
    const struct Edge *edge = &edges[_i];
    float y = edge->function(edge->x);
    ck_assert_msg(result_bits(y) == result_bits(edge->y), "%s: got %a, expected %a", edge->text,
                  (double)y, (double)edge->y);
}
END_TEST

START_TEST(erf_and_sin_are_odd_and_cos_is_even)
{
    const struct Function *f = &functions[2]; /* the arguments of the sample of erf */
    for (uint32_t i = 1; i < SAMPLES / 8; i += 2) {
        float x = argument(f, i);
        if (bits_of(erf_f32(-x)) != bits_of(-erf_f32(x)) ||
            bits_of(sin_f32(-x)) != bits_of(-sin_f32(x)) ||
            bits_of(cos_f32(-x)) != bits_of(cos_f32(x))) {
            ck_abort_msg("at %a and %a", (double)x, (double)-x);
        }
    }
}
END_TEST

Suite *vmath_suite(void)
{
    Suite *suite = suite_create("vmath");
    TCase *cases = new_case(suite, "vmath", NULL);
    tcase_add_loop_test(cases, edges_are_exact, 0, COUNT(edges));
    tcase_add_loop_test(cases, error_is_within_the_bound, 0, N_FUNCTIONS);
    tcase_add_loop_test(cases, one_lane_gives_the_bits_of_a_register, 0, N_FUNCTIONS);
    tcase_add_loop_test(cases, bits_are_pinned, 0, N_FUNCTIONS);
    tcase_add_test(cases, erf_and_sin_are_odd_and_cos_is_even);
    return suite;
}
