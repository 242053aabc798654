/* text: what a learner wrote or named, in a form that a terminal, XML, JSON and TAP can all hold;
   and text that is gathered in memory, to be written as one whole file. */
#ifndef GRADERS_TEXT_H
#define GRADERS_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "result.h"

/* Valid UTF-8 without control characters: every byte of such, and every byte that is no UTF-8, is
   written as \xNN (like printable() of common/file.h, which cuts shorter). No line of a result is
   cut; longer text ends in "...". */
struct Clean {
    char text[4 * LINE + 1];
};
struct Clean clean(const char *text);

/* How many columns clean text takes: one a character. */
int text_width(const char *text, size_t bytes);

/* A stream that grows in memory: text_open, write to stream, then text_save or text_take. */
struct Gathered {
    FILE *stream;
    char *bytes;
    size_t size;
};
void text_open(struct Gathered *text);

/* Put it in place of the file in one step (file_replace), and free it. */
void text_save(struct Gathered *text, const char *path);

/* The text, with a zero behind it; free() gives it back. */
char *text_take(struct Gathered *text);

/* Put a value of JSON, which is given away, at the end of an array. Dies if the value is NULL,
   which is what jansson makes of text that is no UTF-8: nothing may be left out unnoticed. */
struct json_t;
void json_add(struct json_t *array, struct json_t *value);

#endif
