/* Our clipping is the core's, but for the millionth that PyTorch and the core add to the norm. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/clip.h"
#include "common/page.h"
#include "retrieval.h"

/* The gradient of the trained model, then of fresh ones, on a batch of the lab. */
static void compare_gradients(const struct Lab *lab, struct Model *model, uint64_t seed)
{
    static const double longest[] = {1e9, 1.0, 0.1, 0.001};
    enum { TRIALS = 16, LIMITS_TRIED = sizeof longest / sizeof *longest };
    struct Batch batch;
    size_t n = model->params.size;
    float *ours = array_new(n);
    double norms = 0.0, entries = 0.0;
    int clipped = 0, agreed = 0;
    batch_new(&batch, BATCH, model->config.context);
    for (int trial = 0; trial < TRIALS; trial++) {
        double limit = longest[trial % LIMITS_TRIED];
        batch_clear(&batch);
        for (int i = 0; i < BATCH; i++) {
            example_add(&batch, &lab->train[trial * BATCH + i], 0);
        }
        model_init(model, seed + (uint64_t)trial);
        model_gradient(model, &batch);
        model_sum_gradients(model);
        memcpy(ours, model->gradient, n * sizeof *ours);
        double norm = global_norm(&model->params, ours);
        bool did = clip(&model->params, ours, limit);
        double cores = gradient_clip(model->gradient, n, limit);
        norms = larger(norms, fabs(cores - norm) / norm);
        for (size_t i = 0; i < n; i++) {
            entries = larger(entries, fabs((double)ours[i] - (double)model->gradient[i]) /
                                          (limit < norm ? limit : norm));
        }
        clipped += did;
        agreed += did == (cores > limit);
    }
    printf("  %d gradients, %d of them clipped. Largest difference of the length: %.0e of\n"
           "  it; of an entry afterwards: %.0e of the length.\n",
           TRIALS, clipped, norms, entries);
    page_claim(agreed == TRIALS && clipped > 0 && clipped < TRIALS && norms < 1e-12 &&
                   entries < 1e-5,
               "our clip is gradient_clip");
    free(ours);
    batch_free(&batch);
}

/* The lab once more, with the steps of the core: model_update_clipped. */
static double largest_difference(const struct Lab *lab, const struct Training *t, uint64_t seed)
{
    struct Model *model = model_of(&t->recipe);
    struct Rng rng = rng_stream(seed, "batches");
    struct AdamW adamw;
    struct Batch batch;
    double most = 0.0, longest = t->recipe.longest > 0.0 ? t->recipe.longest : INFINITY;
    model_init(model, seed);
    adamw_new(&adamw, model->params.size, LEARNING_RATE, DECAY);
    batch_new(&batch, BATCH, model->config.context);
    for (int step = 0; step < t->steps; step++) {
        batch_clear(&batch);
        for (int i = 0; i < BATCH; i++) {
            example_add(&batch, &lab->train[rng_below(&rng, TRAINED)], 0);
        }
        double loss = model_gradient(model, &batch);
        double norm = model_update_clipped(model, &adamw, longest);
        most = larger(most, fabs(loss - t->losses[step]) / t->losses[step]);
        most = larger(most, fabs(norm - t->norms[step]) / t->norms[step]);
    }
    adamw_free(&adamw);
    batch_free(&batch);
    model_free(model);
    return most;
}

void report_against(const struct Lab *lab, const struct Training *t, uint64_t seed)
{
    page_heading("Held against common/");
    struct Model *model = model_of(&t->recipe);
    compare_gradients(lab, model, seed);
    model_free(model);
    double most = largest_difference(lab, t, seed);
    printf("  The training of section 3 with model_update_clipped: losses and lengths of the\n"
           "  gradient differ by at most %.0e of themselves.\n",
           most);
    page_claim(most < 1e-2, "a step of the core that is clipped is our step");
}
