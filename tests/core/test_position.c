/* Positions against the formulas of the papers, in double and with libm: tables, biases, turns. Then
   against what PyTorch computes (tests/golden). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/position.h"
#include "common/safetensors.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

START_TEST(names_and_back)
{
    static const char *const names[POSITION_KINDS] = {"learned", "none", "sinusoidal", "t5",
                                                      "alibi",   "rope", "rope-halves"};
    enum PositionKind kind;
    for (int i = 0; i < POSITION_KINDS; i++) {
        ck_assert_str_eq(position_name((enum PositionKind)i), names[i]);
        ck_assert(position_parse(&kind, names[i]) && kind == (enum PositionKind)i);
    }
    static const char *const others[] = {"", "Rope", "rope ", "rop", "halves", "t5 "};
    for (int i = 0; i < COUNT(others); i++) {
        ck_assert(!position_parse(&kind, others[i]));
    }
}
END_TEST

/* The largest double whose n-th power is not above x, up to the rounding of that power. */
START_TEST(roots)
{
    static const double xs[] = {1e-9, 0.3, 1.0, 1.5, 2.0, 8.0, 256.0, 10000.0, 5e5, 1e9};
    for (int i = 0; i < COUNT(xs); i++) {
        for (int n = 1; n < 130; n++) {
            TRY("root %d of %g", n, xs[i]);
            double r = root(xs[i], n);
            near("root", 0, r, pow(xs[i], 1.0 / n), 4e-15 * r);
        }
        ck_assert(root(xs[i], 1) == xs[i]);
    }
    ck_assert(root(64.0, 2) == 8.0 && root(64.0, 3) == 4.0 && root(10000.0, 4) == 10.0);
}
END_TEST

START_TEST(sinusoids)
{
    static const int widths[] = {2, 4, 6, 32, 64, 130};
    enum { LAST = 300 };
    for (int w = 0; w < COUNT(widths); w++) {
        int d = widths[w];
        TRY("width %d", d);
        float *table = array_of("table", (size_t)((LAST + 1) * d));
        sinusoidal_table(table, LAST + 1, d);
        for (int i = 0; i < (LAST + 1) * d; i++) {
            double angle = i / d / pow(10000.0, i % d / 2 * 2.0 / d);
            near("table", (size_t)i, (double)table[i], i % 2 == 0 ? sin(angle) : cos(angle), 2e-7);
        }
        arrays_done();
    }
}
END_TEST

static struct Bias bias_of_span(int span, int heads)
{
    ck_assert_uint_eq(bias_size(span, heads), (size_t)(heads * (2 * span - 1)));
    return (struct Bias){.at = array_of("bias", bias_size(span, heads)), .span = span};
}

START_TEST(alibi_slopes)
{
    static const int heads[] = {1, 2, 3, 8, 12};
    for (int i = 0; i < 3 * COUNT(heads); i++) {
        int n = heads[i / 3], span = (int[]){1, 2, 33}[i % 3];
        TRY("%d heads, span %d", n, span);
        struct Bias bias = bias_of_span(span, n);
        alibi_bias(&bias, n);
        for (int at = 0; at < n * (2 * span - 1); at++) {
            int h = at / (2 * span - 1), distance = at % (2 * span - 1) - (span - 1);
            double wanted = -pow(2.0, -8.0 * (h + 1) / n) * abs(distance);
            near("bias", (size_t)at, (double)bias.at[at], wanted, 1e-7 * fabs(wanted));
        }
        arrays_done();
    }
    struct Bias eight = bias_of_span(2, 8); /* 1/2, 1/4, ..., exactly */
    alibi_bias(&eight, 8);
    for (int h = 0; h < 8; h++) {
        ck_assert(eight.at[3 * h] == ldexpf(-1.0f, -1 - h) && eight.at[3 * h + 1] == 0.0f);
    }
    arrays_done();
}
END_TEST

/* The rule of the paper, with a logarithm; no distance lies on the edge of a bucket but 16 and 128. */
static int bucket_by_log(int distance)
{
    if (distance < 16) {
        return distance < 0 ? 0 : distance;
    }
    int bucket = 16 + (int)(log(distance / 16.0) / log(128.0 / 16.0) * 16.0);
    return bucket > 31 ? 31 : bucket;
}

START_TEST(t5_buckets)
{
    ck_assert(t5_bucket(-1000000) == 0 && t5_bucket(15) == 15 && t5_bucket(16) == 16);
    ck_assert(t5_bucket(127) == 31 && t5_bucket(128) == 31 && t5_bucket(1000000) == 31);
    for (int distance = -200; distance < 2000; distance++) {
        if (t5_bucket(distance) != bucket_by_log(distance)) {
            ck_abort_msg("distance %d is in bucket %d, not %d", distance, t5_bucket(distance),
                         bucket_by_log(distance));
        }
    }
}
END_TEST

