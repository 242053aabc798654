/* A softmax cut into pieces in many ways, and what happens where e^score is too large for a float.
   */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/rng.h"
#include "common/vmath.h"
#include "tiles.h"

struct State state_of(const float *scores, const float *values, int n)
{
    struct State s = nothing;
    for (int j = 0; j < n; j++) {
        s.m = fmaxf(s.m, scores[j]);
    }
    for (int j = 0; j < n; j++) {
        float e = exp_f32(scores[j] - s.m);
        s.l += e;
        s.u += e * values[j];
    }
    return s;
}

float output_of(const float *scores, const float *values, int n)
{
    float weights[n], max = -INFINITY, sum = 0.0f, out = 0.0f;
    for (int j = 0; j < n; j++) {
        max = fmaxf(max, scores[j]);
    }
    for (int j = 0; j < n; j++) {
        weights[j] = exp_f32(scores[j] - max);
        sum += weights[j];
    }
    for (int j = 0; j < n; j++) {
        out += weights[j] / sum * values[j];
    }
    return out;
}

enum { KEYS = 48, ROWS = 1000 };

/* Blocks of this size, in this order, merged one after the other. */
static float in_blocks(const float *scores, const float *values, int size, const int *order)
{
    struct State s = nothing;
    for (int b = 0; b < (KEYS + size - 1) / size; b++) {
        int at = order[b] * size, n = KEYS - at < size ? KEYS - at : size;
        s = merge(s, state_of(scores + at, values + at, n), &right);
    }
    return s.u / s.l;
}

/* Halves, each made of its halves: merged like the branches of a tree. */
static struct State as_tree(const float *scores, const float *values, int n)
{
    if (n == 1) {
        return (struct State){scores[0], 1.0f, values[0]};
    }
    return merge(as_tree(scores, values, n / 2), as_tree(scores + n / 2, values + n / 2, n - n / 2),
                 &right);
}

enum Order { AS_THEY_STAND, BACKWARDS, SHUFFLED };

static void order_blocks(int *order, int n, enum Order kind, struct Rng *rng)
{
    for (int i = 0; i < n; i++) {
        int j =
            kind == SHUFFLED ? rng_below(rng, i + 1) : i; /* any order, evenly (Fisher & Yates) */
        order[i] = j < i ? order[j] : i;
        order[j] = kind == BACKWARDS ? n - 1 - i : i;
    }
}

/* What the states with no key in them do: not one bit of the other may change. */
static bool empty_is_neutral(const float *scores, const float *values)
{
    struct State s = state_of(scores, values, KEYS);
    struct State before = merge(nothing, s, &right), after = merge(s, nothing, &right);
    return memcmp(&before, &s, sizeof s) == 0 && memcmp(&after, &s, sizeof s) == 0;
}

void report_pieces(uint64_t seed)
{
    static const int sizes[] = {1, 2, 7, 16, 48};
    static const char *const names[] = {"as they stand", "backwards", "shuffled"};
    struct Rng rng = rng_stream(seed, "pieces");
    float most[3][5] = {{0.0f}}, most_tree = 0.0f, worst = 0.0f;
    bool neutral = true;
    for (int row = 0; row < ROWS; row++) {
        float scores[KEYS], values[KEYS];
        rng_normal(&rng, scores, KEYS);
        rng_normal(&rng, values, KEYS);
        for (int j = 0; j < KEYS; j++) {
            scores[j] *= 3.0f;
        }
        float whole = output_of(scores, values, KEYS);
        for (int i = 0; i < 3 * 5; i++) {
            int order[KEYS], size = sizes[i % 5];
            order_blocks(order, (KEYS + size - 1) / size, (enum Order)(i / 5), &rng);
            float piecewise = in_blocks(scores, values, size, order);
            most[i / 5][i % 5] = fmaxf(most[i / 5][i % 5], distance(&piecewise, &whole, 1));
        }
        struct State tree = as_tree(scores, values, KEYS);
        float out = tree.u / tree.l;
        most_tree = fmaxf(most_tree, distance(&out, &whole, 1));
        neutral &= empty_is_neutral(scores, values);
    }
    page_heading("Any pieces, in any order");
    printf("  1,000 rows of 48 random scores and values, cut into blocks. How far is the\n"
           "  output from that of the whole row, at most?\n\n  keys in a block");
    for (int i = 0; i < 5; i++) {
        printf("%11d", sizes[i]);
    }
    for (int i = 0; i < 3 * 5; i++) {
        if (i % 5 == 0) {
            printf("\n  %-15s", names[i / 5]);
        }
        printf("%11.1e", (double)most[i / 5][i % 5]);
        worst = fmaxf(worst, most[i / 5][i % 5]);
    }
    printf("\n  %-15s%11.1e\n\n", "like a tree", (double)most_tree);
    printf("  Nothing but rounding: a sum is the same in any order, but for its last bits.\n"
           "  A block without a key is m = -INFINITY, l = 0, u = 0.\n");
    page_claim(worst < 1e-5f && most_tree < 1e-5f,
               "however it is cut and merged, the output stays");
    page_claim(neutral, "a block without a key changes not one bit");
}

static void print_number(float x)
{
    if (!isfinite(x)) {
        printf("%12s", isnan(x) ? "NaN" : "INFINITY"); /* printf gives NaN a sign here, there not */
    } else {
        printf("%12.4g", (double)x);
    }
}

/* e^score as it stands, without a maximum. */
static float bare_output(const float *scores, const float *values, int n, float *sum)
{
    float mixed = 0.0f;
    *sum = 0.0f;
    for (int j = 0; j < n; j++) {
        float e = exp_f32(scores[j]);
        *sum += e;
        mixed += e * values[j];
    }
    return mixed / *sum;
}

void report_overflow(void)
{
    static const float shifts[] = {0, 80, 90, 1000, -80, -110, -1000}, values[] = {1, 2, 3};
    float whole = 0.0f, worst = 0.0f;
    int broken = 0;
    page_heading("What the maximum is for");
    printf("  Scores 1, 2, 5 plus a number. It cancels, as each e^score is multiplied by the\n"
           "  same; a float ends at 3.4e38, and e^89 is more than that.\n\n"
           "                    without a maximum\n"
           "      plus      sum of e^score      output        with one\n");
    for (int i = 0; i < 7; i++) {
        float shifted[] = {1.0f + shifts[i], 2.0f + shifts[i], 5.0f + shifts[i]}, sum;
        float bare = bare_output(shifted, values, 3, &sum), out = output_of(shifted, values, 3);
        whole = i == 0 ? out : whole;
        worst = fmaxf(worst, distance(&out, &whole, 1));
        broken += isnan(bare);
        printf("  %8g        ", (double)shifts[i]);
        print_number(sum);
        print_number(bare);
        printf("%16.4f\n", (double)out);
    }
    struct Way bare = {.bare = true};
    struct State both = merge(nothing, nothing, &right),
                 broken_both = merge(nothing, nothing, &bare);
    printf("\n  INFINITY / INFINITY and 0 / 0 are not a number. Nor is -INFINITY less itself,\n"
           "  which the factor of a block without a key comes to: two of them merged have\n"
           "  l = %s. If a state with m = -INFINITY counts for nothing, l = %g.\n",
           isnan(broken_both.l) ? "NaN" : "a number", (double)both.l);
    page_claim(worst == 0.0f, "with a maximum not one bit changes");
    page_claim(broken == 4, "without one, scores of 1000 and of -1000 give no number");
    page_claim(isnan(broken_both.l) && both.l == 0.0f && both.m == -INFINITY,
               "two blocks without a key are one without a key, if that is seen to");
}
