/* A query that may look at nothing: where it comes from, what the formula makes of it, and what is
   agreed upon instead. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/rng.h"
#include "sections.h"

enum { T = 5, PADS = 2, LAYERS = 2 };

/* Which queries of a text see no key? */
static int print_empty(const char *what, const struct Mask *mask, int tokens)
{
    int count = 0;
    printf("    %-44s", what);
    for (int i = 0; i < tokens; i++) {
        bool any = false;
        for (int j = 0; j < tokens; j++) {
            any |= allowed(mask, i, j);
        }
        if (!any) {
            printf(count++ == 0 ? "%d" : ", %d", i);
        }
    }
    printf(count == 0 ? "none\n" : "\n");
    return count;
}

static void report_where(void)
{
    static const int32_t document[] = {0, 0, 0, 0, 0, 1, 1, 1};
    struct Mask front = {.causal = true, .first_key = PADS},
                behind = {.causal = true, .end_key = 5};
    struct Mask window = {.end_key = 5, .window = 3};
    struct Mask own = {.end_key = 5, .document = document};
    printf("  Eight tokens. Which queries see no key?\n");
    int at_front = print_empty("causal, 2 pads in front", &front, 8);
    int at_end = print_empty("causal, 3 pads behind", &behind, 8);
    int far = print_empty("window of 3, 3 pads behind", &window, 8);
    int alone = print_empty("3 pads behind, and a document of their own", &own, 8);
    page_claim(at_front == PADS && at_end == 0 && far > 0 && alone == 3,
               "pads in front, or pads cut off from the text: no key is left for them");
}

/* NaN, or a number, in ten columns. */
static void print_number(float x)
{
    if (isnan(x)) {
        printf("       NaN");
    } else {
        printf("%10.3f", (double)x);
    }
}

static int nan_rows(const float *x)
{
    int rows = 0;
    for (int t = 0; t < T; t++) {
        rows += isnan(x[t * D]);
    }
    return rows;
}

/* The mean over the tokens of their numbers' squares, a stand-in for a loss. factor: those of pads
   are taken times 0; else they are left out. */
static float mean_loss(const float *x, bool factor)
{
    float sum = 0.0f;
    for (int t = 0; t < T; t++) {
        float loss = 0.0f;
        for (int c = 0; c < D; c++) {
            loss = fmaf(x[t * D + c], x[t * D + c], loss);
        }
        sum += factor ? (t >= PADS ? 1.0f : 0.0f) * loss : t >= PADS ? loss : 0.0f;
    }
    return sum / (float)(T - PADS);
}

void report_empty(uint64_t seed)
{
    float x[T * D], naive[LAYERS + 1][T * D], contract[LAYERS + 1][T * D], alone[T * D];
    struct Mask mask = {.causal = true, .first_key = PADS}, causal = {.causal = true};
    struct Rng rng = rng_stream(seed, "empty");
    page_heading("A query without a key");
    report_where();
    printf("\n  A text of 3 tokens with 2 pads in front, so that it ends where longer ones\n"
           "  end. The first number of each output, after one layer and after two:\n"
           "                     naive              zeros by contract\n"
           "  query          1 layer  2 layers      1 layer  2 layers\n");
    rng_normal(&rng, x, T * D);
    for (int layers = 1; layers <= LAYERS; layers++) {
        through_layers(naive[layers], x, T, layers, &mask, NAIVE);
        through_layers(contract[layers], x, T, layers, &mask, CONTRACT);
    }
    for (int t = 0; t < T; t++) {
        printf("  %d %-10s", t, t < PADS ? "pad" : "token");
        print_number(naive[1][t * D]), print_number(naive[2][t * D]), printf("   ");
        print_number(contract[1][t * D]), print_number(contract[2][t * D]), printf("\n");
    }
    for (int factor = 1; factor >= 0; factor--) {
        printf("  %-12s", factor ? "times 0" : "left out");
        print_number(mean_loss(naive[1], factor)), print_number(mean_loss(naive[2], factor));
        printf("   ");
        print_number(mean_loss(contract[1], factor)), print_number(mean_loss(contract[2], factor));
        printf("\n");
    }
    printf("  The last two rows stand for a loss: the mean over the tokens of their outputs'\n"
           "  squares, where those of pads are taken times 0, or left out.\n"
           "  Each token gives a pad the weight 0. But 0 times NaN is NaN, in an output as\n"
           "  in a loss.\n");
    through_layers(alone, x + PADS * D, T - PADS, LAYERS, &causal, CONTRACT);
    page_claim(nan_rows(naive[1]) == PADS && nan_rows(naive[2]) == T,
               "naive: the pads' rows are NaN, and one layer up all are");
    page_claim(isnan(mean_loss(naive[1], true)) && isfinite(mean_loss(naive[1], false)),
               "NaN times 0 is NaN: a loss mask must leave out, not multiply");
    page_claim(nan_rows(contract[2]) == 0 &&
                   mean_loss(contract[2], true) == mean_loss(contract[2], false),
               "contract: no NaN anywhere");
    page_claim(distance(contract[2] + PADS * D, alone, (T - PADS) * D) == 0.0f,
               "contract: the tokens get the very bits that they get without pads");
}
