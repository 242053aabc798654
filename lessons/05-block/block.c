/* The transformer block in reading order. Attention comes from common/: lesson 04 wrote it. At the
   end, the same block by common/, on the same numbers. */
#include "block.h"

#include <math.h>
#include <stdlib.h>

#include "common/activation.h"
#include "common/base.h"
#include "common/config.h"
#include "common/matmul.h"
#include "common/norm.h"
#include "common/vmath.h"

enum { SIZE = BLOCK_ROWS * BLOCK_WIDTH };

/* Each row by itself: its mean to 0, its variance to 1, then a learned factor and offset for each
   of the d places. */
void layer_norm(float *y, const float *x, const float *gamma, const float *beta, int rows, int d)
{
    for (int r = 0; r < rows; r++, x += d, y += d) {
        float mean = 0.0f, variance = 0.0f;
        for (int i = 0; i < d; i++) {
            mean += x[i];
        }
        mean /= (float)d;
        for (int i = 0; i < d; i++) {
            variance += (x[i] - mean) * (x[i] - mean);
        }
        variance /= (float)d; /* not d - 1 */
        for (int i = 0; i < d; i++) {
            y[i] = (x[i] - mean) / sqrtf(variance + 1e-5f) * gamma[i] + beta[i];
        }
    }
}

/* x times the chance that a standard normal number is below x. */
float gelu(float x)
{
    return x * 0.5f * (1.0f + erf_f32(x * 0.70710678f)); /* 1/sqrt(2) */
}

/* tanh u = 1 - 2/(e^(2u) + 1), with u = sqrt(2/pi) (x + 0.044715 x^3) */
float gelu_tanh(float x)
{
    float u = 0.79788456f * (x + 0.044715f * x * x * x);
    return x * 0.5f * (2.0f - 2.0f / (exp_f32(2.0f * u) + 1.0f));
}

/* y = x·Wᵀ + b */
static void linear(float *y, const float *x, const struct Linear *w, int rows, int k, int n)
{
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            float sum = w->bias[j];
            for (int i = 0; i < k; i++) {
                sum += x[r * k + i] * w->weight[j * k + i];
            }
            y[r * n + j] = sum;
        }
    }
}

/* Attention, for which common/ wants one matrix of queries, keys and values. */
static void attention(float *y, const float *x, const struct BlockTensors *w,
                      struct Sequences sequences, int rows, int d,
                      const struct AttentionConfig *config)
{
    static float qkv[3 * SIZE], heads[SIZE], weights[BLOCK_HEADS * BLOCK_ROWS * BLOCK_LONGEST],
        scratch[(2 * BLOCK_WIDTH + BLOCK_LONGEST) * BLOCK_LONGEST];
    linear(qkv, x, &w->qkv, rows, d, 3 * d);
    attention_forward(heads, weights, scratch, qkv, NULL, sequences, d, config);
    linear(y, heads, &w->out, rows, d, d);
}

/* Each token by itself: four times as wide, GELU, and back. */
static void mlp(float *y, const float *x, const struct BlockTensors *w, int rows, int d)
{
    static float hidden[4 * SIZE];
    linear(hidden, x, &w->up, rows, d, 4 * d);
    for (int i = 0; i < rows * 4 * d; i++) {
        hidden[i] = gelu(hidden[i]);
    }
    linear(y, hidden, &w->down, rows, 4 * d, d);
}

void block(float *y, const float *x, const struct BlockTensors *w, struct Sequences sequences,
           int rows, int d, const struct AttentionConfig *config)
{
    static float normed[SIZE], found[SIZE], middle[SIZE];
    layer_norm(normed, x, w->ln1_weight, w->ln1_bias, rows, d);
    attention(found, normed, w, sequences, rows, d, config);
    for (int i = 0; i < rows * d; i++) {
        middle[i] = x[i] + found[i]; /* the residual path: x stays, and something is added */
    }
    layer_norm(normed, middle, w->ln2_weight, w->ln2_bias, rows, d);
    mlp(found, normed, w, rows, d);
    for (int i = 0; i < rows * d; i++) {
        y[i] = middle[i] + found[i];
    }
}

