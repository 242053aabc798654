/* Writing is a matter of quotes. A table that is read stays in memory as it is; of each field it is
   known where it begins and ends, so that what is not changed is copied. */
#include "csv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/file.h"

static void write_field(FILE *stream, const char *guard, const char *text, char separator)
{
    size_t length = strlen(text);
    char special[] = {'"', '\'', ',', ';', '\t', '\r', '\n', separator, '\0'};
    bool quoted = guard[0] != '\0' || strpbrk(text, special) != NULL || text[0] == ' ' ||
                  (length > 0 && text[length - 1] == ' ');
    fprintf(stream, "%s%s", quoted ? "\"" : "", guard);
    for (const char *c = text; *c != '\0'; c++) {
        fprintf(stream, "%s%c", *c == '"' ? "\"" : "", *c);
    }
    fputs(quoted ? "\"" : "", stream);
}

void csv_text(FILE *stream, const char *text)
{
    char first = text[strspn(text, " \t\r\n\v\f")];
    bool formula = first != '\0' && strchr("=+-@", first) != NULL;
    write_field(stream, formula ? "'" : "", text, ',');
}

void csv_field(FILE *stream, const char *text)
{
    write_field(stream, "", text, ',');
}

/* Reading. */

static char *read_file(const char *path, size_t *size)
{
    char *bytes, buffer[BUFSIZ];
    FILE *file = fopen(path, "rb"), *memory = open_memstream(&bytes, size);
    bool good = file != NULL && memory != NULL;
    for (size_t n; good && (n = fread(buffer, 1, sizeof buffer, file)) > 0;) {
        fwrite(buffer, 1, n, memory);
    }
    if (!good || ferror(file)) {
        die("cannot read %s: %s", printable(path).text, strerror(errno));
    }
    fclose(file);
    fclose(memory);
    return bytes;
}

/* Where the field that begins at `at` ends. */
static size_t field_end(const struct Sheet *sheet, size_t at, const char *path)
{
    bool quoted = at < sheet->size && sheet->bytes[at] == '"';
    size_t i = at + quoted;
    for (; i < sheet->size; i++) {
        char c = sheet->bytes[i];
        if (quoted && c == '"') {
            if (i + 1 >= sheet->size || sheet->bytes[i + 1] != '"') {
                quoted = false; /* what follows up to the separator is kept, though it is odd */
            } else {
                i++;
            }
        } else if (!quoted && (c == sheet->separator || c == '\n' || c == '\r')) {
            return i;
        }
    }
    if (quoted) {
        die("%s is no table: a quote is opened and never closed", printable(path).text);
    }
    return i;
}

/* What separates the columns: the first such character outside quotes in the first line. */
static char find_separator(const struct Sheet *sheet, size_t at)
{
    bool quoted = false;
    for (size_t i = at; i < sheet->size && (quoted || sheet->bytes[i] != '\n'); i++) {
        char c = sheet->bytes[i];
        quoted ^= c == '"';
        if (!quoted && (c == ',' || c == ';' || c == '\t')) {
            return c;
        }
    }
    return ',';
}

static size_t skip_line_ends(const struct Sheet *sheet, size_t at)
{
    while (at < sheet->size && (sheet->bytes[at] == '\r' || sheet->bytes[at] == '\n')) {
        at++;
    }
    return at;
}

/* Find all fields of the rows; blank lines are no rows. */
static void find_fields(struct Sheet *sheet, size_t at, const char *path)
{
    int in_row = 0;
    for (at = skip_line_ends(sheet, at); at < sheet->size || in_row > 0;) {
        size_t end = field_end(sheet, at, path);
        bool last = end >= sheet->size || sheet->bytes[end] != sheet->separator;
        int n = sheet->n_rows * sheet->n_columns + in_row++;
        sheet->fields[n] = (struct Field){at, end};
        at = end + !last;
        if (!last) {
            continue;
        }
        if (sheet->n_rows > 0 && in_row != sheet->n_columns) {
            die("%s is no table: row %d has %d fields, but the first has %d", printable(path).text,
                sheet->n_rows + 1, in_row, sheet->n_columns);
        }
        sheet->n_columns = in_row;
        sheet->n_rows++;
        in_row = 0;
        at = skip_line_ends(sheet, at);
    }
}

struct Sheet sheet_read(const char *path)
{
    struct Sheet sheet = {.n_rows = 0};
    sheet.bytes = read_file(path, &sheet.size);
    if (memchr(sheet.bytes, '\0', sheet.size) != NULL) {
        die("%s is no CSV file in UTF-8: it has zero bytes", printable(path).text);
    }
    size_t start = sheet.size >= 3 && memcmp(sheet.bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    sheet.separator = find_separator(&sheet, start);
    sheet.fields = zeros_new(sheet.size + 2, sizeof *sheet.fields); /* a byte between each two */
    find_fields(&sheet, start, path);
    if (sheet.n_rows == 0) {
        die("%s is empty", printable(path).text);
    }
    return sheet;
}

void sheet_free(struct Sheet *sheet)
{
    free(sheet->bytes);
    free(sheet->fields);
}

char *sheet_text(const struct Sheet *sheet, int row, int column)
{
    struct Field field = sheet->fields[row * sheet->n_columns + column];
    char *text = zeros_new(field.end - field.begin + 1, 1), *to = text;
    bool quoted = false;
    for (size_t i = field.begin; i < field.end; i++) {
        char c = sheet->bytes[i];
        if (c != '"' || (i == field.begin && !quoted)) {
            quoted |= c == '"';
            if (c != '"') {
                *to++ = c;
            }
        } else if (!quoted || (i + 1 < field.end && sheet->bytes[i + 1] == '"')) {
            *to++ = c;
            i += quoted;
        } else {
            quoted = false;
        }
    }
    return text;
}

int sheet_column(const struct Sheet *sheet, const char *name)
{
    for (int column = 0; column < sheet->n_columns; column++) {
        char *text = sheet_text(sheet, 0, column);
        bool same = strcasecmp(text, name) == 0;
        free(text);
        if (same) {
            return column;
        }
    }
    return -1;
}

void sheet_write(FILE *stream, const struct Sheet *sheet, char *const *changed)
{
    size_t at = 0;
    for (int i = 0; i < sheet->n_rows * sheet->n_columns; i++) {
        if (changed[i] != NULL) {
            fwrite(sheet->bytes + at, 1, sheet->fields[i].begin - at, stream);
            write_field(stream, "", changed[i], sheet->separator);
            at = sheet->fields[i].end;
        }
    }
    fwrite(sheet->bytes + at, 1, sheet->size - at, stream);
}
