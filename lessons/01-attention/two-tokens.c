/* Section 3: two tokens, from the notes. What a mask leaves, and what raising a score does. */
#include <math.h>
#include <stdio.h>

#include "common/page.h"
#include "lesson.h"

/* y for the scores of two tokens with the values 10 and 20. */
static float mixture(float first, float second)
{
    static const float values[] = {10, 20};
    const struct Memory pair = {.n = 2, .d_value = 1, .values = values};
    float weights[2], y;
    softmax(weights, (const float[]){first, second}, 2);
    mix(&y, weights, &pair);
    return y;
}

/* dy/ds = p (v - y), where y answers to the scores 1 and 0. */
static void report_slopes(const float *p, const float *v, float y)
{
    const float h = 1.0f / 64.0f;
    float slope[2] = {p[0] * (v[0] - y), p[1] * (v[1] - y)};
    float seen[2] = {(mixture(1.0f + h, 0.0f) - mixture(1.0f - h, 0.0f)) / (2.0f * h),
                     (mixture(1.0f, h) - mixture(1.0f, -h)) / (2.0f * h)};
    printf("\n  Raise a score s of row 1: its output y moves by p(v - y), towards the value v.\n"
           "  score of token 1: formula %.3f, difference quotient %.3f\n"
           "  score of token 2: formula %+.3f, difference quotient %+.3f\n",
           (double)slope[0], (double)seen[0], (double)slope[1], (double)seen[1]);
    page_claim(distance(slope, seen, 2) < 0.0005f, "the formula is the slope");
    page_claim(fabsf(slope[0] + slope[1]) < 1e-5f, "what one weight gains the other loses");
}

/* Q = K = (1, 0), V = (10, 20). Under a mask the first token has one key to look at. */
void report_two_tokens(void)
{
    static const double notes[4][3] = {
        {0.73106, 0.26894, 12.6894}, {0.5, 0.5, 15}, {1, 0, 10}, {0.5, 0.5, 15}};
    struct Memory pair = {
        .d_key = 1, .d_value = 1, .keys = (float[]){1, 0}, .values = (float[]){10, 20}};
    struct Answer a[4];
    bool same = true;
    page_heading("Two tokens, and a mask");
    printf("  Queries and keys 1 and 0, values 10 and 20. The second query is 0 and mixes\n"
           "  evenly. A mask hides what comes later: row 1 is left with its own value.\n\n"
           "  query        weights               output  notes\n");
    for (int i = 0; i < 4; i++) {
        int row = i % 2;
        bool masked = i >= 2;
        pair.n = masked ? row + 1 : 2;
        attend(&a[i], pair.keys + row, &pair, 1.0f);
        printf("  row %d%-8s  ", row + 1, masked ? ", mask" : "");
        for (int j = 0; j < pair.n; j++) {
            printf("%.5f  ", (double)a[i].weights[j]);
            same &= reads(a[i].weights[j], notes[i][j], 5);
        }
        printf("%s%8.4f  %.6g\n", pair.n < 2 ? "hidden   " : "", (double)a[i].out[0], notes[i][2]);
        same &= reads(a[i].out[0], notes[i][2], 4);
    }
    page_claim(same, "weights and outputs are those of the notes");
    report_slopes(a[0].weights, pair.values, a[0].out[0]);
}
