/* One seed proves nothing: the lab with several of them. Weights, examples and batches are all
   drawn anew. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base.h"
#include "common/curve.h"
#include "common/page.h"
#include "retrieval.h"

struct Line {
    double before, after;
    int right, no_context, changed, blind, clipped, below;
};

static struct Line try_seed(struct Work *work, int pairs, double longest)
{
    static struct Lab lab;
    lab_draw(&lab, pairs, work->seed);
    struct Recipe recipe = {
        .keys = LAB_KEYS, .lab = &lab, .layers = 1, .longest = longest, .test_every = work->steps};
    struct Training t = train(recipe, work);
    recipe.query_only = true;
    struct Training blind = train(recipe, work);
    struct Line line = {
        .before = t.test_losses[0],
        .after = t.test_losses[1],
        .right = t.test_right[1],
        .no_context = count_right(t.model, lab.test, TESTED, true),
        .blind = blind.test_right[1],
        .clipped = t.clipped,
        .below = loss_first_below(t.losses, t.steps, 25, 0.1),
    };
    for (int i = 0; i < TESTED; i++) {
        int *value = &lab.test[i].values[lab.test[i].asked];
        *value = (*value + 1) % VALUES;
    }
    line.changed = count_right(t.model, lab.test, TESTED, false);
    training_free(&t);
    training_free(&blind);
    return line;
}

static double percent(int right)
{
    return 100.0 * right / TESTED;
}

void study_seeds(int count, struct Work *work, int pairs, double longest, struct Table *table)
{
    const uint64_t first = work->seed;
    struct Line *lines = zeros_new((size_t)count, sizeof *lines);
    int passed = 0;
    for (int i = 0; i < count; i++) {
        work->seed = first + (uint64_t)i;
        lines[i] = try_seed(work, pairs, longest);
    }
    progress_end(&work->bar);
    page_heading("The lab with several seeds");
    printf("  The test loss before and after %s steps. Right answers of %d, in percent: as\n"
           "  they are, without context, with the value changed, and of a model trained on\n"
           "  the last row alone (blind). How many gradients were clipped, and the step in\n"
           "  which the mean of 25 losses is first below 0.1.\n\n"
           "  seed  before    after  right  no context  changed  blind  clipped  below 0.1\n",
           grouped(work->steps).text, TESTED);
    for (int i = 0; i < count; i++) {
        const struct Line *l = &lines[i];
        unsigned long long seed = first + (unsigned)i;
        printf(seed > 9999 ? "  %llu\n      " : "  %4llu", seed);
        printf("  %.4f  %.5f  %5.1f  %10.1f  %7.1f  %5.1f  %7d  ", l->before, l->after,
               percent(l->right), percent(l->no_context), percent(l->changed), percent(l->blind),
               l->clipped);
        l->below > 0 ? printf("%9d\n", l->below) : printf("    never\n");
        table_row(table, "%llu\t%.9g\t%.9g\t%d\t%d\t%d\t%d\t%d\t%d\t%d", seed, l->before, l->after,
                  l->right, l->no_context, l->changed, l->blind, l->clipped, l->below, TESTED);
        passed += l->after < 0.25 * l->before && percent(l->right) > 90.0 &&
                  percent(l->no_context) < 25.0 && percent(l->changed) > 85.0 &&
                  percent(l->blind) < 25.0;
    }
    printf("\n  A seed passes with a test loss under a quarter of the first, over 90%% right,\n"
           "  under 25%% without context, over 85%% with the value changed, and under 25%% for\n"
           "  the blind model: %d of %d pass.\n",
           passed, count);
    if (learned(work->steps)) {
        page_claim(2 * passed > count, "most seeds pass");
    }
    free(lines);
}
