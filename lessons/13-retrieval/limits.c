/* What clipping is worth: the same training with other limits, and with one bad step. AdamW makes
   steps of much the same length whatever the length of the gradient, so a limit alone does little.
   But it divides by a mean of squares that fades slowly, and in that one long gradient stays. */
#include <stdio.h>

#include "common/page.h"
#include "retrieval.h"

static const double limits[LIMITS] = {0.0, 10.0, 1.0, 0.1, 0.001};
enum { SPIKE_STEP = 20 };

struct Limits study_limits(const struct Lab *lab, struct Work *work)
{
    struct Limits result;
    for (int i = 0; i < 2 * LIMITS; i++) {
        int answers[TESTED], limit = i / 2;
        struct Training t = train((struct Recipe){.keys = LAB_KEYS,
                                                  .lab = lab,
                                                  .layers = 1,
                                                  .longest = limits[limit],
                                                  .spike_step = i % 2 ? SPIKE_STEP : 0},
                                  work);
        *(i % 2 ? &result.spiked[limit] : &result.quiet[limit]) = (struct Limit){
            .clipped = t.clipped,
            .memory = t.memory,
            .right = count_right(t.model, lab->test, TESTED, false),
            .loss = ask(t.model, lab->test, TESTED, false, answers),
        };
        training_free(&t);
    }
    return result;
}

static void print_limit(const struct Limit *quiet, const struct Limit *spiked, double limit)
{
    char name[16] = "none";
    if (limit > 0.0) {
        snprintf(name, sizeof name, "%g", limit);
    }
    printf("  %-8s %7d   %.6f  %.1e  |  %.6f  %6.1f%%  %.1e\n", name, quiet->clipped, quiet->loss,
           quiet->memory, spiked->loss, 100.0 * spiked->right / TESTED, spiked->memory);
}

void report_limits(const struct Limits *l, int steps)
{
    enum { NONE = 0, ONE = 2, LEAST = LIMITS - 1 };
    page_heading("What clipping is worth here");
    printf("  The training of section 3 with other limits. To the right the same with an\n"
           "  accident: the gradient of step %d is made %s times as long. memory is the\n"
           "  root of AdamW's mean of squares, by which it divides: the mean over all\n"
           "  parameters, at the end.\n\n"
           "  %39s |  with the accident\n"
           "  limit    clipped  test loss   memory  |  test loss  right    memory\n",
           SPIKE_STEP, grouped((long long)SPIKE).text, "");
    for (int i = 0; i < LIMITS; i++) {
        print_limit(&l->quiet[i], &l->spiked[i], limits[i]);
    }
    if (steps < SPIKE_STEP || !learned(steps)) {
        return;
    }
    page_claim(l->quiet[NONE].loss < 1.2 * l->quiet[ONE].loss,
               "without an accident, a limit of 1 gains next to nothing");
    page_claim(l->spiked[NONE].memory > 10.0 * l->quiet[NONE].memory &&
                   l->spiked[NONE].loss > 5.0 * l->quiet[NONE].loss,
               "without a limit the accident is remembered, and costs over fivefold");
    page_claim(l->spiked[ONE].loss < 1.2 * l->quiet[ONE].loss,
               "with a limit of 1 it leaves hardly a trace");
    page_claim(l->quiet[LEAST].loss < l->quiet[ONE].loss,
               "a limit that clips all of the first steps does AdamW no harm");
}
