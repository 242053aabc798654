/* Masks: the rule, written down once more in words that count; what is said of a whole row at once
   against it, for every combination of fields on texts of up to 6 tokens; and the first query that
   sees a key. */
#include <limits.h>

#include "common/mask.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

enum { MOST = 6 };

/* A mask, told without common/: hidden by any of its parts. */
static bool hidden(const struct Mask *m, int query, int key)
{
    bool later = m->causal && key > query && !(key < m->prefix);
    bool far = m->window > 0 && (key - query >= m->window || query - key >= m->window);
    bool pad = key < m->first_key || (m->end_key > 0 && key >= m->end_key);
    bool other = m->document != NULL && m->document[query] != m->document[key];
    return later || far || pad || other;
}

static void try_mask(const struct Mask *m, int T)
{
    for (int query = 0; query < T; query++) {
        struct Keys keys = mask_keys(m, query, T);
        bool inside = keys.first >= 0 && keys.first <= keys.end && keys.end <= T;
        for (int key = 0; key < T; key++) {
            bool seen = !hidden(m, query, key), in_row = key >= keys.first && key < keys.end;
            if (!inside || mask_allows(m, query, key) != seen || in_row != seen) {
                ck_abort_msg("%s, %d tokens, query %d, key %d: seen %d, mask_allows %d, keys %d-%d",
                             trial, T, query, key, seen, mask_allows(m, query, key), keys.first,
                             keys.end);
            }
        }
    }
    for (int key = 0, before = 0; key < T; key++) {
        int first = mask_first_query(m, key);
        for (int query = 0; query < T; query++) {
            if (first < before || first >= T || (query < first && !hidden(m, query, key))) {
                ck_abort_msg("%s, %d tokens, key %d: first query %d, but %d sees it", trial, T, key,
                             first, query);
            }
        }
        before = first;
    }
}

START_TEST(a_row_is_what_the_rule_says)
{
    static const int32_t documents[][MOST] = {
        {0, 0, 0, 0, 0, 0}, {0, 1, 1, 1, 1, 1}, {9, 9, 9, 3, 3, 3}, {1, 2, 2, 0, 0, 5}};
    int tried = 0;
    for (int T = 1; T <= MOST; T++) {
        for (int n = 0; n < 9 * 8 * 8 * 8 * 5; n++) {
            int causal = n % 9, window = n / 9 % 8, first = n / 72 % 8, end = n / 576 % 8;
            int document = n / 4608;
            struct Mask mask = {.causal = causal > 0,
                                .prefix = causal > 0 ? causal - 1 : 0,
                                .window = window,
                                .first_key = first,
                                .end_key = end,
                                .document = document > 0 ? documents[document - 1] : NULL};
            TRY("causal %d, prefix %d, window %d, keys %d-%d, documents %d", mask.causal,
                mask.prefix, window, first, end, document);
            try_mask(&mask, T);
            tried++;
        }
    }
    ck_assert_int_eq(tried, MOST * 9 * 8 * 8 * 8 * 5);
}
END_TEST

/* A causal key is looked for from its own query on, so that no work is done above the diagonal. */
START_TEST(a_causal_key_has_no_query_before_it)
{
    struct Mask none = {.window = 2}, causal = {.causal = true};
    struct Mask prefix = {.causal = true, .prefix = 3};
    for (int key = 0; key < MOST; key++) {
        ck_assert_int_eq(mask_first_query(&none, key), 0);
        ck_assert_int_eq(mask_first_query(&causal, key), key);
        ck_assert_int_eq(mask_first_query(&prefix, key), key < 3 ? 0 : key);
    }
}
END_TEST

START_TEST(a_query_without_a_key_has_an_empty_run)
{
    struct Mask front = {.causal = true, .first_key = 2}, behind = {.end_key = 2, .window = 2};
    static const int seen[2][MOST] = {{0, 0, 1, 2, 3, 4}, {2, 2, 1, 0, 0, 0}};
    for (int query = 0; query < MOST; query++) {
        struct Keys a = mask_keys(&front, query, MOST), b = mask_keys(&behind, query, MOST);
        ck_assert_int_eq(a.end - a.first, seen[0][query]);
        ck_assert_int_eq(b.end - b.first, seen[1][query]);
    }
}
END_TEST

/* A number for "all of them" is often the largest there is. */
START_TEST(numbers_far_beyond_the_text)
{
    static const int numbers[] = {0, 1, 3, MOST, INT_MAX - 1, INT_MAX};
    enum { N = COUNT(numbers) };
    for (int n = 0; n < N * N * N * N; n++) {
        struct Mask mask = {.causal = n % 2 == 1,
                            .prefix = numbers[n % N],
                            .window = numbers[n / N % N],
                            .first_key = numbers[n / N / N % N],
                            .end_key = numbers[n / N / N / N]};
        TRY("prefix %d, window %d, keys %d-%d", mask.prefix, mask.window, mask.first_key,
            mask.end_key);
        try_mask(&mask, MOST);
    }
}
END_TEST

Suite *mask_suite(void)
{
    Suite *suite = suite_create("mask");
    TCase *cases = new_case(suite, "mask", NULL);
    tcase_add_test(cases, a_row_is_what_the_rule_says);
    tcase_add_test(cases, a_causal_key_has_no_query_before_it);
    tcase_add_test(cases, a_query_without_a_key_has_an_empty_run);
    tcase_add_test(cases, numbers_far_beyond_the_text);
    return suite;
}
