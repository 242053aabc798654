/* csv: tables as RFC 4180 has them: fields with commas between them, quoted where they must be.
   Written so that a spreadsheet takes no name for a formula; read so that a file can be changed in
   a few fields and stay as it is, byte for byte, in all others. */
#ifndef GRADERS_CSV_H
#define GRADERS_CSV_H

#include <stddef.h>
#include <stdio.h>

/* Write a field that holds text from outside. One that begins with = + - or @, be it after white
   space, gets a ' before it: else a spreadsheet would compute it. */
void csv_text(FILE *stream, const char *text);

/* Write a field that holds our own text or number, as it is. */
void csv_field(FILE *stream, const char *text);

/* Where a field stands in the file, with its quotes. */
struct Field {
    size_t begin, end;
};

/* A table that was read. Its first row names the columns. Every row has as many fields. */
struct Sheet {
    char *bytes;
    size_t size;
    char separator; /* , or ; or a tab: what follows the first name */
    int n_rows, n_columns;
    struct Field *fields; /* (n_rows, n_columns) */
};

/* Read a file; dies with one line if it is no such table. */
struct Sheet sheet_read(const char *path);
void sheet_free(struct Sheet *sheet);

/* The column with this name, in capitals or not; or -1. */
int sheet_column(const struct Sheet *sheet, const char *name);

/* The text of a field, without quotes; free() gives it back. */
char *sheet_text(const struct Sheet *sheet, int row, int column);

/* Write the table to stream with the fields changed[row * n_columns + column] in place of the old
   ones; NULL: as it was. */
void sheet_write(FILE *stream, const struct Sheet *sheet, char *const *changed);

#endif
