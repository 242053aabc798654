/* A child writes into temporary files, or to a terminal; both are read until it has ended. */
#include "tests/helpers.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base.h"

/* AddressSanitizer asks this. The memory of a test ends with its process, whoever made it; leaks are
   looked for in the lessons, which are other processes. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static char checkout[PATH_MAX], directories[] = "/tmp/workbook-XXXXXX";

TCase *new_case(Suite *suite, const char *name, void (*setup)(void))
{
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, 60);
    if (setup != NULL) {
        tcase_add_checked_fixture(cases, setup, NULL);
    }
    suite_add_tcase(suite, cases);
    return cases;
}

void enter_directory(void)
{
    char path[100];
    snprintf(path, sizeof path, "%s/XXXXXX", directories);
    ck_assert(mkdtemp(path) != NULL && chdir(path) == 0);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

int run_suites(SRunner *runner)
{
    if (getcwd(checkout, sizeof checkout) == NULL || mkdtemp(directories) == NULL) {
        die("cannot make a directory in /tmp");
    }
    srunner_run_all(runner, CK_NORMAL);
    int count = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (nftw(directories, remove_one, 10, FTW_DEPTH | FTW_PHYS) != 0) {
        die("cannot remove %s", directories);
    }
    return count > 0 && failed == 0 ? 0 : 1;
}

const char *in_checkout(const char *path)
{
    static char result[2 * PATH_MAX];
    snprintf(result, sizeof result, "%s/%s", checkout, path);
    return result;
}

/* Running a program. */

static pid_t start(void (*program)(const void *), const void *argument, int out, int err)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        program(argument);
        fflush(NULL);
        _exit(0);
    }
    return child;
}

int wait_for(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void shell(const void *command)
{
    signal(SIGINT, SIG_DFL); /* sh -c 'make test &' ignores it, and so would its children */
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* The whole stream, which is closed. */
static char *read_all(FILE *stream, size_t *size)
{
    char *text;
    FILE *gathered = open_memstream(&text, size);
    rewind(stream);
    for (int c; (c = getc(stream)) != EOF;) {
        putc(c, gathered);
    }
    fclose(stream);
    fclose(gathered);
    return text;
}

struct Ran run(void (*program)(const void *), const void *argument)
{
    size_t size;
    FILE *out = tmpfile(), *err = tmpfile();
    int status = wait_for(start(program, argument, fileno(out), fileno(err)));
    return (struct Ran){status, read_all(out, &size), read_all(err, &size)};
}

/* Both ends of a new terminal; false if there is none. */
static bool open_terminal(int ends[2])
{
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
    bool made = ends[0] >= 0 && grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0;
    ends[1] = made ? open(ptsname(ends[0]), O_RDWR | O_NOCTTY) : -1;
    return ends[1] >= 0;
}

bool terminals_exist(void)
{
    int ends[2];
    bool exist = open_terminal(ends);
    close(ends[0]);
    close(ends[1]);
    if (!exist) {
        fprintf(stderr, "no pseudo-terminals here (is /dev/pts mounted?): what is for terminals "
                        "only is not tested\n");
    }
    return exist;
}

pid_t start_on_terminal(void (*program)(const void *), const void *argument, int width, FILE *out,
                        FILE **seen)
{
    int ends[2];
    struct winsize window = {.ws_row = 24, .ws_col = (unsigned short)width};
    ck_assert(open_terminal(ends) && ioctl(ends[1], TIOCSWINSZ, &window) == 0);
    pid_t child = start(program, argument, fileno(out), ends[1]);
    close(ends[1]);
    *seen = fdopen(ends[0], "r");
    return child;
}

struct Ran run_on_terminal(void (*program)(const void *), const void *argument, int width)
{
    size_t size;
    FILE *out = tmpfile(), *seen;
    pid_t child = start_on_terminal(program, argument, width, out, &seen);
    char *err = read_all(seen, &size), *to = err;
    for (const char *from = err; *from != '\0'; from++) {
        if (from[0] != '\r' || from[1] != '\n') {
            *to++ = *from;
        }
    }
    *to = '\0';
    return (struct Ran){wait_for(child), read_all(out, &size), err};
}

/* What it said. */

/* What stands between two gaps is taken where it comes first; what follows the last must end
   text. */
static bool matches(const char *text, const char *pattern)
{
    const char *gap = strstr(pattern, "...");
    if (gap == NULL || strncmp(text, pattern, (size_t)(gap - pattern)) != 0) {
        return strcmp(text, pattern) == 0;
    }
    text += gap - pattern;
    for (pattern = gap + 3; (gap = strstr(pattern, "...")) != NULL; pattern = gap + 3) {
        text = memmem(text, strlen(text), pattern, (size_t)(gap - pattern));
        if (text == NULL) {
            return false;
        }
        text += gap - pattern;
    }
    size_t left = strlen(text), last = strlen(pattern);
    return left >= last && strcmp(text + left - last, pattern) == 0;
}

void assert_like(const char *text, const char *pattern)
{
    ck_assert_msg(matches(text, pattern), "\"%s\" should read \"%s\"", text, pattern);
}

void assert_printable(const char *text)
{
    const char *c = text;
    while ((unsigned char)*c >= ' ' && *c != 0x7f) {
        c++;
    }
    ck_assert_msg(*c == '\0', "the byte %d in \"%s\"", *c, text);
}

void assert_died(struct Ran ran, const char *pattern)
{
    size_t length = strlen(ran.err);
    ck_assert_msg(ran.status == 2, "exit status %d instead of 2; \"%s\"", ran.status, ran.err);
    ck_assert_str_eq(ran.out, "");
    ck_assert_msg(length > 0 && ran.err[length - 1] == '\n', "no line: \"%s\"", ran.err);
    ran.err[length - 1] = '\0';
    assert_printable(ran.err);
    assert_like(ran.err, pattern);
}

/* What it left. */

char *content(const char *path, size_t *size)
{
    size_t ignored;
    FILE *stream = fopen(path, "rb");
    ck_assert_msg(stream != NULL, "%s is not there", path);
    return read_all(stream, size != NULL ? size : &ignored);
}

void put(const char *path, const void *bytes, size_t size)
{
    remove(path); /* a new file; to fill an old one anew would wait for the disk */
    FILE *stream = fopen(path, "wb");
    ck_assert_msg(stream != NULL, "cannot write %s", path);
    ck_assert_uint_eq(fwrite(bytes, 1, size, stream), size);
    ck_assert_int_eq(fclose(stream), 0);
}

void assert_same(const char *path, const char *other)
{
    char command[1000];
    snprintf(command, sizeof command, "diff -r -x '*time.tsv' '%s' '%s'", path, other);
    struct Ran ran = run(shell, command);
    ck_assert_msg(ran.status == 0, "%s: %.300s%s", command, ran.out, ran.err);
}

char *names_in(const char *path)
{
    char *text;
    size_t size;
    struct dirent **names;
    FILE *gathered = open_memstream(&text, &size);
    int count = scandir(path, &names, NULL, alphasort);
    ck_assert_msg(count >= 0, "%s is no directory", path);
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i]->d_name, ".") != 0 && strcmp(names[i]->d_name, "..") != 0) {
            fprintf(gathered, "%s%s", ftell(gathered) > 0 ? " " : "", names[i]->d_name);
        }
    }
    fclose(gathered);
    return text;
}
