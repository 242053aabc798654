/* Nothing that can be handed in under this name may hurt: a directory, a pipe, a picture. */
#include "answers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "stub.h"

enum { MOST = 1 << 16 };

static bool complain(char complaint[LINE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool complain(char complaint[LINE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, LINE, format, arguments);
    va_end(arguments);
    return false;
}

/* The bytes of the file at path, with a zero behind them. O_NONBLOCK: a pipe must not keep us. */
static bool read_file(char text[MOST + 1], const char *path, char complaint[LINE])
{
    const struct Printable shown = printable(path);
    struct stat status;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return complain(complaint, "%s: %s", shown.text,
                        errno == ENOENT ? "there is no such file" : strerror(errno));
    }
    bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    ssize_t n = 0, got = 1;
    while (regular && got > 0 && n < MOST) {
        got = read(file, text + n, (size_t)(MOST - n));
        n += got > 0 ? got : 0;
    }
    close(file);
    text[n] = '\0';
    return !regular    ? complain(complaint, "%s: it is no file, but something else", shown.text)
           : got < 0   ? complain(complaint, "%s: it cannot be read", shown.text)
           : n == MOST ? complain(complaint, "%s: it is too large for a few answers", shown.text)
           : n == 0    ? complain(complaint, "%s: it is empty; its lines are gone", shown.text)
           : strlen(text) < (size_t)n
               ? complain(complaint, "%s: it holds zero bytes, so it is no text", shown.text)
               : true;
}

/* text without the spaces around it. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t", text[n - 1]) != NULL) {
        n--;
    }
    text[n] = '\0';
    return text;
}

static bool has_control(const char *text)
{
    for (; *text != '\0'; text++) {
        if (((unsigned char)*text < ' ' && *text != '\t') || *text == 127) {
            return true;
        }
    }
    return false;
}

/* One line, without its end. */
static bool take_line(struct Answer *answers, int count, const char *path, char *line, int number,
                      char complaint[LINE])
{
    if (has_control(line)) {
        return complain(complaint, "%s:%d: a byte here is no text", path, number);
    }
    line[strcspn(line, "#")] = '\0';
    line = trimmed(line);
    if (*line == '\0') {
        return true;
    }
    char *equals = strchr(line, '=');
    if (equals == NULL) {
        return complain(complaint, "%s:%d: \"%.60s\" has no = between a name and an answer", path,
                        number, printable(line).text);
    }
    *equals = '\0';
    const char *name = trimmed(line), *value = trimmed(equals + 1);
    struct Answer *a = answers;
    while (a < answers + count && strcmp(a->name, name) != 0) {
        a++;
    }
    if (a == answers + count) {
        return complain(complaint, "%s:%d: there is no question \"%.40s\"", path, number,
                        printable(name).text);
    }
    if (a->line > 0) {
        return complain(complaint, "%s:%d: %s stands here again; the first is in line %d", path,
                        number, name, a->line);
    }
    if (strlen(value) >= sizeof a->value) {
        return complain(complaint, "%s:%d: this is too long for an answer", path, number);
    }
    a->line = number;
    strcpy(a->value, value);
    return true;
}

bool answers_read(struct Answer *answers, int count, const char *path, char complaint[LINE])
{
    static char text[MOST + 1];
    const struct Printable shown = printable(path);
    if (!read_file(text, path, complaint)) {
        return false;
    }
    char *line =
        text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0); /* what editors put there */
    int found = 0;
    for (int number = 1; *line != '\0'; number++) {
        size_t length = strcspn(line, "\r\n");
        char *next = line + length;
        next += strncmp(next, "\r\n", 2) == 0 ? 2 : *next != '\0';
        line[length] = '\0';
        if (!take_line(answers, count, shown.text, line, number, complaint)) {
            return false;
        }
        line = next;
    }
    for (int i = 0; i < count; i++) {
        found += answers[i].line > 0;
    }
    return found > 0 ||
           complain(complaint, "%s: it has no line \"%s = ...\"", shown.text, answers->name);
}

/* A line with its value blank, in place. */
static void blank(char *line)
{
    char *comment = line + strcspn(line, "#"), *equals = strchr(line, '=');
    if (equals != NULL && equals < comment) {
        memset(equals + 1, ' ', (size_t)(comment - equals) - 1);
    }
}

char *answers_stub(const char *solution_path)
{
    char *text = file_text(solution_path), *rest = text, *stub;
    size_t size;
    FILE *out = open_memstream(&stub, &size);
    for (char *line; (line = strsep(&rest, "\n")) != NULL && (*line != '\0' || rest != NULL);) {
        blank(line);
        size_t n = strlen(line);
        while (n > 0 && line[n - 1] == ' ') {
            n--;
        }
        fprintf(out, "%.*s\n", (int)n, line);
    }
    fclose(out);
    free(text);
    return stub;
}
