/* Each layer against the double-precision function in reference.c, which knows nothing of
   derivatives: values, and gradients as central differences, (f(x+h) - f(x-h)) / 2h. f is the sum
   of d_y·y for random d_y. What a backward function overwrites is NaN before; what it adds to starts
   from random numbers. */
#include <math.h>
#include <string.h>

#include "common/activation.h"
#include "common/attention.h"
#include "common/loss.h"
#include "common/matmul.h"
#include "common/norm.h"
#include "common/softmax.h"
#include "tests/core/reference.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

/* An argument of a layer: the same numbers in float and in double, and its gradient, with what it
   starts from where it is added to. */
struct Argument {
    const char *name;
    size_t count;
    float *x, *d, *d_start;
    double *exact;
};

/* The layer that is being tried: its sizes, its arguments (some layers have fewer), its result y
   and the factors d_y. */
static int rows, k, n;
static struct Argument x, w, bias;
static size_t count;
static float *y;
static const float *d_y;
static double *exact;

static struct Argument argument(const char *name, int size)
{
    size_t N = (size_t)size;
    struct Argument a = {.name = name, .count = N, .x = random_array("argument", N)};
    a.exact = doubles_of(a.x, N);
    a.d = array_of(name, N);
    return a;
}

static void begin(int size_x, int size_w, int size_bias, int size_y)
{
    x = argument("d_x", size_x);
    w = argument("d_w", size_w);
    bias = argument("d_bias", size_bias);
    count = (size_t)size_y;
    y = array_of("y", count);
    d_y = random_input("d_y", count);
    exact = doubles_of(NULL, count);
}

/* f, after value has filled exact. */
static double weigh(void)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += exact[i] * (double)d_y[i];
    }
    return sum;
}

static void check_values(double (*value)(void))
{
    value();
    for (size_t i = 0; i < count; i++) {
        near("y", i, (double)y[i], exact[i], bound_among(exact, count));
    }
}

static void check_slopes(double (*value)(void))
{
    const struct Argument *arguments[] = {&x, &w, &bias};
    for (int i = 0; i < 3; i++) {
        const struct Argument *a = arguments[i];
        check_gradient(a->name, a->d, a->d_start, a->exact, a->count, a->count, value);
    }
    arrays_done();
}

static double linear_value(void)
{
    ref_linear(exact, x.exact, w.exact, bias.exact, rows, k, n);
    return weigh();
}

START_TEST(linear_gradient_is_the_slope)
{
    static const int shapes[][3] = {{1, 1, 1}, {5, 3, 7}, {13, 17, 2}, {2, 9, 33}, {7, 1, 18}};
    rows = shapes[_i][0], k = shapes[_i][1], n = shapes[_i][2];
    TRY("rows %d, k %d, n %d", rows, k, n);
    begin(rows * k, n * k, n, rows * n);
    float *packed = array_of("packed", packed_size(n, k));
    pack_forward(packed, w.x, n, k);
    linear_forward(y, x.x, packed, bias.x, rows, k, n);
    check_values(linear_value);
    pack_backward(packed, w.x, n, k);
    linear_backward_input(x.d, d_y, packed, rows, k, n);
    linear_backward_weight(w.d, bias.d, d_y, x.x, rows, k, n);
    check_slopes(linear_value);
}
END_TEST

/* Pads of -inf get exactly nothing and change no bit of the others; nor does working in place. */
START_TEST(softmax_is_near_double_and_blind_for_minus_infinity)
{
    for (int i = 0; i < 400; i++) {
        n = 1 + i % 100;
        int pads = rng_below(&rng, 40);
        TRY("n %d, pads %d", n, pads);
        size_t all = (size_t)(n + pads), N = (size_t)n;
        float *scores = random_array("scores", all), *weights = array_of("weights", N);
        for (int j = 0; j < n + pads; j++) {
            scores[j] = j >= n || rng_below(&rng, 5) == 0 ? -INFINITY : scores[j] * 5.0f;
        }
        scores[rng_below(&rng, n)] = 0.5f;
        double *wanted = doubles_of(NULL, N);
        ref_softmax(wanted, doubles_of(scores, N), n);
        float *in_place = copy_of("in place, padded", scores, all);
        float *masked = array_of("masked", all), *twice = copy_of("twice", scores, N);
        softmax_row(weights, input(scores), n);
        softmax_row(in_place, in_place, n + pads);
        same_bits("in place, padded", in_place, weights, N);
        for (int j = 0; j < n; j++) {
            twice[j] *= 0.37f;
        }
        softmax_row_masked(masked, scores, 0.37f, n, n + pads);
        softmax_row(twice, twice, n);
        same_bits("scaled", masked, twice, N);
        for (int j = n; j < n + pads; j++) {
            near("masked", (size_t)j, (double)masked[j], 0.0, 0.0);
        }
        for (int j = 0; j < n + pads; j++) {
            double weight = j < n ? wanted[j] : 0.0;
            near("weights", (size_t)j, (double)in_place[j], weight, 4e-6 * weight);
        }
        arrays_done();
    }
}
END_TEST