START_TEST(t5_bias_and_back)
{
    for (int i = 0; i < 6; i++) {
        int heads = (int[]){1, 3}[i % 2], span = (int[]){1, 20, 150}[i / 2], row = 2 * span - 1;
        TRY("%d heads, span %d", heads, span);
        struct Bias bias = bias_of_span(span, heads), d_bias = bias_of_span(span, heads);
        const float *table = random_input("table", (size_t)(T5_BUCKETS * heads));
        float *d_table = array_of("d_table", (size_t)(T5_BUCKETS * heads));
        t5_bias(&bias, table, heads);
        rng_normal(&rng, d_bias.at, heads * row);
        input(d_bias.at);
        t5_bias_backward(d_table, &d_bias, heads);
        double sums[T5_BUCKETS * 3] = {0};
        for (int at = 0; at < heads * row; at++) {
            int entry = bucket_by_log(at % row - (span - 1)) * heads + at / row;
            ck_assert_msg(bias.at[at] == table[entry], "%s: bias[%d]", trial, at);
            sums[entry] += (double)d_bias.at[at];
        }
        for (int entry = 0; entry < T5_BUCKETS * heads; entry++) {
            near("d_table", (size_t)entry, (double)d_table[entry], sums[entry], 2e-5);
        }
        arrays_done();
    }
}
END_TEST

/* RoPE. */

static const int pair_counts[] = {1, 2, 5, 16, 64};

START_TEST(frequencies_of_rope)
{
    double f[64], changed[64];
    for (int i = 0; i < COUNT(pair_counts); i++) {
        int pairs = pair_counts[i];
        TRY("%d pairs", pairs);
        rope_frequencies(f, pairs, 10000.0);
        for (int p = 0; p < pairs; p++) {
            near("frequency", (size_t)p, f[p], pow(10000.0, -2.0 * p / (2 * pairs)), 1e-13 * f[p]);
        }
        memcpy(changed, f, sizeof f);
        rope_interpolate(changed, pairs, 2.5);
        for (int p = 0; p < pairs; p++) {
            near("interpolated", (size_t)p, changed[p], f[p] / 2.5, 1e-15 * f[p]);
        }
        double base = rope_base(10000.0, pairs, 2.5);
        if (pairs > 1) {
            near("base", 0, base, 10000.0 * pow(2.5, 2.0 * pairs / (2.0 * pairs - 2.0)), 1e-9);
            rope_frequencies(changed, pairs, base);
            ck_assert(changed[0] == f[0]);
            near("slowest", 0, changed[pairs - 1], f[pairs - 1] / 2.5, 1e-13 * f[pairs - 1]);
        }
    }
}
END_TEST

START_TEST(yarn_has_a_ramp)
{
    double f[64], changed[64];
    static const struct {
        int pairs, trained;
        double factor;
    } tried[] = {{64, 4096, 8.0}, {16, 16, 1.5}, {5, 2000, 32.0}, {1, 7, 2.0}, {64, 4096, 1.0}};
    for (int i = 0; i < COUNT(tried); i++) {
        int pairs = tried[i].pairs;
        double factor = tried[i].factor;
        TRY("%d pairs, %d trained, %g times as far", pairs, tried[i].trained, factor);
        rope_frequencies(f, pairs, 10000.0);
        memcpy(changed, f, sizeof f);
        float scale = rope_yarn(changed, pairs, factor, tried[i].trained);
        near("scale", 0, (double)scale, pow(0.1 * log(factor) + 1.0, 2.0), 3e-7);
        for (int p = 0; p < pairs; p++) {
            double wavelength = 2.0 * acos(-1.0) / f[p], turns = tried[i].trained / wavelength;
            double keep = fmin(1.0, fmax(0.0, (turns - 1.0) / 31.0));
            double wanted = keep * f[p] + (1.0 - keep) * f[p] / factor;
            near("frequency", (size_t)p, changed[p], wanted, 1e-12 * f[p]);
        }
    }
}
END_TEST

/* x (rows,heads,2*pairs) turned as the formula says, every row stride apart. */
static void turn_in_double(double *x, int stride, const int32_t *place, int rows, int heads,
                           const double *frequency, int pairs, bool halves, double sign)
{
    for (int i = 0; i < rows * heads * pairs; i++) {
        int r = i / heads / pairs, h = i / pairs % heads, p = i % pairs;
        double *vector = x + r * stride + h * 2 * pairs, angle = sign * place[r] * frequency[p];
        double *a = halves ? &vector[p] : &vector[2 * p];
        double *b = halves ? &vector[p + pairs] : &vector[2 * p + 1];
        double complex_a = *a * cos(angle) - *b * sin(angle);
        *b = *a * sin(angle) + *b * cos(angle);
        *a = complex_a;
    }
}

