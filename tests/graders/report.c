/* Rows of text: columns of fixed width, and below them what there is to say, wrapped. A learner's
   words are cleaned before they are printed. */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

enum { WIDTH = 80, NUMBER_WIDTH = 2, NAME_WIDTH = 20, STATE_WIDTH = 8 };
enum { ROW_INDENT = NUMBER_WIDTH + 1, CHECK_INDENT = ROW_INDENT };

/* A column of wrapped text: it begins at left, and at is where the line now ends. */
struct Column {
    FILE *stream;
    int left, at;
    bool empty; /* nothing stands in this line of it */
};

static void next_line(struct Column *c)
{
    fprintf(c->stream, "\n%*s", c->left, "");
    c->at = c->left;
    c->empty = true;
}

/* Add a piece, after a separator or on the next line; a piece wider than the column is cut. */
static void add_piece(struct Column *c, const char *separator, const char *piece, size_t bytes)
{
    int gap = c->empty ? 0 : (int)strlen(separator), width = text_width(piece, bytes);
    if (!c->empty && c->at + gap + width > WIDTH) {
        next_line(c);
        gap = 0;
    }
    fputs(gap > 0 ? separator : "", c->stream);
    c->at += gap;
    for (size_t i = 0; i < bytes; i++) {
        bool begins = text_width(piece + i, 1) == 1; /* a character */
        if (begins && c->at == WIDTH) {
            next_line(c);
        }
        putc(piece[i], c->stream);
        c->at += begins;
        c->empty = false;
    }
}

/* A paragraph: from the next line on, if this one has something. */
static void add_text(struct Column *c, const char *text)
{
    struct Clean words = clean(text);
    if (!c->empty && words.text[strspn(words.text, " ")] != '\0') {
        next_line(c);
    }
    for (const char *word = words.text; *(word += strspn(word, " ")) != '\0';) {
        size_t bytes = strcspn(word, " ");
        add_piece(c, " ", word, bytes);
        word += bytes;
    }
}

static bool coloured(FILE *stream)
{
    const char *terminal = getenv("TERM"), *no = getenv("NO_COLOR");
    return isatty(fileno(stream)) && terminal != NULL && terminal[0] != '\0' &&
           strcmp(terminal, "dumb") != 0 && (no == NULL || no[0] == '\0');
}

/* The state's word in STATE_WIDTH columns. */
static void print_state(FILE *stream, enum State state, const char *word)
{
    static const char *const colours[] = {
        [TODO] = "",          [PASS] = "\033[32m",    [WRONG] = "\033[31m",
        [CRASH] = "\033[31m", [TIMEOUT] = "\033[31m", [COMPILE] = "\033[31m"};
    const char *colour = coloured(stream) ? colours[state] : "";
    fprintf(stream, "%s%s%s%*s", colour, word, colour[0] != '\0' ? "\033[m" : "",
            STATE_WIDTH - (int)strlen(word), "");
}

/* Where to look, each piece kept whole: the file, the lesson, a hint, the same values again. */
static void add_pointers(struct Column *c, const struct Result *r)
{
    char hint[40], again[80];
    struct Clean file = clean(r->file), lesson = clean(r->lesson);
    int digits = (int)strcspn(r->exercise, "-");
    bool ran = r->state == WRONG || r->state == CRASH || r->state == TIMEOUT;
    if (!c->empty) {
        next_line(c);
    }
    add_piece(c, " | ", file.text, strlen(file.text));
    add_piece(c, " | ", lesson.text, strlen(lesson.text));
    snprintf(hint, sizeof hint, "make hint-%.*s", digits, r->exercise);
    add_piece(c, " | ", hint, strlen(hint));
    if (ran && r->seed != 0) {
        snprintf(again, sizeof again, "make check-%.*s SEED=%" PRIu64, digits, r->exercise,
                 r->seed);
        add_piece(c, " | ", again, strlen(again));
    }
}

