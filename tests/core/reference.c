/* Vectors are summed from left to right, every intermediate has an array of its own. */
#include "tests/core/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/loss.h"

struct AttentionConfig way_to_attend(int i, int n_heads, int d_head)
{
    return (struct AttentionConfig){.n_heads = n_heads,
                                    .scale = i & 4 ? 1.0f : 1.0f / sqrtf((float)d_head),
                                    .n_kv_heads = n_heads,
                                    .mask = {.causal = i & 1},
                                    .axis = i & 2 ? OVER_QUERIES : OVER_KEYS,
                                    .stacked = i & 8};
}

static double *doubles(int rows, int columns)
{
    return zeros_new((size_t)rows * (size_t)columns, sizeof(double));
}

void ref_linear(double *y, const double *x, const double *w, const double *bias, int rows, int k,
                int n)
{
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            y[r * n + j] = bias[j];
            for (int i = 0; i < k; i++) {
                y[r * n + j] += x[r * k + i] * w[j * k + i];
            }
        }
    }
}

void ref_layernorm(double *y, const double *x, const double *gamma, const double *beta, int rows,
                   int d)
{
    for (int r = 0; r < rows; r++, x += d, y += d) {
        double mean = 0.0, variance = 0.0;
        for (int i = 0; i < d; i++) {
            mean += x[i] / d;
        }
        for (int i = 0; i < d; i++) {
            variance += (x[i] - mean) * (x[i] - mean) / d;
        }
        for (int i = 0; i < d; i++) {
            y[i] = gamma[i] * (x[i] - mean) / sqrt(variance + 1e-5) + beta[i];
        }
    }
}

void ref_gelu(double *y, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * 0.5 * (1.0 + erf(x[i] / sqrt(2.0)));
    }
}

void ref_softmax(double *weights, const double *scores, int n)
{
    double max = -INFINITY, sum = 0.0;
    for (int i = 0; i < n; i++) {
        max = fmax(max, scores[i]);
    }
    for (int i = 0; i < n; i++) {
        sum += exp(scores[i] - max);
    }
    for (int i = 0; i < n; i++) {
        weights[i] = exp(scores[i] - max) / sum;
    }
}

/* One head of one sequence: out (T,.) with rows of out_row, q, k, v (T,.) with rows of
   3*d_model. */
static void attend(double *out, int out_row, const double *q, const double *k, const double *v,
                   int T, int d, int d_model, const struct AttentionConfig *config)
{
    int row = 3 * d_model;
    double *scores = doubles(T, T), *weights = doubles(T, T), *transposed = doubles(T, T);
    for (int i = 0; i < T; i++) {
        for (int j = 0; j < T; j++) {
            double dot = 0.0;
            for (int f = 0; f < d; f++) {
                dot += q[i * row + f] * k[j * row + f];
            }
            bool hidden = config->causal && j > i;
            scores[i * T + j] = transposed[j * T + i] =
                hidden ? -INFINITY : (double)config->scale * dot;
        }
    }
    for (int line = 0; line < T; line++) {
        if (config->axis == OVER_KEYS) {
            ref_softmax(weights + line * T, scores + line * T, T);
        } else {
            ref_softmax(transposed + line * T, transposed + line * T, T);
        }
    }
    for (int i = 0; i < T; i++) {
        for (int f = 0; f < d; f++) {
            out[i * out_row + f] = 0.0;
            for (int j = 0; j < T; j++) {
                bool over_keys = config->axis == OVER_KEYS;
                double weight = over_keys ? weights[i * T + j] : transposed[j * T + i];
                out[i * out_row + f] += weight * v[j * row + f];
            }
        }
    }
    free(scores);
    free(weights);
    free(transposed);
}

void ref_attention(double *out, const double *qkv, struct Sequences sequences, int d_model,
                   const struct AttentionConfig *config)
{
    int d_head = d_model / config->n_heads;
    for (int s = 0; s < sequences.count; s++) {
        int first = sequences.start[s] - sequences.start[0];
        int length = sequences.start[s + 1] - sequences.start[s];
        for (int h = 0; h < config->n_heads; h++) {
            const double *q = qkv + first * 3 * d_model + h * d_head;
            const double *k = q + d_model, *v = k + d_model;
            bool stacked = config->stacked;
            attend(out + first * d_model + h * d_head * (stacked ? length : 1),
                   stacked ? d_head : d_model, q, k, v, length, d_head, d_model, config);
        }
    }
}