START_TEST(turned_by_the_formula)
{
    enum { ROWS = 7, PLACES = 5000 };
    const int32_t place[ROWS] = {0, 1, 2, 9, 100, 4999, 3};
    for (int i = 0; i < 3 * 2 * 2; i++) {
        int pairs = (int[]){1, 3, 16}[i / 4], heads = 1 + 2 * (i % 2), width = 2 * pairs * heads;
        bool halves = i / 2 % 2 == 1;
        int stride = width + 5; /* what stands between two rows must stay */
        double frequency[16];
        struct Rope rope;
        TRY("%d pairs, %d heads, %s", pairs, heads, halves ? "halves" : "adjacent");
        rope_frequencies(frequency, pairs, 10000.0);
        rope_new(&rope, frequency, pairs, PLACES, halves);
        ck_assert(rope.scale == 1.0f && rope.pairs == pairs && rope.places == PLACES);
        size_t size = (size_t)((ROWS - 1) * stride + width);
        const float *x = random_input("x", size);
        float *turned = copy_of("turned", x, size);
        double *wanted = doubles_of(x, size);
        turn_in_double(wanted, stride, place, ROWS, heads, frequency, pairs, halves, 1.0);
        rope_rotate(turned, stride, place, ROWS, heads, &rope, false);
        for (size_t at = 0; at < size; at++) {
            near("turned", at, (double)turned[at], wanted[at], 1e-6);
        }
        for (size_t at = 0; at < size; at++) { /* between rows, and at place 0, to the bit */
            bool between = (int)at % stride >= width, at_zero = (int)at < width;
            ck_assert_msg(!(between || at_zero) || turned[at] == x[at], "%s: [%zu]", trial, at);
        }
        for (int r = 0; r < ROWS * heads; r++) { /* lengths stay */
            double before = 0.0, after = 0.0;
            for (int c = 0; c < 2 * pairs; c++) {
                int at = r / heads * stride + r % heads * 2 * pairs + c;
                before += (double)x[at] * (double)x[at];
                after += (double)turned[at] * (double)turned[at];
            }
            near("length", (size_t)r, after, before, 1e-6 * before);
        }
        rope_rotate(turned, stride, place, ROWS, heads, &rope, true);
        for (size_t at = 0; at < size; at++) { /* and back */
            near("turned back", at, (double)turned[at], (double)x[at], 1e-6);
        }
        rope_free(&rope);
        arrays_done();
    }
}
END_TEST

/* value(): the sum of d_y times x turned, in double. */
static struct {
    double *x, frequency[4];
    const float *d_y;
    bool halves;
} given;
enum { G_ROWS = 4, G_HEADS = 3, G_PAIRS = 4, G_WIDTH = 2 * G_PAIRS * G_HEADS };
static const int32_t g_places[G_ROWS] = {2, 3, 0, 11};

static double value(void)
{
    double turned[G_ROWS * G_WIDTH], sum = 0.0;
    memcpy(turned, given.x, sizeof turned);
    turn_in_double(turned, G_WIDTH, g_places, G_ROWS, G_HEADS, given.frequency, G_PAIRS,
                   given.halves, 1.0);
    for (int i = 0; i < G_ROWS * G_WIDTH; i++) {
        sum += turned[i] * (double)given.d_y[i];
    }
    return sum;
}

START_TEST(turning_back_is_the_gradient)
{
    const size_t size = G_ROWS * G_WIDTH;
    for (int halves = 0; halves < 2; halves++) {
        struct Rope rope;
        TRY("%s", halves ? "halves" : "adjacent");
        given.halves = halves;
        rope_frequencies(given.frequency, G_PAIRS, 100.0);
        rope_new(&rope, given.frequency, G_PAIRS, 12, halves);
        given.x = doubles_of(random_input("x", size), size);
        given.d_y = random_input("d_y", size);
        float *d_x = copy_of("d_x", given.d_y, size);
        rope_rotate(d_x, G_WIDTH, g_places, G_ROWS, G_HEADS, &rope, true);
        check_gradient("d_x", d_x, NULL, given.x, size, size, value);
        rope_free(&rope);
        arrays_done();
    }
}
END_TEST

/* What PyTorch computes. */

static struct TensorFile file;

static void open_case(const char *name)
{
    char path[200], error[TENSOR_ERROR_SIZE];
    snprintf(path, sizeof path, "tests/golden/position-%s.safetensors", name);
    ck_assert_msg(safetensors_read(path, &file, error), "%s", error);
}

