/* Attention with all of its weights in memory, forward and backward, as in the lessons before: what
   the tiles of tiles.c are held against. */
#include <math.h>
#include <stdlib.h>

#include "common/base.h"
#include "common/rng.h"
#include "common/vmath.h"
#include "tiles.h"

float dot(const float *x, const float *y, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void forward(const struct Attention *a, float *weights)
{
    float scale = 1.0f / sqrtf((float)a->d);
    for (int i = 0; i < a->T; i++) {
        float *w = weights + i * a->T, max = -INFINITY, sum = 0.0f;
        int seen = a->causal ? i + 1 : a->T;
        for (int j = 0; j < seen; j++) {
            w[j] = scale * dot(a->q + i * a->d, a->k + j * a->d, a->d);
            max = fmaxf(max, w[j]);
        }
        for (int j = 0; j < seen; j++) {
            w[j] = exp_f32(w[j] - max);
            sum += w[j];
        }
        for (int j = 0; j < a->T; j++) {
            w[j] = j < seen ? w[j] / sum : 0.0f;
        }
        for (int c = 0; c < a->d; c++) {
            a->out[i * a->d + c] = 0.0f;
            for (int j = 0; j < seen; j++) {
                a->out[i * a->d + c] += w[j] * a->v[j * a->d + c];
            }
        }
    }
}

static void backward(const struct Attention *a, const float *weights, float *d_weights)
{
    int T = a->T, d = a->d;
    float scale = 1.0f / sqrtf((float)d);
    for (int i = 0; i < T * d; i++) {
        a->d_q[i] = a->d_k[i] = a->d_v[i] = 0.0f;
    }
    for (int i = 0; i < T; i++) {
        const float *w = weights + i * T;
        float *d_w = d_weights + i * T, mean = 0.0f;
        for (int j = 0; j < T; j++) {
            d_w[j] = dot(a->d_out + i * d, a->v + j * d, d);
            mean += w[j] * d_w[j];
        }
        for (int j = 0; j < T; j++) {
            float d_score = w[j] * (d_w[j] - mean) * scale;
            for (int c = 0; c < d; c++) {
                a->d_v[j * d + c] += w[j] * a->d_out[i * d + c];
                a->d_q[i * d + c] += d_score * a->k[j * d + c];
                a->d_k[j * d + c] += d_score * a->q[i * d + c];
            }
        }
    }
}

void attend(const struct Attention *a, float *weights, float *d_weights)
{
    forward(a, weights);
    backward(a, weights, d_weights);
}

static float *normal(struct Rng *rng, int n)
{
    float *x = array_new((size_t)n);
    rng_normal(rng, x, n);
    return x;
}

struct Attention attention_new(struct Rng *rng, int T, int d, bool causal)
{
    size_t n = (size_t)(T * d);
    return (struct Attention){.T = T,
                              .d = d,
                              .causal = causal,
                              .q = normal(rng, T * d),
                              .k = normal(rng, T * d),
                              .v = normal(rng, T * d),
                              .d_out = normal(rng, T * d),
                              .out = array_new(n),
                              .d_q = array_new(n),
                              .d_k = array_new(n),
                              .d_v = array_new(n)};
}

struct Attention attention_again(const struct Attention *a)
{
    size_t n = (size_t)(a->T * a->d);
    struct Attention b = *a;
    b.out = array_new(n), b.d_q = array_new(n), b.d_k = array_new(n), b.d_v = array_new(n);
    return b;
}

void attention_free(const struct Attention *a, bool inputs)
{
    free(a->out), free(a->d_q), free(a->d_k), free(a->d_v);
    if (inputs) {
        free(a->q), free(a->k), free(a->v), free(a->d_out);
    }
}

float distance(const float *a, const float *b, int n)
{
    float most = 0.0f;
    for (int i = 0; i < n; i++) {
        float apart = fabsf(a[i] - b[i]);
        if (isnan(apart)) {
            return INFINITY;
        }
        most = fmaxf(most, apart);
    }
    return most;
}
