/* First each submission looks for its row, then each row with exactly one submission is filled. */
#include "worksheet.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base.h"
#include "common/file.h"
#include "csv.h"
#include "gradebook.h"
#include "text.h"

struct Worksheet {
    struct Sheet sheet;
    char *path, *copy;
    int identifier, name, email, grade, most, changeable, comments; /* columns; -1: not there */
    char **changed;                                                 /* (n_rows, n_columns) */
};

enum { NONE = -1, SEVERAL = -2 };

static const char own_feedback[] = "Graded by make grade";

static void check_copy(const struct Worksheet *w, const char *name)
{
    struct stat original, other;
    if (strcmp(name, "grades.csv") == 0 || strcmp(name, "canvas.csv") == 0) {
        die("the worksheet cannot have the name %s: another file gets it", name);
    }
    if (stat(w->path, &original) == 0 && stat(w->copy, &other) == 0 &&
        original.st_dev == other.st_dev && original.st_ino == other.st_ino) {
        die("%s would be overwritten: take a directory that does not hold the worksheet",
            printable(w->path).text);
    }
}

struct Worksheet *worksheet_read(const char *path, const char *directory)
{
    struct Worksheet *w = zeros_new(1, sizeof *w);
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    if (asprintf(&w->copy, "%s/%s", directory, name) < 0 || (w->path = strdup(path)) == NULL) {
        die("out of memory");
    }
    w->sheet = sheet_read(path);
    check_copy(w, name);
    w->identifier = sheet_column(&w->sheet, "Identifier");
    w->grade = sheet_column(&w->sheet, "Grade");
    if (w->identifier < 0 || w->grade < 0) {
        die("%s is no grading worksheet: it has no column \"%s\" (Moodle names it so in English)",
            printable(path).text, w->identifier < 0 ? "Identifier" : "Grade");
    }
    w->name = sheet_column(&w->sheet, "Full name");
    w->email = sheet_column(&w->sheet, "Email address");
    w->most = sheet_column(&w->sheet, "Maximum grade");
    w->changeable = sheet_column(&w->sheet, "Grade can be changed");
    w->comments = sheet_column(&w->sheet, "Feedback comments");
    w->changed = zeros_new((size_t)w->sheet.n_rows * (size_t)w->sheet.n_columns, sizeof(char *));
    return w;
}

void worksheet_free(struct Worksheet *w)
{
    for (int i = 0; i < w->sheet.n_rows * w->sheet.n_columns; i++) {
        free(w->changed[i]);
    }
    sheet_free(&w->sheet);
    free(w->changed);
    free(w->path);
    free(w->copy);
    free(w);
}

/* The text of a field; empty if there is no such column. free() gives it back. */
static char *field(const struct Worksheet *w, int row, int column)
{
    return column < 0 ? zeros_new(1, 1) : sheet_text(&w->sheet, row, column);
}

/* Matching. */

/* The digits at the end of text[0..n): where they begin. */
static size_t digits_begin(const char *text, size_t n)
{
    while (n > 0 && isdigit((unsigned char)text[n - 1])) {
        n--;
    }
    return n;
}

/* The participant's number in the name of a directory that Moodle made: *n digits; else NULL. */
static const char *moodle_number(const char *name, size_t *n)
{
    const char *mark = strstr(name, "_assignsubmission_");
    size_t end = mark == NULL ? 0 : (size_t)(mark - name), begin = digits_begin(name, end);
    *n = end - begin;
    return *n > 0 && begin > 0 && name[begin - 1] == '_' ? name + begin : NULL;
}

static bool field_is(const struct Worksheet *w, int row, int column, const char *text)
{
    char *here = field(w, row, column);
    bool same = here[0] != '\0' && strcasecmp(here, text) == 0;
    free(here);
    return same;
}

static bool matches(const struct Worksheet *w, int row, const char *name)
{
    char *identifier = field(w, row, w->identifier);
    const char *number = identifier + digits_begin(identifier, strlen(identifier));
    size_t n;
    const char *wanted = moodle_number(name, &n);
    bool same;
    if (wanted != NULL) {
        same = strlen(number) == n && strncmp(number, wanted, n) == 0;
    } else {
        same = (number[0] != '\0' && strcmp(number, name) == 0) ||
               field_is(w, row, w->identifier, name) || field_is(w, row, w->name, name) ||
               field_is(w, row, w->email, name);
    }
    free(identifier);
    return same;
}

/* One more match of something that had `before`. */
static int one_more(int before, int match)
{
    return before == NONE ? match : SEVERAL;
}

/* student_of[row] and row_of[student] overwritten: the match, NONE or SEVERAL. */
static void match_all(const struct Worksheet *w, const struct Gradebook *book, int *student_of,
                      int *row_of)
{
    for (int row = 0; row < w->sheet.n_rows; row++) {
        student_of[row] = NONE;
    }
    for (int k = 0; k < book->n_students; k++) {
        row_of[k] = NONE;
        for (int row = 1; row < w->sheet.n_rows; row++) {
            if (matches(w, row, book->students[k].name)) {
                row_of[k] = one_more(row_of[k], row);
                student_of[row] = one_more(student_of[row], k);
            }
        }
    }
}

/* Filling in. */

