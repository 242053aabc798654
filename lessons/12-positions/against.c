/* Section 13: our own functions against those of common/, which keep angles in tables and biases by
   distance; and our attention, told of places in each way, against attention_forward. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/attention.h"
#include "common/base.h"
#include "common/page.h"
#include "common/rng.h"
#include "sections.h"
#include "toy.h"
#include "ways.h"

static void line(const char *what, float apart)
{
    printf("  %-50s %.1e\n", what, (double)apart);
}

static float sinusoids_apart(void)
{
    enum { ROWS = 200, WIDE = 24 };
    float table[ROWS * WIDE], row[WIDE], most = 0.0f;
    sinusoidal_table(table, ROWS, WIDE);
    for (int place = 0; place < ROWS; place++) {
        sinusoid(row, place, WIDE);
        for (int i = 0; i < WIDE; i++) {
            most = worst(most, fabsf(row[i] - table[place * WIDE + i]));
        }
    }
    return most;
}

/* Frequencies, and the three changes of them, as a share of the frequency. */
static double frequencies_apart(int pairs, double factor, int trained)
{
    enum { MOST = 64 };
    double ours[4][MOST], theirs[4][MOST], most = 0.0;
    for (int i = 0; i < 4; i++) {
        frequencies(ours[i], pairs, i == 2 ? longer_base(10000.0, pairs, factor) : 10000.0);
        rope_frequencies(theirs[i], pairs, i == 2 ? rope_base(10000.0, pairs, factor) : 10000.0);
    }
    interpolate(ours[1], pairs, factor);
    rope_interpolate(theirs[1], pairs, factor);
    yarn(ours[3], pairs, factor, trained);
    float scale = rope_yarn(theirs[3], pairs, factor, trained);
    for (int i = 0; i < 4 * pairs; i++) {
        double apart = fabs(ours[i / pairs][i % pairs] / theirs[i / pairs][i % pairs] - 1.0);
        most = apart <= most ? most : isfinite(apart) ? apart : INFINITY;
    }
    return fmax(most, (double)fabsf(scale - yarn_sharper(factor)));
}

static float turns_apart(const int32_t *place, int rows, bool halves, struct Rng *rng)
{
    enum { ROWS = 4 };
    float x[ROWS * D], turned[ROWS * D], most = 0.0f;
    double frequency[PAIRS];
    struct Rope rope;
    frequencies(frequency, PAIRS, 10000.0);
    rope_new(&rope, frequency, PAIRS, PLACES, halves);
    rng_normal(rng, x, rows * D);
    memcpy(turned, x, sizeof turned);
    rope_rotate(turned, D, place, rows, HEADS, &rope, false);
    for (int i = 0; i < rows * HEADS; i++) {
        turn(x + i * D_HEAD, place[i / HEADS], frequency, PAIRS, halves);
    }
    for (int i = 0; i < rows * D; i++) {
        most = worst(most, fabsf(x[i] - turned[i]));
    }
    rope_free(&rope);
    return most;
}

/* Query, key and value of all heads of each token, not turned, as attention_forward reads them. */
static void lay_out(float *qkv, const float *x)
{
    for (int i = 0; i < LONG * 3 * HEADS; i++) {
        int t = i / 3 / HEADS, which = i / HEADS % 3, head = i % HEADS;
        toy_vector(qkv + i * D_HEAD, which, x + t * D, 0, 0, head, POSITION_NONE);
    }
}

