/* The tables of the page, what each is to show, and what must be true of it. */
#include "report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/page.h"
#include "common/vmath.h"

double bits(float x)
{
    return (double)log_f32(x) / (double)log_f32(2.0f);
}

void print_three(const double *x, int width, int digits)
{
    printf("  %*.*f %*.*f %*.*f", width, digits, x[ONE], width, digits, x[ROOT], width, digits,
           x[WHOLE]);
}

void report_spread(const struct Measured *measured, int n_keys, int draws)
{
    page_heading("How wide the scores spread");
    printf("  For each d, %s random queries against %d random keys each. All numbers\n"
           "  have mean 0 and variance 1. Each product then has variance 1 too, and a score\n"
           "  adds d of them: its variance is d, its spread (standard deviation) sqrt(d).\n\n"
           "                                spread of the scores divided by\n"
           "      d  variance   sqrt(d)           1   sqrt(d)         d\n",
           grouped(draws).text, n_keys);
    bool as_expected = true;
    for (int i = 0; i < N_SIZES; i++) {
        const double *spread = measured[i].spread;
        double d = 2 << i, variance = spread[ONE] * spread[ONE];
        printf("  %5.0f %9.2f %9.2f", d, variance, sqrt(d));
        print_three(spread, 9, 3);
        putchar('\n');
        /* Of variance/d. The scores of one query share its squared length, which varies by 2d. */
        double error = sqrt((2 / d + (2 + 4 / d) / n_keys) / draws);
        as_expected &= fabs(variance / d - 1) < 5 * error;
        as_expected &= fabs(spread[ROOT] * spread[ROOT] - 1) < 5 * error;
    }
    printf("\n  A head of lesson 07 has d = 32, so its divisor is %.2f (chapter: 5.66).\n",
           sqrt(32.0));
    page_claim(as_expected, "the variance is d, and 1 after the division by sqrt(d), at every d:\n"
                            "         to within five standard errors of that many draws");
}

void report_weights(const struct Measured *measured, int n_keys)
{
    const struct Measured *last = &measured[N_SIZES - 1];
    page_heading("What the softmax makes of them");
    printf("  Weights p, and dp_i/ds_j = p_i (delta_ij - p_j): how far a weight moves with a\n"
           "  score. Read down the columns under 1: one weight takes all, and none can move.\n"
           "  For comparison, an even average over %d keys: %.4f, %.2f bits, %.4f.\n\n"
           "            largest weight      entropy in bits       norm of dp/ds, median\n"
           "      d       1  root     d      1  root     d         1    root       d\n",
           n_keys, 1.0 / n_keys, bits((float)n_keys), sqrt(n_keys - 1.0) / n_keys);
    for (int i = 0; i < N_SIZES; i++) {
        printf("  %5d", 2 << i);
        print_three(measured[i].largest, 5, 3);
        print_three(measured[i].entropy, 5, 2);
        print_three(measured[i].on_score, 8, 5);
        putchar('\n');
    }
    page_claim(last->on_score[ONE] < 0.1 * last->on_score[ROOT],
               "undivided, at d = %d less than a tenth of the root's gradient is left", LARGEST_D);
    page_claim(fabs(last->largest[ROOT] - measured[4].largest[ROOT]) < 0.05,
               "with the root, the largest weight is the same at 32 and at %d", LARGEST_D);
    page_claim(last->entropy[WHOLE] > 0.99 * bits((float)n_keys),
               "divided by d, at %d it is the even average, to 1%% of its bits", LARGEST_D);
}

void report_gradient(const struct Measured *measured)
{
    const double *last = measured[N_SIZES - 1].on_query;
    page_heading("Why the root of d, and not d");
    printf("  With d, nothing is stuck: dp/ds stays large. But what learns is the query, and\n"
           "  the divisor stands in its way again: dp_i/dq = sum_j dp_i/ds_j k_j / divisor.\n"
           "  Read down the columns: one grows and then dies, one fades, and one stays.\n\n"
           "         norm of dp/dq, median, if q.k is divided by\n"
           "      d           1   sqrt(d)         d\n");
    for (int i = 0; i < N_SIZES; i++) {
        printf("  %5d", 2 << i);
        print_three(measured[i].on_query, 9, 5);
        putchar('\n');
    }
    page_claim(last[ROOT] > 5 * last[ONE] && last[ROOT] > 5 * last[WHOLE],
               "at d = %d, 1 and d leave less than a fifth of what the root leaves", LARGEST_D);
}
