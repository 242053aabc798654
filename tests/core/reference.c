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

/* One head of one sequence: out (T,.) with rows of out_row, q, k, v (T,.) with rows of row. bias:
   what is added at distance 0, NULL for nothing; place (T). */
static void attend(double *out, int out_row, const double *q, const double *k, const double *v,
                   int row, const double *bias, int span, const int32_t *place, int T, int d,
                   const struct AttentionConfig *config)
{
    double *scores = doubles(T, T), *weights = doubles(T, T), *transposed = doubles(T, T);
    for (int i = 0; i < T; i++) {
        for (int j = 0; j < T; j++) {
            double dot = 0.0;
            for (int f = 0; f < d; f++) {
                dot += q[i * row + f] * k[j * row + f];
            }
            double score = (double)config->scale * dot;
            if (bias != NULL) {
                int distance = place[i] - place[j];
                score += bias[distance < 0 ? (distance > -span ? distance : 1 - span)
                                           : (distance < span ? distance : span - 1)];
            }
            score = mask_allows(&config->mask, i, j) ? score : -INFINITY;
            scores[i * T + j] = transposed[j * T + i] = score;
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
                bool none = isnan(weight); /* a row of nothing but -inf */
                out[i * out_row + f] += none ? 0.0 : weight * v[j * row + f];
            }
        }
    }
    free(scores);
    free(weights);
    free(transposed);
}

