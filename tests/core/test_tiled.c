/* Attention in tiles: values against plain loops in double, gradients against central differences
   and against those of attention.h; the same bits for any number of threads; and what only tiles
   can get wrong: a block that is skipped, scores too large for e^x, a query that sees no key. */
#include <math.h>
#include <stdlib.h>

#include "common/threads.h"
#include "common/tiled.h"
#include "tests/core/reference.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

/* LONG: of several strips, going back. */
enum { LONGEST = 230, LONG = 1300, SEQUENCES = 3, THREADS = 3 };

/* What is being tried. */
static struct AttentionConfig config;
static int32_t start[SEQUENCES + 1], first[SEQUENCES], documents[LONGEST];
static struct Sequences sequences;
static int d_model, rows, queries;
static const float *qkv, *d_out;
static float *out, *lse, *scratch, *d_qkv;

static size_t qkv_size(void)
{
    return (size_t)rows * (size_t)attention_row(d_model, &config);
}

static size_t out_size(void)
{
    return (size_t)queries * (size_t)d_model;
}

static void set_sequences(const int *lengths, int count, bool all_have_queries)
{
    sequences = (struct Sequences){start, count, all_have_queries ? NULL : first, NULL};
    start[0] = rng_below(&rng, 40);
    for (int s = 0; s < count; s++) {
        start[s + 1] = start[s] + lengths[s];
        first[s] = rng_below(&rng, lengths[s] + 1);
    }
    rows = start[count] - start[0];
    queries = sequences_queries(sequences);
}

static void set_heads(int kv_heads, int group, int d_head)
{
    config.n_kv_heads = kv_heads;
    config.n_heads = kv_heads * group;
    config.scale = 1.0f / sqrtf((float)d_head);
    d_model = config.n_heads * d_head;
    TRY("%d rows, %d queries, %d sequences, heads %d of %d, d_head %d", rows, queries,
        sequences.count, kv_heads, config.n_heads, d_head);
}

/* All new arrays; qkv and what is to come of it for these scores. */
static void set_arrays(void)
{
    qkv = random_input("qkv", qkv_size());
    d_out = random_input("d_out", out_size());
    out = array_of("out", out_size());
    lse = array_of("lse", (size_t)queries * (size_t)config.n_heads);
    d_qkv = array_of("d_qkv", qkv_size());
    scratch = array_of("scratch", tiled_scratch_size(d_model / config.n_heads, THREADS));
}

static void both_passes(void)
{
    tiled_forward(out, lse, scratch, qkv, sequences, d_model, &config);
    tiled_backward(d_qkv, scratch, d_out, qkv, out, lse, sequences, d_model, &config);
}

/* The row of qkv that a row of out belongs to. */
static int row_of(int query)
{
    for (int s = 0;; s++) {
        int before = sequences_first_query(sequences, s), length = start[s + 1] - start[s];
        if (query < length - before) {
            return start[s] - start[0] + before + query;
        }
        query -= length - before;
    }
}

static void check_values(void)
{
    double *exact = doubles_of(qkv, qkv_size()), *all = doubles_of(NULL, (size_t)(rows * d_model));
    ref_attention(all, exact, NULL, 0, sequences, d_model, &config);
    double bound = bound_among(all, (size_t)(rows * d_model));
    for (int q = 0; q < queries; q++) {
        for (int i = 0; i < d_model; i++) {
            int at = q * d_model + i;
            near("out", (size_t)at, (double)out[at], all[row_of(q) * d_model + i], bound);
        }
    }
    free(exact);
    free(all);
}

static void near_all(const char *name, const float *got, const double *wanted, size_t count,
                     double times)
{
    double bound = times * bound_among(wanted, count);
    for (size_t i = 0; i < count; i++) {
        near(name, i, (double)got[i], wanted[i], bound);
    }
}

/* Both ways to the same outputs and gradients. */
static void check_against_attention(double times)
{
    size_t n = qkv_size();
    float *plain_out = array_of("plain out", out_size()), *plain = array_of("plain d_qkv", n);
    float *weights = array_of("weights", attention_weights_size(sequences, config.n_heads));
    float *plain_scratch =
        array_of("plain scratch", attention_scratch_size(LONG, d_model / config.n_heads));
    attention_forward(plain_out, weights, plain_scratch, qkv, NULL, sequences, d_model, &config);
    attention_backward(plain, NULL, plain_scratch, d_out, qkv, weights, sequences, d_model,
                       &config);
    double *wanted = doubles_of(plain, n), *wanted_out = doubles_of(plain_out, out_size());
    near_all("out", out, wanted_out, out_size(), times);
    near_all("d_qkv", d_qkv, wanted, n, times);
    free(wanted);
    free(wanted_out);
}

static const int d_heads[] = {1, 4, 12, 16, 33, 64};

/* Around the ends of one block and of two. */
static const int lengths_tried[] = {1, 2, 17, 95, 96, 97, 191, 192, 193, LONGEST};

START_TEST(tiles_mean_what_the_plain_loop_means)
{
    for (int i = 0; i < COUNT(lengths_tried); i++) {
        int lengths[] = {rng_below(&rng, 30), lengths_tried[i], 1 + rng_below(&rng, 120)};
        config = (struct AttentionConfig){.mask.causal = i % 2 == _i};
        set_sequences(lengths, SEQUENCES, i % 3 > 0);
        set_heads(1 + rng_below(&rng, 2), 1 + rng_below(&rng, 3), d_heads[i % COUNT(d_heads)]);
        set_arrays();
        both_passes();
        check_values();
        check_against_attention(1.0);
        arrays_done();
    }
}
END_TEST

