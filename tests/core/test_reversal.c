/* The task and what stands around it: strings, examples, greedy decoding, the score, weights saved
   and loaded, and the claims of a page. Decoding is held against one sequence at a time by hand,
   counts against naive counts. What must end the program runs in a child, with its exit status,
   stdout and stderr caught. */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base.h"
#include "common/checkpoint.h"
#include "common/decode.h"
#include "common/loss.h"
#include "common/page.h"
#include "common/reversal.h"
#include "common/safetensors.h"
#include "suites.h"

static struct String string_of(const char *text)
{
    struct String string;
    ck_assert_msg(string_parse(&string, text), "\"%s\" is a string", text);
    return string;
}

static bool same(const struct String *a, const struct String *b)
{
    size_t size = (size_t)a->length * sizeof *a->letters;
    return a->length == b->length && memcmp(a->letters, b->letters, size) == 0;
}

/* --- strings --- */

/* The sum of (count - expected)^2/expected over n cells that should be equally full. */
static double chi_square(const int *counts, int n)
{
    double total = 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        total += counts[i];
    }
    for (int i = 0; i < n; i++) {
        double difference = counts[i] - total / n;
        sum += difference * difference * n / total;
    }
    return sum;
}

/* Between the quantiles 0.0001 and 0.9999 of chi-square with n-1 degrees of freedom, by the cube
   root of Wilson & Hilferty (1931): neither uneven nor too even to be chance. */
static void assert_even(const char *what, const int *counts, int n)
{
    double v = 2.0 / (9.0 * (n - 1)), spread = 3.719 * sqrt(v);
    double low = fmax(0.0, 1.0 - v - spread), high = 1.0 - v + spread, got = chi_square(counts, n);
    ck_assert_msg(got > (n - 1) * low * low * low && got < (n - 1) * high * high * high,
                  "%s: chi-square of %d cells is %g", what, n, got);
}

START_TEST(drawn_lengths_are_even)
{
    static const struct {
        int first, last;
    } ranges[] = {{3, 8}, {1, 12}, {9, 12}, {1, 2}};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        int counts[LONGEST + 1] = {0}, first = ranges[r].first, last = ranges[r].last;
        struct Rng rng = rng_stream(1, "test");
        for (int i = 0; i < 60000; i++) {
            struct String s = string_draw(&rng, first, last);
            ck_assert(s.length >= first && s.length <= last);
            counts[s.length]++;
        }
        assert_even("lengths", counts + first, last - first + 1);
    }
    struct Rng rng = rng_stream(1, "test");
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(string_draw(&rng, 7, 7).length, 7);
    }
}
END_TEST

/* At each place, and each letter after each other letter. */
START_TEST(drawn_letters_are_even)
{
    int at[LONGEST][LETTERS] = {{0}}, pairs[LETTERS * LETTERS] = {0}, first[LETTERS] = {0};
    struct Rng rng = rng_stream(1, "train");
    for (int i = 0; i < 30000; i++) {
        struct String s = string_draw(&rng, 1, 12);
        for (int j = 0; j < s.length; j++) {
            ck_assert(s.letters[j] >= 0 && s.letters[j] < LETTERS);
            at[j][s.letters[j]]++;
        }
        if (s.length > 1) {
            pairs[s.letters[0] * LETTERS + s.letters[1]]++;
        }
        first[s.letters[0]] += s.length == 12;
    }
    for (int j = 0; j < LONGEST; j++) {
        assert_even("letters at one place", at[j], LETTERS);
    }
    assert_even("pairs of letters", pairs, LETTERS * LETTERS);
    assert_even("first letters of long strings", first, LETTERS);
}
END_TEST

START_TEST(one_stream_does_not_disturb_another)
{
    enum { N = 200 };
    struct String train[N];
    struct Rng alone = rng_stream(7, "train");
    for (int i = 0; i < N; i++) {
        train[i] = string_draw(&alone, 3, 8);
    }
    struct Rng rng = rng_stream(7, "train"), test = rng_stream(7, "test");
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i % 3; j++) {
            string_draw(&test, 9, 12);
        }
        struct String s = string_draw(&rng, 3, 8);
        ck_assert(same(&s, &train[i]));
    }
}
END_TEST

START_TEST(each_name_and_each_seed_has_its_stream)
{
    struct Rng rngs[] = {rng_stream(7, "train"), rng_stream(7, "test"),  rng_stream(7, "longer"),
                         rng_stream(8, "train"), rng_stream(0, "train"), rng_stream(7, "")};
    enum { N = sizeof rngs / sizeof *rngs };
    struct String strings[N];
    int equal = 0;
    for (int i = 0; i < 100; i++) {
        for (int a = 0; a < N; a++) {
            strings[a] = string_draw(&rngs[a], 8, 8);
            for (int b = 0; b < a; b++) {
                equal += same(&strings[a], &strings[b]);
            }
        }
    }
    ck_assert_int_eq(equal, 0); /* of 1500 pairs, each with one chance in 10^8 */
}
END_TEST

START_TEST(text_of_1_to_12_letters_is_a_string)
{
    struct String s = string_of("fgcabe");
    const int32_t letters[] = {5, 6, 2, 0, 1, 4};
    ck_assert_int_eq(s.length, 6);
    ck_assert_mem_eq(s.letters, letters, sizeof letters);
    for (int n = 1; n <= LONGEST; n++) {
        const char *text = &"abcdefghijab"[LONGEST - n];
        s = string_of(text);
        ck_assert_int_eq(s.length, n);
        for (int i = 0; i < n; i++) {
            ck_assert_int_eq(token_letter(s.letters[i]), text[i]);
        }
    }
}
END_TEST

static const char *const no_strings[] = {
    "",
    "k",
    "A",
    "abk",
    "kab",
    "a b",
    " a",
    "a ",
    "a\n",
    "a|b",
    "a.b",
    "`",
    "abC",
    "1",
    "abcdefghijabc",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "\x81",
    "\xe1",
    "a\xff",
};

