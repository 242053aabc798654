/* The whole experiment: every way, trained with its rows at 0, 1, 2, ..., anywhere, or spread out, and
   with several seeds. Where the model knows nothing but distances, anywhere is the same training as
   from 0 (section 4 of the page), so only the two ways with rows of their own are trained so. */
#include "study.h"

#include <stdio.h>

#include "common/base.h"
#include "common/page.h"
#include "results.h"
#include "stretch.h"

static const struct Trial {
    enum PositionKind kind;
    enum Rule rule;
} trials[] = {
    {POSITION_NONE, FROM_ZERO},        {POSITION_LEARNED, FROM_ZERO},
    {POSITION_SINUSOIDAL, FROM_ZERO},  {POSITION_T5, FROM_ZERO},
    {POSITION_ALIBI, FROM_ZERO},       {POSITION_ROPE, FROM_ZERO},
    {POSITION_ROPE_HALVES, FROM_ZERO}, {POSITION_LEARNED, ANYWHERE},
    {POSITION_SINUSOIDAL, ANYWHERE},   {POSITION_LEARNED, SPREAD},
    {POSITION_SINUSOIDAL, SPREAD},     {POSITION_T5, SPREAD},
    {POSITION_ALIBI, SPREAD},          {POSITION_ROPE, SPREAD},
    {POSITION_ROPE_HALVES, SPREAD},
};
enum { TRIALS = sizeof trials / sizeof *trials, FIRST_SPREAD = 9, SPREAD_ONES = 6 };
static const char *const rule_names[] = {"from 0", "anywhere", "spread"};

static struct {
    struct Result as_trained[TRIALS];        /* rows stand in the test as they did in training */
    struct Result side_by_side[SPREAD_ONES]; /* trained spread, tested from 0 */
    struct Result stretched[2][STRETCHES];   /* RoPE in both layouts, trained from 0 */
} found;

static void note(struct Result *r, enum PositionKind kind, const char *rows, int seed,
                 struct Accuracy accuracy)
{
    r->kind = kind;
    r->rows = rows;
    r->seeds = seed + 1;
    r->of[seed] = accuracy;
}

/* Everything that is asked of one trained model. */
static void test(int trial, struct Model *model, int tested, int i, uint64_t seed)
{
    enum PositionKind kind = trials[trial].kind;
    enum Rule rule = trials[trial].rule;
    note(&found.as_trained[trial], kind, rule_names[rule], i,
         reverser_test(model, tested, rule, seed));
    if (rule == SPREAD) {
        note(&found.side_by_side[trial - FIRST_SPREAD], kind, "spread, from 0", i,
             reverser_test(model, tested, FROM_ZERO, seed));
    } else if (kind == POSITION_ROPE || kind == POSITION_ROPE_HALVES) {
        for (int how = 0; how < STRETCHES; how++) {
            stretch_reverser(model, how);
            note(&found.stretched[kind == POSITION_ROPE_HALVES][how], kind, stretch_names[how], i,
                 reverser_test(model, tested, rule, seed));
        }
    }
}

static void report(struct Extent e, uint64_t first_seed)
{
    page_heading("Taught 3 to 8 letters, asked for 9 to 12");
    printf("  %s steps of %d strings, %d seeds from %llu on,\n"
           "  %d strings of each length a seed. Mean over the seeds, and in brackets the\n"
           "  least and the most of one.\n"
           "  from 0    rows stand at 0, 1, 2, ... in training and test\n"
           "  anywhere  side by side from a random place on; tested the same way\n"
           "  spread    at random ones of the %d places, in order; tested the same way\n\n",
           grouped(e.steps).text, BATCH, e.seeds, (unsigned long long)first_seed, e.tested,
           CONTEXT);
    print_results(found.as_trained, TRIALS);
    page_heading("Trained on spread rows, read with rows side by side");
    print_results(found.side_by_side, SPREAD_ONES);
    page_heading("By length");
    print_by_length(found.as_trained, TRIALS);
    page_heading("RoPE trained from 0, read with other frequencies");
    print_results(found.stretched[0], 2 * STRETCHES);
}

