/* The files and the page of models and strings of all sizes. */
#include <stdlib.h>
#include <string.h>

#include "common/reversal.h"
#include "tests/lessons/suites.h"
#include "tests/lessons/test_07.h"

/* Lengths in range, as many strings as are tested, and their sums on the page. */
static void check_accuracy(const char *page, int first, int last)
{
    static const char *const sets[] = {"fresh", "unseen", "longer"};
    int right[3] = {0}, total[3] = {0}, totals[3][LONGEST + 1] = {{0}}, n_right, n_total, length;
    char name[16], line[100];
    FILE *table = open_table("out/accuracy.tsv", "set\tlength\tright\ttotal\n");
    while (fscanf(table, "%15s\t%d\t%d\t%d\n", name, &length, &n_right, &n_total) == 4) {
        int set = strcmp(name, sets[0]) == 0 ? 0 : strcmp(name, sets[1]) == 0 ? 1 : 2;
        ck_assert_str_eq(name, sets[set]);
        ck_assert(length >= (set == 2 ? 9 : first) && length <= (set == 2 ? 12 : last));
        ck_assert(n_right >= 0 && n_right <= n_total && n_total >= 1);
        right[set] += n_right;
        total[set] += n_total;
        totals[set][length] += n_total;
    }
    ck_assert(feof(table) && total[0] == 500 && total[2] == 200 && right[1] <= right[0]);
    for (length = 1; length <= LONGEST; length++) {
        ck_assert_int_le(totals[1][length], totals[0][length]); /* the unseen are fresh, too */
    }
    snprintf(line, sizeof line, "\n  500 fresh strings of %d to %d letters: ", first, last);
    ck_assert_int_eq(atoi(after(page, line)), right[0]);
    snprintf(line, sizeof line, "\n  %d of them training never saw: ", total[1]);
    ck_assert_int_eq(atoi(after(page, line)), right[1]);
    ck_assert_int_eq(atoi(after(page, "\n  200 strings of 9 to 12 letters: ")), right[2]);
}

/* The chapter's lengths, shapes and batches are defaults, no more. */
static const struct {
    const char *arguments;
    int steps, first, last, width, heads, layers;
} shapes[] = {
    {"--steps 5", 5, 3, 8, 64, 2, 2},
    {"--steps 20 --lengths 1-12", 20, 1, 12, 64, 2, 2},
    {"--steps 5 --heads 1", 5, 3, 8, 64, 1, 2},
    {"--steps 5 --layers 3", 5, 3, 8, 64, 2, 3},
    {"--steps 5 --width 36 --heads 3", 5, 3, 8, 36, 3, 2},
    {"--steps 30 --batch 1" SMALL, 30, 3, 8, 16, 2, 1},
    {"--steps 3 --batch 1 --lengths 1" SMALL, 3, 1, 1, 16, 2, 1},
    {"--steps 3 --batch 200 --lengths 12" SMALL, 3, 12, 12, 16, 2, 1},
    {"--steps 3 --width 1 --heads 1", 3, 3, 8, 1, 1, 2},
    {"--steps 3 --width 20 --heads 20 --layers 5", 3, 3, 8, 20, 20, 5},
    {"--steps 1" SMALL, 1, 3, 8, 16, 2, 1},
    {"--steps 251 --batch 2 --lengths 4-4" SMALL, 251, 4, 4, 16, 2, 1},
};

START_TEST(every_shape_trains_and_writes_its_files)
{
    char *page = page_of("./lesson-07 %s --reverse abcdefghijab --out out", shapes[_i].arguments);
    after(page, "\n  abcdefghijab becomes ");
    check_run(page, shapes[_i].steps, shapes[_i].width, shapes[_i].heads, shapes[_i].layers);
    check_accuracy(page, shapes[_i].first, shapes[_i].last);
    for (const char *line = page; *line != '\0'; line += strcspn(line, "\n") + 1) {
        ck_assert_uint_le(strcspn(line, "\n"), 80);
    }
}
END_TEST

/* Without training there is no first step, no loss, and no position that was trained. */
START_TEST(no_steps_show_what_they_can)
{
    static const char *const headings[] = {". Examples", ". The parameters", ". The test"};
    static const char *const missing[] = {". Training\n", "irst step", "mean loss", "ositions that",
                                          "Your"};
    char *page = page_of("./lesson-07 --steps 0"); /* out/07-train is where files go by default */
    assert_page(page);
    for (int i = 0; i < COUNT(headings); i++) {
        after(page, headings[i]);
    }
    for (int i = 0; i < COUNT(missing); i++) {
        assert_without(page, missing[i]);
    }
    ck_assert_str_eq(names_in("out/07-train"), ALL_FILES);
    ck_assert_str_eq(content("out/07-train/loss.tsv", NULL), "step\tloss\n");
    ck_assert_str_eq(after(page, "\n  all "), "                                         103,244");
}
END_TEST

/* Names that a shell, a format or a path might stumble over, between single quotes. */
START_TEST(a_directory_may_have_any_name)
{
    static const char *const names[] = {"with space", "\"quoted\"", "it'\\''s", "%s%n%d",   "a\\b",
                                        "new\nline",  "$HOME;*",    "-",        "\xc3\xbc", "./x"};
    for (int i = 0; i < COUNT(names); i++) {
        page_of("./lesson-07" SMALL "--steps 0 --out '%s' --save ./'%s'.w && rm -rf moved && "
                "mv './%s' moved && mv ./'%s'.w moved.w",
                names[i], names[i], names[i], names[i]);
        ck_assert_str_eq(names_in("moved"), ALL_FILES);
        assert_same("moved/model.safetensors", "moved.w");
    }
}
END_TEST

START_TEST(weights_may_be_saved_into_the_new_directory)
{
    for (int again = 0; again < 2; again++) { /* over the old ones */
        page_of("./lesson-07" SMALL "--steps %d --out new --save new/w", again);
        assert_same("new/model.safetensors", "new/w");
    }
}
END_TEST

void add_07_files(Suite *suite)
{
    TCase *cases = new_case(suite, "files", enter_07);
    tcase_add_loop_test(cases, every_shape_trains_and_writes_its_files, 0, COUNT(shapes));
    tcase_add_test(cases, no_steps_show_what_they_can);
    tcase_add_test(cases, a_directory_may_have_any_name);
    tcase_add_test(cases, weights_may_be_saved_into_the_new_directory);
}