START_TEST(other_text_is_no_string)
{
    struct String s;
    ck_assert_msg(!string_parse(&s, no_strings[_i]), "\"%s\" was accepted", no_strings[_i]);
}
END_TEST

START_TEST(tokens_have_their_letters)
{
    const char letters[] = "abcdefghij|.";
    for (int i = 0; i < VOCAB; i++) {
        ck_assert_int_eq(token_letter(i), letters[i]);
    }
    ck_assert_int_eq(token_letter(-1), '?');
    ck_assert_int_eq(token_letter(VOCAB), '?');
    ck_assert_int_eq(token_letter(IGNORE), '?');
    ck_assert_int_eq(token_letter(INT32_MIN), '?');
    ck_assert_int_eq(token_letter(INT32_MAX), '?');
}
END_TEST

static int by_code(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* s := the next string in the order a, b, ..., j, aa, ba, ...; the first of all after {0}. */
static void count_up(struct String *s)
{
    int i = 0;
    while (i < s->length && s->letters[i] == LETTERS - 1) {
        s->letters[i++] = 0;
    }
    if (i < s->length) {
        s->letters[i]++;
    } else {
        s->letters[s->length++] = 0;
    }
}

START_TEST(each_string_has_a_code_of_its_own)
{
    enum { UP_TO_4 = 11110, LONG = 2000, N = UP_TO_4 + LONG * (1 + LONGEST) };
    uint64_t *codes = zeros_new(N, sizeof *codes);
    struct String s = {0};
    int n = 0;
    while (n < UP_TO_4) { /* every string of 1 to 4 letters */
        count_up(&s);
        codes[n++] = string_code(&s);
    }
    ck_assert_int_eq(s.length, 4);
    ck_assert_int_eq(s.letters[3], LETTERS - 1);
    struct Rng rng = rng_stream(1, "codes");
    for (int i = 0; i < LONG; i++) { /* long ones, each with its neighbours */
        s = string_draw(&rng, 9, 12);
        codes[n++] = string_code(&s);
        for (int j = 0; j < s.length; j++) {
            struct String near = s;
            near.letters[j] = (s.letters[j] + 1) % LETTERS;
            codes[n++] = string_code(&near);
        }
    }
    qsort(codes, (size_t)n, sizeof *codes, by_code);
    for (int i = 1; i < n; i++) {
        ck_assert_uint_ne(codes[i - 1], codes[i]);
    }
    free(codes);

    struct String a = string_of("jjjjjjjjjjjj"), b = string_of("jjjjjjjjjjjj");
    memset(b.letters + b.length, 0x55, sizeof b.letters - (size_t)b.length * sizeof *b.letters);
    ck_assert_uint_eq(string_code(&a), string_code(&b));
    a = string_of("aa"), b = string_of("aa");
    b.letters[2] = 9; /* behind its end */
    ck_assert_uint_eq(string_code(&a), string_code(&b));
}
END_TEST

/* --- examples --- */

/* The padded example of text in letters, made from text alone: what is read, and for each place
   what is to be said there (_ for nothing). */
static void example_text(char tokens[CONTEXT + 1], char targets[CONTEXT + 1], const char *text,
                         bool every_position)
{
    int n = (int)strlen(text);
    char line[CONTEXT + 2];
    memset(line, '.', sizeof line);
    memcpy(line, text, (size_t)n);
    line[n] = '|';
    for (int i = 0; i < n; i++) {
        line[n + 1 + i] = text[n - 1 - i];
    }
    memcpy(tokens, line, CONTEXT);
    memset(targets, '_', CONTEXT);
    int from = every_position ? 0 : n;
    memcpy(targets + from, line + from + 1, (size_t)(2 * n - from));
    tokens[CONTEXT] = targets[CONTEXT] = '\0';
}

static void assert_example(const char *text, bool every_position, const char *tokens_wanted,
                           const char *targets_wanted)
{
    enum { GUARD = 3, MARK = 777 };
    int32_t tokens[CONTEXT + GUARD], targets[CONTEXT + GUARD];
    char letters[CONTEXT + 1] = "", said[CONTEXT + 1] = "";
    struct String s = string_of(text);
    for (int i = 0; i < CONTEXT + GUARD; i++) {
        tokens[i] = targets[i] = MARK;
    }
    reversal_example(tokens, targets, &s, every_position);
    for (int t = 0; t < CONTEXT; t++) {
        letters[t] = token_letter(tokens[t]);
        said[t] = targets[t] == IGNORE ? '_' : token_letter(targets[t]);
    }
    ck_assert_str_eq(letters, tokens_wanted);
    ck_assert_str_eq(said, targets_wanted);
    for (int i = CONTEXT; i < CONTEXT + GUARD; i++) {
        ck_assert(tokens[i] == MARK && targets[i] == MARK);
    }
}

START_TEST(an_example_is_string_separator_reversal_pads)
{
    assert_example("fgc", false, "fgc|cgf..................", "___cgf___________________");
    assert_example("fgc", true, "fgc|cgf..................", "gc|cgf___________________");
    assert_example("j", false, "j|j......................", "_j_______________________");
    assert_example("abcdefghijab", false, "abcdefghijab|bajihgfedcba", "____________bajihgfedcba_");
    assert_example("abcdefghijab", true, "abcdefghijab|bajihgfedcba", "bcdefghijab|bajihgfedcba_");
    for (int n = 1; n <= LONGEST; n++) {
        char tokens[CONTEXT + 1], targets[CONTEXT + 1], text[LONGEST + 1] = "";
        memcpy(text, "hdjaibgcfeja", (size_t)n);
        for (int every = 0; every < 2; every++) {
            example_text(tokens, targets, text, every);
            assert_example(text, every, tokens, targets);
        }
    }
}
END_TEST

START_TEST(the_string_of_an_example_is_found_again)
{
    int32_t tokens[CONTEXT], targets[CONTEXT];
    struct Rng rng = rng_stream(1, "round trip");
    for (int i = 0; i < 2400; i++) {
        struct String s = string_draw(&rng, 1 + i % LONGEST, 1 + i % LONGEST), found;
        reversal_example(tokens, targets, &s, i % 2);
        ck_assert(reversal_string_of(&found, tokens));
        ck_assert(same(&s, &found));
    }
}
END_TEST

START_TEST(what_is_no_example_has_no_string)
{
    int32_t tokens[CONTEXT];
    struct String ignored;
    const char *const none[] = {"", "|", "||", "|a", ".a|a", "abc", "abc.", "abcdefghijabc|c"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        for (int t = 0; t < CONTEXT; t++) {
            char c = t < (int)strlen(none[i]) ? none[i][t] : '.';
            tokens[t] = c == '|' ? SEPARATOR : c == '.' ? PAD : c - 'a';
        }
        ck_assert_msg(!reversal_string_of(&ignored, tokens), "\"%s\" has a string", none[i]);
    }
    for (int t = 0; t < CONTEXT; t++) {
        tokens[t] = t % LETTERS; /* letters to the end */
    }
    ck_assert(!reversal_string_of(&ignored, tokens));
}
END_TEST

/* --- the strings that were seen --- */

START_TEST(seen_strings_are_counted_once)
{
    enum { N = 70000, CODES = 1111 }; /* more than its first room; of 1 to 3 letters */
    bool *naive = zeros_new(CODES, sizeof *naive);
    struct Seen seen = {0};
    struct Rng rng = rng_stream(1, "seen");
    struct String s;
    size_t distinct = 0;
    for (int i = 0; i < N; i++) {
        do {
            s = string_draw(&rng, 1, 3);
        } while (s.length > 1 && s.letters[1] > 6); /* so that some are never seen */
        int place = 0;
        for (int j = s.length - 1; j >= 0; j--) {
            place = place * LETTERS + s.letters[j] + 1;
        }
        distinct += !naive[place];
        naive[place] = true;
        seen_add(&seen, &s);
    }
    seen_close(&seen);
    ck_assert_uint_eq(seen.count, distinct);
    s = (struct String){0};
    for (int place = 1; place < CODES; place++) { /* count_up goes through places in order */
        count_up(&s);
        ck_assert_int_eq(seen_has(&seen, &s), naive[place]);
    }
    s = string_of("aaaa");
    ck_assert(!seen_has(&seen, &s));
    seen_free(&seen);
    ck_assert_ptr_null(seen.codes);
    ck_assert_uint_eq(seen.count, 0);
    free(naive);
}
END_TEST

START_TEST(nothing_seen_has_nothing)
{
    struct Seen seen = {0};
    struct String a = string_of("a"), b = string_of("b");
    ck_assert(!seen_has(&seen, &a));
    seen_close(&seen);
    ck_assert_uint_eq(seen.count, 0);
    ck_assert(!seen_has(&seen, &a));
    seen_add(&seen, &a);
    seen_add(&seen, &a);
    seen_close(&seen);
    ck_assert_uint_eq(seen.count, 1);
    ck_assert(seen_has(&seen, &a));
    ck_assert(!seen_has(&seen, &b));
    seen_free(&seen);
    seen_free(&seen);
}
END_TEST

/* --- the score --- */

static bool right(const char *text, const char *output_text)
{
    struct String string = string_of(text), output = string_of(output_text);
    return reversal_right(&string, &output);
}

START_TEST(only_the_whole_reversal_is_right)
{
    ck_assert(right("a", "a"));
    ck_assert(right("fgcabe", "ebacgf"));
    ck_assert(right("abcdefghijab", "bajihgfedcba"));
    ck_assert(right("abba", "abba"));
    ck_assert(!right("fgcabe", "fgcabe"));
    ck_assert(!right("abc", "cb"));
    ck_assert(!right("abc", "cbaa"));
    ck_assert(!right("a", "b"));
    for (int i = 0; i < 12; i++) { /* one letter wrong, at each place */
        struct String s = string_of("abcdefghijab"), output = string_of("bajihgfedcba");
        output.letters[i] = (output.letters[i] + 1) % LETTERS;
        ck_assert(!reversal_right(&s, &output));
        output.letters[i] = SEPARATOR;
        ck_assert(!reversal_right(&s, &output));
    }
}
END_TEST

START_TEST(the_score_counts_by_length)
{
    const char *const texts[][2] = {{"ab", "ba"},
                                    {"ab", "ab"},
                                    {"cd", "dc"},
                                    {"abc", "cba"},
                                    {"abc", "cbb"},
                                    {"j", "j"},
                                    {"abcdefghijab", "bajihgfedcba"}};
    enum { N = sizeof texts / sizeof *texts };
    struct String strings[N], outputs[N];
    struct Seen seen = {0};
    for (int i = 0; i < N; i++) {
        strings[i] = string_of(texts[i][0]);
        outputs[i] = string_of(texts[i][1]);
    }
    const int right_of[LONGEST + 1] = {[1] = 1, [2] = 2, [3] = 1, [12] = 1};
    const int total_of[LONGEST + 1] = {[1] = 1, [2] = 3, [3] = 2, [12] = 1};
    struct Score score = reversal_score(strings, outputs, N, NULL);
    ck_assert_mem_eq(score.right, right_of, sizeof right_of);
    ck_assert_mem_eq(score.total, total_of, sizeof total_of);
    ck_assert_int_eq(score_right(&score), 5);
    ck_assert_int_eq(score_total(&score), 7);

    seen_close(&seen); /* nothing seen: all count */
    score = reversal_score(strings, outputs, N, &seen);
    ck_assert_mem_eq(score.total, total_of, sizeof total_of);
    seen_add(&seen, &strings[0]);
    seen_add(&seen, &strings[6]);
    seen_close(&seen);
    score = reversal_score(strings, outputs, N, &seen);
    const int unseen_right[LONGEST + 1] = {[1] = 1, [2] = 1, [3] = 1};
    const int unseen_total[LONGEST + 1] = {[1] = 1, [2] = 1, [3] = 2};
    ck_assert_mem_eq(score.right, unseen_right, sizeof unseen_right);
    ck_assert_mem_eq(score.total, unseen_total, sizeof unseen_total);
    score = reversal_score(strings, outputs, 0, NULL);
    ck_assert_int_eq(score_total(&score), 0);
    seen_free(&seen);
}
END_TEST

/* --- decoding --- */

/* These models are so small that a second thread on a busy machine costs far more than it gives. */
static void use_one_thread(void)
{
}

START_TEST(argmax_is_the_first_of_the_largest)
{
    static const struct {
        float x[5];
        int n, want;
    } cases[] = {
        {{1, 2, 3, 4, 5}, 5, 4},        {{5, 4, 3, 2, 1}, 5, 0},
        {{1, 7, 3, 7, 7}, 5, 1},        {{2, 2, 2, 2, 2}, 5, 0},
        {{-3, -1, -2, -1, -9}, 5, 1},   {{-INFINITY, -INFINITY, -5, 0, 1}, 3, 2},
        {{0, 1, INFINITY, 9, 9}, 2, 1}, {{4, 9, 9, 9, 9}, 1, 0},
        {{-0.0f, 0.0f, 0, 0, 0}, 5, 0}, {{-INFINITY, -INFINITY, -INFINITY, 0, 0}, 3, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(argmax(cases[i].x, cases[i].n) == cases[i].want, "case %zu gives %d", i,
                      argmax(cases[i].x, cases[i].n));
    }
}
END_TEST

static struct Model *small_model(int layers, int max_count, uint64_t seed)
{
    struct Model *model = model_new(model_config(VOCAB, CONTEXT, 16, 2, layers), max_count);
    model_init(model, seed);
    return model;
}

/* One sequence, one token more: the whole prefix is read, and the last row's largest logit wins. */
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

/* 21 sequences at once, of 1 to 12 tokens, of which only 5 fit a batch, some of which want nothing,
   and one of which fills the context and one token more. */
START_TEST(decoding_together_is_decoding_one_by_one)
{
    enum { N = 21, ROW = CONTEXT + 1, MARK = 777 };
    int32_t tokens[N * ROW], by_hand[N * ROW];
    int length[N], wanted[N], different = 0;
    struct Model *model = small_model(2, 5, 3);
    struct Batch batch, one;
    batch_new(&batch, 5, CONTEXT);
    batch_new(&one, 1, CONTEXT);
    struct Rng rng = rng_stream(1, "decode");
    for (int i = 0; i < N * ROW; i++) {
        tokens[i] = MARK;
    }
    for (int s = 0; s < N; s++) {
        length[s] = s == 11 ? 1 : 1 + s * 5 % LONGEST;
        wanted[s] = s == 11 ? CONTEXT : s % 7 == 3 ? 0 : 1 + rng_below(&rng, 12);
        for (int t = 0; t < length[s]; t++) {
            tokens[s * ROW + t] = rng_below(&rng, VOCAB);
        }
    }
    memcpy(by_hand, tokens, sizeof tokens);
    for (int s = 0; s < N; s++) {
        for (int t = length[s]; t < length[s] + wanted[s]; t++) {
            by_hand[s * ROW + t] = next_by_hand(model, &one, by_hand + s * ROW, t);
            different += by_hand[s * ROW + t] != by_hand[s * ROW + length[s]];
        }
    }
    ck_assert_int_gt(different, 20); /* else the model says one thing only, and shows nothing */
    int end[N];
    for (int s = 0; s < N; s++) {
        end[s] = length[s] + wanted[s];
    }
    decode_greedy(model, &batch, tokens, ROW, length, wanted, N);
    for (int s = 0; s < N; s++) {
        ck_assert_int_eq(length[s], end[s]);
        for (int t = 0; t < ROW; t++) {
            ck_assert_msg(tokens[s * ROW + t] == by_hand[s * ROW + t],
                          "sequence %d, token %d: %d, by hand %d", s, t, tokens[s * ROW + t],
                          by_hand[s * ROW + t]);
        }
    }
    decode_greedy(model, &batch, tokens, ROW, length, wanted, 0);
    batch_free(&batch);
    batch_free(&one);
    model_free(model);
}
END_TEST

/* With all weights zero every logit is the same, and the first of equals is a. */
START_TEST(equal_logits_decode_to_the_first_token)
{
    struct Model *model = small_model(1, 2, 1);
    struct String s = string_of("jihg"), output;
    struct Batch batch;
    batch_new(&batch, 2, CONTEXT);
    memset(model->weights, 0, model->params.size * sizeof *model->weights);
    model_pack(model);
    reversal_decode(model, &batch, &output, &s, 1);
    struct String want = string_of("aaaa");
    ck_assert(same(&output, &want));
    batch_free(&batch);
    model_free(model);
}
END_TEST

START_TEST(strings_of_all_lengths_decode_as_by_hand)
{
    enum { N = 40 };
    struct String strings[N], output[N];
    struct Model *model = small_model(2, 7, 5);
    struct Batch batch;
    batch_new(&batch, 7, CONTEXT);
    struct Rng rng = rng_stream(1, "strings");
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
    batch_free(&batch);
    model_free(model);
}
END_TEST

/* All 110 strings of one or two letters, learnt here. */
START_TEST(a_trained_model_reverses)
{
    enum { BATCH = 32, N = 110, STEPS = 250 };
    int32_t tokens[BATCH * CONTEXT], targets[BATCH * CONTEXT];
    struct String strings[N], output[N], s = {0};
    struct Model *model = small_model(1, BATCH, 1);
    struct AdamW adamw;
    struct Batch batch;
    batch_new(&batch, BATCH, CONTEXT);
    adamw_new(&adamw, model->params.size, 0.01, 0.01);
    for (int i = 0; i < N; i++) {
        count_up(&s);
        strings[i] = s;
    }
    reversal_decode(model, &batch, output, strings, N);
    struct Score before = reversal_score(strings, output, N, NULL);
    ck_assert_int_lt(score_right(&before), N / 2);
    struct Rng rng = rng_stream(1, "train");
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < BATCH; i++) {
            s = string_draw(&rng, 1, 2);
            reversal_example(tokens + i * CONTEXT, targets + i * CONTEXT, &s, false);
        }
        batch_from_padded(&batch, tokens, targets, BATCH, CONTEXT, true);
        model_gradient(model, &batch);
        model_update(model, &adamw);
    }
    reversal_decode(model, &batch, output, strings, N);
    struct Score after = reversal_score(strings, output, N, NULL);
    ck_assert_int_eq(after.total[1], 10);
    ck_assert_int_eq(after.total[2], 100);
    ck_assert_int_eq(score_right(&after), N);
    adamw_free(&adamw);
    batch_free(&batch);
    model_free(model);
}
END_TEST