/* "100.00", "100,00" or "100" in hundredths; -1 if it is none of that. */
static int parse_points(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    const char *rest = text + whole;
    if (whole == 0 || whole > 6) {
        return -1;
    }
    int value = 100 * atoi(text);
    if (rest[0] == '.' || rest[0] == ',') {
        size_t digits = strspn(rest + 1, "0123456789");
        int tenths = digits > 0 ? rest[1] - '0' : 0, hundredths = digits > 1 ? rest[2] - '0' : 0;
        value += 10 * tenths + hundredths;
        rest += 1 + digits;
    }
    return rest[0] == '\0' ? value : -1;
}

/* The field "Grade", to be freed; NULL if the most that can be had is no number. */
static char *grade_text(const struct Worksheet *w, const struct Gradebook *book, int row,
                        int student)
{
    int total = total_score(book, student), all = 100 * book->n_exercises;
    char *most = field(w, row, w->most), *text = NULL;
    int hundredths = w->most < 0 ? all : parse_points(most);
    if (hundredths >= 0) {
        text = strdup(points((int)((long long)total * hundredths / all)).text);
        if (strchr(most, ',') != NULL) {
            *strchr(text, '.') = ',';
        }
    }
    free(most);
    return text;
}

/* The field "Feedback comments", in HTML and in one line. */
static char *feedback_html(const struct Gradebook *book, int student)
{
    struct Gathered html;
    char *text = feedback(book, student);
    text_open(&html);
    for (const char *c = text; *c != '\0'; c++) {
        switch (*c) {
        case '&':
            fputs("&amp;", html.stream);
            break;
        case '<':
            fputs("&lt;", html.stream);
            break;
        case '>':
            fputs("&gt;", html.stream);
            break;
        case '\n':
            fputs(c[1] != '\0' ? "<br>" : "", html.stream);
            break;
        default:
            putc(*c, html.stream);
        }
    }
    free(text);
    return text_take(&html);
}

/* "Participant 12, Ada Lovelace" */
static void say_row(const struct Worksheet *w, int row, const char *what, FILE *say)
{
    char *identifier = field(w, row, w->identifier), *name = field(w, row, w->name);
    fprintf(say, "  %s%s%s: %s\n", clean(identifier).text, name[0] != '\0' ? ", " : "",
            clean(name).text, what);
    free(identifier);
    free(name);
}

static void fill_feedback(struct Worksheet *w, const struct Gradebook *book, int row, int student,
                          FILE *say)
{
    if (w->comments < 0) {
        return;
    }
    char *there = field(w, row, w->comments);
    bool ours = strncmp(there, own_feedback, sizeof own_feedback - 1) == 0;
    if (there[0] == '\0' || ours) {
        w->changed[row * w->sheet.n_columns + w->comments] = feedback_html(book, student);
    } else {
        say_row(w, row, "grade filled in; the feedback that was there is kept", say);
    }
    free(there);
}

/* True if the row was filled in; else says why not. */
static bool fill_row(struct Worksheet *w, const struct Gradebook *book, int row, int student,
                     FILE *say)
{
    if (student < 0) {
        say_row(w, row, student == NONE ? "no submission" : "several submissions", say);
        return false;
    }
    if (field_is(w, row, w->changeable, "No")) {
        say_row(w, row, "Moodle says that the grade cannot be changed", say);
        return false;
    }
    char *grade = grade_text(w, book, row, student);
    if (grade == NULL) {
        say_row(w, row, "the maximum grade is no number", say);
        return false;
    }
    w->changed[row * w->sheet.n_columns + w->grade] = grade;
    fill_feedback(w, book, row, student, say);
    return true;
}

void worksheet_fill(struct Worksheet *w, const struct Gradebook *book, FILE *say)
{
    int *student_of = zeros_new((size_t)w->sheet.n_rows, sizeof(int));
    int *row_of = zeros_new((size_t)book->n_students, sizeof(int)), filled = 0;
    struct Gathered file;
    match_all(w, book, student_of, row_of);
    for (int k = 0; k < book->n_students; k++) { /* a submission with a choice takes none */
        for (int row = 1; row_of[k] == SEVERAL && row < w->sheet.n_rows; row++) {
            student_of[row] = student_of[row] == k ? NONE : student_of[row];
        }
    }
    fprintf(say, "%s:\n", printable(w->copy).text);
    for (int row = 1; row < w->sheet.n_rows; row++) {
        filled += fill_row(w, book, row, student_of[row], say);
    }
    for (int k = 0; k < book->n_students; k++) {
        if (row_of[k] < 0) {
            fprintf(say, "  submission \"%s\": matches %s\n", clean(book->students[k].name).text,
                    row_of[k] == NONE ? "no row" : "several rows");
        }
    }
    if (w->most < 0) {
        fprintf(say, "  there is no column \"Maximum grade\": the grades are points of %d\n",
                book->n_exercises);
    }
    if (w->comments < 0) {
        fprintf(say, "  there is no column \"Feedback comments\": only grades are filled in\n");
    }
    fprintf(say, "  filled in: %d of %d rows\n", filled, w->sheet.n_rows - 1);
    text_open(&file);
    sheet_write(file.stream, &w->sheet, w->changed);
    text_save(&file, w->copy);
    free(student_of);
    free(row_of);
    worksheet_free(w);
}
