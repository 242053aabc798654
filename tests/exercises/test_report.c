/* What grading says: rows exactly, and the reports read back as their readers would. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "tests/graders/report.h"
#include "tests/graders/text.h"
#include "tests/helpers.h"

/* What print(results, n) writes. */
static char *printed(void (*print)(FILE *, const struct Result *), const struct Result *r)
{
    struct Gathered text;
    text_open(&text);
    print(text.stream, r);
    return text_take(&text);
}

/* Every line at most 80 columns, no control characters. */
static void assert_tidy(const char *text)
{
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        size_t bytes = strcspn(line, "\n");
        bool tidy = line[bytes] == '\n' && text_width(line, bytes) <= 80;
        for (size_t i = 0; i < bytes; i++) {
            tidy &= (unsigned char)line[i] >= ' ' && line[i] != 0x7f;
        }
        if (!tidy) {
            ck_abort_msg("not tidy: \"%.*s\"", (int)bytes, line);
        }
    }
}

START_TEST(each_state_has_its_row)
{
    static const char *const rows[N_SAMPLES] = {
        "01 softmax              PASS     6/6\n",
        "02 scaled-dot           WRONG    4/6\n"
        "   You scale by 1/sqrt(d_model) = 0.289; each head needs 1/sqrt(d_head) = 0.500\n"
        "   score[b0 h1 q2 k0]: yours 0.4113, expected 0.7124\n"
        "   exercises/02-scaled-dot/answer.c | lesson 04 | make hint-02\n"
        "   make check-02 SEED=18446744073709551615\n",
        "03 causal-mask          CRASH    1/5\n"
        "   writes 4 bytes past scores[25] at answer.c:22\n"
        "   exercises/03-causal-mask/answer.c | lesson 04 | make hint-03\n",
        "04 layernorm            TIMEOUT  1/5\n"
        "   2 s in check 2 of 5 (TIMEOUT_SCALE=3 on a slow machine)\n"
        "   exercises/04-layernorm/answer.c | lesson 04 | make hint-04\n",
        "05 gelu                 COMPILE  0/4\n"
        "   answer.c:12: 'x' undeclared\n"
        "   exercises/05-gelu/answer.c | lesson 04 | make hint-05\n",
        "06 adamw                TODO     not started\n",
    };
    struct Result results[N_SAMPLES];
    samples(results);
    for (int i = 0; i < N_SAMPLES; i++) {
        char *row = printed(report_row, &results[i]);
        ck_assert_str_eq(row, rows[i]);
        assert_tidy(row);
    }
}
END_TEST

/* Nothing that a lecturer cannot use: no hint, no file of a learner. */
START_TEST(a_verdict_points_nowhere)
{
    struct Result results[N_SAMPLES];
    samples(results);
    ck_assert_str_eq(
        printed(report_verdict, &results[1]),
        "02 scaled-dot           WRONG    4/6\n"
        "   You scale by 1/sqrt(d_model) = 0.289; each head needs 1/sqrt(d_head) = 0.500\n"
        "   score[b0 h1 q2 k0]: yours 0.4113, expected 0.7124\n");
    ck_assert_str_eq(printed(report_verdict, &results[0]),
                     "01 softmax              PASS     6/6\n");
    struct Result empty = sample("02-scaled-dot", WRONG, 0, 0);
    ck_assert_str_eq(printed(report_verdict, &empty), "02 scaled-dot           WRONG    0/0\n");
}
END_TEST

START_TEST(details_list_the_checks)
{
    struct Result r = sample("02-scaled-dot", WRONG, 1, 3);
    strcpy(r.printed, "here\n  q = 0.5\n\n\033[m\n");
    ck_assert_str_eq(printed(report_details, &r),
                     "02 scaled-dot           WRONG    1/3\n"
                     "   check 2: why 2\n"
                     "   exercises/02-scaled-dot/answer.c | lesson 04 | make hint-02\n"
                     "   PASS     check 1\n"
                     "   WRONG    check 2\n"
                     "            why 2\n"
                     "   not run  check 3\n"
                     "   printed  here\n"
                     "            q = 0.5\n"
                     "            \\x1b[m\n");
}
END_TEST

