/* Attention against plain loops, for three sequences at once. Over keys the order of additions is
   promised and the bits must be equal; over queries the values. The gradients are those of
   test_gradients; here the backward pass must stay within its arrays. */
#include <string.h>

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
    const float *at = qkv + (start[s] - start[0] + row) * attention_row(d_model, &config);
    int group = config.n_heads / config.n_kv_heads;
    return which == 0 ? at + head * d_head
                      : at + d_model + ((which - 1) * config.n_kv_heads + head / group) * d_head;
}

/* Each score adds its terms in order of the feature, and is then scaled. */
static float score_ref(int s, int head, int query, int key)
{
    const float *q = features(0, s, head, query), *k = features(1, s, head, key);
    float sum = 0.0f;
    for (int f = 0; f < d_head; f++) {
        sum = fmaf(q[f], k[f], sum);
    }
    return mask_allows(&config.mask, query, key) ? sum * config.scale : -INFINITY;
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
    struct Keys seen = over_keys ? mask_keys(&config.mask, line, T) : (struct Keys){0, T};
    for (int i = 0; i < T; i++) {
        scores[i] = over_keys ? score_ref(s, head, line, i) : score_ref(s, head, i, line);
    }
    softmax_ref(wanted + seen.first, scores + seen.first, T - seen.first);
    for (int i = 0; i < T; i++) {
        wanted[i] = i < seen.first || seen.end == 0 ? 0.0f : wanted[i];
    }
    for (int i = 0; i < T; i++) {
        float got = over_keys ? weight(s, head, line, i) : weight(s, head, i, line);
        if (over_keys || wanted[i] == 0.0f) {
            same_bits("weights", &got, &wanted[i], 1);
        }
        near("weights", (size_t)i, (double)got, (double)wanted[i], 1e-6);
        sum += (double)got;
    }
    near("sum of a line", (size_t)line, sum, seen.end > 0 ? 1.0 : 0.0, 2e-7 * T);
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

static void check_backward(size_t size, size_t qkv_size, size_t scratch_size)
{
    const float *d_out = random_input("d_out", size);
    float *d_qkv = array_of("d_qkv", qkv_size), *scratch = array_of("scratch", scratch_size);
    attention_backward(d_qkv, NULL, scratch, d_out, qkv, input(weights), sequences, d_model,
                       &config);
    for (size_t i = 0; i < qkv_size; i++) {
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
    TRY("lengths %d %d %d, heads %d of %d, d_head %d, causal %d, axis %d, stacked %d", lengths[0],
        lengths[1], lengths[2], config.n_kv_heads, config.n_heads, d_head, config.mask.causal,
        (int)config.axis, config.stacked);
    size_t n_rows = (size_t)(start[SEQUENCES] - start[0]), size = n_rows * (size_t)d_model;
    size_t qkv_size = n_rows * (size_t)attention_row(d_model, &config);
    size_t scratch_size = attention_scratch_size(most, d_head);
    qkv = random_input("qkv", qkv_size);
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
    check_backward(size, qkv_size, scratch_size);
    arrays_done();
}

/* config for n_kv_heads, each shared by a few heads, and this length. */
static void try_heads(int kv_heads, int group, int d, int length)
{
    config.n_kv_heads = kv_heads;
    config.n_heads = kv_heads * group;
    d_head = d;
    d_model = config.n_heads * d_head;
    check_attention(length);
}

static const int d_heads[] = {1, 4, 12, 16, 32, 33};

START_TEST(attention_has_the_bits_of_the_plain_loop)
{
    config = (struct AttentionConfig){.scale = 0.37f,
                                      .mask = {.causal = _i & 1},
                                      .axis = _i & 2 ? OVER_QUERIES : OVER_KEYS,
                                      .stacked = _i & 4};
    for (int length = 1; length <= LONGEST; length++) {
        for (int i = 0; i < COUNT(d_heads); i++) {
            try_heads(1 + rng_below(&rng, 3), 1, d_heads[i], length);
        }
    }
}
END_TEST

/* Documents are rows of one sequence; so the other two, which they also number, are not longer. */
static void random_mask(int32_t *documents)
{
    for (int i = 1; i < LONGEST; i++) {
        documents[i] = documents[i - 1] + (rng_below(&rng, 4) == 0);
    }
    config.mask = (struct Mask){.causal = rng_below(&rng, 2),
                                .prefix = rng_below(&rng, 2) * rng_below(&rng, LONGEST),
                                .window = rng_below(&rng, 2) * rng_below(&rng, LONGEST),
                                .first_key = rng_below(&rng, 2) * rng_below(&rng, 6),
                                .end_key = rng_below(&rng, 2) * rng_below(&rng, LONGEST + 1),
                                .document = rng_below(&rng, 2) ? documents : NULL};
}

START_TEST(attention_has_the_bits_of_the_plain_loop_under_any_mask)
{
    int32_t documents[LONGEST] = {0};
    config = (struct AttentionConfig){.scale = 0.37f};
    for (int i = 0; i < 150; i++) {
        random_mask(documents);
        try_heads(1 + rng_below(&rng, 2), 1 + rng_below(&rng, 3), d_heads[i % COUNT(d_heads)],
                  1 + rng_below(&rng, LONGEST));
    }
}
END_TEST

/* The last count rows, their keys and values kept elsewhere in rows of another length. */
static void check_last(int count, int length, const struct Bias *bias)
{
    const int32_t two[] = {0, length};
    int32_t place[LONGEST];
    int kv = 2 * config.n_kv_heads * d_head, row = d_model + kv, kv_row = kv + 3;
    size_t d = (size_t)d_model, T = (size_t)length, n = (size_t)count;
    size_t stride = (size_t)attention_stride(length);
    for (int i = 0; i < length; i++) {
        place[i] = rng_below(&rng, 20);
    }
    struct Sequences all = {.start = two, .count = 1, .place = place};
    const float *rows = random_input("qkv", T * (size_t)row);
    float *kept = array_of("kept", T * (size_t)kv_row), *given = array_of("out", T * d);
    float *last = array_of("last", n * d);
    float *w = array_of("weights", (size_t)config.n_heads * T * stride);
    float *last_w = array_of("last weights", (size_t)config.n_heads * n * stride);
    for (int i = 0; i < length; i++) {
        memcpy(kept + i * kv_row, rows + i * row + d_model, (size_t)kv * sizeof *kept);
    }
    attention_forward(given, w, array_of("scratch", attention_scratch_size(length, d_head)), rows,
                      bias, all, d_model, &config);
    attention_of_last(last, last_w, array_of("scratch", (size_t)d_head * stride),
                      rows + (length - count) * row, row, kept, kept + kv / 2, kv_row, bias, place,
                      count, length, d_model, &config);
    same_bits("out", last, given + (T - n) * d, n * d);
    for (int h = 0; h < config.n_heads; h++) {
        same_bits("weights", last_w + (size_t)h * n * stride,
                  w + ((size_t)(h + 1) * T - n) * stride, n * stride);
    }
    arrays_done();
}

START_TEST(the_last_rows_have_the_bits_of_all_rows)
{
    int32_t documents[LONGEST] = {0};
    config = (struct AttentionConfig){.scale = 0.37f};
    for (int i = 0; i < 150; i++) {
        int length = 1 + rng_below(&rng, LONGEST), count = 1 + rng_below(&rng, length);
        random_mask(documents);
        config.n_kv_heads = 1 + rng_below(&rng, 2);
        config.n_heads = config.n_kv_heads * (1 + rng_below(&rng, 3));
        d_head = d_heads[i % COUNT(d_heads)];
        d_model = config.n_heads * d_head;
        TRY("%d of %d rows, heads %d of %d", count, length, config.n_kv_heads, config.n_heads);
        struct Bias bias = {.span = 8};
        bias.at = random_array("bias", bias_size(8, config.n_heads));
        check_last(count, length, i % 2 == 0 ? &bias : NULL);
    }
}
END_TEST

Suite *attention_suite(void)
{
    Suite *suite = suite_create("attention");
    TCase *cases = new_case(suite, "attention", begin_trials);
    tcase_add_loop_test(cases, attention_has_the_bits_of_the_plain_loop, 0, 8);
    tcase_add_test(cases, attention_has_the_bits_of_the_plain_loop_under_any_mask);
    tcase_add_test(cases, the_last_rows_have_the_bits_of_all_rows);
    return suite;
}
