/* The new idea: a mask is a question about two places, may this query look at that key, and
   attention takes no other notice of it. The five rules stand one below the other; a key is seen if
   none of them forbids it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/vmath.h"
#include "masks.h"

bool allowed(const struct Mask *mask, int i, int j)
{
    if (mask->causal && j > i && j >= mask->prefix) {
        return false; /* it comes later, and is no part of the prefix */
    }
    if (mask->window > 0 && abs(i - j) >= mask->window) {
        return false; /* too far away */
    }
    if (j < mask->first_key || (mask->end_key > 0 && j >= mask->end_key)) {
        return false; /* a pad, in front of the text or behind it */
    }
    if (mask->document != NULL && mask->document[i] != mask->document[j]) {
        return false; /* of another document */
    }
    return true;
}

void attend_query(float *out, float *weights, const float *query, const float *k, const float *v,
                  int i, int n, int d, const struct Mask *mask, enum Manner manner)
{
    float best = -INFINITY, sum = 0.0f;
    for (int j = 0; j < n; j++) {
        weights[j] = -INFINITY;
        if (allowed(mask, i, j)) {
            float dot = 0.0f;
            for (int c = 0; c < d; c++) {
                dot = fmaf(query[c], k[j * d + c], dot);
            }
            weights[j] = dot / sqrtf((float)d);
        }
        best = weights[j] > best ? weights[j] : best;
    }
    bool empty = best == -INFINITY; /* nothing to look at: -inf - -inf below would be NaN */
    for (int j = 0; j < n; j++) {
        weights[j] = empty && manner == CONTRACT ? 0.0f : exp_f32(weights[j] - best);
        sum += weights[j];
    }
    memset(out, 0, (size_t)d * sizeof *out);
    for (int j = 0; j < n; j++) {
        if (manner == CONTRACT && !allowed(mask, i, j)) {
            continue; /* its weight is 0, but 0 times NaN is NaN */
        }
        weights[j] /= sum;
        for (int c = 0; c < d; c++) {
            out[c] = fmaf(weights[j], v[j * d + c], out[c]);
        }
    }
}

void attend(float *out, float *weights, const float *q, const float *k, const float *v, int T,
            int d, const struct Mask *mask, enum Manner manner)
{
    for (int i = 0; i < T; i++) {
        attend_query(out + i * d, weights + i * T, q + i * d, k, v, i, T, d, mask, manner);
    }
}

void through_layers(float *out, const float *x, int T, int layers, const struct Mask *mask,
                    enum Manner manner)
{
    float weights[MOST * MOST], below[MOST * D];
    memcpy(out, x, (size_t)(T * D) * sizeof *out);
    for (int layer = 0; layer < layers; layer++) {
        memcpy(below, out, (size_t)(T * D) * sizeof *out);
        attend(out, weights, below, below, below, T, D, mask, manner);
    }
}
