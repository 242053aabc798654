/* Greedy decoding: many sequences together give what each gives by hand, alone, one token at a
   time. */
#include <math.h>
#include <string.h>

#include "common/decode.h"
#include "common/reversal.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

START_TEST(argmax_is_the_first_of_the_largest)
{
    static const struct {
        float x[5];
        int n, wanted;
    } cases[] = {
        {{1, 2, 3, 4, 5}, 5, 4},        {{5, 4, 3, 2, 1}, 5, 0},
        {{1, 7, 3, 7, 7}, 5, 1},        {{-INFINITY, -INFINITY, -5, 0, 1}, 3, 2},
        {{-3, -1, -2, -1, -9}, 5, 1},   {{-INFINITY, -INFINITY, -INFINITY, 0, 0}, 3, 0},
        {{0, 1, INFINITY, 9, 9}, 2, 1}, {{4, 9, 9, 9, 9}, 1, 0},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        ck_assert_int_eq(argmax(cases[i].x, cases[i].n), cases[i].wanted);
    }
}
END_TEST

/* The whole prefix is read, and the last row's largest logit wins. */
static int32_t next_by_hand(struct Model *model, struct Batch *batch, const int32_t *tokens,
                            int length)
{
    batch_clear(batch);
    batch_add(batch, tokens, NULL, length);
    model_forward(model, batch);
    const float *logits = model_logits(model, length - 1);
    int32_t best = 0;
    for (int32_t token = VOCAB - 1; token >= 0; token--) {
        best = logits[token] >= logits[best] ? token : best;
    }
    return best;
}

static struct Model *model;
static struct Batch batch;

/* A model whose batch takes so many sequences. */
static void begin(int max_count)
{
    model = model_new(model_config(VOCAB, CONTEXT, 16, 2, 2), max_count);
    model_init(model, 3);
    batch_new(&batch, max_count, CONTEXT);
}

/* 21 sequences of 1 to 12 tokens, of which only 5 fit a batch; some want nothing, and one fills the
   context and one token more. */
START_TEST(decoding_together_is_decoding_one_by_one)
{
    enum { N = 21, ROW = CONTEXT + 1 };
    int32_t tokens[N][ROW], by_hand[N][ROW];
    int length[N], wanted[N], end[N], different = 0;
    begin(5);
    for (int s = 0; s < N; s++) {
        length[s] = s == 11 ? 1 : 1 + s * 5 % LONGEST;
        wanted[s] = s == 11 ? CONTEXT : s % 7 == 3 ? 0 : 1 + rng_below(&rng, 12);
        end[s] = length[s] + wanted[s];
        for (int t = 0; t < ROW; t++) {
            tokens[s][t] = by_hand[s][t] = t < length[s] ? rng_below(&rng, VOCAB) : 777;
        }
        for (int t = length[s]; t < end[s]; t++) {
            by_hand[s][t] = next_by_hand(model, &batch, by_hand[s], t);
            different += by_hand[s][t] != by_hand[s][length[s]];
        }
    }
    ck_assert_int_gt(different, 20); /* else the model says one thing only, and shows nothing */
    decode_greedy(model, &batch, tokens[0], ROW, length, wanted, N);
    ck_assert_mem_eq(length, end, sizeof end);
    ck_assert_mem_eq(tokens, by_hand, sizeof by_hand);
    decode_greedy(model, &batch, tokens[0], ROW, length, wanted, 0);
}
END_TEST

START_TEST(strings_of_all_lengths_decode_as_by_hand)
{
    enum { N = 40 };
    struct String strings[N], output[N];
    begin(7);
    for (int i = 0; i < N; i++) {
        strings[i] = string_draw(&rng, 1 + i % LONGEST, 1 + i % LONGEST);
    }
    reversal_decode(model, &batch, output, strings, N);
    for (int i = 0; i < N; i++) {
        int n = strings[i].length;
        int32_t tokens[CONTEXT];
        memcpy(tokens, strings[i].letters, (size_t)n * sizeof *tokens);
        tokens[n] = SEPARATOR;
        ck_assert_int_eq(output[i].length, n);
        for (int t = n + 1; t < 2 * n + 1; t++) {
            tokens[t] = next_by_hand(model, &batch, tokens, t);
            ck_assert_int_eq(output[i].letters[t - n - 1], tokens[t]);
        }
    }
}
END_TEST

Suite *decode_suite(void)
{
    Suite *suite = suite_create("decode");
    TCase *cases = new_case(suite, "decode", begin_trials);
    tcase_add_test(cases, argmax_is_the_first_of_the_largest);
    tcase_add_test(cases, decoding_together_is_decoding_one_by_one);
    tcase_add_test(cases, strings_of_all_lengths_decode_as_by_hand);
    return suite;
}
