/* The reports for programs: TAP, JUnit XML, JSON. All are gathered in memory first. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/file.h"
#include "report.h"
#include "text.h"

/* What there is to tell of a result, as one text: its lines, or what stands for them. */
static struct Gathered told(const struct Result *r, const char *separator)
{
    struct Gathered text;
    text_open(&text);
    for (int i = 0; i < MAX_LINES && r->lines[i][0] != '\0'; i++) {
        fprintf(text.stream, "%s%s", i > 0 ? separator : "", clean(r->lines[i]).text);
    }
    if (r->lines[0][0] == '\0') {
        fputs(r->state == TODO ? "not started" : state_name(r->state), text.stream);
    }
    text_take(&text);
    return text;
}

/* TAP. */

/* A description, in which a # would begin a directive. */
static void tap_description(FILE *stream, const char *text)
{
    struct Clean words = clean(text);
    for (const char *c = words.text; *c != '\0'; c++) {
        fprintf(stream, "%s%c", *c == '#' || *c == '\\' ? "\\" : "", *c);
    }
}

/* The block of YAML under a test point that failed; a string of JSON is one of YAML. */
static void tap_reason(FILE *stream, int indent, enum State state, const char *text)
{
    json_t *string = json_string(text);
    char *quoted = json_dumps(string, JSON_ENCODE_ANY);
    fprintf(stream, "%*s  ---\n%*s  state: %s\n", indent, "", indent, "", state_name(state));
    fprintf(stream, "%*s  message: %s\n%*s  ...\n", indent, "", quoted, indent, "");
    free(quoted);
    json_decref(string);
}

static void tap_checks(FILE *stream, const struct Result *r)
{
    enum { INDENT = 4 };
    fprintf(stream, "# Subtest: %s\n%*s1..%d\n", r->exercise, INDENT, "", r->n_checks);
    for (int i = 0; i < r->n_checks; i++) {
        const struct CheckResult *check = &r->checks[i];
        bool fails = state_fails(check->state, false);
        fprintf(stream, "%*s%s %d - ", INDENT, "", fails ? "not ok" : "ok", i + 1);
        tap_description(stream, check->name);
        fputs(check->state == TODO ? " # SKIP not run\n" : "\n", stream);
        if (fails) {
            tap_reason(stream, INDENT, check->state, clean(check->text).text);
        }
    }
}

static void tap(FILE *stream, const struct Result *results, int n, bool strict)
{
    fprintf(stream, "TAP version 13\n1..%d\n", n);
    for (int i = 0; i < n; i++) {
        const struct Result *r = &results[i];
        if (r->state != TODO && r->n_checks > 0) {
            tap_checks(stream, r);
        }
        fprintf(stream, "%s %d - ", state_fails(r->state, true) ? "not ok" : "ok", i + 1);
        tap_description(stream, r->exercise);
        fputs(r->state == TODO && !strict ? " # TODO not started\n" : "\n", stream);
        if (state_fails(r->state, strict)) {
            struct Gathered text = told(r, "\n");
            tap_reason(stream, 0, r->state, text.bytes);
            free(text.bytes);
        }
    }
}

/* JUnit. */

/* Text for an element or between double quotes. */
static void xml_text(FILE *stream, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        switch (*c) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        case '\n': /* in an attribute it would be read as a space */
            fputs("&#10;", stream);
            break;
        default:
            putc(*c, stream);
        }
    }
}

static const char *junit_element(enum State state, bool strict)
{
    return state == PASS    ? NULL
           : state == TODO  ? (strict ? "failure" : "skipped")
           : state == WRONG ? "failure"
                            : "error";
}

/* GitLab shows what stands in the element, Jenkins the message and that. */
static void junit_case(FILE *stream, const char *exercise, const char *name, double seconds,
                       enum State state, const char *text, bool strict)
{
    const char *element = junit_element(state, strict);
    fputs("    <testcase classname=\"", stream);
    xml_text(stream, exercise);
    fputs("\" name=\"", stream);
    xml_text(stream, name);
    fprintf(stream, "\" time=\"%.3f\"", seconds);
    if (element == NULL) {
        fputs("/>\n", stream);
        return;
    }
    fprintf(stream, ">\n      <%s type=\"%s\" message=\"", element, state_name(state));
    xml_text(stream, text);
    fputs("\">", stream);
    xml_text(stream, text);
    fprintf(stream, "</%s>\n    </testcase>\n", element);
}

static int checks_to_list(const struct Result *r)
{
    return r->state == TODO ? 0 : r->n_checks;
}

