/* The task: strings and how they are drawn, training examples, what training has seen, the
   score. */
#include <string.h>

#include "common/loss.h"
#include "common/reversal.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

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

/* Drawing. */

START_TEST(drawn_lengths_are_even)
{
    static const int ranges[][2] = {{3, 8}, {1, 12}, {9, 12}, {1, 2}, {7, 7}};
    for (int i = 0; i < COUNT(ranges); i++) {
        int counts[LONGEST + 1] = {0}, first = ranges[i][0], last = ranges[i][1];
        struct Rng r = rng_stream(1, "test");
        for (int j = 0; j < 60000; j++) {
            int length = string_draw(&r, first, last).length;
            if (length < first || length > last) {
                ck_abort_msg("%d to %d letters: got %d", first, last, length);
            }
            counts[length]++;
        }
        check_even("lengths", counts + first, last - first + 1);
    }
}
END_TEST

/* At each place, and each letter after each other letter. */
START_TEST(drawn_letters_are_even)
{
    int at[LONGEST][LETTERS] = {{0}}, pairs[LETTERS * LETTERS] = {0};
    struct Rng r = rng_stream(1, "train");
    for (int i = 0; i < 30000; i++) {
        struct String s = string_draw(&r, 1, 12);
        for (int j = 0; j < s.length; j++) {
            if (s.letters[j] < 0 || s.letters[j] >= LETTERS) {
                ck_abort_msg("letter %d: got %d", j, s.letters[j]);
            }
            at[j][s.letters[j]]++;
        }
        if (s.length > 1) {
            pairs[s.letters[0] * LETTERS + s.letters[1]]++;
        }
    }
    for (int j = 0; j < LONGEST; j++) {
        check_even("letters at one place", at[j], LETTERS);
    }
    check_even("pairs of letters", pairs, LETTERS * LETTERS);
}
END_TEST

START_TEST(one_stream_does_not_disturb_another)
{
    struct Rng alone = rng_stream(7, "train"), train = alone, test = rng_stream(7, "test");
    for (int i = 0; i < 200; i++) {
        struct String other = string_draw(&test, 9, 12);
        struct String s = string_draw(&train, 3, 8), wanted = string_draw(&alone, 3, 8);
        ck_assert(same(&s, &wanted) && !same(&s, &other));
    }
}
END_TEST

/* Text and codes. */

START_TEST(a_string_is_1_to_12_letters_from_a_to_j)
{
    static const char *const none[] = {"",   "k",    "A",    "abk",   "kab",          "a b",
                                       " a", "a ",   "a\n",  "a|b",   "a.b",          "`",
                                       "1",  "\x81", "\xe1", "a\xff", "abcdefghijabc"};
    const int32_t letters[] = {5, 6, 2, 0, 1, 4};
    struct String s = string_of("fgcabe");
    ck_assert_int_eq(s.length, 6);
    ck_assert_mem_eq(s.letters, letters, sizeof letters);
    for (int n = 1; n <= LONGEST; n++) {
        s = string_of(&"abcdefghijab"[LONGEST - n]);
        ck_assert_int_eq(s.length, n);
        ck_assert_int_eq(s.letters[n - 1], 1);
    }
    for (int i = 0; i < COUNT(none); i++) {
        ck_assert_msg(!string_parse(&s, none[i]), "\"%s\" was accepted", none[i]);
    }
    for (int token = -1; token <= VOCAB; token++) {
        ck_assert_int_eq(token_letter(token), "?abcdefghij|.?"[token + 1]);
    }
    ck_assert_int_eq(token_letter(INT32_MIN), '?');
    ck_assert_int_eq(token_letter(INT32_MAX), '?');
}
END_TEST

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

/* What training has seen. Every string of 1 to 4 letters whose first comes before h, ten times
   over, which is more than there is room for at first; so each string has a code of its own. */
