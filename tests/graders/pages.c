/* Numbers are compared as text, digit for digit: what a page prints is the same on every
   machine. */
#include "pages.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"

char *page_read(const char *name)
{
    char path[200], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "tests/expected/%s.txt", name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        die("%s is what answers are graded by, and cannot be read: %s", path, strerror(errno));
    }
    if (getdelim(&text, &size, '\0', file) < 0) {
        die("%s is what answers are graded by, and it is empty", path);
    }
    fclose(file);
    return text;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end != NULL ? end + 1 : line + strlen(line);
}

/* Is the line behind this one drawn under it? */
static bool is_heading(const char *line)
{
    return strncmp(next_line(line), "---", 3) == 0;
}

/* Where in this line the words end; NULL: they are not in it. */
static const char *behind(const char *line, const char *words)
{
    const char *found = strstr(line, words);
    return found != NULL && found < next_line(line) ? found + strlen(words) : NULL;
}

/* Where the numbers of the place begin; NULL: there is no such line. */
static const char *find_row(const char *text, const struct Place *place)
{
    const char *line = text;
    while (*line != '\0' && !(is_heading(line) && behind(line, place->section) != NULL)) {
        line = next_line(line);
    }
    if (*line == '\0') {
        return NULL;
    }
    for (line = next_line(line); *line != '\0' && !is_heading(line); line = next_line(line)) {
        const char *found = behind(line, place->row);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

/* Digits, with commas before groups of three, and a fraction; or never. Returns the end; text
   itself if there is no number here. */
static const char *scan(struct Figure *figure, const char *text)
{
    char *out = figure->text;
    const char *c = text, *most = out + sizeof figure->text - 2;
    *figure = (struct Figure){0};
    if (strncasecmp(c, "never", 5) == 0 && !isalpha((unsigned char)c[5])) {
        strcpy(out, "never");
        return c + 5;
    }
    while (out < most && isdigit((unsigned char)*c)) {
        *out++ = *c++;
        c += *c == ',' && strspn(c + 1, "0123456789") == 3;
    }
    if (out < most && *c == '.' && isdigit((unsigned char)c[1])) {
        *out++ = *c++;
        while (out < most && isdigit((unsigned char)*c)) {
            *out++ = *c++;
        }
    }
    figure->percent = c > text && *c == '%';
    return c;
}

int page_figures(struct Figure figures[MAX_FIGURES], const char *text, const struct Place *place)
{
    const char *c = find_row(text, place);
    bool bracketed = false;
    int n = 0;
    while (c != NULL && *c != '\n' && *c != '\0' && n < MAX_FIGURES) {
        struct Figure found;
        const char *end = isalnum((unsigned char)c[-1]) ? c : scan(&found, c);
        bracketed = *c == '(' || (bracketed && *c != ')');
        if (end > c) {
            figures[n] = found;
            figures[n++].bracketed = bracketed;
        }
        c = end > c ? end : c + 1;
    }
    return n;
}

struct Figure page_figure(const char *text, const struct Place *place)
{
    struct Figure figures[MAX_FIGURES];
    if (page_figures(figures, text, place) < place->number) {
        die("the page %s has no number %d behind \"%s\" under \"%s\": it is no page to grade by",
            place->page, place->number, place->row, place->section);
    }
    return figures[place->number - 1];
}

bool figure_parse(struct Figure *figure, const char *text)
{
    char first[80];
    snprintf(first, sizeof first, "%s%s", text[0] == '.' ? "0" : "", text);
    const char *end = scan(figure, first);
    if (end == first) {
        return false;
    }
    end += strspn(end, " \t");
    figure->percent = *end == '%';
    return end[figure->percent] == '\0';
}

double figure_value(const struct Figure *figure)
{
    return strcmp(figure->text, "never") == 0 ? (double)NAN : strtod(figure->text, NULL);
}

/* Zeros that say nothing: before the number, and behind the last digit of a fraction. */
static size_t plain(const char **text)
{
    while ((*text)[0] == '0' && isdigit((unsigned char)(*text)[1])) {
        (*text)++;
    }
    size_t n = strlen(*text);
    if (strchr(*text, '.') != NULL) {
        while ((*text)[n - 1] == '0') {
            n--;
        }
        n -= (*text)[n - 1] == '.';
    }
    return n;
}

bool figure_same(const struct Figure *a, const struct Figure *b)
{
    const char *x = a->text, *y = b->text;
    size_t n = plain(&x), m = plain(&y);
    return n == m && strncmp(x, y, n) == 0;
}
