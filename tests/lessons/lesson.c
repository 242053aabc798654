/* Lessons are built at the top of the checkout. */
#include "tests/lessons/lesson.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void enter_lesson(const char *name)
{
    char *program = realpath(name, NULL);
    ck_assert_msg(program != NULL, "there is no %s: make %s builds it", name, name);
    enter_directory();
    ck_assert_int_eq(symlink(program, name), 0);
    ck_assert_int_eq(symlink(in_checkout("tests/golden"), "golden"), 0);
}

static struct Ran sh_with(const char *format, va_list arguments)
{
    char command[2000];
    vsnprintf(command, sizeof command, format, arguments);
    return run(shell, command);
}

struct Ran sh(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct Ran ran = sh_with(format, arguments);
    va_end(arguments);
    return ran;
}

char *page_of(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct Ran ran = sh_with(format, arguments);
    va_end(arguments);
    ck_assert_str_eq(ran.err, "");
    assert_without(ran.out, "FAILS");
    ck_assert_int_eq(ran.status, 0);
    return ran.out;
}

void assert_page(const char *page)
{
    static const char *const bad[] = {" nan", " -nan", " inf", " -inf", "\t"};
    int heading = 0;
    ck_assert(strncmp(page, "Lesson ", 7) == 0 && page[strlen(page) - 1] == '\n');
    for (int i = 0; i < COUNT(bad); i++) {
        assert_without(page, bad[i]);
    }
    for (const char *c = page; *c != '\0'; c++) {
        if ((*c < ' ' || *c > '~') && *c != '\n') {
            ck_abort_msg("the byte %d on the page", *c);
        }
        if (*c == '\n' && c[1] >= '0' && c[1] <= '9') {
            ck_assert_int_eq(atoi(c + 1), ++heading);
        }
    }
    ck_assert_int_ge(heading, 3);
}

void assert_narrow(const char *page)
{
    for (const char *line = page; *line != '\0'; line = strchr(line, '\n') + 1) {
        ck_assert_msg(strcspn(line, "\n") <= 80, "over 80 columns: %.100s", line);
    }
}

void assert_same_page(const char *got, const char *wanted)
{
    put("page", got, strlen(got));
    put("other page", wanted, strlen(wanted));
    assert_same("page", "other page");
}

char *after(const char *page, const char *words)
{
    const char *at = strstr(page, words);
    ck_assert_msg(at != NULL, "no \"%s\" on the page", words);
    at += strlen(words);
    return strndup(at, strcspn(at, "\n"));
}

void assert_without(const char *page, const char *words)
{
    const char *at = strstr(page, words);
    while (at != NULL && at > page && at[-1] != '\n') {
        at--;
    }
    ck_assert_msg(at == NULL, "\"%.*s\"", (int)strcspn(at, "\n"), at);
}

FILE *open_table(const char *path, const char *header)
{
    char line[100] = "";
    FILE *stream = fopen(path, "r");
    ck_assert_msg(stream != NULL && fgets(line, sizeof line, stream) != NULL, "no %s", path);
    ck_assert_str_eq(line, header);
    return stream;
}

struct TensorFile read_tensors(const char *path)
{
    struct TensorFile file;
    char error[TENSOR_ERROR_SIZE];
    ck_assert_msg(safetensors_read(path, &file, error), "%s", error);
    return file;
}