/* All texts nasty, and as long as they can be; words longer than a row. */
START_TEST(any_text_is_wrapped_and_steers_no_terminal)
{
    for (int state = TODO; state <= COMPILE; state++) {
        for (int shift = 0; shift < 90; shift++) {
            struct Result r = sample("10-attention-backward-x", (enum State)state, 16, 16);
            for (int i = 0; i < MAX_LINES; i++) {
                memset(r.lines[i], i == 0 ? 'w' : "x \n\xff"[i], LINE - 1);
                memcpy(r.lines[i] + shift, nasty, strlen(nasty));
            }
            snprintf(r.file, sizeof r.file, "%s", nasty);
            memset(r.printed, state % 2 ? 'p' : '\033', sizeof r.printed - 1);
            memset(r.lesson, 'l', sizeof r.lesson - 1);
            snprintf(r.checks[3].name, sizeof r.checks[3].name, "%s", nasty);
            r.checks[3].state = r.checks[4].state = CRASH;
            memset(r.checks[4].text, '\033', LINE - 1);
            assert_tidy(printed(report_details, &r));
        }
    }
}
END_TEST

START_TEST(empty_texts_leave_no_blank_lines)
{
    struct Result r = sample("02-scaled-dot", WRONG, 0, 0);
    r.file[0] = r.lesson[0] = '\0';
    ck_assert_str_eq(printed(report_row, &r),
                     "02 scaled-dot           WRONG    0/0\n   make hint-02\n");
    strcpy(r.lines[0], "  ");
    ck_assert_str_eq(printed(report_row, &r),
                     "02 scaled-dot           WRONG    0/0\n   make hint-02\n");
}
END_TEST

/* Colours. */

static void rows_on_stderr(const void *environment)
{
    struct Result results[N_SAMPLES];
    samples(results);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    if (environment != NULL) {
        putenv(strdup(environment));
    }
    report_row(stderr, &results[0]);
    report_row(stderr, &results[2]);
    report_row(stderr, &results[5]);
}

START_TEST(only_the_state_is_coloured_and_only_on_a_terminal)
{
    static const char *const plain[] = {"NO_COLOR=1", "TERM=dumb", "TERM="};
    const char *row = "01 softmax              \033[32mPASS\033[m     6/6\n"
                      "03 causal-mask          \033[31mCRASH\033[m    1/5\n   writes...\n"
                      "06 adamw                TODO     not started\n";
    ck_assert_ptr_null(strchr(run(rows_on_stderr, NULL).err, '\033'));
    if (!terminals_exist()) {
        return;
    }
    assert_like(run_on_terminal(rows_on_stderr, NULL, 80).err, row);
    assert_like(run_on_terminal(rows_on_stderr, "NO_COLOR=", 80).err, row);
    for (int i = 0; i < COUNT(plain); i++) {
        char *seen = run_on_terminal(rows_on_stderr, plain[i], 80).err;
        ck_assert_ptr_null(strchr(seen, '\033'));
        assert_like(seen, "01 softmax              PASS     6/6\n...");
    }
}
END_TEST

START_TEST(the_summary_counts)
{
    struct Gathered text;
    struct Result results[N_SAMPLES];
    samples(results);
    text_open(&text);
    report_summary(text.stream, results, N_SAMPLES);
    report_summary(text.stream, results, 2);
    report_summary(text.stream, results + 5, 1);
    ck_assert_str_eq(text_take(&text),
                     "1 pass, 1 wrong, 1 crashed, 1 out of time, 1 not compiled, 1 to do\n"
                     "1 pass, 1 wrong\n0 pass, 1 to do\n");
}
END_TEST

START_TEST(clean_text_is_utf8_without_control_characters)
{
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"gr\xc3\xb6\xc3\x9f \xe4\xb8\xad \xf0\x9f\x98\x80",
         "gr\xc3\xb6\xc3\x9f \xe4\xb8\xad \xf0\x9f\x98\x80"},
        {"\033[m\n", "\\x1b[m\\x0a"},
        {"\xff\xc3(\xc3", "\\xff\\xc3(\\xc3"},
        {"\xc0\xaf \xe0\x80\xaf", "\\xc0\\xaf \\xe0\\x80\\xaf"}, /* too long a form */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                     /* half of a pair */
        {"\xef\xbf\xbe\xef\xbf\xbf", "\\xef\\xbf\\xbe\\xef\\xbf\\xbf"},
        {"\xf4\x90\x80\x80\xf8", "\\xf4\\x90\\x80\\x80\\xf8"},
        {"\xe2\x80\xae", "\\xe2\\x80\\xae"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        ck_assert_str_eq(clean(cases[i][0]).text, cases[i][1]);
    }
    ck_assert_int_eq(text_width("gr\xc3\xb6\xc3\x9f \xf0\x9f\x98\x80", 11), 6);
    char longest[10 * LINE] = "";
    memset(longest, '\n', LINE - 1);
    ck_assert_uint_eq(strlen(clean(longest).text), 4 * (LINE - 1));
    memset(longest, '\n', sizeof longest - 1);
    struct Clean cut = clean(longest);
    ck_assert(strlen(cut.text) < sizeof cut.text);
    assert_like(cut.text, "\\x0a...x0a...");
}
END_TEST