/* --- saving and loading --- */

static char directory[] = "/tmp/test-reversal-XXXXXX", home[PATH_MAX];
static const char saved[] = "saved.safetensors", made[] = "made.safetensors";

static void enter_directory(void)
{
    strcpy(strrchr(directory, '-'), "-XXXXXX");
    ck_assert_ptr_nonnull(getcwd(home, sizeof home));
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

static void leave_directory(void)
{
    unlink(saved);
    unlink(made);
    ck_assert_int_eq(chdir(home), 0);
    ck_assert_msg(rmdir(directory) == 0, "the test left something in %s", directory);
}

/* A program that ran to its end in a child. */
struct Ended {
    int status; /* of exit; -1 when it ended otherwise */
    char out[4000], err[4000];
};

static void read_stream(FILE *stream, char *text, size_t size)
{
    rewind(stream);
    text[fread(text, 1, size - 1, stream)] = '\0';
    fclose(stream);
}

static struct Ended in_child(void (*program)(const void *), const void *argument)
{
    struct Ended result;
    FILE *out = tmpfile(), *err = tmpfile();
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        program(argument);
        fflush(NULL);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_stream(out, result.out, sizeof result.out);
    read_stream(err, result.err, sizeof result.err);
    return result;
}

/* Exit 2, nothing on stdout, and on stderr one line that holds each of these words. */
static void assert_died(const struct Ended *ended, const char *const *words, int n_words)
{
    size_t length = strlen(ended->err);
    ck_assert_msg(ended->status == 2, "exit status %d instead of 2: \"%s\"", ended->status,
                  ended->err);
    ck_assert_str_eq(ended->out, "");
    ck_assert_msg(length > 0 && strchr(ended->err, '\n') == ended->err + length - 1,
                  "no single line: \"%s\"", ended->err);
    for (int i = 0; i < n_words && words[i] != NULL; i++) {
        ck_assert_msg(strstr(ended->err, words[i]) != NULL, "\"%s\" should hold \"%s\"", ended->err,
                      words[i]);
    }
}

START_TEST(saved_weights_load_with_the_same_bits)
{
    struct Model *a = small_model(2, 2, 1), *b = small_model(2, 2, 2);
    a->weights[0] = -0.0f;
    a->weights[1] = 1e-45f; /* the smallest there is */
    a->weights[2] = 3.4e38f;
    checkpoint_save(a, saved);
    checkpoint_load(b, saved);
    ck_assert_mem_eq(a->weights, b->weights, a->params.size * sizeof *a->weights);
    ck_assert_float_eq(b->weights[1], 1e-45f);
    checkpoint_save(b, made);
    struct TensorFile first, second;
    char error[TENSOR_ERROR_SIZE];
    ck_assert_msg(safetensors_read(saved, &first, error), "%s", error);
    ck_assert_msg(safetensors_read(made, &second, error), "%s", error);
    ck_assert_int_eq(first.count, a->params.count);
    for (int i = 0; i < first.count; i++) { /* PyTorch's names, in the order of the parameters */
        const struct Param *p = &a->params.items[i];
        ck_assert_str_eq(first.tensors[i].name, p->name);
        ck_assert_int_eq(first.tensors[i].n_dims, p->cols > 0 ? 2 : 1);
        ck_assert_uint_eq(first.tensors[i].shape[0], (size_t)p->rows);
        ck_assert_mem_eq(first.tensors[i].data, a->weights + p->offset, p->size * sizeof(float));
        ck_assert_mem_eq(first.tensors[i].data, second.tensors[i].data, p->size * sizeof(float));
    }
    ck_assert_str_eq(safetensors_metadata(&first, "width"), "16");
    ck_assert_str_eq(safetensors_metadata(&first, "heads"), "2");
    ck_assert_str_eq(safetensors_metadata(&first, "layers"), "2");
    safetensors_free(&first);
    safetensors_free(&second);
    model_free(a);
    model_free(b);
}
END_TEST

/* The kernels read a packed copy of the weights: loading must renew that too. */
START_TEST(a_loaded_model_computes_as_the_saved_one)
{
    struct Model *a = small_model(2, 1, 1), *b = small_model(2, 1, 2);
    struct Batch batch;
    struct String s = string_of("fgcabe");
    int32_t tokens[CONTEXT], targets[CONTEXT];
    batch_new(&batch, 1, CONTEXT);
    reversal_example(tokens, targets, &s, false);
    batch_from_padded(&batch, tokens, targets, 1, CONTEXT, true);
    double loss = model_forward(a, &batch), other = model_forward(b, &batch);
    ck_assert(loss != other);
    checkpoint_save(a, saved);
    checkpoint_load(b, saved);
    ck_assert_double_eq(model_forward(b, &batch), loss);
    batch_free(&batch);
    model_free(a);
    model_free(b);
}
END_TEST

/* What load_made loads made into. */
static struct {
    int width, heads, layers;
} shape = {16, 2, 2};

static void load(const void *path)
{
    struct ModelConfig config =
        model_config(VOCAB, CONTEXT, shape.width, shape.heads, shape.layers);
    checkpoint_load(model_new(config, 1), path);
}

/* made := the tensors of a model (width 16, 2 heads, 2 layers), as change leaves them; the array
   has room for two more. */
static void make(void (*change)(struct Tensor *tensors, int *count))
{
    struct Model *model = small_model(2, 1, 1);
    struct TensorFile file;
    char error[TENSOR_ERROR_SIZE];
    checkpoint_save(model, saved);
    ck_assert_msg(safetensors_read(saved, &file, error), "%s", error);
    int count = file.count;
    struct Tensor *tensors = zeros_new((size_t)count + 2, sizeof *tensors);
    memcpy(tensors, file.tensors, (size_t)count * sizeof *tensors);
    change(tensors, &count);
    safetensors_write(made, tensors, count, NULL, 0);
    safetensors_free(&file);
    free(tensors);
    model_free(model);
}

static struct Tensor *named(struct Tensor *tensors, int count, const char *name)
{
    int i = 0;
    while (i < count && strcmp(tensors[i].name, name) != 0) {
        i++;
    }
    ck_assert_msg(i < count, "no tensor %s", name);
    return &tensors[i];
}

/* The tensor's numbers in an array that can be changed, and number i of them set to x. */
static void set_number(struct Tensor *t, size_t i, float x)
{
    float *data = array_new(t->count);
    memcpy(data, t->data, t->count * sizeof *data);
    data[i] = x;
    t->data = data;
}

static void remove_tensor(struct Tensor *tensors, int *count, const char *name)
{
    *named(tensors, *count, name) = tensors[*count - 1];
    --*count;
}

static void no_change(struct Tensor *tensors, int *count)
{
    (void)tensors, (void)count;
}

static void without_first(struct Tensor *tensors, int *count)
{
    remove_tensor(tensors, count, "tok.weight");
}

static void without_middle(struct Tensor *tensors, int *count)
{
    remove_tensor(tensors, count, "blocks.1.ln2.bias");
}

static void without_last(struct Tensor *tensors, int *count)
{
    remove_tensor(tensors, count, "head.bias");
}

static void with_another(struct Tensor *tensors, int *count)
{
    tensors[*count] = tensors[0];
    tensors[(*count)++].name = "tok.bias";
}

static void renamed(struct Tensor *tensors, int *count)
{
    named(tensors, *count, "blocks.0.mlp.2.weight")->name = "blocks.0.mlp.1.weight";
}

static void steering_name(struct Tensor *tensors, int *count)
{
    with_another(tensors, count);
    tensors[*count - 1].name = "\033[2Jx\n";
}

/* (3D,D) as (D,3D): as many numbers. */
static void transposed(struct Tensor *tensors, int *count)
{
    struct Tensor *t = named(tensors, *count, "blocks.0.attn.qkv.weight");
    size_t rows = t->shape[0];
    t->shape[0] = t->shape[1];
    t->shape[1] = rows;
}

static void square_as_row(struct Tensor *tensors, int *count)
{
    struct Tensor *t = named(tensors, *count, "blocks.1.attn.out.weight");
    t->n_dims = 1;
    t->shape[0] = t->count;
}

static void row_as_column(struct Tensor *tensors, int *count)
{
    struct Tensor *t = named(tensors, *count, "ln.bias");
    t->n_dims = 2;
    t->shape[1] = 1;
}

static void scalar(struct Tensor *tensors, int *count)
{
    struct Tensor *t = named(tensors, *count, "ln.weight");
    t->n_dims = 0;
    t->count = 1;
}

static void one_row_short(struct Tensor *tensors, int *count)
{
    struct Tensor *t = named(tensors, *count, "pos.weight");
    t->shape[0] = 24;
    t->count = 24 * 16;
}

static void as_i32(struct Tensor *tensors, int *count)
{
    named(tensors, *count, "head.weight")->dtype = DTYPE_I32;
}

static void as_f64(struct Tensor *tensors, int *count)
{
    struct Tensor *t = named(tensors, *count, "pos.weight");
    t->data = zeros_new(t->count, sizeof(double));
    t->dtype = DTYPE_F64;
}

static void as_bf16(struct Tensor *tensors, int *count)
{
    named(tensors, *count, "head.bias")->dtype = DTYPE_BF16;
}

static void nan_first(struct Tensor *tensors, int *count)
{
    set_number(named(tensors, *count, "tok.weight"), 0, NAN);
}

static void nan_last(struct Tensor *tensors, int *count)
{
    struct Tensor *t = named(tensors, *count, "head.bias");
    set_number(t, t->count - 1, -NAN);
}

static void infinite(struct Tensor *tensors, int *count)
{
    set_number(named(tensors, *count, "blocks.1.mlp.0.weight"), 100, INFINITY);
}

static void minus_infinite(struct Tensor *tensors, int *count)
{
    set_number(named(tensors, *count, "blocks.0.ln1.weight"), 3, -INFINITY);
}

/* Under "init.", with a tensor of another kind beside them. */
static void put_init_before(struct Tensor *tensors, int *count)
{
    for (int i = 0; i < *count; i++) {
        char *name;
        ck_assert(asprintf(&name, "init.%s", tensors[i].name) > 0);
        tensors[i].name = name;
    }
}

static void init_without_one(struct Tensor *tensors, int *count)
{
    put_init_before(tensors, count);
    remove_tensor(tensors, count, "init.ln.bias");
}

static void init_with_another(struct Tensor *tensors, int *count)
{
    put_init_before(tensors, count);
    tensors[*count] = tensors[0];
    tensors[(*count)++].name = "init.speed";
}

/* A change to a good file, and the words that its refusal must hold. */
static const struct {
    void (*change)(struct Tensor *tensors, int *count);
    const char *words[4];
} refused[] = {
    {without_first, {"tok.weight", "missing"}},
    {without_middle, {"blocks.1.ln2.bias", "missing"}},
    {without_last, {"head.bias", "missing"}},
    {with_another, {"no tensor tok.bias"}},
    {renamed, {"blocks.0.mlp.2.weight", "missing"}},
    {steering_name, {"no tensor \\x1b[2Jx\\x0a"}},
    {transposed, {"blocks.0.attn.qkv.weight", "shape (16,48)", "needs (48,16)"}},
    {square_as_row, {"blocks.1.attn.out.weight", "shape (256)", "needs (16,16)"}},
    {row_as_column, {"ln.bias", "shape (16,1)", "needs (16)"}},
    {scalar, {"ln.weight", "shape ()", "needs (16)"}},
    {one_row_short, {"pos.weight", "shape (24,16)", "needs (25,16)"}},
    {as_i32, {"head.weight is I32", "must be F32"}},
    {as_f64, {"pos.weight is F64", "must be F32"}},
    {as_bf16, {"head.bias is BF16", "must be F32"}},
    {nan_first, {"tok.weight", "NaN"}},
    {nan_last, {"head.bias", "NaN"}},
    {infinite, {"blocks.1.mlp.0.weight", "infinity"}},
    {minus_infinite, {"blocks.0.ln1.weight", "infinity"}},
    {init_without_one, {"init.ln.bias", "missing"}},
    {init_with_another, {"no tensor init.speed"}},
};

START_TEST(a_file_that_does_not_fit_is_refused)
{
    make(refused[_i].change);
    struct Ended ended = in_child(load, made);
    assert_died(&ended, (const char *const[]){"workbook: made.safetensors: "}, 1);
    assert_died(&ended, refused[_i].words, 4);
}
END_TEST

/* What all of the above start from would load, or their refusals would show nothing. */
START_TEST(the_file_before_the_change_loads)
{
    make(no_change);
    struct Ended ended = in_child(load, made);
    ck_assert_str_eq(ended.err, "");
    ck_assert_int_eq(ended.status, 0);
    make(put_init_before);
    ended = in_child(load, made);
    ck_assert_str_eq(ended.err, "");
    ck_assert_int_eq(ended.status, 0);
}
END_TEST

/* Another model than the one that was saved. The number of heads shows in no shape. */
static const struct {
    int width, heads, layers;
    const char *words[3];
} other_models[] = {
    {16, 2, 1, {"no tensor blocks.1.", "number of layers"}},
    {16, 2, 3, {"blocks.2.", "missing"}},
    {32, 2, 2, {"tok.weight", "shape (12,16)", "needs (12,32)"}},
    {8, 2, 2, {"tok.weight", "shape (12,16)", "needs (12,8)"}},
    {16, 4, 2, {"2 heads", "this model has 4"}},
    {16, 1, 2, {"2 heads", "this model has 1"}},
};

START_TEST(the_weights_of_another_model_are_refused)
{
    checkpoint_save(small_model(2, 1, 1), saved);
    shape.width = other_models[_i].width;
    shape.heads = other_models[_i].heads;
    shape.layers = other_models[_i].layers;
    struct Ended ended = in_child(load, saved);
    assert_died(&ended, other_models[_i].words, 3);
}
END_TEST

/* made := the first size bytes of saved. */
static void cut(long size)
{
    FILE *from = fopen(saved, "rb"), *to = fopen(made, "wb");
    ck_assert(from != NULL && to != NULL);
    for (long i = 0; i < size; i++) {
        fputc(fgetc(from), to);
    }
    fclose(from);
    ck_assert_int_eq(fclose(to), 0);
}

START_TEST(a_truncated_file_is_refused)
{
    struct stat status;
    checkpoint_save(small_model(2, 1, 1), saved);
    ck_assert_int_eq(stat(saved, &status), 0);
    long whole = status.st_size;
    const long sizes[] = {whole - 1, whole - 4, whole / 2, 3000, 100, 9, 8, 7, 1, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cut(sizes[i]);
        struct Ended ended = in_child(load, made);
        assert_died(&ended, (const char *const[]){"made.safetensors"}, 1);
    }
    cut(0);
    struct Ended ended = in_child(load, made);
    assert_died(&ended, (const char *const[]){"0 bytes"}, 1);
    cut(whole);
    ended = in_child(load, made);
    ck_assert_int_eq(ended.status, 0);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
    struct Ended ended = in_child(load, ".");
    assert_died(&ended, (const char *const[]){"directory"}, 1);
    ended = in_child(load, "missing.safetensors");
    assert_died(&ended, (const char *const[]){"missing.safetensors", "No such file"}, 2);
    ended = in_child(load, "/dev/null");
    assert_died(&ended, (const char *const[]){"/dev/null", "device"}, 2);
}
END_TEST

/* The golden files hold gradients, losses and more beside the weights they begin with. */
START_TEST(a_golden_file_loads_by_its_init_tensors)
{
    char path[PATH_MAX + 50], error[TENSOR_ERROR_SIZE], name[64];
    struct TensorFile file;
    struct Model *model = model_new(model_config(VOCAB, CONTEXT, 64, 2, 2), 1);
    snprintf(path, sizeof path, "%s/tests/golden/model-reference.safetensors", home);
    checkpoint_load(model, path);
    ck_assert_msg(safetensors_read(path, &file, error), "%s", error);
    for (int i = 0; i < model->params.count; i++) {
        const struct Param *p = &model->params.items[i];
        snprintf(name, sizeof name, "init.%s", p->name);
        const struct Tensor *t = safetensors_find(&file, name);
        ck_assert_msg(t != NULL, "no tensor %s", name);
        ck_assert_mem_eq(model->weights + p->offset, t->data, p->size * sizeof(float));
    }
    safetensors_free(&file);
    model_free(model);
}
END_TEST

/* --- the page --- */

static void three_claims(const void *third)
{
    page_heading("First");
    page_claim(true, "one is %d", 1);
    page_heading("The second one");
    page_claim(*(const bool *)third, "so is %s", "this");
    page_claim(true, "and that");
    fflush(stdout);
    _exit(page_verdict());
}

START_TEST(a_page_says_what_holds_and_exits_with_the_verdict)
{
    struct Ended ended = in_child(three_claims, &(bool){true});
    ck_assert_str_eq(ended.out, "\n1. First\n--------\n  holds  one is 1\n"
                                "\n2. The second one\n-----------------\n"
                                "  holds  so is this\n  holds  and that\n");
    ck_assert_int_eq(ended.status, 0);
    ended = in_child(three_claims, &(bool){false});
    ck_assert_ptr_nonnull(strstr(ended.out, "\n  FAILS  so is this\n  holds  and that\n"));
    ck_assert_int_eq(ended.status, 1);
    ck_assert_str_eq(ended.err, "");
}
END_TEST

static void on_full_disk(const void *holds)
{
    ck_assert_int_eq(dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO), STDOUT_FILENO);
    page_claim(*(const bool *)holds, "anything");
    _exit(page_verdict());
}