void ref_attention(double *out, const double *qkv, const double *bias, int span,
                   struct Sequences sequences, int d_model, const struct AttentionConfig *config)
{
    int d_head = d_model / config->n_heads, group = config->n_heads / config->n_kv_heads;
    int d_kv = d_head * config->n_kv_heads, row = d_model + 2 * d_kv;
    for (int s = 0; s < sequences.count; s++) {
        int first = sequences.start[s] - sequences.start[0];
        int length = sequences.start[s + 1] - sequences.start[s];
        for (int h = 0; h < config->n_heads; h++) {
            const double *rows = qkv + first * row, *q = rows + h * d_head;
            const double *k = rows + d_model + h / group * d_head, *v = k + d_kv;
            const double *at = bias != NULL ? bias + h * (2 * span - 1) + span - 1 : NULL;
            const int32_t *place = sequences.place != NULL ? sequences.place + first : NULL;
            bool stacked = config->stacked;
            attend(out + first * d_model + h * d_head * (stacked ? length : 1),
                   stacked ? d_head : d_model, q, k, v, row, at, span, place, length, d_head,
                   config);
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

/* Pair i of each head turned by place / 10000^(2i/d). x (rows,.) with rows of row. */
static void ref_rope(double *x, int row, const int32_t *place, int rows, int heads, int d,
                     bool halves)
{
    for (int r = 0; r < rows; r++) {
        for (int pair = 0; pair < heads * d / 2; pair++) {
            int i = pair % (d / 2);
            double *a = x + r * row + pair / (d / 2) * d + (halves ? i : 2 * i);
            double *b = a + (halves ? d / 2 : 1), first = *a, second = *b;
            double angle = place[r] / pow(10000.0, 2.0 * i / d);
            *a = first * cos(angle) - second * sin(angle);
            *b = first * sin(angle) + second * cos(angle);
        }
    }
}

/* The bias of a model by distance: (n_heads,2*span-1). table: T5's. */
static double *ref_bias(const double *table, const struct ModelConfig *config)
{
    int span = config->context, heads = config->attention.n_heads;
    double *bias = doubles(heads, 2 * span - 1);
    for (int h = 0; h < heads; h++) {
        for (int distance = 1 - span; distance < span; distance++) {
            double slope = pow(2.0, -8.0 * (h + 1) / heads);
            bias[h * (2 * span - 1) + span - 1 + distance] =
                table != NULL ? table[t5_bucket(distance) * heads + h] : -slope * abs(distance);
        }
    }
    return bias;
}

/* y, x (rows,D). w: the block's tensors, one after the other as block_params names them. Returns
   where they end. */
static const double *ref_block(double *y, const double *x, const double *w, const double *bias,
                               struct Sequences sequences, int rows,
                               const struct ModelConfig *config)
{
    const struct AttentionConfig *a = &config->attention;
    int d = config->d_model, d_ff = config->d_ff, d_head = d / a->n_heads;
    int wide = d + 2 * a->n_kv_heads * d_head;
    const double *ln1_weight = next(&w, d), *ln1_bias = next(&w, d);
    const double *qkv_weight = next(&w, wide * d), *qkv_bias = next(&w, wide);
    const double *out_weight = next(&w, d * d), *out_bias = next(&w, d);
    const double *ln2_weight = next(&w, d), *ln2_bias = next(&w, d);
    const double *up_weight = next(&w, d_ff * d), *up_bias = next(&w, d_ff);
    const double *down_weight = next(&w, d_ff * d), *down_bias = next(&w, d);

    double *normed1 = doubles(rows, d), *qkv = doubles(rows, wide), *heads = doubles(rows, d);
    double *middle = doubles(rows, d), *normed2 = doubles(rows, d);
    double *up = doubles(rows, d_ff), *active = doubles(rows, d_ff);
    ref_layernorm(normed1, x, ln1_weight, ln1_bias, rows, d);
    ref_linear(qkv, normed1, qkv_weight, qkv_bias, rows, d, wide);
    if (config->position == POSITION_ROPE || config->position == POSITION_ROPE_HALVES) {
        ref_rope(qkv, wide, sequences.place, rows, a->n_heads + a->n_kv_heads, d_head,
                 config->position == POSITION_ROPE_HALVES);
    }
    ref_attention(heads, qkv, bias, config->context, sequences, d, a);
    ref_linear(middle, heads, out_weight, out_bias, rows, d, d);
    for (int i = 0; i < rows * d; i++) {
        middle[i] += x[i];
    }
    ref_layernorm(normed2, middle, ln2_weight, ln2_bias, rows, d);
    ref_linear(up, normed2, up_weight, up_bias, rows, d, d_ff);
    ref_gelu(active, up, rows * d_ff);
    for (int i = 0; i < rows * d_ff && config->activation == ACTIVATION_RELU; i++) {
        active[i] = fmax(up[i], 0.0);
    }
    ref_linear(y, active, down_weight, down_bias, rows, d_ff, d);
    for (int i = 0; i < rows * d; i++) {
        y[i] += middle[i];
    }
    double *all[] = {normed1, qkv, heads, middle, normed2, up, active};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    return w;
}

/* What is added to token i of the vector at this place. */
static double ref_place(const double *table, int place, int i, const struct ModelConfig *config)
{
    int d = config->d_model;
    double angle = place / pow(10000.0, (double)(i - i % 2) / d);
    switch (config->position) {
    case POSITION_LEARNED:
        return table[place * d + i];
    case POSITION_SINUSOIDAL:
        return i % 2 == 0 ? sin(angle) : cos(angle);
    default:
        return 0.0;
    }
}

double ref_model(double *logits, const double *w, const struct Batch *batch,
                 const struct ModelConfig *config)
{
    int d = config->d_model, rows = batch->rows;
    bool learned = config->position == POSITION_LEARNED, t5 = config->position == POSITION_T5;
    const double *token = next(&w, config->vocab * d);
    const double *table = learned ? next(&w, config->context * d)
                          : t5    ? next(&w, T5_BUCKETS * config->attention.n_heads)
                                  : NULL;
    double *bias = t5 || config->position == POSITION_ALIBI ? ref_bias(table, config) : NULL;
    double *x = doubles(rows, d), *y = doubles(rows, d);
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < d; i++) {
            x[r * d + i] =
                token[batch->tokens[r] * d + i] + ref_place(table, batch->positions[r], i, config);
        }
    }
    for (int layer = 0; layer < config->n_layers; layer++) {
        struct Sequences sequences = {
            .start = batch->start, .count = batch->count, .place = batch->positions};
        w = ref_block(y, x, w, bias, sequences, rows, config);
        memcpy(x, y, (size_t)(rows * d) * sizeof *x);
    }
    const double *ln_weight = next(&w, d), *ln_bias = next(&w, d);
    const double *head_weight = next(&w, config->vocab * d);
    const double *head_bias = next(&w, config->vocab);
    ref_layernorm(y, x, ln_weight, ln_bias, rows, d);
    ref_linear(logits, y, head_weight, head_bias, rows, d, config->vocab);
    free(x);
    free(y);
    free(bias);
    return ref_cross_entropy(logits, batch->targets, rows, config->vocab) / batch->n_targets;
}