static const struct Result *result_of(enum PositionKind kind, enum Rule rule)
{
    int i = 0;
    while (trials[i].kind != kind || trials[i].rule != rule) {
        i++;
    }
    return &found.as_trained[i];
}

static double taught(const struct Result *result)
{
    return mean_strings(result, SHORTEST, TAUGHT);
}

static double longer(const struct Result *result)
{
    return mean_strings(result, LONGER, LONGEST);
}

/* The most of the longer strings that any way with its rows from 0 writes. */
static double best_from_zero(void)
{
    double best = 0.0;
    for (int i = 0; i < TRIALS; i++) {
        double right = trials[i].rule == FROM_ZERO ? longer(&found.as_trained[i]) : 0.0;
        best = right > best ? right : best;
    }
    return best;
}

/* For trainings long enough that most ways have learned their task, and for more than a seed or two: one
   alone may say anything. */
static void claim(int steps)
{
    const struct Result *learned = result_of(POSITION_LEARNED, FROM_ZERO);
    const struct Result *sines = result_of(POSITION_SINUSOIDAL, FROM_ZERO);
    const struct Result *learned_spread = result_of(POSITION_LEARNED, SPREAD);
    const struct Result *sines_spread = result_of(POSITION_SINUSOIDAL, SPREAD);
    const struct Result *rope = result_of(POSITION_ROPE, FROM_ZERO);
    const struct Result *wider = found.stretched[0];
    page_heading("What holds");
    page_claim(taught(learned) > 90.0 && taught(sines) > 90.0 && longer(learned) < 5.0 &&
                   longer(sines) < 5.0,
               "learned and sinusoidal, from 0: the taught lengths, and no longer ones");
    page_claim(longer(learned_spread) > longer(learned) + 5.0 &&
                   longer(sines_spread) > longer(sines) + 5.0,
               "spread rows teach both of them some of the longer ones");
    if (steps >= 5000) {
        page_claim(longer(learned_spread) > 2.0 * best_from_zero() &&
                       longer(sines_spread) > 2.0 * best_from_zero(),
                   "with time more than twice as many as any way from 0");
    }
    page_claim(taught(&found.side_by_side[0]) < 0.5 * taught(learned_spread) &&
                   taught(&found.side_by_side[1]) < 0.5 * taught(sines_spread),
               "but then side by side they lose the taught lengths");
    page_claim(longer(rope) < 25.0 && mean_letters(rope, LONGER, LONGEST) > 50.0,
               "RoPE, from 0: most letters of longer strings right, few strings whole");
    page_claim(longer(&wider[INTERPOLATED]) < longer(rope) && longer(&wider[YARN]) < longer(rope),
               "interpolation and YaRN, untrained, do not help it");
}

void study(struct Extent e, uint64_t first_seed, struct Table *table, bool quiet)
{
    struct Progress bar;
    progress_start(&bar, TRIALS * e.seeds * e.steps, quiet);
    for (int i = 0, done = 0; i < e.seeds; i++) {
        for (int trial = 0; trial < TRIALS; trial++, done += e.steps) {
            uint64_t seed = first_seed + (uint64_t)i;
            struct Model *model =
                reverser_train(trials[trial].kind, trials[trial].rule, seed, e.steps, &bar, done);
            test(trial, model, e.tested, i, seed);
            model_free(model);
        }
    }
    progress_end(&bar);
    report(e, first_seed);
    if (e.steps >= 1000 && e.seeds >= 3) {
        claim(e.steps);
    }
    add_results(table, found.as_trained, TRIALS, first_seed);
    add_results(table, found.side_by_side, SPREAD_ONES, first_seed);
    add_results(table, found.stretched[0], 2 * STRETCHES, first_seed);
}
