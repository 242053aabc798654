/* attend, one head after the other, against the attention of common/, which does all at once, under
   every kind of mask. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/attention.h"
#include "common/base.h"
#include "common/page.h"
#include "common/rng.h"
#include "sections.h"

/* What was found of a mask: how far weights and outputs are apart, whether zeros are zeros. */
struct Against {
    float apart;
    bool zeros; /* what is hidden has weight 0 in both; a query without a key puts out zeros */
    int empty;
};

/* One head of width d out of qkv (T,3·D): its part (0 queries, 1 keys, 2 values). */
static float *part_of(const float *qkv, int part, int T, int d, int head, int width)
{
    float *x = array_new((size_t)(T * d));
    for (int t = 0; t < T; t++) {
        memcpy(x + t * d, qkv + (3 * t + part) * width + head * d, (size_t)d * sizeof *x);
    }
    return x;
}

static void compare_head(struct Against *a, const float *qkv, const float *out,
                         const float *weights, const struct Sequences *one, int T, int d, int head,
                         int heads, const struct Mask *mask)
{
    int width = heads * d;
    float *q = part_of(qkv, 0, T, d, head, width), *k = part_of(qkv, 1, T, d, head, width);
    float *v = part_of(qkv, 2, T, d, head, width);
    float *own = array_new((size_t)(T * d)), *own_weights = array_new((size_t)(T * T));
    attend(own, own_weights, q, k, v, T, d, mask, CONTRACT);
    for (int t = 0; t < T; t++) {
        float apart = distance(own + t * d, out + t * width + head * d, d);
        int seen = 0;
        for (int j = 0; j < T; j++) {
            float weight = attention_weight(weights, *one, heads, 0, head, t, j);
            float w = distance(own_weights + t * T + j, &weight, 1);
            apart = w <= apart ? apart : w;
            seen += allowed(mask, t, j);
            a->zeros &= allowed(mask, t, j) || (weight == 0.0f && own_weights[t * T + j] == 0.0f);
        }
        for (int c = 0; c < d && seen == 0; c++) {
            a->zeros &= out[t * width + head * d + c] == 0.0f && own[t * d + c] == 0.0f;
        }
        a->empty += seen == 0;
        a->apart = apart <= a->apart ? a->apart : apart;
    }
    free(q), free(k), free(v), free(own), free(own_weights);
}

static void compare(struct Against *a, int T, int d, int heads, const struct Mask *mask,
                    struct Rng *rng)
{
    int width = heads * d;
    const int32_t start[] = {0, T};
    struct Sequences one = {.start = start, .count = 1};
    struct AttentionConfig config = {
        .n_heads = heads, .n_kv_heads = heads, .scale = 1.0f / sqrtf((float)d), .mask = *mask};
    float *qkv = array_new((size_t)(3 * T * width)), *out = array_new((size_t)(T * width));
    float *weights = array_new(attention_weights_size(one, heads));
    float *scratch = array_new(attention_scratch_size(T, d));
    rng_normal(rng, qkv, 3 * T * width);
    attention_forward(out, weights, scratch, qkv, NULL, one, width, &config);
    for (int head = 0; head < heads; head++) {
        compare_head(a, qkv, out, weights, &one, T, d, head, heads, mask);
    }
    free(qkv), free(out), free(weights), free(scratch);
}

void report_common(uint64_t seed)
{
    enum { LONG = 33 };
    static const int lengths[] = {1, 5, 17, LONG}, widths[] = {3, 12}, heads[] = {1, 3};
    struct Rng rng = rng_stream(seed, "common");
    int32_t document[LONG];
    bool near = true, zeros = true;
    for (int t = 0; t < LONG; t++) {
        document[t] = t / 4;
    }
    const struct Mask masks[MASKS] = {
        [CAUSAL] = {.causal = true},
        [PADDING] = {.first_key = 2, .end_key = 7},
        [WINDOW] = {.window = 3},
        [PREFIX] = {.causal = true, .prefix = 4},
        [DOCUMENTS] = {.document = document},
        [TOGETHER] = {.causal = true, .window = 3, .first_key = 2, .document = document}};
    page_heading("attend, held against attention_forward of common/");
    printf("  T = 1, 5, 17, 33; d_head = 3, 12; 1 and 3 heads. Largest difference of a\n"
           "  weight or an output, and how many queries had no key:\n");
    for (int m = 0; m < MASKS; m++) {
        struct Against a = {.zeros = true};
        for (int i = 0; i < 4 * 2 * 2; i++) {
            compare(&a, lengths[i / 4], widths[i / 2 % 2], heads[i % 2], &masks[m], &rng);
        }
        printf("    %-12s  %.1e %6d\n", mask_names[m], (double)a.apart, a.empty);
        near &= a.apart <= 4e-6f;
        zeros &= a.zeros;
    }
    page_claim(near, "they are the same but for float rounding");
    page_claim(zeros, "both give what is hidden exactly 0, and zeros to a query without a key");
}
