/* Our attention, plain and in tiles, against attention.h and tiled.h of common/, whose tiles are
   larger, so that sums have another order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/page.h"
#include "common/rng.h"
#include "common/tiled.h"
#include "tiles.h"

/* Rows of queries, keys and values side by side, as common/ takes them; and apart again. */
static void join(float *qkv, const struct Attention *a)
{
    for (int t = 0; t < a->T; t++) {
        const float *parts[] = {a->q, a->k, a->v};
        for (int i = 0; i < 3; i++) {
            memcpy(qkv + (3 * t + i) * a->d, parts[i] + t * a->d, (size_t)a->d * sizeof *qkv);
        }
    }
}

static float gradients_apart(const float *d_qkv, const struct Attention *a)
{
    float most = 0.0f;
    for (int t = 0; t < a->T; t++) {
        const float *parts[] = {a->d_q, a->d_k, a->d_v};
        for (int i = 0; i < 3; i++) {
            most = fmaxf(most, distance(d_qkv + (3 * t + i) * a->d, parts[i] + t * a->d, a->d));
        }
    }
    return most;
}

/* Largest differences of outputs, gradients and lse. */
struct Apart {
    float out, gradients, lse;
};

/* Our plain pass and that of attention.h, for one head as it is in a. */
static void compare_plain(struct Apart *apart, const struct Attention *a, const float *qkv,
                          struct Sequences one, const struct AttentionConfig *config)
{
    size_t size = (size_t)(a->T * a->d), square = (size_t)(a->T * a->T);
    float *out = array_new(size), *d_qkv = array_new(3 * size);
    float *weights = array_new(attention_weights_size(one, 1));
    float *scratch = array_new(attention_scratch_size(a->T, a->d));
    float *own_weights = array_new(square), *own_d_weights = array_new(square);
    attend(a, own_weights, own_d_weights);
    attention_forward(out, weights, scratch, qkv, NULL, one, a->d, config);
    attention_backward(d_qkv, NULL, scratch, a->d_out, qkv, weights, one, a->d, config);
    apart->out = fmaxf(apart->out, distance(out, a->out, a->T * a->d));
    apart->gradients = fmaxf(apart->gradients, gradients_apart(d_qkv, a));
    free(out), free(d_qkv), free(weights), free(scratch), free(own_weights), free(own_d_weights);
}

/* Our tiles of 5 by 7 and those of tiled.h. */
static void compare_tiles(struct Apart *apart, const struct Attention *a, const float *qkv,
                          struct Sequences one, const struct AttentionConfig *config, int threads)
{
    size_t size = (size_t)(a->T * a->d);
    float *out = array_new(size), *d_qkv = array_new(3 * size);
    float *lse = array_new((size_t)a->T), *own_lse = array_new((size_t)a->T);
    float *scratch = array_new(tiled_scratch_size(a->d, threads));
    attend_in_tiles(a, own_lse, 5, 7);
    tiled_forward(out, lse, scratch, qkv, one, a->d, config);
    tiled_backward(d_qkv, scratch, a->d_out, qkv, out, lse, one, a->d, config);
    apart->out = fmaxf(apart->out, distance(out, a->out, a->T * a->d));
    apart->gradients = fmaxf(apart->gradients, gradients_apart(d_qkv, a));
    apart->lse = fmaxf(apart->lse, distance(lse, own_lse, a->T));
    free(out), free(d_qkv), free(lse), free(own_lse), free(scratch);
}

static void compare(struct Apart apart[2], struct Rng *rng, int T, int d, bool causal, int threads)
{
    const int32_t start[] = {0, T};
    struct Sequences one = {.start = start, .count = 1};
    struct AttentionConfig config = {
        .n_heads = 1, .n_kv_heads = 1, .scale = 1.0f / sqrtf((float)d), .mask = {.causal = causal}};
    struct Attention a = attention_new(rng, T, d, causal);
    float *qkv = array_new(3 * (size_t)(T * d));
    join(qkv, &a);
    compare_plain(&apart[0], &a, qkv, one, &config);
    compare_tiles(&apart[1], &a, qkv, one, &config, threads);
    attention_free(&a, true);
    free(qkv);
}

void report_against(const struct Common *common)
{
    static const int lengths[] = {1, 2, 17, 97, 200}, widths[] = {3, 16, 33};
    struct Rng rng = rng_stream(common->seed, "against");
    struct Apart apart[2] = {{0}};
    for (int i = 0; i < 5 * 3 * 2; i++) {
        compare(apart, &rng, lengths[i / 6], widths[i / 2 % 3], i % 2, common->threads);
    }
    page_heading("Held against common/");
    printf("  T = 1, 2, 17, 97, 200; d_head = 3, 16, 33; causal and not. Largest\n"
           "  differences:\n\n"
           "                                   outputs  gradients       lse\n"
           "  plain, and attention.h          %8.1e%11.1e         -\n"
           "  tiles of 5 by 7, and tiled.h    %8.1e%11.1e%10.1e\n",
           (double)apart[0].out, (double)apart[0].gradients, (double)apart[1].out,
           (double)apart[1].gradients, (double)apart[1].lse);
    page_claim(apart[0].out < 5e-6f && apart[0].gradients < 5e-5f,
               "all at once: the same but for float rounding");
    page_claim(apart[1].out < 5e-6f && apart[1].gradients < 5e-5f && apart[1].lse < 5e-6f,
               "in tiles: the same but for float rounding");
}