/* Held against common/. */

static double difference(const float *ours, const float *theirs, int n)
{
    double most = 0.0, scale = 0.0;
    for (int i = 0; i < n; i++) {
        double gap = fabs((double)ours[i] - (double)theirs[i]);
        most = gap > most || isnan(gap) ? gap : most;
        scale = fmax(scale, fabs((double)theirs[i]));
    }
    return most / scale;
}

/* Random weights for a block; the norms' too, as their ones and zeros would hide a mistake. */
static struct ParamList random_weights(struct BlockTensors *w, float **weights, float **packed,
                                       const struct ModelConfig *config, struct Rng *rng)
{
    struct ParamList list = {0};
    block_params(&(struct ParamWalk){.list = &list}, "", config);
    *weights = array_new(list.size), *packed = array_new(list.packed_size);
    rng_uniform(rng, *weights, (int)list.size, 0.5f);
    for (int i = 0; i < list.count; i++) {
        param_pack(&list.items[i], *packed, *weights);
    }
    *w = block_params(&(struct ParamWalk){.base = *weights, .packed = *packed}, "", config);
    return list;
}

/* y by common/, which keeps much for a backward pass that nobody asks for here. */
static void common_block(float *y, const float *x, const struct BlockTensors *w,
                         struct Sequences sequences, int rows, const struct ModelConfig *config)
{
    static float mean[BLOCK_ROWS], rstd[BLOCK_ROWS], normed[SIZE], qkv[3 * SIZE], heads[SIZE],
        middle[SIZE], slope[4 * SIZE], gelus[4 * SIZE],
        weights[BLOCK_HEADS * BLOCK_ROWS * BLOCK_LONGEST],
        scratch[(2 * BLOCK_WIDTH + BLOCK_LONGEST) * BLOCK_LONGEST];
    struct BlockSaved saved = {.mean1 = mean,
                               .rstd1 = rstd,
                               .normed1 = normed,
                               .qkv = qkv,
                               .weights = weights,
                               .heads = heads,
                               .middle = middle,
                               .mean2 = mean,
                               .rstd2 = rstd,
                               .normed2 = normed,
                               .slope = slope,
                               .gelu = gelus};
    block_forward(y, &saved, &(struct BlockScratch){.attention = scratch}, x, w,
                  (struct Positions){0}, sequences, rows, config);
}

void block_differences(double *differences, int length, int d, int n_heads, uint64_t seed)
{
    static float x[SIZE], ours[SIZE], theirs[SIZE], mean[BLOCK_ROWS], rstd[BLOCK_ROWS];
    const int32_t starts[] = {0, length, 2 * length + 1};
    struct Sequences sequences = {.start = starts, .count = 2};
    struct ModelConfig config = model_config(1, 1, d, n_heads, 1);
    int rows = 2 * length + 1, n = rows * d;
    float *weights, *packed;
    struct BlockTensors w;
    struct Rng rng = rng_stream(seed, "shapes");
    struct ParamList list = random_weights(&w, &weights, &packed, &config, &rng);
    rng_normal(&rng, x, n);

    layer_norm(ours, x, w.ln1_weight, w.ln1_bias, rows, d);
    layernorm_forward(theirs, mean, rstd, x, w.ln1_weight, w.ln1_bias, rows, d);
    differences[LAYER_NORM] = difference(ours, theirs, n);
    for (int i = 0; i < n; i++) {
        ours[i] = gelu(x[i]);
    }
    gelu_forward(theirs, x, (size_t)n);
    differences[GELU] = difference(ours, theirs, n);
    block(ours, x, &w, sequences, rows, d, &config.attention);
    common_block(theirs, x, &w, sequences, rows, &config);
    differences[BLOCK] = difference(ours, theirs, n);
    params_free(&list);
    free(weights);
    free(packed);
}
