/* Powers are made of roots, and those by halving an interval: no pow of the system, whose last bit
   is not the same everywhere. */
#include "position.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "vmath.h"

static const char *const names[POSITION_KINDS] = {
    [POSITION_LEARNED] = "learned",
    [POSITION_NONE] = "none",
    [POSITION_SINUSOIDAL] = "sinusoidal",
    [POSITION_T5] = "t5",
    [POSITION_ALIBI] = "alibi",
    [POSITION_ROPE] = "rope",
    [POSITION_ROPE_HALVES] = "rope-halves",
};

const char *position_name(enum PositionKind kind)
{
    return names[kind];
}

bool position_parse(enum PositionKind *kind, const char *name)
{
    for (int i = 0; i < POSITION_KINDS; i++) {
        if (strcmp(name, names[i]) == 0) {
            *kind = (enum PositionKind)i;
            return true;
        }
    }
    return false;
}

static double power(double x, int n)
{
    double product = 1.0;
    for (int i = 0; i < n; i++) {
        product *= x;
    }
    return product;
}

double root(double x, int n)
{
    double low = x < 1.0 ? x : 1.0, high = x < 1.0 ? 1.0 : x;
    for (double middle; middle = low + (high - low) / 2.0, low < middle && middle < high;) {
        if (power(middle, n) <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return power(high, n) <= x ? high : low;
}

static const double TWO_PI = 6.283185307179586;

/* Sine and cosine of an angle of any size that a place can make. */
static void sincos_of(double angle, float *sine, float *cosine)
{
    double turns = floor(angle / TWO_PI + 0.5);
    sincos_f32((float)(angle - turns * TWO_PI), sine, cosine);
}

void rope_frequencies(double *frequency, int pairs, double base)
{
    double step = root(base, pairs), f = 1.0;
    for (int i = 0; i < pairs; i++) {
        frequency[i] = f;
        f /= step;
    }
}

void sinusoidal_table(float *table, int places, int d)
{
    double *frequency = zeros_new((size_t)d / 2, sizeof *frequency);
    rope_frequencies(frequency, d / 2, 10000.0);
    for (int p = 0; p < places; p++) {
        for (int i = 0; i < d / 2; i++) {
            float *pair = table + p * d + 2 * i;
            sincos_of(p * frequency[i], &pair[0], &pair[1]);
        }
    }
    free(frequency);
}

size_t bias_size(int span, int n_heads)
{
    return (size_t)n_heads * (size_t)(2 * span - 1);
}

void alibi_bias(const struct Bias *bias, int n_heads)
{
    double step = root(256.0, n_heads), slope = 1.0;
    for (int h = 0; h < n_heads; h++) {
        float *at = bias_of(bias, h);
        slope /= step;
        for (int distance = 1 - bias->span; distance < bias->span; distance++) {
            at[distance] = (float)(-slope * abs(distance));
        }
    }
}

int t5_bucket(int distance)
{
    int exact = T5_BUCKETS / 2;
    if (distance < exact) {
        return distance > 0 ? distance : 0;
    }
    double step = root((double)T5_FARTHEST / exact, T5_BUCKETS - exact), end = exact * step;
    int bucket = exact;
    while (bucket < T5_BUCKETS - 1 && distance >= end) {
        bucket++;
        end *= step;
    }
    return bucket;
}

void t5_bias(const struct Bias *bias, const float *table, int n_heads)
{
    for (int distance = 1 - bias->span; distance < bias->span; distance++) {
        int bucket = t5_bucket(distance);
        for (int h = 0; h < n_heads; h++) {
            bias_of(bias, h)[distance] = table[bucket * n_heads + h];
        }
    }
}

void t5_bias_backward(float *d_table, const struct Bias *d_bias, int n_heads)
{
    memset(d_table, 0, (size_t)(T5_BUCKETS * n_heads) * sizeof *d_table);
    for (int distance = 1 - d_bias->span; distance < d_bias->span; distance++) {
        int bucket = t5_bucket(distance);
        for (int h = 0; h < n_heads; h++) {
            d_table[bucket * n_heads + h] += bias_of(d_bias, h)[distance];
        }
    }
}

void rope_interpolate(double *frequency, int pairs, double factor)
{
    for (int i = 0; i < pairs; i++) {
        frequency[i] /= factor;
    }
}

double rope_base(double base, int pairs, double factor)
{
    return pairs > 1 ? base * factor * root(factor, pairs - 1) : base;
}

float rope_yarn(double *frequency, int pairs, double factor, int trained)
{
    const double most = 32.0, fewest = 1.0; /* turns: beta and alpha of the paper */
    for (int i = 0; i < pairs; i++) {
        double turns = trained * frequency[i] / TWO_PI;
        double keep = (turns - fewest) / (most - fewest);
        keep = keep < 0.0 ? 0.0 : keep > 1.0 ? 1.0 : keep;
        frequency[i] *= keep + (1.0 - keep) / factor;
    }
    double longer = 0.1 * (double)log_f32((float)factor) + 1.0;
    return (float)(longer * longer);
}

void rope_new(struct Rope *rope, const double *frequency, int pairs, int places, bool halves)
{
    size_t size = (size_t)places * (size_t)pairs;
    *rope = (struct Rope){.halves = halves,
                          .pairs = pairs,
                          .places = places,
                          .cosine = array_new(size),
                          .sine = array_new(size),
                          .scale = 1.0f};
    for (int p = 0; p < places; p++) {
        for (int i = 0; i < pairs; i++) {
            int at = p * pairs + i;
            sincos_of(p * frequency[i], &rope->sine[at], &rope->cosine[at]);
        }
    }
}

void rope_free(struct Rope *rope)
{
    free(rope->cosine);
    free(rope->sine);
    *rope = (struct Rope){0};
}

/* The entries 0 and next of each pair, from one pair to the other step entries. */
static void turn(float *x, int next, int step, const float *cosine, const float *sine, int pairs,
                 float direction)
{
    for (int i = 0; i < pairs; i++, x += step) {
        float a = x[0], b = x[next], s = direction * sine[i];
        x[0] = a * cosine[i] - b * s;
        x[next] = a * s + b * cosine[i];
    }
}

void rope_rotate(float *x, ptrdiff_t stride, const int32_t *place, int rows, int n_heads,
                 const struct Rope *rope, bool back)
{
    int next = rope->halves ? rope->pairs : 1, step = rope->halves ? 1 : 2;
    for (int r = 0; r < rows; r++, x += stride) {
        ptrdiff_t at = (ptrdiff_t)place[r] * rope->pairs;
        for (int h = 0; h < n_heads; h++) {
            turn(x + (ptrdiff_t)h * 2 * rope->pairs, next, step, rope->cosine + at, rope->sine + at,
                 rope->pairs, back ? -1.0f : 1.0f);
        }
    }
}