/* Reports. */

/* Samples of which one is nasty in every text. */
static void nasty_samples(struct Result results[N_SAMPLES])
{
    samples(results);
    struct Result *r = &results[1];
    for (int i = 0; i < MAX_LINES; i++) {
        snprintf(r->lines[i], LINE, "%d %s", i, nasty);
    }
    snprintf(r->printed, sizeof r->printed, "%s", nasty);
    snprintf(r->checks[0].name, sizeof r->checks[0].name, "%s", nasty);
    snprintf(r->checks[4].text, LINE, "%s", nasty);
}

static char *report(const char *format, const struct Result *results, bool strict)
{
    report_write(format, "report", results, N_SAMPLES, strict);
    ck_assert_str_eq(names_in("."), "report");
    return content("report", NULL);
}

/* A reader of TAP 13: a letter for each test point: p(ass), f(ail), t(odo), s(kipped). Points
   are to be in order, and as many as the plan says. indent: only the lines that begin with so
   many spaces; from: where to begin; it stops at the first line that is less indented. */
static char *read_tap(const char *from, size_t indent)
{
    static char points[100];
    int n = 0, plan = -1, at = 0, number, length;
    for (const char *line = from; *line != '\0'; line = strchr(line, '\n') + 1) {
        size_t spaces = strspn(line, " ");
        const char *point = line + indent;
        if (spaces < indent) {
            break;
        }
        if (spaces > indent || sscanf(point, "1..%d", &plan) == 1) {
            continue;
        }
        bool fails = strncmp(point, "not ", 4) == 0;
        if (sscanf(point + (fails ? 4 : 0), "ok %d - %n", &number, &length) == 1) {
            ck_assert_int_eq(number, ++n);
            char text[2000];
            snprintf(text, sizeof text, "%.*s", (int)strcspn(point, "\n"), point);
            const char *directive = strstr(text, " # ");
            points[at++] = directive == NULL              ? fails ? 'f' : 'p'
                           : strstr(directive, "# TODO ") ? 't'
                                                          : 's';
        }
    }
    points[at] = '\0';
    ck_assert_int_eq(plan, n);
    return points;
}

/* text without control characters other than \n */
static char *bare(const char *text)
{
    char *result = strdup(text), *to = result;
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c >= ' ' || *c == '\n') {
            *to++ = *c;
        }
    }
    *to = '\0';
    return result;
}

START_TEST(tap_reads_back)
{
    struct Result results[N_SAMPLES];
    nasty_samples(results);
    char *tap = report("tap", results, false);
    ck_assert(strncmp(tap, "TAP version 13\n1..6\n", 20) == 0);
    ck_assert_str_eq(read_tap(tap, 0), "pfffft");
    static const char *const checks[] = {"pppppp", "ppppfs", "pfsss", "pfsss", "fsss"};
    const char *at = tap;
    for (int i = 0; i < COUNT(checks); i++) {
        at = strstr(at, "# Subtest: ") + 1;
        ck_assert_str_eq(read_tap(strchr(at, '\n') + 1, 4), checks[i]);
    }
    ck_assert_ptr_null(strstr(at, "# Subtest: ")); /* none for what was not started */
    ck_assert_ptr_nonnull(strstr(tap, "\n  ---\n  state: CRASH\n  message: \"writes 4 bytes"));
    ck_assert_ptr_nonnull(strstr(tap, "\n      state: WRONG\n      message: \"\\\\x1b[31mred"));
    ck_assert_str_eq(tap, bare(tap));
    ck_assert_str_eq(read_tap(report("tap", results, true), 0), "pfffff");
}
END_TEST

