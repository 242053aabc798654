/* Random numbers: the bits of the generator and of its streams are pinned, and what is drawn from
   them is even, or normal. */
#include <math.h>

#include "tests/core/suites.h"
#include "tests/core/trials.h"

/* SplitMix64 as its authors' C program prints it for the state 1234567; the streams' first numbers
   from an independent implementation in Python. */
START_TEST(the_numbers_are_pinned)
{
    static const uint64_t splitmix[] = {6457827717110365317u, 3203168211198807973u,
                                        9817491932198370423u, 4593380528125082431u,
                                        16408922859458223821u};
    static const struct {
        uint64_t seed;
        const char *name;
        uint64_t first[3];
    } streams[] = {{1, "init", {0xd9dffe4d463f644d, 0x8e4adcf78979b029, 0x18b86ab7a3275ebf}},
                   {1, "train", {0x043c53bff1fcbc8d, 0x0bd8e6366084d51b, 0x90055a70d14234f0}},
                   {2, "init", {0x5e7e35a3b6d43ea4, 0xd311f6047e584143, 0x11778a3f0370321c}}};
    struct Rng r = {1234567};
    for (int i = 0; i < COUNT(splitmix); i++) {
        ck_assert_uint_eq(rng_next(&r), splitmix[i]);
    }
    for (int s = 0; s < COUNT(streams); s++) {
        r = rng_stream(streams[s].seed, streams[s].name);
        for (int i = 0; i < 3; i++) {
            ck_assert_uint_eq(rng_next(&r), streams[s].first[i]);
        }
    }
    uint64_t digest = 0xcbf29ce484222325; /* FNV-1a over the bytes, the lowest first */
    r = rng_stream(7, "test");
    for (int i = 0; i < 1000; i++) {
        uint64_t value = rng_next(&r);
        for (int byte = 0; byte < 8; byte++) {
            digest = (digest ^ (value >> 8 * byte & 0xff)) * 0x100000001b3;
        }
    }
    ck_assert_uint_eq(digest, 0x0ddccc19bcb2f55a);
}
END_TEST

START_TEST(below_is_in_range_and_even)
{
    static const int limits[] = {2, 3, 7, 10, 12, 64, 100};
    struct Rng r = rng_stream(3, "below");
    for (int l = 0; l < COUNT(limits); l++) {
        int n = limits[l], counts[100] = {0};
        TRY("n %d", n);
        for (int i = 0; i < 100000; i++) {
            int value = rng_below(&r, n);
            if (value < 0 || value >= n) {
                ck_abort_msg("below %d: got %d", n, value);
            }
            counts[value]++;
        }
        check_even("below", counts, n);
    }
    ck_assert_int_eq(rng_below(&r, 1), 0);
}
END_TEST

/* 2^32 is 8/3 of this n: without rejection the values v mod 3 = 0, 1, 2 come 3 : 3 : 2. */
START_TEST(below_rejects_what_would_be_drawn_too_often)
{
    struct Rng r = rng_stream(4, "below");
    int counts[3] = {0};
    for (int i = 0; i < 100000; i++) {
        counts[rng_below(&r, 3 << 29) % 3]++;
    }
    check_even("below 3·2^29, mod 3", counts, 3);
}
END_TEST

/* The bound is a power of two, so that a float is on the grid or is not. */
START_TEST(uniform_is_even_over_its_grid)
{
    enum { N = 100000, CLASSES = 50 };
    static float x[N];
    struct Rng r = rng_stream(5, "uniform");
    int counts[CLASSES] = {0}, odd[2] = {0};
    rng_uniform(&r, x, N, 0.125f);
    for (int i = 0; i < N; i++) {
        double step = ((double)x[i] + 0.125) * 0x1p26; /* 2^24 steps from -1/8 to 1/8 */
        if (!(step >= 0.0 && step < 0x1p24 && step == rint(step))) {
            ck_abort_msg("x[%d]: got %a", i, (double)x[i]);
        }
        counts[(int)(step / 0x1p24 * CLASSES)]++;
        odd[(int)step % 2]++;
    }
    check_even("uniform", counts, CLASSES);
    check_even("odd and even multiples", odd, 2);
}
END_TEST

START_TEST(normal_has_the_moments_of_a_standard_normal)
{
    enum { N = 200001 }; /* odd: the last pair is cut */
    struct Rng r = rng_stream(6, "normal");
    float *x = array_of("x", N);
    double moments[5] = {0.0}, pairs = 0.0, within_one = 0.0;
    rng_normal(&r, x, N);
    for (size_t i = 0; i < N; i++) {
        double v = (double)x[i];
        near("x", i, v, 0.0, 5.9);
        for (int k = 1; k <= 4; k++) {
            moments[k] += pow(v, k) / N;
        }
        pairs += i % 2 == 1 ? v * (double)x[i - 1] / (N / 2) : 0.0;
        within_one += fabs(v) < 1.0 ? 1.0 / N : 0.0;
    }
    /* Bounds: about four standard deviations of each. */
    near("mean", 1, moments[1], 0.0, 0.01);
    near("mean square", 2, moments[2], 1.0, 0.013);
    near("mean cube", 3, moments[3], 0.0, 0.035);
    near("mean fourth power", 4, moments[4], 3.0, 0.09);
    near("mean product of a pair", 0, pairs, 0.0, 0.013);
    near("share within one", 0, within_one, erf(1.0 / sqrt(2.0)), 0.0042);
    arrays_done();
}
END_TEST

Suite *random_suite(void)
{
    Suite *suite = suite_create("random");
    TCase *cases = new_case(suite, "random", begin_trials);
    tcase_add_test(cases, the_numbers_are_pinned);
    tcase_add_test(cases, below_is_in_range_and_even);
    tcase_add_test(cases, below_rejects_what_would_be_drawn_too_often);
    tcase_add_test(cases, uniform_is_even_over_its_grid);
    tcase_add_test(cases, normal_has_the_moments_of_a_standard_normal);
    return suite;
}