/* The attributes that count the testcases of results. */
static void junit_counts(FILE *stream, const struct Result *results, int n, bool strict)
{
    int tests = 0, failures = 0, errors = 0, skipped = 0;
    double seconds = 0;
    for (int i = 0; i < n; i++) {
        const struct Result *r = &results[i];
        seconds += r->seconds;
        for (int k = -1; k < checks_to_list(r); k++) { /* -1: the verdict */
            const char *element =
                k < 0 ? junit_element(r->state, strict) : junit_element(r->checks[k].state, false);
            tests++;
            failures += element != NULL && strcmp(element, "failure") == 0;
            errors += element != NULL && strcmp(element, "error") == 0;
            skipped += element != NULL && strcmp(element, "skipped") == 0;
        }
    }
    fprintf(stream, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n",
            tests, failures, errors, skipped, seconds);
}

static void junit_suite(FILE *stream, const struct Result *r, bool strict)
{
    struct Gathered text = told(r, "\n");
    fputs("  <testsuite name=\"", stream);
    xml_text(stream, r->exercise);
    putc('"', stream);
    junit_counts(stream, r, 1, strict);
    junit_case(stream, r->exercise, "verdict", r->seconds, r->state, text.bytes, strict);
    for (int i = 0; i < checks_to_list(r); i++) {
        const struct CheckResult *check = &r->checks[i];
        char name[sizeof(struct Clean) + 20]; /* GitLab drops a second case of the same name */
        snprintf(name, sizeof name, "%d. %s", i + 1, clean(check->name).text);
        junit_case(stream, r->exercise, name, 0, check->state,
                   check->state == TODO ? "not run" : clean(check->text).text, false);
    }
    fputs("  </testsuite>\n", stream);
    free(text.bytes);
}

static void junit(FILE *stream, const struct Result *results, int n, bool strict)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"workbook\"", stream);
    junit_counts(stream, results, n, strict);
    for (int i = 0; i < n; i++) {
        junit_suite(stream, &results[i], strict);
    }
    fputs("</testsuites>\n", stream);
}

/* JSON. */

static json_t *json_clean(const char *text)
{
    return json_string(clean(text).text);
}

static json_t *json_checks(const struct Result *r)
{
    json_t *checks = json_array();
    for (int i = 0; i < r->n_checks; i++) {
        const struct CheckResult *check = &r->checks[i];
        json_add(checks, json_pack("{s:o, s:s, s:o}", "name", json_clean(check->name), "state",
                                   state_name(check->state), "text", json_clean(check->text)));
    }
    return checks;
}

static json_t *json_result(const struct Result *r)
{
    char seed[30];
    json_t *lines = json_array();
    for (int i = 0; i < MAX_LINES && r->lines[i][0] != '\0'; i++) {
        json_add(lines, json_clean(r->lines[i]));
    }
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    return json_pack(
        "{s:o, s:o, s:o, s:s, s:i, s:i, s:o, s:o, s:o, s:s, s:f, s:o}", "exercise",
        json_clean(r->exercise), "lesson", json_clean(r->lesson), "file", json_clean(r->file),
        "state", state_name(r->state), "passed", r->passed, "n_checks", r->n_checks, "mistake",
        r->mistake[0] != '\0' ? json_clean(r->mistake) : json_null(), "lines", lines, "printed",
        json_clean(r->printed), "seed", seed, "seconds", r->seconds, "checks", json_checks(r));
}

static void json(FILE *stream, const struct Result *results, int n)
{
    json_t *counts = json_object(), *array = json_array();
    for (enum State state = TODO; state <= COMPILE; state++) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            count += results[i].state == state;
        }
        json_object_set_new(counts, state_name(state), json_integer(count));
    }
    for (int i = 0; i < n; i++) {
        json_add(array, json_result(&results[i]));
    }
    json_t *report = json_pack("{s:i, s:o, s:o}", "version", 1, "counts", counts, "results", array);
    if (report == NULL ||
        json_dumpf(report, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) != 0) {
        die("out of memory");
    }
    putc('\n', stream);
    json_decref(report);
}

void report_check(const char *format, const char *path)
{
    if (strcmp(format, "tap") != 0 && strcmp(format, "junit") != 0 && strcmp(format, "json") != 0) {
        die("REPORT can be tap, junit or json, not \"%s\"", printable(format).text);
    }
    if (path != NULL) {
        file_check_writable(path);
    }
}

void report_write(const char *format, const char *path, const struct Result *results, int n,
                  bool strict)
{
    struct Gathered text;
    report_check(format, NULL);
    text_open(&text);
    if (strcmp(format, "tap") == 0) {
        tap(text.stream, results, n, strict);
    } else if (strcmp(format, "junit") == 0) {
        junit(text.stream, results, n, strict);
    } else {
        json(text.stream, results, n);
    }
    if (path != NULL) {
        text_save(&text, path);
        return;
    }
    char *bytes = text_take(&text);
    fwrite(bytes, 1, text.size, stdout);
    free(bytes);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        die("the report could not be written to stdout: is the disk full?");
    }
}