/* A well-formedness check of the XML that we write: one root, elements nested, attributes quoted
   and not twice, no bare & or <, entities known. Returns how many elements there are of this
   name. */
static int read_xml(const char *xml, const char *wanted)
{
    char stack[10][40];
    int depth = 0, roots = 0, count = 0, length;
    const char *c = xml + strlen("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    ck_assert(strncmp(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", (size_t)(c - xml)) == 0);
    while (*c != '\0') {
        if (*c == '&') {
            int n = (int)strcspn(c, ";");
            ck_assert_msg(n < 6 && (strncmp(c, "&amp;", 5) == 0 || strncmp(c, "&lt;", 4) == 0 ||
                                    strncmp(c, "&gt;", 4) == 0 || strncmp(c, "&quot;", 6) == 0 ||
                                    strncmp(c, "&#10;", 5) == 0),
                          "entity %.10s", c);
            c += n + 1;
        } else if (strncmp(c, "</", 2) == 0) {
            char name[40];
            ck_assert_int_eq(sscanf(c, "</%39[a-z]>%n", name, &length), 1);
            ck_assert_int_gt(depth, 0);
            ck_assert_str_eq(name, stack[--depth]);
            c += length;
        } else if (*c == '<') {
            char names[200] = " ", attribute[42] = " ";
            roots += depth == 0;
            ck_assert_int_lt(depth, 9);
            ck_assert_int_eq(sscanf(c, "<%39[a-z]%n", stack[depth], &length), 1);
            count += strcmp(stack[depth], wanted) == 0;
            for (c += length; *c == ' '; c += strcspn(c, "\"") + 1) {
                ck_assert_msg(sscanf(c, " %38[a-z]=\"%n", attribute + 1, &length) == 1, "%.30s", c);
                strcat(attribute, " ");
                ck_assert_ptr_null(strstr(names, attribute));
                strcat(names, attribute);
                c += length;
                ck_assert_ptr_null(memchr(c, '<', strcspn(c, "\"")));
            }
            bool closed = *c == '/';
            c += closed;
            ck_assert_msg(*c++ == '>', "%.30s", c - 1);
            depth += !closed;
        } else {
            if (depth == 0 && *c != '\n') {
                ck_abort_msg("outside the root: %.30s", c);
            }
            c++;
        }
    }
    ck_assert_int_eq(depth, 0);
    ck_assert_int_eq(roots, 1);
    return count;
}

START_TEST(junit_reads_back)
{
    struct Result results[N_SAMPLES];
    nasty_samples(results);
    char *xml = report("junit", results, false);
    ck_assert_str_eq(xml, bare(xml));
    ck_assert_int_eq(read_xml(xml, "testsuite"), N_SAMPLES);
    ck_assert_int_eq(read_xml(xml, "testcase"), 6 + 6 + 6 + 5 + 5 + 4);
    ck_assert_int_eq(read_xml(xml, "failure"), 2);
    ck_assert_int_eq(read_xml(xml, "error"), 6);
    ck_assert_int_eq(read_xml(xml, "skipped"), 1 + 1 + 3 + 3 + 3);
    assert_like(xml, "...<testsuites name=\"workbook\" tests=\"32\" failures=\"2\" errors=\"6\" "
                     "skipped=\"11\" time=\"1.500\">\n"
                     "  <testsuite name=\"01-softmax\" tests=\"7\" failures=\"0\" errors=\"0\" "
                     "skipped=\"0\" time=\"0.250\">\n"
                     "    <testcase classname=\"01-softmax\" name=\"verdict\" time=\"0.250\"/>\n"
                     "    <testcase classname=\"01-softmax\" name=\"1. check 1\"...");
    ck_assert_ptr_nonnull(strstr(xml, "<error type=\"TIMEOUT\" message=\"2 s in check 2 of 5"));
    char *strict = report("junit", results, true);
    ck_assert_int_eq(read_xml(strict, "failure"), 3);
    ck_assert_int_eq(read_xml(strict, "skipped"), 10);
    if (run(shell, "command -v xmllint").status == 0) {
        ck_assert_int_eq(run(shell, "xmllint --noout report").status, 0);
    }
}
END_TEST

static const char *json_text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