START_TEST(seen_strings_are_counted_once)
{
    struct Seen seen = {0};
    struct String s = string_of("a");
    seen_close(&seen);
    ck_assert(seen.count == 0 && !seen_has(&seen, &s));
    for (int round = 0; round < 10; round++) {
        for (s = (struct String){0}, count_up(&s); s.length <= 4; count_up(&s)) {
            if (s.letters[0] < 7) {
                seen_add(&seen, &s);
            }
        }
    }
    seen_close(&seen);
    ck_assert_uint_eq(seen.count, 7 + 70 + 700 + 7000);
    int wrong = 0;
    for (s = (struct String){0}, count_up(&s); s.length <= 4; count_up(&s)) {
        wrong += seen_has(&seen, &s) != (s.letters[0] < 7);
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert(!seen_has(&seen, &s)); /* aaaaa */
    seen_free(&seen);
    ck_assert(seen.codes == NULL && seen.count == 0);
    seen_free(&seen);
}
END_TEST

/* Long ones, each with its neighbours. */
START_TEST(long_strings_have_codes_of_their_own)
{
    enum { N = 1000 };
    struct Seen seen = {0};
    size_t count = 0;
    for (int i = 0; i < N; i++) {
        struct String s = string_draw(&rng, 9, 12);
        uint64_t code = string_code(&s);
        for (int j = 0; j < s.length; j++, count++) {
            struct String near = s;
            near.letters[j] = (s.letters[j] + 1) % LETTERS;
            seen_add(&seen, &near);
        }
        seen_add(&seen, &s);
        count++;
        for (int j = s.length; j < LONGEST; j++) {
            s.letters[j] = 9; /* behind its end */
        }
        ck_assert_uint_eq(string_code(&s), code);
    }
    seen_close(&seen);
    ck_assert_uint_eq(seen.count, count);
}
END_TEST

/* Examples. */

START_TEST(an_example_is_string_separator_reversal_pads)
{
    static const struct {
        const char *text;
        bool every_position;
        const char *tokens, *targets;
    } examples[] = {
        {"fgc", false, "fgc|cgf..................", "___cgf___________________"},
        {"fgc", true, "fgc|cgf..................", "gc|cgf___________________"},
        {"j", false, "j|j......................", "_j_______________________"},
        {"j", true, "j|j......................", "|j_______________________"},
        {"abcdefghij", false, "abcdefghij|jihgfedcba....", "__________jihgfedcba_____"},
        {"abcdefghijab", false, "abcdefghijab|bajihgfedcba", "____________bajihgfedcba_"},
        {"abcdefghijab", true, "abcdefghijab|bajihgfedcba", "bcdefghijab|bajihgfedcba_"},
    };
    for (int i = 0; i < COUNT(examples); i++) {
        int32_t tokens[CONTEXT + 1] = {[CONTEXT] = 777}, targets[CONTEXT + 1] = {[CONTEXT] = 777};
        char said[CONTEXT + 1] = "", wanted[CONTEXT + 1] = "";
        struct String string = string_of(examples[i].text);
        reversal_example(tokens, targets, &string, examples[i].every_position);
        for (int t = 0; t < CONTEXT; t++) {
            said[t] = token_letter(tokens[t]);
            wanted[t] = targets[t] == IGNORE ? '_' : token_letter(targets[t]);
        }
        ck_assert_str_eq(said, examples[i].tokens);
        ck_assert_str_eq(wanted, examples[i].targets);
        ck_assert(tokens[CONTEXT] == 777 && targets[CONTEXT] == 777);
    }
}
END_TEST

START_TEST(the_string_of_an_example_is_found_again)
{
    static const char *const none[] = {
        "", "|", "||", "|a", ".a|a", "abc", "abc.", "abcdefghijabc|c", "abcdefghijabcdefghijabcde"};
    int32_t tokens[CONTEXT], targets[CONTEXT];
    struct String found;
    for (int i = 0; i < 240; i++) {
        struct String s = string_draw(&rng, 1 + i % LONGEST, 1 + i % LONGEST);
        reversal_example(tokens, targets, &s, i % 2);
        ck_assert(reversal_string_of(&found, tokens) && same(&s, &found));
    }
    for (int i = 0; i < COUNT(none); i++) {
        for (int t = 0; t < CONTEXT; t++) {
            char c = t < (int)strlen(none[i]) ? none[i][t] : '.';
            tokens[t] = c == '|' ? SEPARATOR : c == '.' ? PAD : c - 'a';
        }
        ck_assert_msg(!reversal_string_of(&found, tokens), "\"%s\" has a string", none[i]);
    }
}
END_TEST

/* The score. */

START_TEST(only_the_whole_reversal_is_right)
{
    static const struct {
        const char *text, *output;
        bool right;
    } cases[] = {{"a", "a", true},
                 {"fgcabe", "ebacgf", true},
                 {"abba", "abba", true},
                 {"abc", "cb", false},
                 {"fgcabe", "fgcabe", false},
                 {"a", "b", false},
                 {"abc", "cbaa", false},
                 {"abcdefghijab", "bajihgfedcba", true}};
    for (int i = 0; i < COUNT(cases); i++) {
        struct String s = string_of(cases[i].text), output = string_of(cases[i].output);
        ck_assert_msg(reversal_right(&s, &output) == cases[i].right, "%s", cases[i].text);
    }
    for (int i = 0; i < 12; i++) { /* one letter wrong, at each place */
        struct String s = string_of("abcdefghijab"), output = string_of("bajihgfedcba");
        output.letters[i] = i % 2 ? SEPARATOR : (output.letters[i] + 1) % LETTERS;
        ck_assert(!reversal_right(&s, &output));
    }
}
END_TEST

static void check_score(const struct Score *score, const int *right, const int *total)
{
    ck_assert_mem_eq(score->right, right, sizeof score->right);
    ck_assert_mem_eq(score->total, total, sizeof score->total);
}

START_TEST(the_score_counts_by_length)
{
    static const char *const texts[][2] = {{"ab", "ba"},
                                           {"ab", "ab"},
                                           {"cd", "dc"},
                                           {"abc", "cba"},
                                           {"j", "j"},
                                           {"abc", "cbb"},
                                           {"abcdefghijab", "bajihgfedcba"}};
    enum { N = COUNT(texts) };
    const int right[LONGEST + 1] = {[1] = 1, [2] = 2, [3] = 1, [12] = 1};
    const int total[LONGEST + 1] = {[1] = 1, [2] = 3, [3] = 2, [12] = 1};
    const int unseen_right[LONGEST + 1] = {[1] = 1, [2] = 1, [3] = 1};
    const int unseen_total[LONGEST + 1] = {[1] = 1, [2] = 1, [3] = 2};
    struct String strings[N], outputs[N];
    struct Seen seen = {0};
    for (int i = 0; i < N; i++) {
        strings[i] = string_of(texts[i][0]);
        outputs[i] = string_of(texts[i][1]);
    }
    struct Score score = reversal_score(strings, outputs, N, NULL);
    check_score(&score, right, total);
    ck_assert_int_eq(score_right(&score), 5);
    ck_assert_int_eq(score_total(&score), 7);
    score = reversal_score(strings, outputs, N, &seen); /* nothing seen: all count */
    check_score(&score, right, total);
    seen_add(&seen, &strings[0]);
    seen_add(&seen, &strings[6]);
    seen_close(&seen);
    score = reversal_score(strings, outputs, N, &seen);
    check_score(&score, unseen_right, unseen_total);
}
END_TEST

Suite *reversal_suite(void)
{
    Suite *suite = suite_create("reversal");
    TCase *cases = new_case(suite, "reversal", begin_trials);
    tcase_add_test(cases, drawn_lengths_are_even);
    tcase_add_test(cases, drawn_letters_are_even);
    tcase_add_test(cases, one_stream_does_not_disturb_another);
    tcase_add_test(cases, a_string_is_1_to_12_letters_from_a_to_j);
    tcase_add_test(cases, long_strings_have_codes_of_their_own);
    tcase_add_test(cases, an_example_is_string_separator_reversal_pads);
    tcase_add_test(cases, the_string_of_an_example_is_found_again);
    tcase_add_test(cases, seen_strings_are_counted_once);
    tcase_add_test(cases, only_the_whole_reversal_is_right);
    tcase_add_test(cases, the_score_counts_by_length);
    return suite;
}
