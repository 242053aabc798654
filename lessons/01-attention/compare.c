/* This lesson's softmax and attend against those of common/, which every later lesson uses. */
#include <math.h>
#include <stdio.h>

#include "common/attention.h"
#include "common/page.h"
#include "common/rng.h"
#include "common/softmax.h"
#include "lesson.h"

enum { MAX_T = 17, MAX_HEADS = 3, STRIDE = 32 };

static struct Rng rng;

static float compare_softmax(int n)
{
    float scores[MAX_N], ours[MAX_N], theirs[MAX_N];
    rng_normal(&rng, scores, n);
    for (int j = 0; j < n; j++) {
        scores[j] *= 3.0f;
    }
    softmax(ours, scores, n);
    softmax_row(theirs, scores, n);
    return distance(ours, theirs, n);
}

/* All queries of one head, one after the other. A row of qkv (T,3D) holds the queries, keys and
   values of all heads; a causal mask leaves query t the keys 0..t. */
static float compare_head(const float *out, const float *qkv, int T, int heads, int head, int d,
                          bool causal)
{
    static float keys[MAX_T * MAX_D], values[MAX_T * MAX_D];
    struct Memory memory = {.d_key = d, .d_value = d, .keys = keys, .values = values};
    float most = 0.0f;
    int D = heads * d;
    for (int i = 0; i < T * d; i++) {
        const float *row = qkv + i / d * 3 * D + head * d + i % d;
        keys[i] = row[D];
        values[i] = row[2 * D];
    }
    for (int t = 0; t < T; t++) {
        struct Answer answer;
        memory.n = causal ? t + 1 : T;
        attend(&answer, qkv + t * 3 * D + head * d, &memory, 1.0f / sqrtf((float)d));
        most = larger(most, distance(answer.out, out + t * D + head * d, d));
    }
    return most;
}

static float compare_attention(int T, int heads, int d, bool causal)
{
    enum { WIDEST = MAX_HEADS * MAX_D };
    static float qkv[MAX_T * 3 * WIDEST], out[MAX_T * WIDEST], weights[MAX_HEADS * MAX_T * STRIDE];
    static float scratch[(2 * MAX_D + MAX_T) * STRIDE];
    const int32_t start[] = {0, T};
    const struct AttentionConfig config = {.n_heads = heads,
                                           .n_kv_heads = heads,
                                           .scale = 1.0f / sqrtf((float)d),
                                           .mask = {.causal = causal},
                                           .axis = OVER_KEYS};
    float most = 0.0f;
    rng_normal(&rng, qkv, T * 3 * heads * d);
    attention_forward(out, weights, scratch, qkv, NULL,
                      (struct Sequences){.start = start, .count = 1}, heads * d, &config);
    for (int head = 0; head < heads; head++) {
        most = larger(most, compare_head(out, qkv, T, heads, head, d, causal));
    }
    return most;
}

void report_common(unsigned long long seed)
{
    static const int lengths[] = {1, 2, 5, 17, 33, MAX_N};
    static const struct {
        int T, heads, d;
    } shapes[] = {{1, 1, 3}, {1, 3, 33}, {5, 1, 12}, {5, 3, 3}, {17, 1, 33}, {17, 3, 12}};
    float most = 0.0f;
    rng = rng_stream(seed, "01-attention");
    page_heading("The same by common/");
    printf("  Random numbers through both. A difference comes from the order of the sums.\n\n"
           "  softmax of a row      largest difference\n");
    for (int i = 0; i < 6; i++) {
        float apart = compare_softmax(lengths[i]);
        printf("  %3d scores                       %.1e\n", lengths[i], (double)apart);
        most = larger(most, apart);
    }
    page_claim(most < 1e-6f, "softmax is the softmax_row of common/");
    most = 0.0f;
    printf("\n  attention                            all keys     causal\n");
    for (int i = 0; i < 6; i++) {
        float apart[2];
        for (int causal = 0; causal < 2; causal++) {
            apart[causal] = compare_attention(shapes[i].T, shapes[i].heads, shapes[i].d, causal);
            most = larger(most, apart[causal]);
        }
        printf("  %2d tokens, %d head%s of %2d numbers     %.1e    %.1e\n", shapes[i].T,
               shapes[i].heads, shapes[i].heads == 1 ? " " : "s", shapes[i].d, (double)apart[0],
               (double)apart[1]);
    }
    page_claim(most < 2e-6f, "attend, query by query, is the attention_forward of common/");
}