double ref_cross_entropy(const double *logits, const int32_t *targets, int rows, int vocab)
{
    double sum = 0.0, *probabilities = doubles(1, vocab);
    for (int r = 0; r < rows; r++) {
        if (targets[r] != IGNORE) {
            ref_softmax(probabilities, logits + r * vocab, vocab);
            sum -= log(probabilities[targets[r]]);
        }
    }
    free(probabilities);
    return sum;
}

/* The next size numbers of the weights. */
static const double *next(const double **w, int size)
{
    const double *tensor = *w;
    *w += size;
    return tensor;
}

/* y, x (rows,D). w: the block's tensors, one after the other as block_params names them. Returns
   where they end. */
static const double *ref_block(double *y, const double *x, const double *w,
                               struct Sequences sequences, int rows, int d_model,
                               const struct AttentionConfig *config)
{
    int d = d_model;
    const double *ln1_weight = next(&w, d), *ln1_bias = next(&w, d);
    const double *qkv_weight = next(&w, 3 * d * d), *qkv_bias = next(&w, 3 * d);
    const double *out_weight = next(&w, d * d), *out_bias = next(&w, d);
    const double *ln2_weight = next(&w, d), *ln2_bias = next(&w, d);
    const double *up_weight = next(&w, 4 * d * d), *up_bias = next(&w, 4 * d);
    const double *down_weight = next(&w, 4 * d * d), *down_bias = next(&w, d);

    double *normed1 = doubles(rows, d), *qkv = doubles(rows, 3 * d), *heads = doubles(rows, d);
    double *middle = doubles(rows, d), *normed2 = doubles(rows, d);
    double *up = doubles(rows, 4 * d), *gelu = doubles(rows, 4 * d);
    ref_layernorm(normed1, x, ln1_weight, ln1_bias, rows, d);
    ref_linear(qkv, normed1, qkv_weight, qkv_bias, rows, d, 3 * d);
    ref_attention(heads, qkv, sequences, d, config);
    ref_linear(middle, heads, out_weight, out_bias, rows, d, d);
    for (int i = 0; i < rows * d; i++) {
        middle[i] += x[i];
    }
    ref_layernorm(normed2, middle, ln2_weight, ln2_bias, rows, d);
    ref_linear(up, normed2, up_weight, up_bias, rows, d, 4 * d);
    ref_gelu(gelu, up, rows * 4 * d);
    ref_linear(y, gelu, down_weight, down_bias, rows, 4 * d, d);
    for (int i = 0; i < rows * d; i++) {
        y[i] += middle[i];
    }
    double *all[] = {normed1, qkv, heads, middle, normed2, up, gelu};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    return w;
}

double ref_model(double *logits, const double *w, const struct Batch *batch,
                 const struct ModelConfig *config)
{
    int d = config->d_model, rows = batch->rows;
    const double *token = next(&w, config->vocab * d);
    const double *position = next(&w, config->context * d);
    double *x = doubles(rows, d), *y = doubles(rows, d);
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < d; i++) {
            x[r * d + i] = token[batch->tokens[r] * d + i] + position[batch->positions[r] * d + i];
        }
    }
    for (int layer = 0; layer < config->n_layers; layer++) {
        struct Sequences sequences = {.start = batch->start, .count = batch->count};
        w = ref_block(y, x, w, sequences, rows, d, &config->attention);
        memcpy(x, y, (size_t)(rows * d) * sizeof *x);
    }
    const double *ln_weight = next(&w, d), *ln_bias = next(&w, d);
    const double *head_weight = next(&w, config->vocab * d);
    const double *head_bias = next(&w, config->vocab);
    ref_layernorm(y, x, ln_weight, ln_bias, rows, d);
    ref_linear(logits, y, head_weight, head_bias, rows, d, config->vocab);
    free(x);
    free(y);
    return ref_cross_entropy(logits, batch->targets, rows, config->vocab) / batch->n_targets;
}
