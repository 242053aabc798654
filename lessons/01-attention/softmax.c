/* What softmax takes notice of in a row of scores, and what it does not. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/vmath.h"
#include "lesson.h"

enum { N = 4, SHIFT = 1000 };

/* scores * factor + shift through softmax; a line for the result. */
static void try(float *weights, const char *name, const float *scores, float factor, float shift)
{
    float row[N];
    for (int j = 0; j < N; j++) {
        row[j] = scores[j] * factor + shift;
    }
    softmax(weights, row, N);
    print_weights(name, weights);
}

/* How many weights are numbers when nothing is subtracted. */
static int finite_without_subtraction(const float *scores, float shift)
{
    float sum = 0.0f;
    int count = 0;
    for (int j = 0; j < N; j++) {
        sum += exp_f32(scores[j] + shift);
    }
    for (int j = 0; j < N; j++) {
        count += isfinite(exp_f32(scores[j] + shift) / sum) != 0;
    }
    return count;
}

void report_softmax(void)
{
    static const float scores[N] = {2.25f, -0.75f, -2.5f, -0.5f},
                       odd[N] = {2.1f, -0.7f, -2.6f, -0.3f};
    static const float negative[N] = {-3, -5, -6, -9};
    float plain[N], shifted[N], odd_plain[N], odd_shifted[N], cool[N], warm[N], low[N];
    page_heading("What softmax takes notice of");
    printf("  Only differences between scores count. Compare each row with the first.\n\n");
    try(plain, "2.25 -0.75 -2.5 -0.5", scores, 1.0f, 0.0f);
    try(shifted, "plus 1000", scores, 1.0f, SHIFT);
    try(cool, "at temperature 1/2", scores, 2.0f, 0.0f);
    try(warm, "at temperature 2", scores, 0.5f, 0.0f);
    page_claim(memcmp(plain, shifted, sizeof plain) == 0, "adding 1000 changes no bit");
    page_claim(cool[0] > plain[0] && plain[0] > warm[0],
               "temperature does: it divides the scores, so their differences too");
    putchar('\n');
    try(odd_plain, "2.1 -0.7 -2.6 -0.3", odd, 1.0f, 0.0f);
    try(odd_shifted, "plus 1000", odd, 1.0f, SHIFT);
    float moved = distance(odd_plain, odd_shifted, N);
    printf("  Here adding 1000 moves a weight by %.1e: 1002.1 is no float, so the scores\n"
           "  were rounded before softmax saw them.\n",
           (double)moved);
    page_claim(moved > 0.0f && moved < 1e-4f, "softmax cannot restore what rounding took");

    int kept = finite_without_subtraction(scores, 0.0f);
    int left = finite_without_subtraction(scores, SHIFT);
    printf("\n  Without the largest subtracted first, %d of the %d weights are numbers, and\n"
           "  %d of %d after adding 1000: exp(1000) is too large for a float.\n",
           kept, N, left, N);
    page_claim(kept == N && left == 0 && isfinite(shifted[0]), "subtracting makes it safe");
    putchar('\n');
    try(low, "-3 -5 -6 -9", negative, 1.0f, 0.0f);
    page_claim(add_up_to_one(low, N) && low[0] > 0.5f,
               "no score is positive, and still the weights add up to one");
}