static void on_closed_stdout(const void *holds)
{
    close(STDOUT_FILENO);
    page_claim(*(const bool *)holds, "anything");
    _exit(page_verdict());
}

START_TEST(a_page_that_cannot_be_written_is_no_success)
{
    const char *const words[] = {"stdout"};
    struct Ended ended = in_child(on_full_disk, &(bool){true});
    assert_died(&ended, words, 1);
    ended = in_child(on_closed_stdout, &(bool){true});
    assert_died(&ended, words, 1);
}
END_TEST

START_TEST(large_numbers_are_grouped)
{
    static const struct {
        long long n;
        const char *text;
    } cases[] = {
        {0, "0"},
        {7, "7"},
        {999, "999"},
        {1000, "1,000"},
        {12345, "12,345"},
        {103244, "103,244"},
        {1000000, "1,000,000"},
        {-1, "-1"},
        {-999, "-999"},
        {-1000, "-1,000"},
        {-1234567, "-1,234,567"},
        {LLONG_MAX, "9,223,372,036,854,775,807"},
        {-LLONG_MAX, "-9,223,372,036,854,775,807"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_str_eq(grouped(cases[i].n).text, cases[i].text);
    }
}
END_TEST

static TCase *new_case(Suite *suite, const char *name)
{
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, 60);
    suite_add_tcase(suite, cases);
    return cases;
}