/* What there is to say: the lines; if there are none, the first check that did not pass. */
static void add_lines(struct Column *c, const struct Result *r)
{
    for (int i = 0; i < MAX_LINES && r->lines[i][0] != '\0'; i++) {
        add_text(c, r->lines[i]);
    }
    if (r->lines[0][0] != '\0') {
        return;
    }
    for (int i = 0; i < r->n_checks && r->state != TODO; i++) {
        if (state_fails(r->checks[i].state, false)) {
            char line[sizeof r->checks[i].name + LINE + 10];
            snprintf(line, sizeof line, "%s: %s", r->checks[i].name, r->checks[i].text);
            add_text(c, line);
            return;
        }
    }
}

static void print_row(FILE *stream, const struct Result *r, bool pointers)
{
    int digits = (int)strcspn(r->exercise, "-");
    const char *name = r->exercise[digits] == '-' ? r->exercise + digits + 1 : "";
    fprintf(stream, "%-*.*s %-*s ", NUMBER_WIDTH, digits, r->exercise, NAME_WIDTH, name);
    print_state(stream, r->state, state_name(r->state));
    if (r->state != TODO) {
        fprintf(stream, " %d/%d", r->passed, r->n_checks);
    } else if (r->lines[0][0] == '\0') {
        fprintf(stream, " not started");
    }
    if (r->state != PASS && (r->state != TODO || r->lines[0][0] != '\0')) {
        struct Column c = {.stream = stream, .left = ROW_INDENT};
        add_lines(&c, r);
        if (pointers) {
            add_pointers(&c, r);
        }
    }
    putc('\n', stream);
}

void report_row(FILE *stream, const struct Result *r)
{
    print_row(stream, r, true);
}

void report_verdict(FILE *stream, const struct Result *r)
{
    print_row(stream, r, false);
}

/* "   WRONG    scores of 1000", and under it why. */
static void print_check(FILE *stream, const struct CheckResult *check)
{
    struct Column c = {.stream = stream, .left = CHECK_INDENT + STATE_WIDTH + 1, .empty = true};
    c.at = c.left;
    fprintf(stream, "%*s", CHECK_INDENT, "");
    print_state(stream, check->state, check->state == TODO ? "not run" : state_name(check->state));
    putc(' ', stream);
    add_text(&c, check->name);
    add_text(&c, check->text);
    putc('\n', stream);
}

/* What the learner's function printed, line by line. */
static void print_printed(FILE *stream, const char *printed)
{
    struct Column c = {.stream = stream, .left = CHECK_INDENT + STATE_WIDTH + 1, .empty = true};
    char *lines = strdup(printed), *rest = lines;
    c.at = fprintf(stream, "%*s%-*s ", CHECK_INDENT, "", STATE_WIDTH, "printed");
    for (char *line; rest != NULL && (line = strsep(&rest, "\n")) != NULL;) {
        add_text(&c, line);
    }
    putc('\n', stream);
    free(lines);
}

void report_details(FILE *stream, const struct Result *r)
{
    report_row(stream, r);
    for (int i = 0; i < r->n_checks; i++) {
        print_check(stream, &r->checks[i]);
    }
    if (r->printed[0] != '\0') {
        print_printed(stream, r->printed);
    }
}

void report_summary(FILE *stream, const struct Result *results, int n)
{
    static const struct {
        enum State state;
        const char *word;
    } order[] = {{PASS, "pass"},           {WRONG, "wrong"},          {CRASH, "crashed"},
                 {TIMEOUT, "out of time"}, {COMPILE, "not compiled"}, {TODO, "to do"}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        int count = 0;
        for (int k = 0; k < n; k++) {
            count += results[k].state == order[i].state;
        }
        if (count > 0 || order[i].state == PASS) {
            fprintf(stream, "%s%d %s", separator, count, order[i].word);
            separator = ", ";
        }
    }
    putc('\n', stream);
}
