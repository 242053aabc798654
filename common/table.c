/* Tab-separated tables, gathered in memory and written in one piece. A row with a field too many
   would shift every column of a figure, so the fields are counted. */
#include "table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "file.h"

struct Table {
    char *path;
    FILE *stream; /* grows text */
    char *text;
    size_t size;
    int n_columns;
};

struct Table *table_new(const char *directory, const char *name, const char *columns)
{
    struct Table *table = zeros_new(1, sizeof *table);
    if (asprintf(&table->path, "%s/%s.tsv", directory, name) < 0) {
        die("out of memory");
    }
    directory_make(directory);
    file_check_writable(table->path);
    table->stream = open_memstream(&table->text, &table->size);
    if (table->stream == NULL) {
        die("out of memory");
    }
    table->n_columns = 1;
    for (const char *c = columns; *c != '\0'; c++) {
        table->n_columns += *c == ' ';
        fputc(*c == ' ' ? '\t' : *c, table->stream);
    }
    fputc('\n', table->stream);
    return table;
}

void table_row(struct Table *table, const char *format, ...)
{
    char *row;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&row, format, arguments) < 0) {
        die("out of memory");
    }
    va_end(arguments);
    int n_fields = 1;
    for (const char *c = row; *c != '\0'; c++) {
        n_fields += *c == '\t';
    }
    if (n_fields != table->n_columns || strchr(row, '\n') != NULL) {
        die("%s has %d columns, but this is no row for it: \"%s\"", printable(table->path).text,
            table->n_columns, printable(row).text);
    }
    fprintf(table->stream, "%s\n", row);
    free(row);
}

void table_save(struct Table *table)
{
    if (ferror(table->stream) || fclose(table->stream) != 0) {
        die("out of memory");
    }
    file_replace(table->path, table->text, table->size);
    free(table->path);
    free(table->text);
    free(table);
}