START_TEST(json_reads_back)
{
    struct Result results[N_SAMPLES];
    nasty_samples(results);
    char *text = report("json", results, false);
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(json != NULL, "%s", error.text);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "version")), 1);
    json_t *array = json_object_get(json, "results");
    ck_assert_uint_eq(json_array_size(array), N_SAMPLES);
    for (int i = 0; i < N_SAMPLES; i++) {
        const struct Result *r = &results[i];
        const json_t *one = json_array_get(array, (size_t)i);
        const json_t *checks = json_object_get(one, "checks"),
                     *lines = json_object_get(one, "lines");
        json_t *counts = json_object_get(json, "counts");
        ck_assert_int_eq(json_integer_value(json_object_get(counts, state_name(r->state))), 1);
        ck_assert_str_eq(json_text_of(one, "exercise"), r->exercise);
        ck_assert_str_eq(json_text_of(one, "lesson"), r->lesson);
        ck_assert_str_eq(json_text_of(one, "file"), r->file);
        ck_assert_str_eq(json_text_of(one, "state"), state_name(r->state));
        ck_assert_int_eq(json_integer_value(json_object_get(one, "passed")), r->passed);
        ck_assert_int_eq(json_integer_value(json_object_get(one, "n_checks")), r->n_checks);
        ck_assert(json_real_value(json_object_get(one, "seconds")) == r->seconds);
        ck_assert_uint_eq(strtoull(json_text_of(one, "seed"), NULL, 10), r->seed);
        ck_assert_str_eq(json_text_of(one, "printed"), clean(r->printed).text);
        ck_assert_int_eq(json_is_null(json_object_get(one, "mistake")), i != 1);
        ck_assert_uint_eq(json_array_size(checks), r->n_checks);
        for (int k = 0; k < r->n_checks; k++) {
            const json_t *check = json_array_get(checks, (size_t)k);
            ck_assert_str_eq(json_text_of(check, "name"), clean(r->checks[k].name).text);
            ck_assert_str_eq(json_text_of(check, "text"), clean(r->checks[k].text).text);
            ck_assert_str_eq(json_text_of(check, "state"), state_name(r->checks[k].state));
        }
        for (int k = 0; k < MAX_LINES; k++) {
            const char *line = json_string_value(json_array_get(lines, (size_t)k));
            ck_assert_str_eq(line == NULL ? "" : line, clean(r->lines[k]).text);
        }
    }
}
END_TEST

static void check_format(const void *names)
{
    const char *const *name = names;
    report_check(name[0], name[1]);
}

static void write_to_stdout(const void *format)
{
    struct Result results[N_SAMPLES];
    samples(results);
    report_write(format, NULL, results, N_SAMPLES, false);
}

START_TEST(a_report_is_refused_before_anything_is_graded)
{
    static const char *const refused[][3] = {
        {"xml", NULL, "workbook: REPORT can be tap, junit or json, not \"xml\""},
        {"TAP\n", NULL, "workbook: REPORT can be tap, junit or json, not \"TAP\\x0a\""},
        {"tap", "missing/x", "workbook: cannot write missing/x: there is no such directory"},
    };
    for (int i = 0; i < COUNT(refused); i++) {
        assert_died(run(check_format, refused[i]), refused[i][2]);
    }
    report_check("junit", "new");
    report_check("json", NULL);
    ck_assert_str_eq(names_in("."), "");
    assert_like(run(write_to_stdout, "tap").out, "TAP version 13\n1..6\n...");
}
END_TEST

Suite *report_suite(void)
{
    Suite *suite = suite_create("report");
    TCase *cases = new_case(suite, "report", enter_directory);
    tcase_add_test(cases, each_state_has_its_row);
    tcase_add_test(cases, a_verdict_points_nowhere);
    tcase_add_test(cases, details_list_the_checks);
    tcase_add_test(cases, any_text_is_wrapped_and_steers_no_terminal);
    tcase_add_test(cases, empty_texts_leave_no_blank_lines);
    tcase_add_test(cases, only_the_state_is_coloured_and_only_on_a_terminal);
    tcase_add_test(cases, the_summary_counts);
    tcase_add_test(cases, clean_text_is_utf8_without_control_characters);
    tcase_add_test(cases, tap_reads_back);
    tcase_add_test(cases, junit_reads_back);
    tcase_add_test(cases, json_reads_back);
    tcase_add_test(cases, a_report_is_refused_before_anything_is_graded);
    return suite;
}
