#include "build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base.h"
#include "common/file.h"
#include "filter.h"
#include "stub.h"

enum { LARGEST_SOURCE = 1 << 20, MAX_WORDS = 80 };

static const struct Limits COMPILER = {
    .seconds = 10, .memory = (size_t)2 << 30, .file_size = 64 << 20};

/* The words of a command, with "source" and so on added one by one. */
struct Command {
    char *words[MAX_WORDS + 1];
    int n;
};

static void add(struct Command *command, const char *word)
{
    if (command->n == MAX_WORDS) {
        die("a compiler command of more than %d words", MAX_WORDS);
    }
    command->words[command->n++] = strdup(word);
}

static void add_words(struct Command *command, char *text)
{
    for (char *word; (word = strtok(text, " \t\n")) != NULL; text = NULL) {
        add(command, word);
    }
}

static struct Ended run(struct Command *command)
{
    struct Ended ran = sandbox_run(command->words, "", 0, &COMPILER);
    for (int i = 0; i < command->n; i++) {
        free(command->words[i]);
    }
    return ran;
}

/* The compiler and its flags for the learner's side: the Makefile leaves them in a file beside the
   grader. */
static struct Command compiler(void)
{
    struct Command command = {0};
    char *text = file_text(build_path("answer-flags"));
    add_words(&command, text);
    free(text);
    return command;
}

const char *build_path(const char *name)
{
    static char path[LINE];
    write_line(path, "%s/%s", build_directory, name);
    return path;
}

void build_notes(FILE *stream)
{
    char *flags = file_text(build_path("answer-flags"));
    if (strstr(flags, "-fsanitize=address") == NULL) {
        fprintf(stream,
                "note: this compiler has no AddressSanitizer: a write past an array is only "
                "seen afterwards, a read not at all\n");
    }
    if (strstr(flags, "-fsanitize=undefined") == NULL) {
        fprintf(stream, "note: this compiler has no UndefinedBehaviorSanitizer\n");
    }
    if (!filter_exists()) {
        fprintf(stream,
                "note: no seccomp here: an answer that means harm could change files; grade "
                "only what you trust\n");
    }
    free(flags);
}

/* The learner's file as text; NULL, and why, if it is none. It is opened without waiting, in case
   it is a pipe. */
static char *read_source(const char *path, char complaint[LINE])
{
    struct stat status;
    const char *name = strrchr(path, '/') + 1;
    if (stat(path, &status) != 0) {
        write_line(complaint, "%s: %s", name,
                   errno == ENOENT ? "there is no such file" : strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        write_line(complaint, "%s is %s, not a file with text", name,
                   S_ISDIR(status.st_mode) ? "a directory" : "a pipe or a device");
    } else if (status.st_size == 0) {
        write_line(complaint, "%s is empty", name);
    } else if (status.st_size > LARGEST_SOURCE) {
        write_line(complaint, "%s has %lld bytes; an answer has a few thousand", name,
                   (long long)status.st_size);
    } else if (access(path, R_OK) != 0) {
        write_line(complaint, "%s may not be read: %s", name, strerror(errno));
    } else {
        char *text = file_text(path);
        if ((off_t)strlen(text) == status.st_size) {
            return text;
        }
        write_line(complaint, "%s holds a zero byte: it is not C", name);
        free(text);
    }
    return NULL;
}

/* The first line of the compiler's messages with this mark, " error: " or " warning: ", as
   "answer.c:12: 'x' undeclared"; false if there is none. */
static bool first_message(char line[LINE], const char *messages, const char *mark)
{
    const char *found = strstr(messages, mark);
    if (found == NULL) {
        return false;
    }
    const char *start = found;
    while (start > messages && start[-1] != '\n') {
        start--;
    }
    for (const char *slash; (slash = memchr(start, '/', (size_t)(found - start))) != NULL;) {
        start = slash + 1;
    }
    const char *text = found + strlen(mark);
    int place = (int)strcspn(start, ":"), length = (int)strcspn(text, "\n");
    int digits = start[place] == ':' ? (int)strspn(start + place + 1, "0123456789") : 0;
    place += digits > 0 ? 1 + digits : 0;
    write_line(line, "%.*s: %.*s", place, start, length, text);
    return true;
}

/* Did it, or a program that it started, come to a limit? */
static bool at_a_limit(const struct Ended *ran)
{
    static const char *const signs[] = {"out of memory", "memory exhausted",
                                        "signal terminated program", "due to signal"};
    bool limited = ran->how == OUT_OF_TIME || ran->how == OUT_OF_MEMORY;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        limited |= strstr(ran->err.bytes, signs[i]) != NULL;
    }
    /* what it says at its end is lost behind too many warnings */
    return limited ||
           (ran->err.total > ran->err.size && strstr(ran->err.bytes, " error: ") == NULL);
}

