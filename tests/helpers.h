/* helpers: what the tests of the core and of the lessons share: a fresh directory for each test, a
   program run in a child or on a terminal, and what it left behind. Each test is a process of its
   own (CK_FORK), so its memory ends with it and is seldom given back. Each ck_assert that holds is a
   message to the parent: where there are thousands, an if and ck_abort_msg are quicker. */
#ifndef TESTS_HELPERS_H
#define TESTS_HELPERS_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

/* A new case of the suite, a minute for each test. setup runs before each; NULL: nothing. */
TCase *new_case(Suite *suite, const char *name, void (*setup)(void));

/* A setup: the test works in a fresh directory, which is removed when all tests are over. */
void enter_directory(void);

/* Run all suites and tidy up. Returns main's exit status: 0 if a test ran and none failed. */
int run_suites(SRunner *runner);

/* Where a file of the checkout is, from wherever the test works. */
const char *in_checkout(const char *path);

/* A program that ended. */
struct Ran {
    int status;      /* of exit, or minus the signal */
    char *out, *err; /* what went to stdout and stderr */
};

/* program(argument) in a child, whose status is 0 if it returns. */
struct Ran run(void (*program)(const void *), const void *argument);

/* A program for the child: sh -c command. */
void shell(const void *command);

/* The same with a terminal of this width as stderr: err is what was seen there, \n for \r\n. */
struct Ran run_on_terminal(void (*program)(const void *), const void *argument, int width);

/* The two halves of it, for a program that is to be disturbed: *seen := the terminal, to be read
   from; the status. */
pid_t start_on_terminal(void (*program)(const void *), const void *argument, int width, FILE *out,
                        FILE **seen);
int wait_for(pid_t child);

/* Can there be terminals at all? Says so in one line if not. */
bool terminals_exist(void);

/* text reads like pattern, in which ... stands for anything. */
void assert_like(const char *text, const char *pattern);

/* text has no control bytes. */
void assert_printable(const char *text);

/* Exit 2, nothing on stdout, and on stderr one printable line like pattern. */
void assert_died(struct Ran ran, const char *pattern);

/* The bytes of a file, a zero behind them; size may be NULL. */
char *content(const char *path, size_t *size);
void put(const char *path, const void *bytes, size_t size);

/* Two files, or two directories: the same names and bytes. In a directory a table whose name ends in
   time.tsv is left out: it holds what was measured. */
void assert_same(const char *path, const char *other);

/* The names in a directory, sorted, with a space between each two. */
char *names_in(const char *path);

#endif
