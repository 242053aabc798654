/* Lesson 10: bytes and multiply-adds by formulas of our own, the masks, the wrong ways to use a
   cache, and its options. */
#include <stdlib.h>
#include <string.h>

#include "tests/lessons/lesson.h"
#include "tests/lessons/suites.h"

#define QUICK " --steps 2 --words 5 --timed 2 --out out "

static void enter_10(void)
{
    enter_lesson("lesson-10");
}

/* 1234567 as "1,234,567". */
static const char *commas(long long n)
{
    static char text[40];
    char digits[40];
    int length = snprintf(digits, sizeof digits, "%lld", n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            text[at++] = ',';
        }
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

static const struct {
    const char *options;
    long long sequences, layers, positions, heads, kv, d, bytes;
    const char *gqa; /* as the page writes it */
} budgets[] = {
    {"", 1, 32, 4096, 32, 8, 128, 2, "512 MiB"},
    {"--kv-heads 32", 1, 32, 4096, 32, 32, 128, 2, "2 GiB"},
    {"--heads 64 --bytes 1 --sequences 3", 3, 32, 4096, 64, 8, 128, 1, "768 MiB"},
    {"--layers 1 --positions 1 --heads 1 --kv-heads 1 --d-head 1 --bytes 4", 1, 1, 1, 1, 1, 1, 4,
     "8 B"},
    {"--layers 60 --positions 128000 --heads 128 --kv-heads 128", 1, 60, 128000, 128, 128, 128, 2,
     "468.8 GiB"},
    {"--sequences 1000000 --positions 1000000", 1000000, 32, 1000000, 32, 8, 128, 2, "116.4 PiB"},
};

START_TEST(bytes_are_those_of_the_formula)
{
    static const char *const names[] = {"MHA", "GQA", "MQA", "MLA"};
    long long numbers[4], heads[4] = {budgets[_i].heads, budgets[_i].kv, 1, 0};
    char *page = page_of("./lesson-10" QUICK "%s", budgets[_i].options), line[100];
    assert_page(page);
    for (int v = 0; v < 4; v++) {
        numbers[v] = v < 3 ? 2 * heads[v] * budgets[_i].d : 4 * budgets[_i].d + budgets[_i].d / 2;
    }
    FILE *table = open_table("out/bytes.tsv", "variant\tkv_heads\ttoken\ttotal\n");
    for (int v = 0; v < 4; v++) {
        char name[10];
        long long kv, token, total;
        ck_assert_int_eq(fscanf(table, "%9s %lld %lld %lld\n", name, &kv, &token, &total), 4);
        ck_assert_str_eq(name, names[v]);
        ck_assert(kv == heads[v]);
        ck_assert(token == numbers[v] * budgets[_i].layers * budgets[_i].bytes);
        ck_assert(total == token * budgets[_i].positions * budgets[_i].sequences);
        snprintf(line, sizeof line, "...\n  %s ... %s ...\n...", names[v], commas(total));
        assert_like(page, line);
    }
    ck_assert_int_eq(fgetc(table), EOF);
    snprintf(line, sizeof line, "...\n  GQA ...  %s\n...", budgets[_i].gqa);
    assert_like(page, line);
}
END_TEST

/* The n-th token: what each row goes through but attention, and attention key by key. */
START_TEST(multiply_adds_are_those_of_the_formula)
{
    enum { D = 64, LAYERS = 2, VOCAB = 12 };
    char *page = page_of("./lesson-10" QUICK);
    static const int counts[] = {1, 2, 4, 8, 16, 25, 64, 512, 4096, 32768};
    long long row = LAYERS * (3 * D * D + D * D + 2 * 4 * D * D) + D * VOCAB, key = 2 * D * LAYERS;
    for (int i = 0; i < COUNT(counts); i++) {
        char line[100], start[60];
        long long n = counts[i], anew = 0;
        for (long long t = 1; t <= n; t++) {
            anew += row + t * key;
        }
        snprintf(start, sizeof start, "\n  %7s ", commas(n));
        snprintf(line, sizeof line, "%s", commas(anew));
        char *rest = after(strstr(page, "        n  "), start);
        ck_assert_int_eq(strncmp(rest + strspn(rest, " "), line, strlen(line)), 0);
        rest += strspn(rest, " ") + strlen(line);
        snprintf(line, sizeof line, "%s", commas(row + n * key));
        ck_assert_int_eq(strncmp(rest + strspn(rest, " "), line, strlen(line)), 0);
    }
}
END_TEST

START_TEST(masks_are_the_rows_of_the_causal_one)
{
    char *page = page_of("./lesson-10" QUICK);
    for (int position = 5; position < 8; position++) {
        char line[100], rows[3][9];
        for (int j = 0; j < 8; j++) {
            rows[0][j] = j <= position ? 'x' : '.';
            rows[1][j] = j <= position - 5 ? 'x' : '.';
            rows[2][j] = 'x';
            rows[0][j + 1] = rows[1][j + 1] = rows[2][j + 1] = '\0';
        }
        snprintf(line, sizeof line, "...\n  %5d    %s            %s            %s\n...", position,
                 rows[0], rows[1], rows[2]);
        assert_like(page, line);
    }
    assert_like(page, "...\n       0    8            0           0        7\n"
                      "       5    3            0           3        2\n"
                      "       7    1            0           1        0\n...");
}
END_TEST

/* How many words this line of section 3 says are changed, and right. */
static void words(const char *page, const char *way, int *changed, int *right)
{
    ck_assert_int_eq(sscanf(after(page, way), "%d %d", changed, right), 2);
}

START_TEST(a_trained_model_writes_from_the_cache_and_in_no_wrong_way)
{
    static const char *const wrong[] = {"each new token says that it stands at 0",
                                        "the mask is cut at the wrong corner",
                                        "it still holds the string before"};
    char *page = page_of("./lesson-10 --timed 2 --out out --seed %d", _i);
    int changed, right, anew;
    words(page, "the whole sequence anew for each token", &changed, &anew);
    ck_assert(changed == 0 && anew >= 150);
    words(page, "\n  cached   ", &changed, &right);
    ck_assert(changed == 0 && right == anew);
    for (int i = 0; i < COUNT(wrong); i++) {
        words(page, wrong[i], &changed, &right);
        ck_assert(changed >= 100 && right <= 100);
    }
}
END_TEST

START_TEST(times_are_taken_up_to_the_last_position)
{
    static const int lasts[] = {2, 31, 32, 100};
    for (int i = 0; i < COUNT(lasts); i++) {
        page_of("./lesson-10 --steps 0 --words 1 --out out --timed %d", lasts[i]);
        FILE *table = open_table("out/time.tsv", "position\tanew\tcached\n");
        int position = 0, before = 0, rows = 0;
        double anew, cached;
        for (; fscanf(table, "%d %lf %lf\n", &position, &anew, &cached) == 3; rows++) {
            ck_assert(position > before && anew > 0.0 && cached > 0.0);
            before = position;
        }
        ck_assert(position == lasts[i] && rows == (lasts[i] < 32 ? lasts[i] : 32));
        fclose(table);
    }
}
END_TEST

static const char *const refused[][2] = {
    {"--kv-heads 5", "--kv-heads 5: it must divide --heads 32, ..."},
    {"--heads 4", "--kv-heads 8: it must divide --heads 4, ..."},
    {"--kv-heads 0", "--kv-heads takes a whole number from 1 to 1000000, not \"0\""},
    {"--bytes 3", "--bytes takes 4 (fp32), 2 (bf16) or 1 (int8), not 3"},
    {"--bytes 8", "--bytes takes a whole number from 1 to 4, not \"8\""},
    {"--bytes 0.5", "--bytes takes a whole number from 1 to 4, not \"0.5\""},
    {"--layers -1", "--layers takes ..., not \"-1\""},
    {"--positions 2000000000", "--positions takes ..., not \"2000000000\""},
    {"--d-head many", "--d-head takes ..., not \"many\""},
    {"--sequences 1000000 --layers 1000000 --positions 1000000",
     "a cache of that size has more than 2^63 bytes: take smaller numbers"},
    {"--heads 1 --kv-heads 1 --layers 1000000 --positions 1000000000 --d-head 1000000 --bytes 4 "
     "--sequences 1000",
     "a cache of that size has more than 2^63 bytes: take smaller numbers"},
    {"--timed 1", "--timed takes a whole number from 2 to 1024, not \"1\""},
    {"--timed 1025", "--timed takes a whole number from 2 to 1024, not \"1025\""},
    {"--words 0", "--words takes a whole number from 1 to 1000, not \"0\""},
    {"--steps 10001", "--steps takes a whole number from 0 to 10000, not \"10001\""},
};

START_TEST(what_cannot_be_done_is_refused)
{
    for (int i = 0; i < COUNT(refused); i++) {
        char line[200];
        snprintf(line, sizeof line, "lesson-10: %s", refused[i][1]);
        assert_died(sh("./lesson-10" QUICK "%s", refused[i][0]), line);
        ck_assert_str_eq(names_in("."), "golden lesson-10");
    }
}
END_TEST

Suite *lesson_10_suite(void)
{
    Suite *suite = suite_create("lesson 10");
    TCase *cases = new_case(suite, "lesson 10", enter_10);
    tcase_add_loop_test(cases, bytes_are_those_of_the_formula, 0, COUNT(budgets));
    tcase_add_test(cases, multiply_adds_are_those_of_the_formula);
    tcase_add_test(cases, masks_are_the_rows_of_the_causal_one);
    tcase_add_loop_test(cases, a_trained_model_writes_from_the_cache_and_in_no_wrong_way, 1, 4);
    tcase_add_test(cases, times_are_taken_up_to_the_last_position);
    tcase_add_test(cases, what_cannot_be_done_is_refused);
    return suite;
}