/* What stopped the compiler, in one line. */
static void explain_compiler(struct Build *build, const struct Ended *ran)
{
    if (ran->how == EXITED && ran->status == 127) {
        write_line(build->complaint, "the compiler cannot be started; is it still in PATH?");
    } else if (at_a_limit(ran)) {
        write_line(build->complaint,
                   "the compiler needed more than %g s, %zu GB of memory or %zu MB of disk for "
                   "answer.c",
                   COMPILER.seconds, COMPILER.memory >> 30, COMPILER.file_size >> 20);
    } else if (!first_message(build->complaint, ran->err.bytes, " error: ") &&
               !first_message(build->complaint, ran->err.bytes, " fatal error: ") &&
               !first_message(build->complaint, ran->err.bytes, " Error: ")) { /* the assembler's */
        const char *first = ran->err.bytes + strspn(ran->err.bytes, "\n");
        write_line(build->complaint, "the compiler failed: %.*s", (int)strcspn(first, "\n"), first);
    }
}

/* Is name one of these words, which have spaces between them? */
static bool is_one_of(const char *name, const char *words)
{
    size_t n = strlen(name);
    for (const char *at = words; (at = strstr(at, name)) != NULL; at++) {
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) {
            return true;
        }
    }
    return false;
}

/* The name in `undefined reference to `name'` (GNU), "undefined symbol: name" (LLVM) or
   "_name", referenced from" (macOS). */
static void explain_linker(struct Build *build, const char *messages, const char *functions)
{
    char name[80] = "";
    const char *at = strstr(messages, "undefined reference to `");
    if (at != NULL) {
        sscanf(at, "undefined reference to `%79[A-Za-z0-9_]", name);
    } else if ((at = strstr(messages, "undefined symbol: ")) != NULL) {
        sscanf(at, "undefined symbol: %79[A-Za-z0-9_]", name);
    } else if ((at = strstr(messages, "\"_")) != NULL) {
        sscanf(at, "\"_%79[A-Za-z0-9_]", name);
    }
    if (name[0] == '\0') {
        int length = (int)strcspn(messages, "\n");
        write_line(build->complaint, "the linker failed: %.*s", length, messages);
    } else if (is_one_of(name, functions)) {
        write_line(build->complaint, "answer.c does not define the function %s", name);
    } else {
        write_line(build->complaint, "answer.c uses '%s', but nothing here defines it", name);
    }
}

/* All names but those of the learner's functions become local to the object, so that none can
   clash with a name of ours or of the C library. Where there is no objcopy, they stay. */
static void hide_names(const char *object, const char *functions)
{
    struct Command command = {0};
    add(&command, "objcopy");
    char *text = strdup(functions);
    for (char *rest = text, *name; (name = strtok(rest, " ")) != NULL; rest = NULL) {
        char option[100];
        snprintf(option, sizeof option, "--keep-global-symbol=%s", name);
        add(&command, option);
    }
    free(text);
    add(&command, object);
    struct Ended ran = run(&command);
    ended_free(&ran);
}

/* The name without "./" in front, which the compiler leaves out. */
static const char *plain_name(const char *name)
{
    while (strncmp(name, "./", 2) == 0) {
        name += 2;
    }
    return name;
}

