/* lesson: a lesson as a user meets it: command lines, exit status, both streams, files. Commands go
   through sh, so that they read as they are typed, in a fresh directory that holds, besides what
   the run makes, the program and golden (what PyTorch computes, tests/golden). */
#ifndef TESTS_LESSONS_LESSON_H
#define TESTS_LESSONS_LESSON_H

#include "common/safetensors.h"
#include "tests/helpers.h"

/* For a setup: into such a directory, with this program ("lesson-07"). */
void enter_lesson(const char *name);

struct Ran sh(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The page of a command that must end well, say nothing on stderr and make no claim that fails. */
char *page_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lines of ASCII, without NaN, under headings that count from 1. */
void assert_page(const char *page);

/* No line has more than 80 columns. */
void assert_narrow(const char *page);

/* The two pages are the same. */
void assert_same_page(const char *got, const char *wanted);

/* The rest of the line that begins with these words, which must be on the page. */
char *after(const char *page, const char *words);
void assert_without(const char *page, const char *words);

/* The table behind its header line, to be read with fscanf up to its end. */
FILE *open_table(const char *path, const char *header);

struct TensorFile read_tensors(const char *path);

#endif