START_TEST(softmax_is_safe_at_large_scores)
{
    enum { N = 20 };
    TRY("scores +-1000");
    float scores[N], none[] = {-INFINITY, -INFINITY};
    double e = exp(-1.0), wanted[N] = {[17] = 1.0, [18] = e, [19] = 1.0};
    for (int i = 0; i < N; i++) {
        scores[i] = i == 18 ? 999.0f : i > 16 ? 1000.0f : -1000.0f;
    }
    softmax_row(scores, scores, N);
    for (size_t i = 0; i < N; i++) {
        near("weights", i, (double)scores[i], wanted[i] / (2.0 + e), 1e-7 * wanted[i]);
    }
    softmax_row(none, none, 2);
    ck_assert(isnan(none[0]) && isnan(none[1]));
}
END_TEST

static double softmax_value(void)
{
    ref_softmax(exact, x.exact, n);
    return weigh();
}

/* Scaled, in place, and zeros behind the mask, whatever stood there. */
static void check_masked_backward(void)
{
    size_t all = count + (size_t)rng_below(&rng, 40);
    float *d = array_of("masked", all);
    memcpy(d, d_y, count * sizeof *d);
    softmax_row_masked_backward(d, d, y, 0.25f, (int)count, (int)all);
    for (size_t i = 0; i < all; i++) {
        near("masked", i, (double)d[i], i < count ? (double)x.d[i] * 0.25 : 0.0, 0.0);
    }
}

START_TEST(softmax_gradient_is_the_slope)
{
    for (n = 1; n <= 40; n++) {
        TRY("n %d", n);
        begin(n, 0, 0, n);
        softmax_row(y, x.x, n);
        check_values(softmax_value);
        softmax_row_backward(x.d, d_y, y, n);
        check_masked_backward();
        check_slopes(softmax_value);
    }
}
END_TEST

/* Rows ten times as wide, as narrow as the root of epsilon, far from zero (E(x²) - E(x)² would be
   lost there), and one of equal entries. */
START_TEST(layernorm_is_near_double)
{
    for (n = 2; n <= 70; n++) {
        TRY("d %d", n);
        size_t D = (size_t)n;
        float *values = random_array("x", 4 * D), *normed = array_of("y", 4 * D), mean[4], rstd[4];
        const float *gamma = random_input("gamma", D), *beta = random_input("beta", D);
        for (size_t i = 0; i < D; i++) {
            values[i] *= 10.0f;
            values[D + i] *= 0.003f;
            values[2 * D + i] += i % 2 == 0 ? 1003.0f : 997.0f;
            values[3 * D + i] = 0.75f;
        }
        layernorm_forward(normed, mean, rstd, input(values), gamma, beta, 4, n);
        double *wanted = doubles_of(NULL, 4 * D);
        ref_layernorm(wanted, doubles_of(values, 4 * D), doubles_of(gamma, D), doubles_of(beta, D),
                      4, n);
        for (size_t i = 0; i < 4 * D; i++) {
            near("y", i, (double)normed[i], wanted[i], i / D == 2 ? 2e-4 : 1e-5);
        }
        arrays_done();
    }
}
END_TEST

static double layernorm_value(void)
{
    ref_layernorm(exact, x.exact, w.exact, bias.exact, rows, n);
    return weigh();
}

START_TEST(layernorm_gradient_is_the_slope)
{
    static const int widths[] = {3, 5, 12, 16, 17, 31, 33, 36, 64, 70};
    for (int i = 0; i < COUNT(widths); i++) {
        rows = 1 + i % 4, n = widths[i];
        TRY("rows %d, d %d", rows, n);
        begin(rows * n, n, n, rows * n);
        float *mean = array_of("mean", (size_t)rows), *rstd = array_of("rstd", (size_t)rows);
        layernorm_forward(y, mean, rstd, x.x, w.x, bias.x, rows, n);
        check_values(layernorm_value);
        rng_normal(&rng, x.d, (int)x.count);
        x.d_start = copy_of("d_x before", x.d, x.count);
        layernorm_backward(x.d, w.d, bias.d, d_y, x.x, input(mean), input(rstd), w.x, rows, n);
        check_slopes(layernorm_value);
    }
}
END_TEST

