/* The new idea: which scores a softmax gets to see, and along which axis it runs. The rest is the
   attention of the lessons before: scores, softmax, a weighted mean of values. */
#include "attend.h"

#include <math.h>

#include "common/vmath.h"

const struct Way ways[WAYS] = {
    [RIGHT] = {"right", .causal = true, .hidden = -INFINITY},
    [ZERO] = {"score 0", .causal = true, .hidden = 0.0f},
    [AFTER] = {"mask after", .causal = true, .after = true},
    [QUERIES] = {"over queries", .causal = true, .hidden = -INFINITY, .axis = OVER_QUERIES},
};
const struct Way unmasked = {"no mask", .causal = false};

struct Count count;

void score_all(float *scores, const float *q, const float *k, int T, int d)
{
    float scale = 1.0f / sqrtf((float)d);
    for (int t = 0; t < T; t++) {
        for (int j = 0; j < T; j++) {
            float dot = 0.0f;
            for (int i = 0; i < d; i++) {
                dot = fmaf(q[t * d + i], k[j * d + i], dot);
            }
            scores[t * T + j] = dot * scale;
            count.scores++;
        }
    }
}

/* May query t look at key j? */
static bool allowed(int t, int j, const struct Way *way)
{
    return !way->causal || (way->strict ? j < t : j <= t);
}

static void hide(float *x, float by, int T, const struct Way *way)
{
    for (int t = 0; t < T; t++) {
        for (int j = 0; j < T; j++) {
            if (allowed(t, j, way)) {
                count.seen++;
            } else {
                x[t * T + j] = by;
            }
        }
    }
}

/* n scores to weights, in place, one every step floats. e^-inf is exactly 0. */
static void softmax(float *x, int n, int step)
{
    float best = -INFINITY, sum = 0.0f;
    for (int i = 0; i < n; i++) {
        best = x[i * step] > best ? x[i * step] : best;
    }
    for (int i = 0; i < n; i++) {
        x[i * step] = exp_f32(x[i * step] - best); /* nothing but -inf: -inf - -inf is NaN */
        sum += x[i * step];
    }
    for (int i = 0; i < n; i++) {
        x[i * step] /= sum;
    }
}

void attend(float *out, float *weights, const float *q, const float *k, const float *v, int T,
            int d, const struct Way *way)
{
    score_all(weights, q, k, T, d);
    if (!way->after) {
        hide(weights, way->hidden, T, way);
    }
    for (int n = 0; n < T; n++) {
        if (way->axis == OVER_KEYS) {
            softmax(weights + n * T, T, 1); /* row n */
        } else {
            softmax(weights + n, T, T); /* column n */
        }
    }
    if (way->after) {
        hide(weights, 0.0f, T, way);
    }
    for (int t = 0; t < T; t++) {
        for (int i = 0; i < d; i++) {
            float sum = 0.0f;
            for (int j = 0; j < T; j++) {
                sum = fmaf(weights[t * T + j], v[j * d + i], sum);
            }
            out[t * d + i] = sum;
        }
    }
}
