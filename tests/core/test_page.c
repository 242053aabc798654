/* The page: headings, claims, and a verdict that is no success unless all of it was written. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "common/page.h"
#include "tests/core/suites.h"
#include "tests/helpers.h"

static void three_claims(const void *second)
{
    page_heading("First");
    page_claim(true, "one is %d", 1);
    page_heading("The second one");
    page_claim(*(const bool *)second, "so is %s", "this");
    page_claim(true, "and that");
    _exit(page_verdict());
}

START_TEST(a_page_says_what_holds_and_exits_with_the_verdict)
{
    struct Ran ran = run(three_claims, &(bool){true});
    ck_assert_str_eq(ran.out, "\n1. First\n--------\n  holds  one is 1\n"
                              "\n2. The second one\n-----------------\n"
                              "  holds  so is this\n  holds  and that\n");
    ck_assert_int_eq(ran.status, 0);
    ran = run(three_claims, &(bool){false});
    assert_like(ran.out, "...\n  FAILS  so is this\n  holds  and that\n");
    ck_assert_int_eq(ran.status, 1);
    ck_assert_str_eq(ran.err, "");
}
END_TEST

/* With stdout at path, or closed. */
static void claim_on(const void *path)
{
    close(STDOUT_FILENO);
    if (path != NULL) {
        ck_assert_int_eq(open(path, O_WRONLY), STDOUT_FILENO);
    }
    page_claim(true, "anything");
    _exit(page_verdict());
}

START_TEST(a_page_that_cannot_be_written_is_no_success)
{
    const char *line = "workbook: the page could not be written to stdout: is the disk full?";
    assert_died(run(claim_on, "/dev/full"), line);
    assert_died(run(claim_on, NULL), line);
}
END_TEST

START_TEST(large_numbers_are_grouped)
{
    static const struct {
        long long n;
        const char *text;
    } cases[] = {{0, "0"},
                 {999, "999"},
                 {1000, "1,000"},
                 {12345, "12,345"},
                 {103244, "103,244"},
                 {-1, "-1"},
                 {-999, "-999"},
                 {-1234567, "-1,234,567"},
                 {LLONG_MAX, "9,223,372,036,854,775,807"}};
    for (int i = 0; i < COUNT(cases); i++) {
        ck_assert_str_eq(grouped(cases[i].n).text, cases[i].text);
    }
}
END_TEST

Suite *page_suite(void)
{
    Suite *suite = suite_create("page");
    TCase *cases = new_case(suite, "page", NULL);
    tcase_add_test(cases, a_page_says_what_holds_and_exits_with_the_verdict);
    tcase_add_test(cases, a_page_that_cannot_be_written_is_no_success);
    tcase_add_test(cases, large_numbers_are_grouped);
    return suite;
}