static double gelu_value(void)
{
    ref_gelu(exact, x.exact, n);
    return weigh();
}

START_TEST(gelu_gradient_is_the_slope)
{
    for (n = 1; n <= 70; n++) {
        TRY("n %d", n);
        begin(n, 0, 0, n);
        for (size_t i = 0; i < x.count; i++) {
            x.x[i] *= 2.5f;
            x.exact[i] = (double)x.x[i];
        }
        float *in_place = copy_of("in place", x.x, x.count), *slope = copy_of("", x.x, x.count);
        float *by_slope = array_of("by slope", count), *d = array_of("d_x", x.count);
        gelu_forward(y, x.x, (size_t)n);
        gelu_forward(in_place, in_place, (size_t)n);
        gelu_forward_slope(by_slope, slope, (size_t)n);
        same_bits("in place", in_place, y, count);
        same_bits("with slope", by_slope, y, count);
        check_values(gelu_value);
        gelu_backward(x.d, d_y, x.x, (size_t)n);
        for (size_t i = 0; i < count; i++) {
            d[i] = d_y[i] * slope[i];
        }
        same_bits("d_x by slope", d, x.d, count);
        check_slopes(gelu_value);
    }
}
END_TEST

/* n targets in the whole batch, of which these rows may be a part. */
static const int32_t targets[] = {2, IGNORE, 0, 1, IGNORE};

static double loss_value(void)
{
    return ref_cross_entropy(x.exact, targets, COUNT(targets), k) / n;
}

START_TEST(cross_entropy_gradient_is_the_slope)
{
    for (k = 3; k <= 40; k++) {
        n = k % 2 == 0 ? 3 : 11;
        TRY("vocab %d, count %d", k, n);
        begin(COUNT(targets) * k, 0, 0, 0);
        float *probabilities = array_of("probabilities", x.count);
        double sum = cross_entropy_forward(probabilities, x.x, targets, COUNT(targets), k);
        near("loss", 0, sum / n, loss_value(), 1e-5);
        for (int i = k; i < 2 * k; i++) { /* the row of the first IGNORE */
            ck_assert_msg(isnan(probabilities[i]), "probabilities[%d] was written", i);
        }
        cross_entropy_backward(x.d, input(probabilities), targets, COUNT(targets), k, n);
        check_slopes(loss_value);
    }
}
END_TEST

/* -log of the rounded probability would be infinite here. */
START_TEST(cross_entropy_of_a_hopeless_target_is_finite)
{
    TRY("logits 1000, -1000, 800");
    static const float logits[] = {1000.0f, -1000.0f, 800.0f};
    static const double wanted[] = {0.0, 2000.0, 200.0};
    for (int32_t target = 0; target < 3; target++) {
        float probabilities[3];
        double loss = cross_entropy_forward(probabilities, logits, &target, 1, 3);
        near("loss", (size_t)target, loss, wanted[target], 1e-4);
    }
}
END_TEST

/* Attention: n is the width. */
static struct Sequences sequences;
static struct AttentionConfig config;
static int span; /* of the bias; 0: there is none */

static double attention_value(void)
{
    ref_attention(exact, x.exact, span > 0 ? bias.exact : NULL, span, sequences, n, &config);
    return weigh();
}

START_TEST(attention_gradient_is_the_slope)
{
    static const int32_t three[] = {4, 9, 10, 13}, one[] = {0, 17}, two[] = {0, 7, 20};
    static const struct {
        const int32_t *start;
        int count, heads, d_head;
    } trials[] = {
        {three, 3, 2, 5}, {three, 3, 3, 1}, {one, 1, 1, 12}, {two, 2, 3, 4}, {three, 3, 1, 33}};
    for (int i = 0; i < COUNT(trials); i++) {
        int heads = trials[i].heads, d_head = trials[i].d_head, last = trials[i].count;
        sequences = (struct Sequences){.start = trials[i].start, .count = last};
        config = way_to_attend(_i, heads, d_head);
        TRY("way %d, heads %d, d_head %d", _i, heads, d_head);
        rows = sequences.start[last] - sequences.start[0];
        n = heads * d_head;
        begin(rows * 3 * n, 0, 0, rows * n);
        float *weights = array_of("weights", attention_weights_size(sequences, heads));
        float *scratch = array_of("scratch", attention_scratch_size(rows, d_head));
        attention_forward(y, weights, scratch, x.x, NULL, sequences, n, &config);
        check_values(attention_value);
        attention_backward(x.d, NULL, scratch, d_y, x.x, input(weights), sequences, n, &config);
        check_slopes(attention_value);
    }
}
END_TEST