/* An answer that includes another .c file, or anything of tests/, is not the learner's own. list is
   what the compiler says was included: "answer.o: answer.c answer.h ...", on several lines. */
static bool stands_alone(struct Build *build, const char *list, const char *source)
{
    char *text = file_text(list), *rest = text;
    bool alone = true;
    for (char *word; alone && (word = strsep(&rest, " \n\\")) != NULL;) {
        const char *dot = strrchr(word, '.');
        bool another = dot != NULL && strcmp(dot, ".c") == 0 &&
                       strcmp(plain_name(word), plain_name(source)) != 0;
        alone = !another && strstr(word, "tests/") == NULL;
        if (!alone) {
            write_line(build->complaint, "answer.c includes %s; it must stand alone", word);
        }
    }
    free(text);
    return alone;
}

static bool compile(struct Build *build, const struct Exercise *e, const char *source,
                    const char *object)
{
    struct Command command = compiler();
    char list[LINE];
    write_line(list, "%.*s.d", (int)strlen(object) - 2, object);
    add(&command, "-Dmain=main_of_the_answer");
    add(&command, "-MD"); /* -MMD leaves out what an answer declares to be the system's */
    add(&command, "-MF");
    add(&command, list);
    add(&command, "-c");
    add(&command, source);
    add(&command, "-o");
    add(&command, object);
    struct Ended ran = run(&command);
    bool done = ran.how == EXITED && ran.status == 0;
    if (done && !stands_alone(build, list, source)) {
        done = false;
    } else if (done) {
        first_message(build->warning, ran.err.bytes, " warning: ");
        hide_names(object, e->function);
    } else {
        explain_compiler(build, &ran);
    }
    ended_free(&ran);
    return done;
}

static bool link_answer(struct Build *build, const struct Exercise *e, const char *object)
{
    struct Command command = compiler();
    char path[300];
    add(&command, build_path("answer/tests/graders/host/main.o")); /* first: see there */
    add(&command, build_path("answer/tests/graders/case.o"));
    snprintf(path, sizeof path, "answer/tests/graders/%s/call.o", e->name);
    add(&command, build_path(path));
    add(&command, object);
    add(&command, "-o");
    add(&command, build->program);
    add(&command, "-lm");
    struct Ended ran = run(&command);
    bool done = ran.how == EXITED && ran.status == 0;
    if (!done) {
        explain_linker(build, ran.err.bytes, e->function);
    }
    ended_free(&ran);
    return done;
}

struct Build build_answer(const struct Exercise *e, const char *source, const char *directory)
{
    struct Build build = {.how = NOT_BUILT, .lock = -1};
    char copy[250], object[250], solution[100];
    snprintf(copy, sizeof copy, "%s/answer.c", directory);
    snprintf(object, sizeof object, "%s/answer.o", directory);
    snprintf(build.program, sizeof build.program, "%s/answer", directory);
    snprintf(solution, sizeof solution, "tests/solutions/%s.c", e->name);

    char *text = read_source(source, build.complaint);
    if (text == NULL) {
        return build;
    }
    char *stub = stub_of(solution);
    if (same_code(text, stub)) {
        build.how = UNCHANGED;
    } else {
        directory_make(directory);
        build.lock = open(directory, O_RDONLY | O_CLOEXEC);
        flock(build.lock, LOCK_EX);
        file_replace(copy, text, strlen(text));
        if (compile(&build, e, copy, object) && link_answer(&build, e, object)) {
            build.how = BUILT;
        }
    }
    free(stub);
    free(text);
    return build;
}

void build_done(const struct Build *build)
{
    if (build->lock >= 0) {
        close(build->lock);
    }
}

bool call_answer(const char *program, struct Case *c, const struct Limits *limits,
                 struct Ended *ran)
{
    size_t size = case_bytes(c);
    void *bytes = zeros_new(size, 1);
    case_write(c, bytes);
    char *argv[] = {(char *)program, NULL};
    *ran = sandbox_run(argv, bytes, size, limits);
    free(bytes);
    return ran->how == EXITED && ran->status == 0 &&
           case_take(c, ran->result.bytes, ran->result.size);
}
