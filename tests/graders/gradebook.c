/* Scores, the two plain tables, and what a student is told. Scores are integers, hundredths of a
   point: a total is the exact sum of what is printed beside it. */
#include "gradebook.h"

#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/file.h"
#include "csv.h"
#include "text.h"
#include "worksheet.h"

int score(const struct Result *r)
{
    bool all = r->n_checks > 0 && r->passed == r->n_checks;
    if (r->passed < 0 || r->passed > r->n_checks || (r->state == PASS && !all)) {
        die("the grader contradicts itself: %s is %s with %d of %d checks", r->exercise,
            state_name(r->state), r->passed, r->n_checks);
    }
    if (r->state == TODO || r->state == COMPILE || r->n_checks == 0) {
        return 0;
    }
    return r->state == PASS ? 100 : all ? 99 : 100 * r->passed / r->n_checks;
}

int total_score(const struct Gradebook *book, int student)
{
    int sum = 0;
    for (int i = 0; i < book->n_exercises; i++) {
        sum += score(&book->students[student].results[i]);
    }
    return sum;
}

struct Points points(int hundredths)
{
    struct Points p;
    snprintf(p.text, sizeof p.text, "%d.%02d", hundredths / 100, hundredths % 100);
    return p;
}

/* "Passed: 01-softmax, 03-causal-mask"; nothing if none is in this state. */
static void name_all(FILE *stream, const char *word, const struct Result *results, int n,
                     enum State state)
{
    const char *before = word;
    bool any = false;
    for (int i = 0; i < n; i++) {
        if (results[i].state == state) {
            fprintf(stream, "%s%s", before, clean(results[i].exercise).text);
            before = ", ";
            any = true;
        }
    }
    fputs(any ? "\n" : "", stream);
}

char *feedback(const struct Gradebook *book, int student)
{
    struct Gathered text;
    const struct Result *results = book->students[student].results;
    text_open(&text);
    fprintf(text.stream, "Graded by make grade: %s of %d points.\n",
            points(total_score(book, student)).text, book->n_exercises);
    name_all(text.stream, "Passed: ", results, book->n_exercises, PASS);
    for (int i = 0; i < book->n_exercises; i++) {
        const struct Result *r = &results[i];
        if (state_fails(r->state, false)) {
            const char *gap = r->lines[0][0] != '\0' ? " " : "";
            fprintf(text.stream, "%s: %s, %s points.%s%s\n", clean(r->exercise).text,
                    state_name(r->state), points(score(r)).text, gap, clean(r->lines[0]).text);
        }
    }
    name_all(text.stream, "Not started: ", results, book->n_exercises, TODO);
    return text_take(&text);
}

/* The mistakes that were recognised: "02-scaled-dot: d_model; 04-layernorm: n-1". */
static char *mistakes_of(const struct Gradebook *book, int student)
{
    struct Gathered text;
    const char *separator = "";
    text_open(&text);
    for (int i = 0; i < book->n_exercises; i++) {
        const struct Result *r = &book->students[student].results[i];
        if (r->mistake[0] != '\0') {
            fprintf(text.stream, "%s%s: %s", separator, r->exercise, r->mistake);
            separator = "; ";
        }
    }
    return text_take(&text);
}

static void write_grades(const struct Gradebook *book, const char *path)
{
    struct Gathered table;
    text_open(&table);
    fputs("student", table.stream);
    for (int i = 0; i < book->n_exercises; i++) {
        putc(',', table.stream);
        csv_text(table.stream, book->students[0].results[i].exercise);
    }
    fputs(",total,mistakes\r\n", table.stream);
    for (int k = 0; k < book->n_students; k++) {
        char *mistakes = mistakes_of(book, k);
        csv_text(table.stream, book->students[k].name);
        for (int i = 0; i < book->n_exercises; i++) {
            fprintf(table.stream, ",%s", points(score(&book->students[k].results[i])).text);
        }
        fprintf(table.stream, ",%s,", points(total_score(book, k)).text);
        csv_text(table.stream, mistakes);
        fputs("\r\n", table.stream);
        free(mistakes);
    }
    text_save(&table, path);
}

/* The ID of a student in Canvas is a number. */
static const char *canvas_id(const char *name)
{
    return name[strspn(name, "0123456789")] == '\0' ? name : "";
}

static void write_canvas(const struct Gradebook *book, const char *path)
{
    struct Gathered table;
    text_open(&table);
    fputs("Student,ID,Section,", table.stream);
    csv_text(table.stream, book->title);
    fprintf(table.stream, "\r\n    Points Possible,,,%d\r\n", book->n_exercises);
    for (int k = 0; k < book->n_students; k++) {
        csv_text(table.stream, book->students[k].name);
        fprintf(table.stream, ",%s,,%s\r\n", canvas_id(book->students[k].name),
                points(total_score(book, k)).text);
    }
    text_save(&table, path);
}

static void check_names(const struct Gradebook *book)
{
    if (book->n_students == 0) {
        die("there are no submissions to grade");
    }
    for (int k = 0; k < book->n_students; k++) {
        const char *name = book->students[k].name;
        if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, ".") == 0 ||
            strcmp(name, "..") == 0) {
            die("\"%s\" is no name of a submission", printable(name).text);
        }
    }
}

static char *path_in(const char *directory, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", directory, name) < 0) {
        die("out of memory");
    }
    return path;
}

void gradebook_check(const char *worksheet, const char *directory)
{
    if (worksheet != NULL) {
        worksheet_free(worksheet_read(worksheet, directory));
    }
    directory_make(directory);
}

void gradebook_write(const struct Gradebook *book, const char *worksheet, const char *directory,
                     FILE *say)
{
    struct Worksheet *sheet = NULL;
    check_names(book);
    if (worksheet != NULL) {
        sheet = worksheet_read(worksheet, directory);
    }
    directory_make(directory);
    char *grades = path_in(directory, "grades.csv"), *canvas = path_in(directory, "canvas.csv");
    write_grades(book, grades);
    write_canvas(book, canvas);
    for (int k = 0; k < book->n_students; k++) {
        gradebook_json(book, k, directory);
    }
    struct Printable in = printable(directory);
    fprintf(say, "%d submissions, %d exercises:\n", book->n_students, book->n_exercises);
    fprintf(say, "  %s/grades.csv                    a row for each student\n", in.text);
    fprintf(say, "  %s/canvas.csv                    for Canvas\n", in.text);
    fprintf(say, "  %s/gradescope/*/results.json     for Gradescope\n", in.text);
    fprintf(say, "  %s/classroom/*/results.json      for GitHub Classroom\n", in.text);
    if (sheet != NULL) {
        worksheet_fill(sheet, book, say);
    }
    free(grades);
    free(canvas);
}