/* Every mask, alone and combined; heads that share keys and values; a bias by distance, farther
   distances cut off. */
static const int32_t documents[] = {7, 7, 7, 2, 2, 5, 5, 5, 5, 1, 1, 1, 1,
                                    1, 1, 1, 1, 3, 3, 3, 9, 9, 9, 9, 9, 8};
static const struct Mask masks[] = {
    {.causal = true},
    {.causal = true, .prefix = 4},
    {.causal = true, .prefix = 19}, /* over more than one tile */
    {.window = 3},
    {.causal = true, .window = 2, .end_key = 6},
    {.first_key = 2, .end_key = 5},   /* rows 0 and 1 are padding, and have queries all the same */
    {.causal = true, .first_key = 3}, /* queries 0 to 2 see no key */
    {.document = documents},
    {.causal = true, .document = documents, .window = 3, .first_key = 1},
};

START_TEST(attention_under_masks_and_biases)
{
    static const int32_t start[] = {3, 29, 33, 34};
    static const struct {
        int heads, kv_heads, d_head, span;
    } trials[] = {{4, 2, 3, 0}, {3, 1, 4, 9}, {2, 2, 17, 4}, {6, 3, 2, 20}};
    int32_t place[31];
    sequences = (struct Sequences){.start = start, .count = 3, .place = place};
    for (int i = 0; i < COUNT(trials); i++) {
        int heads = trials[i].heads, d_head = trials[i].d_head;
        span = trials[i].span;
        config = (struct AttentionConfig){
            .n_heads = heads, .n_kv_heads = trials[i].kv_heads, .scale = 0.7f, .mask = masks[_i]};
        TRY("mask %d, heads %d, kv heads %d, span %d", _i, heads, trials[i].kv_heads, span);
        rows = 31, n = heads * d_head;
        for (int r = 0; r < rows; r++) {
            place[r] = rng_below(&rng, 2 * span + 1);
        }
        begin(rows * attention_row(n, &config), 0, span > 0 ? (int)bias_size(span, heads) : 0,
              rows * n);
        float *weights = array_of("weights", attention_weights_size(sequences, heads));
        float *scratch = array_of("scratch", attention_scratch_size(rows, d_head));
        struct Bias b = {bias.x, span}, d_b = {bias.d, span};
        for (size_t j = 0; j < bias.count; j++) {
            bias.d[j] = 0.0f;
        }
        attention_forward(y, weights, scratch, x.x, span > 0 ? &b : NULL, sequences, n, &config);
        check_values(attention_value);
        attention_backward(x.d, span > 0 ? &d_b : NULL, scratch, d_y, x.x, input(weights),
                           sequences, n, &config);
        check_slopes(attention_value);
    }
    span = 0;
}
END_TEST

Suite *layers_suite(void)
{
    Suite *suite = suite_create("layers");
    TCase *cases = new_case(suite, "layers", begin_trials);
    tcase_add_loop_test(cases, linear_gradient_is_the_slope, 0, 5);
    tcase_add_test(cases, softmax_is_near_double_and_blind_for_minus_infinity);
    tcase_add_test(cases, softmax_is_safe_at_large_scores);
    tcase_add_test(cases, softmax_gradient_is_the_slope);
    tcase_add_test(cases, layernorm_is_near_double);
    tcase_add_test(cases, layernorm_gradient_is_the_slope);
    tcase_add_test(cases, gelu_gradient_is_the_slope);
    tcase_add_test(cases, cross_entropy_gradient_is_the_slope);
    tcase_add_test(cases, cross_entropy_of_a_hopeless_target_is_finite);
    tcase_add_loop_test(cases, attention_gradient_is_the_slope, 0, 16);
    tcase_add_loop_test(cases, attention_under_masks_and_biases, 0, COUNT(masks));
    return suite;
}