Suite *reversal_suite(void)
{
    Suite *suite = suite_create("reversal");
    TCase *task = new_case(suite, "task");
    tcase_add_test(task, drawn_lengths_are_even);
    tcase_add_test(task, drawn_letters_are_even);
    tcase_add_test(task, one_stream_does_not_disturb_another);
    tcase_add_test(task, each_name_and_each_seed_has_its_stream);
    tcase_add_test(task, text_of_1_to_12_letters_is_a_string);
    tcase_add_loop_test(task, other_text_is_no_string, 0, sizeof no_strings / sizeof *no_strings);
    tcase_add_test(task, tokens_have_their_letters);
    tcase_add_test(task, each_string_has_a_code_of_its_own);
    tcase_add_test(task, an_example_is_string_separator_reversal_pads);
    tcase_add_test(task, the_string_of_an_example_is_found_again);
    tcase_add_test(task, what_is_no_example_has_no_string);
    tcase_add_test(task, seen_strings_are_counted_once);
    tcase_add_test(task, nothing_seen_has_nothing);
    tcase_add_test(task, only_the_whole_reversal_is_right);
    tcase_add_test(task, the_score_counts_by_length);

    TCase *decoding = new_case(suite, "decoding");
    tcase_add_checked_fixture(decoding, use_one_thread, NULL);
    tcase_add_test(decoding, argmax_is_the_first_of_the_largest);
    tcase_add_test(decoding, decoding_together_is_decoding_one_by_one);
    tcase_add_test(decoding, equal_logits_decode_to_the_first_token);
    tcase_add_test(decoding, strings_of_all_lengths_decode_as_by_hand);
    tcase_add_test(decoding, a_trained_model_reverses);

    TCase *files = new_case(suite, "checkpoint");
    tcase_add_checked_fixture(files, enter_directory, leave_directory);
    tcase_add_test(files, saved_weights_load_with_the_same_bits);
    tcase_add_test(files, a_loaded_model_computes_as_the_saved_one);
    tcase_add_test(files, the_file_before_the_change_loads);
    tcase_add_loop_test(files, a_file_that_does_not_fit_is_refused, 0,
                        sizeof refused / sizeof *refused);
    tcase_add_loop_test(files, the_weights_of_another_model_are_refused, 0,
                        sizeof other_models / sizeof *other_models);
    tcase_add_test(files, a_truncated_file_is_refused);
    tcase_add_test(files, what_is_no_file_is_refused);
    tcase_add_test(files, a_golden_file_loads_by_its_init_tensors);

    TCase *page = new_case(suite, "page");
    tcase_add_test(page, a_page_says_what_holds_and_exits_with_the_verdict);
    tcase_add_test(page, a_page_that_cannot_be_written_is_no_success);
    tcase_add_test(page, large_numbers_are_grouped);
    return suite;
}