/* Documents, windows and padding leave out blocks, and rows without a key. */
static void random_mask(void)
{
    for (int i = 1; i < LONGEST; i++) {
        documents[i] = documents[i - 1] + (rng_below(&rng, 40) == 0);
    }
    config.mask = (struct Mask){.causal = rng_below(&rng, 2),
                                .prefix = rng_below(&rng, 2) * rng_below(&rng, LONGEST),
                                .window = rng_below(&rng, 2) * rng_below(&rng, LONGEST),
                                .first_key = rng_below(&rng, 2) * rng_below(&rng, 120),
                                .end_key = rng_below(&rng, 2) * rng_below(&rng, LONGEST + 1),
                                .document = rng_below(&rng, 2) ? documents : NULL};
}

static void check_rows_without_a_key(void)
{
    for (int q = 0; q < queries; q++) {
        int s = 0, row = row_of(q), zeros = 0;
        while (row >= start[s + 1] - start[0]) {
            s++;
        }
        row -= start[s] - start[0];
        struct Keys seen = mask_keys(&config.mask, row, start[s + 1] - start[s]);
        for (int i = 0; i < d_model; i++) {
            zeros += out[q * d_model + i] == 0.0f;
        }
        ck_assert_int_eq(seen.first == seen.end, zeros == d_model);
        ck_assert_int_eq(seen.first == seen.end, isinf(lse[q]) && lse[q] > 0.0f);
    }
}

START_TEST(tiles_take_any_mask)
{
    for (int i = 0; i < 40; i++) {
        int lengths[] = {1 + rng_below(&rng, LONGEST), rng_below(&rng, 100)};
        config = (struct AttentionConfig){0};
        random_mask();
        set_sequences(lengths, 2, i % 3 > 0);
        set_heads(1 + rng_below(&rng, 2), 1 + rng_below(&rng, 3), d_heads[i % COUNT(d_heads)]);
        set_arrays();
        both_passes();
        check_values();
        check_rows_without_a_key();
        check_against_attention(1.0);
        arrays_done();
    }
}
END_TEST

/* The sum of out·d_out, for central differences. */
static double *exact_qkv;
static double value(void)
{
    double *all = doubles_of(NULL, (size_t)(rows * d_model)), sum = 0.0;
    ref_attention(all, exact_qkv, NULL, 0, sequences, d_model, &config);
    for (int q = 0; q < queries; q++) {
        for (int i = 0; i < d_model; i++) {
            sum += all[row_of(q) * d_model + i] * (double)d_out[q * d_model + i];
        }
    }
    free(all);
    return sum;
}

START_TEST(tiled_gradient_is_the_slope)
{
    static const int lengths[] = {7, 110};
    config = (struct AttentionConfig){.mask.causal = _i % 2};
    set_sequences(lengths, 2, _i / 2);
    set_heads(2, 2, 5);
    set_arrays();
    both_passes();
    exact_qkv = doubles_of(qkv, qkv_size());
    check_gradient("d_qkv", d_qkv, NULL, exact_qkv, qkv_size(), 150, value);
    free(exact_qkv);
    arrays_done();
}
END_TEST

START_TEST(threads_change_no_bit)
{
    static const int lengths[] = {40, LONG};
    config = (struct AttentionConfig){.mask.causal = _i};
    set_sequences(lengths, 2, true);
    set_heads(2, 2, 12);
    set_arrays();
    threads_set(1);
    both_passes();
    check_against_attention(1.0);
    const float *one_out = input(out), *one_lse = input(lse), *one = input(d_qkv);
    for (int threads = 2; threads <= THREADS; threads++) {
        out = array_of("out", out_size());
        lse = array_of("lse", (size_t)queries * (size_t)config.n_heads);
        d_qkv = array_of("d_qkv", qkv_size());
        threads_set(threads);
        both_passes();
        same_bits("out", out, one_out, out_size());
        same_bits("lse", lse, one_lse, (size_t)queries * (size_t)config.n_heads);
        same_bits("d_qkv", d_qkv, one, qkv_size());
    }
    threads_set(1);
    arrays_done();
}
END_TEST

/* e^x is over every float from 89 on. Scores of hundreds, which fall, rise or stand along the keys;
   a float near them has its last place at 6e-5, and so much a weight is off. */
START_TEST(large_scores_are_no_matter)
{
    static const int lengths[] = {LONGEST};
    config = (struct AttentionConfig){.mask.causal = false};
    set_sequences(lengths, 1, true);
    set_heads(1, 1, 4);
    set_arrays();
    float *x = array_of("qkv", qkv_size());
    for (int t = 0; t < LONGEST; t++) {
        for (int i = 0; i < 12; i++) {
            float key = _i == 0 ? 5.0f * (float)t : _i == 1 ? -5.0f * (float)t : 700.0f;
            x[t * 12 + i] = i == 0 ? 1.0f : i == 4 ? key : qkv[t * 12 + i];
        }
    }
    qkv = input(x);
    both_passes();
    check_against_attention(100.0);
    arrays_done();
}
END_TEST

Suite *tiled_suite(void)
{
    Suite *suite = suite_create("tiled");
    TCase *cases = new_case(suite, "tiled", begin_trials);
    tcase_add_loop_test(cases, tiles_mean_what_the_plain_loop_means, 0, 2);
    tcase_add_test(cases, tiles_take_any_mask);
    tcase_add_loop_test(cases, tiled_gradient_is_the_slope, 0, 4);
    tcase_add_loop_test(cases, threads_change_no_bit, 0, 2);
    tcase_add_loop_test(cases, large_scores_are_no_matter, 0, 3);
    return suite;
}
