/* Clipping: the length against a plain sum, the factor, and a step of the model that is clipped
   against the same step put together by hand. */
#include <math.h>
#include <string.h>

#include "common/clip.h"
#include "common/model.h"
#include "common/threads.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

START_TEST(norm_is_the_root_of_the_sum_of_squares)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 64, 1001};
    for (int i = 0; i < COUNT(sizes); i++) {
        size_t n = sizes[i];
        TRY("%zu entries", n);
        const float *g = random_input("g", n);
        long double sum = 0.0L;
        for (size_t j = 0; j < n; j++) {
            sum += (long double)g[j] * (long double)g[j];
        }
        double wanted = (double)sqrtl(sum);
        near("norm", 0, gradient_norm(g, n), wanted, 1e-13 * wanted);
        arrays_done();
    }
}
END_TEST

START_TEST(norms_that_are_known)
{
    ck_assert_double_eq(gradient_norm((float[]){3, -4}, 2), 5.0);
    ck_assert_double_eq(gradient_norm((float[]){2, 4, -5, 6, 12}, 5), 15.0);
    ck_assert_double_eq(gradient_norm((float[]){0, -0.0f, 0}, 3), 0.0);
    ck_assert_double_eq(gradient_norm(NULL, 0), 0.0);
    /* Squares that no float could hold. */
    ck_assert_double_eq_tol(gradient_norm((float[]){3e30f, 4e30f}, 2) / 1e30, 5.0, 1e-6);
    ck_assert_double_eq_tol(gradient_norm((float[]){3e-30f, 4e-30f}, 2) * 1e30, 5.0, 1e-6);
    ck_assert(isnan(gradient_norm((float[]){1, NAN, 2}, 3)));
    ck_assert(isinf(gradient_norm((float[]){1, 2, -INFINITY}, 3)));
}
END_TEST

/* Every entry times longest/(norm + 1e-6), rounded once to float, where that is below 1. */
START_TEST(what_is_too_long_is_multiplied_by_one_factor)
{
    static const double limits[] = {1e-3, 0.5, 1.0, 7.0, 1e9};
    int clipped = 0;
    for (int i = 0; i < 6 * COUNT(limits); i++) {
        size_t n = (size_t)(1 + 3 * i);
        double longest = limits[i % COUNT(limits)];
        TRY("%zu entries, at most %g long", n, longest);
        float *g = random_array("g", n), *wanted = array_of("wanted", n);
        for (size_t j = 0; j < n; j++) {
            g[j] *= i % 2 ? 1.0f : 1e-3f; /* so short that 1e-6 is felt */
        }
        double norm = gradient_norm(g, n);
        float factor = (float)fmin(1.0, longest / (norm + 1e-6));
        for (size_t j = 0; j < n; j++) {
            wanted[j] = factor * g[j];
        }
        ck_assert_double_eq(gradient_clip(g, n, longest), norm);
        same_bits("g", g, wanted, n);
        near("length afterwards", 0, gradient_norm(g, n),
             fmin(norm, longest * norm / (norm + 1e-6)), 1e-6 * norm);
        clipped += factor < 1.0f;
        arrays_done();
    }
    ck_assert(clipped > 5 && clipped < 25);
}
END_TEST

START_TEST(nothing_stays_nothing)
{
    float g[] = {0.0f, -0.0f, 0.0f};
    ck_assert_double_eq(gradient_clip(g, 3, 1.0), 0.0);
    ck_assert_mem_eq(g, ((float[]){0.0f, -0.0f, 0.0f}), sizeof g);
}
END_TEST

/* A few steps of a small model on sequences of random tokens; by_hand: made of their parts. Returns the
   model. norms overwritten: the length before each step, and behind them the loss after the last one,
   which comes of the packed weights. */
enum { STEPS = 6, COUNT_OF_SEQUENCES = 9, LENGTH = 5, TOKENS = 7 };

static const struct Model *trained(double norms[STEPS + 1], double longest, bool by_hand)
{
    struct ModelConfig config = model_config(TOKENS, LENGTH, 12, 2, 2);
    config.activation = ACTIVATION_RELU;
    struct Model *model = model_new(config, COUNT_OF_SEQUENCES);
    struct AdamW adamw;
    struct Batch batch;
    struct Rng drawn = rng_stream(seed, "clip");
    model_init(model, seed);
    adamw_new(&adamw, model->params.size, 0.01, 0.01);
    batch_new(&batch, COUNT_OF_SEQUENCES, LENGTH);
    for (int step = 0; step < STEPS; step++) {
        batch_clear(&batch);
        for (int s = 0; s < COUNT_OF_SEQUENCES; s++) {
            int32_t tokens[LENGTH], targets[LENGTH];
            for (int t = 0; t < LENGTH; t++) {
                tokens[t] = rng_below(&drawn, TOKENS);
                targets[t] = rng_below(&drawn, TOKENS);
            }
            batch_add(&batch, tokens, targets, 1 + s % LENGTH);
        }
        model_gradient(model, &batch);
        if (by_hand) {
            model_sum_gradients(model);
            norms[step] = gradient_clip(model->gradient, model->params.size, longest);
            adamw_begin_step(&adamw);
            adamw_update(&adamw, model->weights, model->gradient, 0, model->params.size);
            model_pack(model);
        } else if (isinf(longest)) {
            model_update(model, &adamw);
        } else {
            norms[step] = model_update_clipped(model, &adamw, longest);
            ck_assert_double_le(gradient_norm(model->gradient, model->params.size),
                                longest * (1.0 + 1e-6));
        }
    }
    norms[STEPS] = model_forward(model, &batch);
    return model;
}

START_TEST(a_clipped_step_is_its_parts)
{
    double norms[STEPS + 1], wanted[STEPS + 1];
    threads_set(1);
    const struct Model *by_hand = trained(wanted, 0.5, true);
    ck_assert_double_gt(wanted[0], 0.5);
    for (int threads = 1; threads <= 3; threads++) {
        threads_set(threads);
        TRY("%d threads", threads);
        const struct Model *model = trained(norms, 0.5, false);
        same_bits("weights", model->weights, by_hand->weights, model->params.size);
        ck_assert_mem_eq(norms, wanted, sizeof norms);
    }
}
END_TEST

START_TEST(a_limit_that_is_never_reached_changes_nothing)
{
    double norms[STEPS + 1];
    const struct Model *free = trained(norms, INFINITY, false);
    const struct Model *clipped = trained(norms, 1e6, false);
    same_bits("weights", clipped->weights, free->weights, free->params.size);
}
END_TEST

Suite *clip_suite(void)
{
    Suite *suite = suite_create("clip");
    TCase *cases = new_case(suite, "clip", begin_trials);
    tcase_add_test(cases, norm_is_the_root_of_the_sum_of_squares);
    tcase_add_test(cases, norms_that_are_known);
    tcase_add_test(cases, what_is_too_long_is_multiplied_by_one_factor);
    tcase_add_test(cases, nothing_stays_nothing);
    tcase_add_test(cases, a_clipped_step_is_its_parts);
    tcase_add_test(cases, a_limit_that_is_never_reached_changes_nothing);
    return suite;
}
