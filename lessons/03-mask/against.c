/* attend, one head after the other, against the attention of common/, which does all at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/page.h"
#include "common/rng.h"
#include "sections.h"

/* How far attend is from common/ in weights and outputs, head by head. */
static float against_common(int T, int d, int n_heads, const struct Way *way, struct Rng *rng)
{
    int D_all = n_heads * d;
    const int32_t start[] = {0, T};
    struct Sequences one = {.start = start, .count = 1};
    struct AttentionConfig config = {.n_heads = n_heads,
                                     .scale = 1.0f / sqrtf((float)d),
                                     .n_kv_heads = n_heads,
                                     .mask = {.causal = way->causal},
                                     .axis = way->axis};
    size_t size = (size_t)(T * d), square = (size_t)(T * T);
    float *qkv = array_new(3 * size * (size_t)n_heads), *out = array_new(size * (size_t)n_heads);
    float *weights = array_new(attention_weights_size(one, n_heads));
    float *scratch = array_new(attention_scratch_size(T, d));
    float *own[3], *own_out = array_new(size), *own_weights = array_new(square), most = 0.0f;
    rng_normal(rng, qkv, 3 * T * D_all);
    attention_forward(out, weights, scratch, qkv, NULL, one, D_all, &config);
    for (int i = 0; i < 3; i++) {
        own[i] = array_new(size);
    }
    for (int h = 0; h < n_heads; h++) {
        for (int t = 0; t < T; t++) {
            for (int i = 0; i < 3; i++) { /* the head's part of queries, keys and values */
                memcpy(own[i] + t * d, qkv + (t * 3 + i) * D_all + h * d, (size_t)d * sizeof *out);
            }
        }
        attend(own_out, own_weights, own[0], own[1], own[2], T, d, way);
        for (int t = 0; t < T; t++) {
            float apart = distance(own_out + t * d, out + t * D_all + h * d, d);
            most = apart <= most ? most : apart;
            for (int j = 0; j < T; j++) {
                float weight = attention_weight(weights, one, n_heads, 0, h, t, j);
                apart = distance(own_weights + t * T + j, &weight, 1);
                most = apart <= most ? most : apart;
            }
        }
    }
    free(qkv), free(out), free(weights), free(scratch), free(own_out), free(own_weights);
    free(own[0]), free(own[1]), free(own[2]);
    return most;
}

void report_common(uint64_t seed)
{
    static const int lengths[] = {1, 2, 5, 17, 33}, widths[] = {3, 12, 33}, heads[] = {1, 3};
    static const struct Way all[] = {
        {"causal, over keys", .causal = true, .hidden = -INFINITY},
        {"causal, over queries", .causal = true, .hidden = -INFINITY, .axis = OVER_QUERIES},
        {"no mask, over keys", .causal = false},
        {"no mask, over queries", .causal = false, .axis = OVER_QUERIES}};
    struct Rng rng = rng_stream(seed, "common");
    bool holds = true;
    page_heading("attend, held against attention_forward of common/");
    printf("  T = 1, 2, 5, 17, 33; d_head = 3, 12, 33; 1 and 3 heads. Largest difference\n"
           "  of a weight or an output:\n");
    for (int w = 0; w < 4; w++) {
        float most = 0.0f;
        for (int i = 0; i < 5 * 3 * 2; i++) {
            float apart =
                against_common(lengths[i / 6], widths[i / 2 % 3], heads[i % 2], &all[w], &rng);
            most = apart <= most ? most : apart;
        }
        printf("    %-22s  %.1e\n", all[w].name, (double)most);
        holds &= most <= 4e-6f;
    }
    page_claim(holds, "they are the same but for float rounding");
}
