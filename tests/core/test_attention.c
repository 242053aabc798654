/* Attention against plain loops, for three sequences at once. Over keys the order of additions is
   promised and the bits must be equal; over queries the values. The gradients are those of
   test_gradients; here the backward pass must stay within its arrays. */
#include "common/attention.h"
#include "common/vmath.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

enum { LONGEST = 25, SEQUENCES = 3 };

/* What is being tried: sequences, one after the other, and what the forward pass made of them. */
static struct AttentionConfig config;
static int32_t start[SEQUENCES + 1];
static const struct Sequences sequences = {.start = start, .count = SEQUENCES};
static int d_head, d_model;
static const float *qkv;
static float *out, *weights;

static int length_of(int s)
{
    return start[s + 1] - start[s];
}

static float weight(int s, int head, int query, int key)
{
    return attention_weight(weights, sequences, config.n_heads, s, head, query, key);
}

/* The features of one head in a row of sequence s: 0 for its query, 1 key, 2 value. */
static const float *features(int which, int s, int head, int row)
{
    return qkv + ((start[s] - start[0] + row) * 3 + which) * d_model + head * d_head;
}

/* Each score adds its terms in order of the feature, and is then scaled. */
static float score_ref(int s, int head, int query, int key)
{
    const float *q = features(0, s, head, query), *k = features(1, s, head, key);
    float sum = 0.0f;
    for (int f = 0; f < d_head; f++) {
        sum = fmaf(q[f], k[f], sum);
    }
    return config.mask.causal && key > query ? -INFINITY : sum * config.scale;
}

/* n weights from n scores, in the order that softmax.h and simd.h promise. */
static void softmax_ref(float *result, const float *scores, int n)
{
    float max = -INFINITY;
    for (int i = 0; i < n; i++) {
        max = fmaxf(max, scores[i]);
    }
    for (int i = 0; i < n; i++) {
        result[i] = exp_f32(scores[i] - max);
    }
    float sum = sum16(result, n);
    for (int i = 0; i < n; i++) {
        result[i] /= sum;
    }
}

/* The softmax of one line: the keys of a query, or the queries of a key. */
static void check_line(int s, int head, int line)
{
    float scores[LONGEST], wanted[LONGEST];
    bool over_keys = config.axis == OVER_KEYS;
    int T = length_of(s);
    double sum = 0.0;
    for (int i = 0; i < T; i++) {
        scores[i] = over_keys ? score_ref(s, head, line, i) : score_ref(s, head, i, line);
    }
    softmax_ref(wanted, scores, T);
    for (int i = 0; i < T; i++) {
        float got = over_keys ? weight(s, head, line, i) : weight(s, head, i, line);
        if (over_keys || wanted[i] == 0.0f) {
            same_bits("weights", &got, &wanted[i], 1);
        }
        near("weights", (size_t)i, (double)got, (double)wanted[i], 1e-6);
        sum += (double)got;
    }
    near("sum of a line", (size_t)line, sum, 1.0, 2e-7 * T);
}

/* out = weights·v, each element's terms in order of the key; from the weights that were found. */
static void check_out(int s, int head, int query)
{
    for (int f = 0; f < d_head; f++) {
        float wanted = 0.0f;
        for (int key = 0; key < length_of(s); key++) {
            wanted = fmaf(weight(s, head, query, key), features(2, s, head, key)[f], wanted);
        }
        int T = length_of(s), begin = (start[s] - start[0]) * d_model;
        int at = config.stacked ? (head * T + query) * d_head : query * d_model + head * d_head;
        same_bits("out", &out[begin + at + f], &wanted, 1);
    }
}

/* In each row of the weights what follows the T keys is zero. */
static void check_pads(void)
{
    const float *row = weights, zero = 0.0f;
    for (int s = 0; s < SEQUENCES; s++) {
        int T = length_of(s), stride = attention_stride(T);
        for (int i = 0; i < config.n_heads * T; i++, row += stride) {
            for (int pad = T; pad < stride; pad++) {
                same_bits("pad of the weights", &row[pad], &zero, 1);
            }
        }
    }
    ck_assert(row == weights + attention_weights_size(sequences, config.n_heads));
}

static void check_backward(size_t size, size_t scratch_size)
{
    const float *d_out = random_input("d_out", size);
    float *d_qkv = array_of("d_qkv", 3 * size), *scratch = array_of("scratch", scratch_size);
    attention_backward(d_qkv, NULL, scratch, d_out, qkv, input(weights), sequences, d_model,
                       &config);
    for (size_t i = 0; i < 3 * size; i++) {
        near("d_qkv", i, (double)d_qkv[i], 0.0, 1e6); /* a number at all */
    }
}

static void check_attention(int length)
{
    int lengths[] = {rng_below(&rng, LONGEST + 1), length, 1 + rng_below(&rng, LONGEST)}, most = 0;
    start[0] = rng_below(&rng, 40);
    for (int s = 0; s < SEQUENCES; s++) {
        start[s + 1] = start[s] + lengths[s];
        most = lengths[s] > most ? lengths[s] : most;
    }
    TRY("lengths %d %d %d, heads %d, d_head %d, causal %d, axis %d, stacked %d", lengths[0],
        lengths[1], lengths[2], config.n_heads, d_head, config.mask.causal, (int)config.axis,
        config.stacked);
    size_t size = (size_t)((start[SEQUENCES] - start[0]) * d_model);
    size_t scratch_size = attention_scratch_size(most, d_head);
    qkv = random_input("qkv", 3 * size);
    out = array_of("out", size);
    weights = array_of("weights", attention_weights_size(sequences, config.n_heads));
    float *scratch = array_of("scratch", scratch_size);
    attention_forward(out, weights, scratch, qkv, NULL, sequences, d_model, &config);
    for (int s = 0; s < SEQUENCES; s++) {
        for (int i = 0; i < config.n_heads * lengths[s]; i++) {
            check_line(s, i / lengths[s], i % lengths[s]);
            check_out(s, i / lengths[s], i % lengths[s]);
        }
    }
    check_pads();
    check_backward(size, scratch_size);
    arrays_done();
}

START_TEST(attention_has_the_bits_of_the_plain_loop)
{
    static const int d_heads[] = {1, 4, 12, 16, 32, 33};
    for (int length = 1; length <= LONGEST; length++) {
        for (int i = 0; i < COUNT(d_heads); i++) {
            config = (struct AttentionConfig){.n_heads = 1 + rng_below(&rng, 3),
                                              .scale = 0.37f,
                                              .mask = {.causal = _i & 1},
                                              .axis = _i & 2 ? OVER_QUERIES : OVER_KEYS,
                                              .stacked = _i & 4};
            d_head = d_heads[i];
            d_model = config.n_heads * d_head;
            check_attention(length);
        }
    }
}
END_TEST

Suite *attention_suite(void)
{
    Suite *suite = suite_create("attention");
    TCase *cases = new_case(suite, "attention", begin_trials);
    tcase_add_loop_test(cases, attention_has_the_bits_of_the_plain_loop, 0, 8);
    return suite;
}