static const struct Tensor *get(const char *name)
{
    const struct Tensor *tensor = safetensors_find(&file, name);
    ck_assert_msg(tensor != NULL, "no tensor %s", name);
    return tensor;
}

static void compare(const char *name, const float *got)
{
    const struct Tensor *wanted = get(name);
    const float *want = wanted->data;
    ck_assert(wanted->dtype == DTYPE_F32 && wanted->count > 0);
    for (size_t i = 0; i < wanted->count; i++) {
        near(name, i, (double)got[i], (double)want[i], 1e-5 * fabs((double)want[i]) + 1e-6);
    }
}

START_TEST(rope_as_in_pytorch)
{
    open_case(_i == 0 ? "rope" : "rope-halves");
    int rows = (int)get("x")->shape[0], heads = (int)get("x")->shape[1];
    int d = (int)get("x")->shape[2];
    const int32_t *place = get("place")->data;
    double frequency[64];
    struct Rope rope;
    ck_assert_int_eq(atoi(safetensors_metadata(&file, "halves")), _i);
    rope_frequencies(frequency, d / 2, atof(safetensors_metadata(&file, "base")));
    rope_new(&rope, frequency, d / 2, place[rows - 1] + 1, _i == 1);
    float *y = copy_of("y", get("x")->data, get("x")->count);
    float *d_x = copy_of("dx", get("dy")->data, get("dy")->count);
    rope_rotate(y, heads * d, place, rows, heads, &rope, false);
    rope_rotate(d_x, heads * d, place, rows, heads, &rope, true);
    compare("y", y);
    compare("dx", d_x);
}
END_TEST

/* (heads,T,T), read off by distance. */
static float *by_pair(const struct Bias *bias, int heads, int T)
{
    float *all = array_of("by pair", (size_t)(heads * T * T));
    for (int i = 0; i < heads * T * T; i++) {
        int distance = i / T % T - i % T;
        all[i] = bias->at[i / T / T * (2 * bias->span - 1) + bias->span - 1 + distance];
    }
    return all;
}

START_TEST(alibi_as_in_pytorch)
{
    open_case("alibi");
    int heads = (int)get("bias")->shape[0], T = (int)get("bias")->shape[1];
    struct Bias bias = bias_of_span(T, heads);
    alibi_bias(&bias, heads);
    compare("bias", by_pair(&bias, heads, T));
}
END_TEST

START_TEST(t5_as_in_pytorch)
{
    open_case("t5");
    const int32_t *distance = get("distance")->data, *bucket = get("bucket")->data;
    for (size_t i = 0; i < get("bucket")->count; i++) {
        ck_assert_int_eq(t5_bucket(distance[i]), bucket[i]);
    }
    int heads = (int)get("bias")->shape[0], T = (int)get("bias")->shape[1];
    struct Bias bias = bias_of_span(T, heads), d_bias = bias_of_span(T, heads);
    t5_bias(&bias, get("table")->data, heads);
    compare("bias", by_pair(&bias, heads, T));
    const float *d = get("dbias")->data;
    memset(d_bias.at, 0, bias_size(T, heads) * sizeof(float));
    for (int i = 0; i < heads * T * T; i++) {
        d_bias.at[i / T / T * (2 * T - 1) + T - 1 + i / T % T - i % T] += d[i];
    }
    float *d_table = array_of("dtable", get("dtable")->count);
    t5_bias_backward(d_table, &d_bias, heads);
    compare("dtable", d_table);
}
END_TEST

START_TEST(sinusoids_as_in_pytorch)
{
    open_case("sinusoidal");
    float *table = array_of("table", get("table")->count);
    sinusoidal_table(table, (int)get("table")->shape[0], (int)get("table")->shape[1]);
    compare("table", table);
}
END_TEST

Suite *position_suite(void)
{
    Suite *suite = suite_create("position");
    TCase *cases = new_case(suite, "position", begin_trials);
    tcase_add_test(cases, names_and_back);
    tcase_add_test(cases, roots);
    tcase_add_test(cases, sinusoids);
    tcase_add_test(cases, alibi_slopes);
    tcase_add_test(cases, t5_buckets);
    tcase_add_test(cases, t5_bias_and_back);
    tcase_add_test(cases, frequencies_of_rope);
    tcase_add_test(cases, yarn_has_a_ramp);
    tcase_add_test(cases, turned_by_the_formula);
    tcase_add_test(cases, turning_back_is_the_gradient);
    tcase_add_loop_test(cases, rope_as_in_pytorch, 0, 2);
    tcase_add_test(cases, alibi_as_in_pytorch);
    tcase_add_test(cases, t5_as_in_pytorch);
    tcase_add_test(cases, sinusoids_as_in_pytorch);
    return suite;
}
