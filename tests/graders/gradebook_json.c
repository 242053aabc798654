/* The JSON of Gradescope and of GitHub Classroom: one file for each student. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/file.h"
#include "gradebook.h"
#include "report.h"
#include "text.h"

/* directory/place/name/results.json; takes the value away. */
static void save(json_t *value, const char *directory, const char *place, const char *name)
{
    char *where, *path;
    char *text = value == NULL ? NULL : json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    struct Gathered file;
    if (text == NULL || asprintf(&where, "%s/%s/%s", directory, place, name) < 0 ||
        asprintf(&path, "%s/results.json", where) < 0) {
        die("out of memory");
    }
    directory_make(where);
    text_open(&file);
    fprintf(file.stream, "%s\n", text);
    text_save(&file, path);
    json_decref(value);
    free(text);
    free(where);
    free(path);
}

/* What `make check-NN` would print. */
static char *details(const struct Result *r)
{
    struct Gathered text;
    text_open(&text);
    report_details(text.stream, r);
    return text_take(&text);
}

static void number_of(char number[8], const struct Result *r)
{
    snprintf(number, 8, "%.*s", (int)strcspn(r->exercise, "-"), r->exercise);
}

static json_t *gradescope_test(const struct Result *r)
{
    char number[8], *output = details(r);
    number_of(number, r);
    json_t *test = json_pack("{s:s, s:s, s:f, s:f, s:s, s:s, s:s}", "name", r->exercise, "number",
                             number, "score", score(r) / 100.0, "max_score", 1.0, "status",
                             r->state == PASS ? "passed" : "failed", "output", output, "visibility",
                             "visible");
    free(output);
    return test;
}

static void gradescope(const struct Gradebook *book, int student, const char *directory)
{
    const struct Student *s = &book->students[student];
    json_t *tests = json_array();
    double seconds = 0;
    char *output = feedback(book, student);
    for (int i = 0; i < book->n_exercises; i++) {
        json_add(tests, gradescope_test(&s->results[i]));
        seconds += s->results[i].seconds;
    }
    json_t *value =
        json_pack("{s:f, s:f, s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "score",
                  total_score(book, student) / 100.0, "execution_time", seconds, "output", output,
                  "output_format", "text", "test_output_format", "text", "test_name_format", "text",
                  "visibility", "visible", "stdout_visibility", "hidden", "tests", tests);
    save(value, directory, "gradescope", s->name);
    free(output);
}

/* An answer that could not be run to its end is an error, one that is not right a fail. */
static const char *classroom_status(enum State state)
{
    return state == PASS ? "pass" : state == WRONG || state == TODO ? "fail" : "error";
}

static json_t *classroom_test(const struct Result *r)
{
    char number[8], command[30], *message = details(r);
    struct Clean file = clean(r->file); /* it may hold the name of a student's directory */
    number_of(number, r);
    snprintf(command, sizeof command, "make check-%s", number);
    json_t *test = json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:f}", "name", r->exercise,
                             "status", classroom_status(r->state), "message", message, "test_code",
                             command, "filename", file.text, "line_no", 0, "duration",
                             (json_int_t)(1000 * r->seconds), "score", score(r) / 100.0);
    free(message);
    return test;
}

static void classroom(const struct Gradebook *book, int student, const char *directory)
{
    const struct Student *s = &book->students[student];
    json_t *tests = json_array();
    const char *status = "pass";
    for (int i = 0; i < book->n_exercises; i++) {
        const char *one = classroom_status(s->results[i].state);
        json_add(tests, classroom_test(&s->results[i]));
        if (one[0] == 'e' || (one[0] == 'f' && status[0] == 'p')) { /* the worst of all */
            status = one;
        }
    }
    save(json_pack("{s:i, s:s, s:i, s:o}", "version", 1, "status", status, "max_score",
                   book->n_exercises, "tests", tests),
         directory, "classroom", s->name);
}

void gradebook_json(const struct Gradebook *book, int student, const char *directory)
{
    gradescope(book, student, directory);
    classroom(book, student, directory);
}