/* One layer at places with gaps between them. */
static float attention_apart(enum PositionKind kind, uint64_t seed)
{
    float x[LONG * D], ours[LONG * D], qkv[LONG * 3 * D], theirs[LONG * D], most = 0.0f;
    float at[HEADS * (2 * PLACES - 1)];
    int32_t place[LONG], start[] = {0, LONG};
    struct Bias bias = {.at = at, .span = PLACES};
    struct Sequences one = {.start = start, .count = 1, .place = place};
    struct AttentionConfig config = {.n_heads = HEADS,
                                     .n_kv_heads = HEADS,
                                     .scale = 1.0f / sqrtf(D_HEAD),
                                     .mask = {.causal = true},
                                     .axis = OVER_KEYS};
    bool biased = kind == POSITION_ALIBI || kind == POSITION_T5;
    for (int t = 0; t < LONG; t++) {
        place[t] = 3 * t + t % 2;
    }
    toy_draw(x, seed);
    toy_run(ours, x, place, LONG, NULL, 1, kind);
    toy_add_rows(x, place, LONG, kind);
    lay_out(qkv, x);
    if (kind == POSITION_ROPE || kind == POSITION_ROPE_HALVES) {
        double frequency[PAIRS];
        struct Rope rope;
        rope_frequencies(frequency, PAIRS, 10000.0);
        rope_new(&rope, frequency, PAIRS, PLACES, kind == POSITION_ROPE_HALVES);
        rope_rotate(qkv, 3 * D, place, LONG, 2 * HEADS, &rope, false);
        rope_free(&rope);
    }
    if (kind == POSITION_T5) {
        t5_bias(&bias, toy_t5(), HEADS);
    } else if (kind == POSITION_ALIBI) {
        alibi_bias(&bias, HEADS);
    }
    float *weights = array_new(attention_weights_size(one, HEADS));
    float *scratch = array_new(attention_scratch_size(LONG, D_HEAD));
    attention_forward(theirs, weights, scratch, qkv, biased ? &bias : NULL, one, D, &config);
    for (int i = 0; i < LONG * D; i++) {
        most = worst(most, fabsf(ours[i] - (x[i] + theirs[i])));
    }
    free(weights);
    free(scratch);
    return most;
}

static bool biases_are_the_same(void)
{
    enum { SPAN = 300 };
    float at[6 * (2 * SPAN - 1)];
    struct Bias bias = {.at = at, .span = SPAN};
    bool same = true;
    alibi_bias(&bias, 6);
    for (int distance = -SPAN + 1; distance < SPAN; distance++) {
        same &= bucket(distance) == t5_bucket(distance);
        for (int head = 0; head < 6; head++) {
            same &= at[head * (2 * SPAN - 1) + SPAN - 1 + distance] == alibi(head, 6, distance);
        }
    }
    return same;
}

void report_against(uint64_t seed)
{
    static const int32_t near[] = {0, 1, 7, 24}, far[] = {97, 503, 1009, 1999};
    struct Rng rng = rng_stream(seed, "against");
    float sines = sinusoids_apart(), turned[2][2], most = 0.0f;
    double of_pairs = 0.0;
    page_heading("Held against common/");
    line("sinusoid, sinusoidal_table: places below 200", sines);
    for (int i = 0; i < 4; i++) {
        bool halves = i % 2 == 1, distant = i / 2 == 1;
        turned[i / 2][i % 2] = turns_apart(distant ? far : near, 4, halves, &rng);
        most = worst(most, turned[i / 2][i % 2]);
    }
    line("turn, rope_rotate: places 0 to 24", worst(turned[0][0], turned[0][1]));
    line("                   places 97 to 1999", worst(turned[1][0], turned[1][1]));
    of_pairs = fmax(frequencies_apart(64, 8.0, 4096), frequencies_apart(16, 1.5, 16));
    float of_attention = 0.0f;
    for (int kind = 0; kind < POSITION_KINDS; kind++) {
        of_attention = worst(of_attention, attention_apart((enum PositionKind)kind, seed));
    }
    line("toy_run, attention_forward: each way, with gaps", of_attention);
    printf("  Far away the two turns part: ours makes a float of the angle, common/ takes\n"
           "  whole turns off first, in double.\n");
    page_claim(biases_are_the_same(), "ALiBi and T5's buckets: the same numbers, to the bit");
    page_claim(of_pairs < 1e-6, "frequencies, and the three changes of them: the same");
    page_claim(sines < 2e-5f && worst(turned[0][0], turned[0][1]) < 1e-5f && most < 1e-3f,
               "sines, cosines and turns: the same but for the rounding of angles");
    page_claim(of_attention < ROUNDING, "attention, told in each way: the same");
}
