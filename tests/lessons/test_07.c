/* Lesson 07 as a user meets it: command lines, exit status, both streams, the files. Each test runs
   the program in a fresh directory that holds, besides what the run makes,
     lesson-07  the program (LESSON_07 in the environment; default ./lesson-07)
     golden     what PyTorch computes (tests/golden)
     inputs     files that main wrote for the tests: broken ones, and batches of one string
   Commands go through sh, so that they read as they are typed. Run from the top of the checkout. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base.h"
#include "common/checkpoint.h"
#include "common/loss.h"
#include "common/reversal.h"
#include "common/safetensors.h"

/* A model that trains a step in less than a millisecond. */
#define SMALL " --width 16 --layers 1 "

enum { SMALL_WIDTH = 16, SMALL_HEADS = 2, SMALL_LAYERS = 1, N_FRESH = 500, N_LONGER = 200 };

static char base[PATH_MAX] = "/tmp/test-07-XXXXXX", program[PATH_MAX], golden[PATH_MAX];

/* --- running it --- */

static void enter_directory(void)
{
    char work[PATH_MAX + 20], inputs[PATH_MAX + 20];
    snprintf(work, sizeof work, "%s/XXXXXX", base);
    snprintf(inputs, sizeof inputs, "%s/inputs", base);
    ck_assert_ptr_nonnull(mkdtemp(work));
    ck_assert_int_eq(chdir(work), 0);
    ck_assert_int_eq(symlink(program, "lesson-07"), 0);
    ck_assert_int_eq(symlink(golden, "golden"), 0);
    ck_assert_int_eq(symlink(inputs, "inputs"), 0);
}

/* A command that ended. */
struct Ran {
    int status; /* of exit, or minus the signal */
    char *out, *err;
};

static char *rest_of(FILE *stream)
{
    char *text;
    size_t size;
    FILE *gathered = open_memstream(&text, &size);
    rewind(stream);
    for (int c; (c = fgetc(stream)) != EOF;) {
        fputc(c, gathered);
    }
    fclose(stream);
    fclose(gathered);
    return text;
}

static _Noreturn void become(const char *command, int out, int err)
{
    signal(SIGINT, SIG_DFL); /* sh -c 'make test &' ignores it, and so would its children */
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static int wait_for(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static struct Ran run_text(const char *command)
{
    struct Ran ran;
    FILE *out = tmpfile(), *err = tmpfile();
    ck_assert(out != NULL && err != NULL);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        become(command, fileno(out), fileno(err));
    }
    ran.status = wait_for(child);
    ran.out = rest_of(out);
    ran.err = rest_of(err);
    return ran;
}

__attribute__((format(printf, 1, 2))) static struct Ran run(const char *format, ...)
{
    char command[3000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    return run_text(command);
}

/* What the command wrote to stderr, which was a terminal of this kind, until it ended with that
   status; stdout goes to the file page. */
static char *on_terminal(const char *kind, const char *command, int status)
{
    static char seen[20000];
    size_t size = 0;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    int page = open("page", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ck_assert(slave >= 0 && page >= 0);
    pid_t child = fork();
    if (child == 0) {
        setenv("TERM", kind, 1);
        close(master);
        become(command, page, slave);
    }
    close(slave);
    close(page);
    while (size < sizeof seen - 1 && read(master, seen + size, 1) == 1) {
        size++;
    }
    seen[size] = '\0';
    close(master);
    ck_assert_int_eq(wait_for(child), status);
    return seen;
}

/* --- what it left --- */

/* The bytes of a file, with a zero behind them; *size may be NULL. */
static char *content(const char *path, size_t *size)
{
    struct stat status;
    FILE *stream = fopen(path, "rb");
    ck_assert_msg(stream != NULL, "%s is not there", path);
    ck_assert_int_eq(fstat(fileno(stream), &status), 0);
    char *bytes = zeros_new((size_t)status.st_size + 1, 1);
    ck_assert_uint_eq(fread(bytes, 1, (size_t)status.st_size, stream), (size_t)status.st_size);
    fclose(stream);
    if (size != NULL) {
        *size = (size_t)status.st_size;
    }
    return bytes;
}

static bool same_bytes(const char *a, const char *b)
{
    size_t size_a, size_b;
    char *bytes_a = content(a, &size_a), *bytes_b = content(b, &size_b);
    bool same = size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;
    free(bytes_a);
    free(bytes_b);
    return same;
}

static FILE *list;

static int list_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)place;
    fprintf(list, "%s %d", path, type);
    if (type == FTW_F) { /* a directory's time changes with a file that came and went */
        fprintf(list, " %lld %lld.%ld", (long long)status->st_size,
                (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
    }
    fputc('\n', list);
    return 0;
}

/* Everything below the directory: names, and of files the size and when they were changed. */
static char *listing(const char *path)
{
    char *text;
    size_t size;
    list = open_memstream(&text, &size);
    ck_assert_int_eq(nftw(path, list_one, 10, FTW_PHYS), 0);
    fclose(list);
    return text;
}

static const char *const file_names[] = {"accuracy.tsv", "attention.tsv", "loss.tsv",
                                         "model.safetensors"};
enum { N_FILES = sizeof file_names / sizeof *file_names };

/* The directory holds the four files and nothing else. */
static void assert_files(const char *directory)
{
    int count = 0;
    DIR *stream = opendir(directory);
    ck_assert_msg(stream != NULL, "%s is not there", directory);
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        bool known = entry->d_name[0] == '.' && strlen(entry->d_name) <= 2;
        for (int i = 0; i < N_FILES; i++) {
            known |= strcmp(entry->d_name, file_names[i]) == 0;
        }
        ck_assert_msg(known, "%s/%s has no business there", directory, entry->d_name);
        count++;
    }
    closedir(stream);
    ck_assert_int_eq(count, N_FILES + 2);
}

static void assert_same_files(const char *a, const char *b)
{
    assert_files(a);
    assert_files(b);
    for (int i = 0; i < N_FILES; i++) {
        char path_a[100], path_b[100];
        snprintf(path_a, sizeof path_a, "%s/%s", a, file_names[i]);
        snprintf(path_b, sizeof path_b, "%s/%s", b, file_names[i]);
        ck_assert_msg(same_bytes(path_a, path_b), "%s and %s differ", path_a, path_b);
    }
}

/* A table as numbers; a set's name as its place here. */
static const char *const sets[] = {"fresh", "unseen", "longer"};
enum { FRESH, UNSEEN, LONGER, MAX_COLUMNS = 5 };

struct Rows {
    int count;
    double (*cells)[MAX_COLUMNS];
};

static double cell(const char *field)
{
    char *end;
    for (int i = 0; i < 3; i++) {
        if (strcmp(field, sets[i]) == 0) {
            return i;
        }
    }
    double number = strtod(field, &end);
    ck_assert_msg(end > field && *end == '\0', "\"%s\" is no number", field);
    return number;
}

static struct Rows read_table(const char *path, const char *header)
{
    char *text = content(path, NULL), *line = text, *rest;
    size_t length = strlen(header);
    ck_assert_msg(strncmp(text, header, length) == 0 && text[length] == '\n',
                  "%s begins with \"%.*s\"", path, (int)strcspn(text, "\n"), text);
    ck_assert_msg(text[strlen(text) - 1] == '\n', "%s does not end with a whole line", path);
    int n_columns = 1, count = -1;
    for (const char *c = header; *c != '\0'; c++) {
        n_columns += *c == '\t';
    }
    for (const char *c = text; *c != '\0'; c++) {
        count += *c == '\n';
    }
    struct Rows rows = {count, zeros_new((size_t)count, sizeof *rows.cells)};
    strtok_r(text, "\n", &rest);
    for (int row = 0; row < count; row++) {
        line = strtok_r(NULL, "\n", &rest);
        ck_assert_msg(line != NULL, "%s has an empty line", path);
        for (int column = 0; column < n_columns; column++) {
            char *field = strsep(&line, "\t");
            ck_assert_msg(field != NULL, "%s, row %d: a field is missing", path, row + 1);
            rows.cells[row][column] = cell(field);
        }
        ck_assert_msg(line == NULL, "%s, row %d: a field too many", path, row + 1);
    }
    free(text);
    return rows;
}

static struct Rows read_losses(const char *path)
{
    return read_table(path, "step\tloss");
}

static struct Rows read_accuracy(const char *path)
{
    return read_table(path, "set\tlength\tright\ttotal");
}

static struct TensorFile read_tensors(const char *path)
{
    struct TensorFile file;
    char error[TENSOR_ERROR_SIZE];
    ck_assert_msg(safetensors_read(path, &file, error), "%s", error);
    return file;
}

static const struct Tensor *tensor(const struct TensorFile *file, const char *name)
{
    const struct Tensor *t = safetensors_find(file, name);
    ck_assert_msg(t != NULL, "no tensor %s", name);
    return t;
}

/* --- what must hold of every run --- */

/* Two pages are too long for one message: the first line of got that is another in want. */
static void assert_same_page(const char *got, const char *want)
{
    const char *line = got;
    for (size_t i = 0; got[i] == want[i]; i++) {
        if (got[i] == '\0') {
            return;
        }
        line = got[i] == '\n' ? got + i + 1 : line;
    }
    ck_abort_msg("\"%.*s\" is otherwise on the other page", (int)strcspn(line, "\n"), line);
}

/* The page does not hold these words. */
static void assert_without(const char *page, const char *words)
{
    const char *at = strstr(page, words);
    while (at != NULL && at > page && at[-1] != '\n') {
        at--;
    }
    ck_assert_msg(at == NULL, "\"%.*s\"", (int)strcspn(at, "\n"), at);
}

/* What stands on the page from these words to the end of their line. */
static char *line_of(const char *page, const char *begin)
{
    const char *at = strstr(page, begin);
    ck_assert_msg(at != NULL, "no \"%s\" on the page", begin);
    return strndup(at, strcspn(at, "\n"));
}

/* No NaN, no claim that fails, nothing but lines of ASCII, and headings that count from 1. */
static void assert_page(const char *page)
{
    const char *const bad[] = {"FAILS", " nan", " -nan", " inf", " -inf", "\t"};
    int heading = 0;
    ck_assert(strncmp(page, "Lesson 07. ", 11) == 0 && page[strlen(page) - 1] == '\n');
    for (int i = 0; i < 6; i++) {
        assert_without(page, bad[i]);
    }
    for (const char *c = page; *c != '\0'; c++) {
        ck_assert_msg((*c >= ' ' && *c <= '~') || *c == '\n', "the byte %d in the page", *c);
        if (*c == '\n' && c[1] >= '0' && c[1] <= '9') {
            ck_assert_int_eq(atoi(c + 1), ++heading);
        }
    }
    ck_assert_int_ge(heading, 3);
}

static void assert_80_columns(const char *page)
{
    for (const char *line = page; *line != '\0'; line += strspn(line, "\n")) {
        int length = (int)strcspn(line, "\n");
        ck_assert_msg(length <= 80, "%d columns: \"%.*s\"", length, length, line);
        line += length;
    }
}

/* It ended well, and said nothing on stderr. */
static void assert_good(const struct Ran *ran)
{
    ck_assert_str_eq(ran->err, "");
    if (ran->status == 1) {
        assert_without(ran->out, "FAILS");
    }
    ck_assert_int_eq(ran->status, 0);
}

static void assert_one_line(const struct Ran *ran)
{
    size_t length = strlen(ran->err);
    ck_assert_msg(length > 0 && strchr(ran->err, '\n') == ran->err + length - 1,
                  "no single line: \"%s\"", ran->err);
    ck_assert_msg(strncmp(ran->err, "lesson-07: ", 11) == 0, "\"%s\"", ran->err);
    for (const char *c = ran->err; c < ran->err + length - 1; c++) {
        ck_assert_msg((unsigned char)*c >= ' ' && *c != 0x7f, "the byte %d in \"%s\"", *c,
                      ran->err);
    }
}

/* Exit 2, one line with all of these words, nothing on stdout, nothing made or changed. */
static void assert_refused(const char *command, const char *const *words, int n_words)
{
    char *before = listing(".");
    struct Ran ran = run_text(command);
    char *after = listing(".");
    ck_assert_msg(ran.status == 2, "%s: exit status %d: %s", command, ran.status, ran.err);
    assert_one_line(&ran);
    for (int i = 0; i < n_words && words[i] != NULL; i++) {
        ck_assert_msg(strstr(ran.err, words[i]) != NULL, "%s: \"%s\" should hold \"%s\"", command,
                      ran.err, words[i]);
    }
    ck_assert_msg(ran.out[0] == '\0', "%s: it printed \"%.40s...\"", command, ran.out);
    ck_assert_msg(strcmp(before, after) == 0, "%s: it left\n%s", command, after);
    free(before);
    free(after);
    free(ran.out);
    free(ran.err);
}

/* --- bad command lines --- */

#define WORDS_THAT_ARE_NO_NUMBER                                                                   \
    "x", "''", "nan", "inf", "-inf", "1e99", "7x", "' 7'", "'7 '", "0x7", "7,5", "-1",             \
        "99999999999999999999999999"

static const struct {
    const char *name, *accepted;
    const char *values[20];
} numbers[] = {
    {"steps", "a whole number from 0 to 10000000", {WORDS_THAT_ARE_NO_NUMBER, "1.5", "10000001"}},
    {"batch", "a whole number from 1 to 4096", {WORDS_THAT_ARE_NO_NUMBER, "1.5", "0", "4097"}},
    {"width", "a whole number from 1 to 1024", {WORDS_THAT_ARE_NO_NUMBER, "1.5", "0", "1025"}},
    {"heads", "a whole number from 1 to 1024", {WORDS_THAT_ARE_NO_NUMBER, "1.5", "0", "1025"}},
    {"layers", "a whole number from 1 to 64", {WORDS_THAT_ARE_NO_NUMBER, "1.5", "0", "65"}},
    {"lr", "a number from 0 to 1000", {WORDS_THAT_ARE_NO_NUMBER, "-0.001", "1000.1", "0.1.2"}},
    {"seed",
     "a whole number from 0 to 18446744073709551615",
     {WORDS_THAT_ARE_NO_NUMBER, "1.5", "18446744073709551616"}},
    {"threads", "a whole number from 1 to 1024", {WORDS_THAT_ARE_NO_NUMBER, "1.5", "0", "1025"}},
    {"lengths",
     "A-B or A, whole numbers from 1 to 12",
     {WORDS_THAT_ARE_NO_NUMBER, "8-3", "0-3", "3-13", "3-", "-3", "3-8-9"}},
};

START_TEST(bad_numbers_are_refused)
{
    const char *name = numbers[_i].name;
    const char *const words[] = {name, numbers[_i].accepted};
    char command[200];
    for (int i = 0; i < 20 && numbers[_i].values[i] != NULL; i++) {
        snprintf(command, sizeof command, "./lesson-07 --steps 0 --out out --%s %s", name,
                 numbers[_i].values[i]);
        assert_refused(command, words, 2);
    }
    snprintf(command, sizeof command, "./lesson-07 --out out --%s", name);
    assert_refused(command, words, 2);
    snprintf(command, sizeof command, "./lesson-07 --steps 0 --out out --%s --quiet", name);
    assert_refused(command, words, 2);
}
END_TEST

#define REFERENCE "golden/model-reference.safetensors"

/* Behind "./lesson-07 --steps 0 --out out": of an option given twice, the last counts. */
static const struct {
    const char *arguments, *words[3];
} refused[] = {
    {"--nonsense", {"no option --nonsense", "--help"}},
    {"--nonsense=7", {"no option --nonsense", "--help"}},
    {"--step 5", {"no option --step", "--help"}},
    {"--Steps 5", {"no option --Steps", "--help"}},
    {"-s 5", {"no option -s", "--help"}},
    {"stray", {"\"stray\"", "--help"}},
    {"-- --quiet", {"\"--quiet\"", "--help"}},
    {"''", {"\"\"", "--help"}},
    {"--steps=x", {"--steps", "0 to 10000000", "\"x\""}},
    {"--quiet=1", {"--quiet takes no value"}},
    {"--live=yes", {"--live takes no value"}},
    {"\"$(printf 'a\\nb\\033[2J')\"", {"a\\x0ab\\x1b[2J"}},

    {"--heads 3", {"width of 64", "3 heads", "divisible"}},
    {"--heads 128", {"width of 64", "128 heads", "divisible"}},
    {"--width 36 --heads 8", {"width of 36", "8 heads", "divisible"}},
    {"--width 1", {"width of 1", "2 heads", "divisible"}},

    {"--reverse abk", {"--reverse", "1 to 12 letters from a to j", "\"abk\""}},
    {"--reverse abcdefghijabc", {"--reverse", "1 to 12 letters from a to j"}},
    {"--reverse 'a b'", {"--reverse", "1 to 12 letters from a to j"}},
    {"--reverse ABC", {"--reverse", "1 to 12 letters from a to j"}},
    {"--reverse 'ab|ba'", {"--reverse", "1 to 12 letters from a to j"}},
    {"--reverse \"$(printf '\\033c')\"", {"--reverse", "\\x1bc"}},
    {"--reverse ''", {"--reverse", "not empty"}},
    {"--reverse", {"--reverse", "needs a value"}},

    {"--init", {"--init", "needs a value"}},
    {"--init ''", {"--init", "not empty"}},
    {"--init --quiet", {"--init"}},
    {"--init inputs/missing", {"inputs/missing", "No such file"}},
    {"--init inputs", {"inputs", "directory"}},
    {"--init inputs/text", {"inputs/text", "not a safetensors file"}},
    {"--init inputs/empty", {"inputs/empty", "0 bytes"}},
    {"--init inputs/text/below", {"inputs/text/below", "Not a directory"}},
    {"--init /dev/null", {"/dev/null", "device"}},
    {"--init inputs/truncated", {"inputs/truncated", "file has"}},
    {"--init inputs/beheaded", {"inputs/beheaded", "header"}},
    {"--width 32 --init " REFERENCE, {"tok.weight", "(12,64)", "(12,32)"}},
    {"--layers 3 --init " REFERENCE, {"blocks.2.", "missing"}},
    {"--layers 1 --init " REFERENCE, {"blocks.1.", "layers"}},
    {"--heads 4 --init " REFERENCE, {"2 heads", "has 4", "--heads"}},
    {"--init golden/adamw.safetensors", {"adamw", "tok.weight", "missing"}},
    {SMALL "--init inputs/i32", {"head.bias is I32", "must be F32"}},
    {SMALL "--init inputs/f64", {"head.bias is F64", "must be F32"}},
    {SMALL "--init inputs/nan", {"head.bias", "NaN"}},

    {"--batches", {"--batches", "needs a value"}},
    {"--batches ''", {"--batches", "not empty"}},
    {"--batches inputs/missing", {"inputs/missing", "No such file"}},
    {"--batches inputs", {"inputs", "directory"}},
    {"--batches inputs/text", {"inputs/text", "not a safetensors file"}},
    {"--batches inputs/empty", {"inputs/empty", "0 bytes"}},
    {"--batches inputs/truncated", {"inputs/truncated", "file has"}},
    {"--batches golden/adamw.safetensors", {"adamw", "no tensor called tokens"}},
    {"--batches inputs/no-targets", {"no tensor called targets"}},
    {"--batches inputs/floats", {"tokens is F32", "must be I32"}},
    {"--batches inputs/long-targets", {"targets is I64", "must be I32"}},
    {"--batches inputs/flat", {"tokens", "(steps,batch,25)"}},
    {"--batches inputs/narrow", {"tokens", "(steps,batch,25)"}},
    {"--batches inputs/no-steps", {"tokens", "at least one step"}},
    {"--batches inputs/other-shape", {"tokens and targets", "shapes"}},
    {"--batches inputs/high-token", {"tokens holds 12 in batch 3", "0 to 11"}},
    {"--batches inputs/low-token", {"tokens holds -1 in batch 1", "0 to 11"}},
    {"--batches inputs/high-target", {"targets holds 12 in batch 12", "-100"}},
    {"--batches inputs/low-target", {"targets holds -1 in batch 2", "-100"}},
    {"--batches inputs/aimless", {"batch 4 has no target"}},
    {"--batch 8 --batches " REFERENCE, {"--batch", "--batches"}},
    {"--steps 21 --batches " REFERENCE, {"--steps 21", "20 batches", "0 to 20"}},

    {"--out", {"--out", "needs a value"}},
    {"--out ''", {"--out", "not empty"}},
    {"--out --quiet", {"--out"}},
    {"--out inputs/text", {"inputs/text", "something else has that name"}},
    {"--out inputs/text/below", {"inputs/text", "something else has that name"}},
    {"--out /dev/null", {"/dev/null", "something else has that name"}},
    {"--save", {"--save", "needs a value"}},
    {"--save ''", {"--save", "not empty"}},
    {"--save missing/w", {"missing/w", "no such directory"}},
    {"--save inputs", {"inputs", "link"}},
    {"--save inputs/directory", {"inputs/directory", "directory"}},
    {"--save inputs/text/w", {"inputs/text/w", "Not a directory"}},
    {"--save /dev/null", {"/dev/null", "device"}},
    {"--live", {"--live", "DISPLAY"}},
};

START_TEST(what_cannot_be_done_is_refused)
{
    char command[300];
    snprintf(command, sizeof command, "./lesson-07 --steps 0 --out out %s", refused[_i].arguments);
    assert_refused(command, refused[_i].words, 3);
}
END_TEST

/* --- the same bytes --- */

START_TEST(threads_and_place_change_no_byte)
{
    struct Ran one = run("./lesson-07 --steps 30 --threads 1 --out one --save one.safetensors");
    struct Ran three = run("./lesson-07 --steps 30 --threads 3 --out three/deep/ --quiet "
                           "--save three.safetensors");
    assert_good(&one);
    assert_good(&three);
    assert_page(one.out);
    assert_same_page(three.out, one.out);
    assert_same_files("one", "three/deep");
    ck_assert(same_bytes("one.safetensors", "three.safetensors"));
    ck_assert(same_bytes("one.safetensors", "one/model.safetensors"));
    assert_without(one.out, "chapter: "); /* its figures stand beside its own run only */
}
END_TEST

START_TEST(another_seed_is_another_run)
{
    struct Ran one = run("./lesson-07" SMALL "--steps 5 --out one --seed 1");
    struct Ran same = run("./lesson-07" SMALL "--steps 5 --out same --seed 1");
    struct Ran two = run("./lesson-07" SMALL "--steps 5 --out two --seed 2");
    assert_good(&one);
    assert_good(&two);
    assert_same_page(same.out, one.out);
    ck_assert_int_ne(strcmp(one.out, two.out), 0);
    ck_assert(!same_bytes("one/loss.tsv", "two/loss.tsv"));
    ck_assert(!same_bytes("one/attention.tsv", "two/attention.tsv"));
    const char longer[] = "  length    9: "; /* other strings to test: how many there are of each */
    ck_assert_str_ne(line_of(one.out, longer), line_of(two.out, longer));
    ck_assert(!same_bytes("one/model.safetensors", "two/model.safetensors"));
}
END_TEST

START_TEST(the_environment_changes_nothing)
{
    static const char *const environments[] = {
        "",           "TERM=dumb",         "TERM=",  "NO_COLOR=1", "LANG=C", "LC_ALL=de_DE.UTF-8",
        "COLUMNS=20", "OMP_NUM_THREADS=2", "env -i",
    };
    struct Ran plain = {0};
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++) {
        char out[20];
        snprintf(out, sizeof out, "%zu", i);
        struct Ran ran =
            run("%s ./lesson-07" SMALL "--steps 2 --lr 0.01 --out %s", environments[i], out);
        plain = i == 0 ? ran : plain;
        assert_good(&ran);
        assert_same_page(ran.out, plain.out);
        assert_same_files(out, "0");
    }
}
END_TEST

START_TEST(the_bar_is_for_terminals_only)
{
    static const char command[] = "./lesson-07" SMALL "--steps 20 --out out";
    struct Ran plain = run_text(command);
    assert_good(&plain);
    char *seen = on_terminal("xterm", command, 0);
    ck_assert_msg(strstr(seen, "20 steps in ") != NULL && strstr(seen, "steps/s") != NULL, "\"%s\"",
                  seen);
    assert_same_page(content("page", NULL), plain.out);
    setenv("NO_COLOR", "1", 1);
    seen = on_terminal("xterm-256color", command, 0);
    ck_assert_msg(strchr(seen, 'm') == NULL, "a colour in \"%s\"", seen); /* ESC [ ... m */
    unsetenv("NO_COLOR");
    ck_assert_str_eq(on_terminal("dumb", command, 0), "");
    assert_same_page(content("page", NULL), plain.out);
    ck_assert_str_eq(on_terminal("xterm", "./lesson-07" SMALL "--steps 20 --out out --quiet", 0),
                     "");
    assert_same_page(content("page", NULL), plain.out);
}
END_TEST

/* --- against PyTorch --- */

static const struct {
    const char *name, *shape;
} pytorch[] = {
    {"model-reference", ""},
    {"model-long", "--width 48 --heads 3 --layers 3"},
    {"model-every-position", "--width 32 --heads 2 --layers 1"},
};

/* loss.tsv holds a step for each of them: 1, 2, ... */
static struct Rows losses_of(const char *path, int steps)
{
    struct Rows rows = read_losses(path);
    ck_assert_int_eq(rows.count, steps);
    for (int i = 0; i < rows.count; i++) {
        ck_assert_double_eq(rows.cells[i][0], i + 1);
        ck_assert(isfinite(rows.cells[i][1]) && rows.cells[i][1] > 0.0);
    }
    return rows;
}

static void compare_weights(const struct TensorFile *got, const struct TensorFile *want)
{
    size_t count = 0, far = 0;
    for (int i = 0; i < got->count; i++) {
        char name[80];
        snprintf(name, sizeof name, "final.%s", got->tensors[i].name);
        const struct Tensor *w = tensor(want, name), *g = &got->tensors[i];
        ck_assert_uint_eq(g->count, w->count);
        for (size_t j = 0; j < g->count; j++) {
            double x = (double)((const float *)g->data)[j], y = (double)((const float *)w->data)[j];
            ck_assert_msg(fabs(x - y) <= 5e-3, "%s[%zu]: %g, PyTorch %g", name, j, x, y);
            far += !(fabs(x - y) <= 1e-4);
        }
        count += g->count;
    }
    ck_assert_uint_gt(count, 1000);
    ck_assert_msg(far * 100 <= count, "%zu of %zu weights are more than 1e-4 away", far, count);
}

START_TEST(losses_and_weights_are_as_in_pytorch)
{
    char path[100];
    snprintf(path, sizeof path, "golden/%s.safetensors", pytorch[_i].name);
    struct Ran ran = run("./lesson-07 %s --init %s --batches %s --save end.safetensors --out out",
                         pytorch[_i].shape, path, path);
    assert_good(&ran);
    struct TensorFile want = read_tensors(path), got = read_tensors("end.safetensors");
    const struct Tensor *losses = tensor(&want, "losses");
    struct Rows rows = losses_of("out/loss.tsv", (int)losses->count); /* --steps: all there are */
    for (int i = 0; i < rows.count; i++) {
        double loss = (double)((const float *)losses->data)[i];
        ck_assert_msg(fabs(rows.cells[i][1] - loss) <= 1e-5 * loss, "step %d: %.9g, PyTorch %.9g",
                      i + 1, rows.cells[i][1], loss);
    }
    compare_weights(&got, &want);
    ck_assert(same_bytes("end.safetensors", "out/model.safetensors"));
}
END_TEST

/* inputs/ones: 12 batches of one string each, of 1, 2, ..., 12 letters. */
static void batch_of_one(int32_t tokens[CONTEXT], int32_t targets[CONTEXT], int step)
{
    struct Rng rng = rng_stream(7, "ones");
    struct String s;
    for (int n = 1; n <= step + 1; n++) {
        s = string_draw(&rng, n, n);
    }
    reversal_example(tokens, targets, &s, false);
}

static struct Model *small_model(void)
{
    return model_new(model_config(VOCAB, CONTEXT, SMALL_WIDTH, SMALL_HEADS, SMALL_LAYERS), 1);
}

/* The program must do with the file what the core does with its arrays, to the last bit. */
START_TEST(a_batch_of_one_trains_at_every_length)
{
    static const char command[] = "./lesson-07" SMALL "--init inputs/init --batches inputs/ones";
    struct Ran ran = run("%s --out all --save end", command);
    assert_good(&ran);
    assert_page(ran.out);
    struct Rows rows = losses_of("all/loss.tsv", LONGEST);
    struct Model *model = small_model();
    struct AdamW adamw;
    struct Batch batch;
    checkpoint_load(model, "inputs/init");
    adamw_new(&adamw, model->params.size, 0.003, 0.01);
    batch_new(&batch, 1, CONTEXT);
    for (int step = 0; step < LONGEST; step++) {
        int32_t tokens[CONTEXT], targets[CONTEXT];
        char printed[32];
        batch_of_one(tokens, targets, step);
        batch_from_padded(&batch, tokens, targets, 1, CONTEXT, true);
        snprintf(printed, sizeof printed, "%.9g", model_gradient(model, &batch));
        ck_assert_double_eq(rows.cells[step][1], strtod(printed, NULL));
        model_update(model, &adamw);
    }
    checkpoint_save(model, "end-by-hand");
    ck_assert(same_bytes("end", "end-by-hand"));
    /* 12 letters have their last target at position 23 */
    const char words[] = "zero at every step:", *at = strstr(ran.out, words);
    char *end;
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(strtol(at + strlen(words), &end, 10), 24);
    ck_assert_int_eq(*end, '\n');
    line_of(ran.out, "12 seen: 12\n");

    ran = run("%s --steps 5 --out five", command); /* the first five of them */
    assert_good(&ran);
    struct Rows five = losses_of("five/loss.tsv", 5);
    ck_assert_mem_eq(five.cells, rows.cells, 5 * sizeof *rows.cells);
}
END_TEST

/* --- the model that comes out --- */

START_TEST(a_saved_model_is_the_model)
{
    struct Ran trained = run("./lesson-07" SMALL "--steps 40 --lengths 1-3 --reverse fgcabe "
                             "--save a --out trained");
    struct Ran loaded = run("./lesson-07" SMALL "--steps 0 --lengths 1-3 --reverse fgcabe "
                            "--init a --save b --out loaded");
    assert_good(&trained);
    assert_good(&loaded);
    assert_page(loaded.out);
    ck_assert(same_bytes("a", "b"));
    ck_assert(same_bytes("a", "trained/model.safetensors"));
    ck_assert(same_bytes("trained/attention.tsv", "loaded/attention.tsv"));
    char *line = line_of(trained.out, "  fgcabe becomes ");
    ck_assert_str_eq(line, line_of(loaded.out, "  fgcabe becomes "));
    ck_assert_str_eq(line_of(trained.out, "  abcdefghij becomes "),
                     line_of(loaded.out, "  abcdefghij becomes "));

    struct Rows before = read_accuracy("trained/accuracy.tsv");
    struct Rows after = read_accuracy("loaded/accuracy.tsv");
    int compared = 0, right = 0;
    for (int i = 0; i < before.count; i++) {
        for (int j = 0; j < after.count; j++) {
            const double *x = before.cells[i], *y = after.cells[j];
            if (x[0] == y[0] && x[1] == y[1] && x[0] != UNSEEN) {
                ck_assert(x[2] == y[2] && x[3] == y[3]);
                compared++;
                right += (int)x[2];
            }
        }
    }
    ck_assert_int_eq(compared, 3 + 4); /* lengths 1 to 3, 9 to 12 */
    ck_assert_int_gt(right, 0);

    struct Model *model = small_model(); /* and the core reads what the program read */
    struct Batch batch;
    struct String string, output;
    char said[100] = "  fgcabe becomes ";
    batch_new(&batch, 1, CONTEXT);
    checkpoint_load(model, "a");
    string_parse(&string, "fgcabe");
    reversal_decode(model, &batch, &output, &string, 1);
    for (int i = 0; i < output.length; i++) {
        said[strlen(said)] = token_letter(output.letters[i]);
    }
    strcat(said, reversal_right(&string, &output) ? ": right" : ": wrong");
    ck_assert_str_eq(line, said);
}
END_TEST

/* In under "init.", out under PyTorch's own names, and not a bit changed on the way. */
START_TEST(weights_pass_through_untouched)
{
    static const char path[] = "golden/model-every-position.safetensors";
    struct Ran ran =
        run("./lesson-07 --width 32 --layers 1 --init %s --steps 0 --save w --out out", path);
    assert_good(&ran);
    struct TensorFile from = read_tensors(path), to = read_tensors("w");
    ck_assert_int_eq(to.count, 18);
    for (int i = 0; i < to.count; i++) {
        char name[80];
        const struct Tensor *t = &to.tensors[i];
        snprintf(name, sizeof name, "init.%s", t->name);
        ck_assert_uint_eq(t->count, tensor(&from, name)->count);
        ck_assert_mem_eq(t->data, tensor(&from, name)->data, t->count * sizeof(float));
    }
}
END_TEST

/* Without training there is no first step, no loss, and no position that was trained. */
START_TEST(no_steps_show_what_they_can)
{
    struct Ran ran = run("./lesson-07 --steps 0"); /* out/07-train is where files go by default */
    assert_good(&ran);
    assert_page(ran.out);
    const char *const headings[] = {". Examples", ". The parameters", ". The test"};
    for (int i = 0; i < 3; i++) {
        ck_assert_msg(strstr(ran.out, headings[i]) != NULL, "no \"%s\"", headings[i]);
    }
    const char *const missing[] = {". Training\n", "irst step", "mean loss", "ositions that",
                                   "Your"};
    for (int i = 0; i < 5; i++) {
        assert_without(ran.out, missing[i]);
    }
    assert_files("out/07-train");
    ck_assert_str_eq(content("out/07-train/loss.tsv", NULL), "step\tloss\n");
    ck_assert_int_gt(read_accuracy("out/07-train/accuracy.tsv").count, 0);
    ck_assert_int_gt(
        read_table("out/07-train/attention.tsv", "block\thead\tquery\tkey\tweight").count, 0);
    line_of(ran.out, "  all                                          103,244");

    ran = run("./lesson-07" SMALL "--steps 0 --reverse a --out small");
    assert_good(&ran);
    line_of(ran.out, "  a becomes ");
    assert_files("small");
}
END_TEST

START_TEST(the_learning_rate_is_taken)
{
    struct Ran ran = run("./lesson-07" SMALL "--init inputs/init --lr 0 --steps 3 --save still "
                         "--out still.out");
    assert_good(&ran);
    ck_assert_msg(same_bytes("still", "inputs/init"), "weights moved at a learning rate of 0");
    line_of(ran.out, "  3 steps of 64 strings, AdamW with lr 0 ");

    ran = run("./lesson-07" SMALL "--steps 1 --out default");
    assert_good(&ran);
    line_of(ran.out, "  1 steps of 64 strings, AdamW with lr 0.003 ");
    ran = run("./lesson-07" SMALL "--lr 0.003 --steps 1 --out named");
    ck_assert_msg(same_bytes("default/model.safetensors", "named/model.safetensors"),
                  "0.003 is the default");

    /* The first step of AdamW moves a weight by lr, whatever its gradient. */
    ran = run("./lesson-07" SMALL "--init inputs/init --lr 0.25 --steps 1 --save moved --out o");
    assert_good(&ran);
    line_of(ran.out, "  1 steps of 64 strings, AdamW with lr 0.25 ");
    struct TensorFile from = read_tensors("inputs/init"), to = read_tensors("moved");
    const struct Tensor *a = tensor(&from, "head.bias"), *b = tensor(&to, "head.bias");
    for (size_t i = 0; i < LETTERS; i++) {
        double x = (double)((const float *)a->data)[i], y = (double)((const float *)b->data)[i];
        ck_assert_msg(fabs(fabs(y - x * (1.0 - 0.25 * 0.01)) - 0.25) < 1e-4, "%g becomes %g", x, y);
    }
}
END_TEST

/* With ten strings to see, training sees all of them, and learns them. */
START_TEST(a_short_training_learns_single_letters)
{
    struct Ran ran = run("./lesson-07" SMALL "--lengths 1 --steps 300 --out out");
    assert_good(&ran);
    line_of(ran.out, "  distinct strings among the 19,200 seen: 10");
    line_of(ran.out, "  0 of them training never saw: 0 right");
    struct Rows rows = read_accuracy("out/accuracy.tsv");
    for (int i = 0; i < rows.count; i++) {
        ck_assert_double_ne(rows.cells[i][0], UNSEEN);
    }
    ck_assert_double_eq(rows.cells[0][0], FRESH);
    ck_assert_double_eq(rows.cells[0][1], 1);
    ck_assert_double_eq(rows.cells[0][2], N_FRESH);
    ck_assert_double_eq(rows.cells[0][3], N_FRESH);
    struct Rows losses = losses_of("out/loss.tsv", 300);
    ck_assert_double_gt(losses.cells[0][1], 2.0);
    ck_assert_double_lt(losses.cells[299][1], 0.1);
}
END_TEST

/* --- the files --- */

static void assert_accuracy(const char *path, const char *page, int first, int last)
{
    struct Rows rows = read_accuracy(path);
    int right[3] = {0}, total[3] = {0}, fresh_of[LONGEST + 1] = {0};
    char said[100];
    for (int i = 0; i < rows.count; i++) {
        int set = (int)rows.cells[i][0], length = (int)rows.cells[i][1];
        int from = set == LONGER ? 9 : first, to = set == LONGER ? 12 : last;
        ck_assert(length >= from && length <= to);
        ck_assert(rows.cells[i][2] >= 0 && rows.cells[i][2] <= rows.cells[i][3]);
        ck_assert_double_ge(rows.cells[i][3], 1);
        right[set] += (int)rows.cells[i][2];
        total[set] += (int)rows.cells[i][3];
        if (set == FRESH) {
            fresh_of[length] = (int)rows.cells[i][3];
        } else if (set == UNSEEN) {
            ck_assert_double_le(rows.cells[i][3], fresh_of[length]);
        }
    }
    ck_assert_int_eq(total[FRESH], N_FRESH);
    ck_assert_int_eq(total[LONGER], N_LONGER);
    ck_assert_int_le(right[UNSEEN], right[FRESH]);
    snprintf(said, sizeof said, "  500 fresh strings of %d to %d letters: %d right", first, last,
             right[FRESH]);
    line_of(page, said);
    snprintf(said, sizeof said, "  %d of them training never saw: %d right", total[UNSEEN],
             right[UNSEEN]);
    line_of(page, said);
    snprintf(said, sizeof said, "  200 strings of 9 to 12 letters: %d right", right[LONGER]);
    line_of(page, said);
}

/* Each query's weights add up to 1; they are those of the model beside them, for fgcabe|ebacgf. */
static void assert_attention(const char *directory, int width, int heads, int layers)
{
    enum { LENGTH = 13, MAPS = LENGTH * (LENGTH + 1) / 2 };
    char path[200];
    int32_t tokens[CONTEXT], targets[CONTEXT];
    struct String string;
    struct Batch batch;
    struct Model *model = model_new(model_config(VOCAB, CONTEXT, width, heads, layers), 1);
    batch_new(&batch, 1, CONTEXT);
    snprintf(path, sizeof path, "%s/model.safetensors", directory);
    checkpoint_load(model, path);
    string_parse(&string, "fgcabe");
    reversal_example(tokens, targets, &string, false);
    batch_clear(&batch);
    batch_add(&batch, tokens, NULL, LENGTH);
    model_forward(model, &batch);

    snprintf(path, sizeof path, "%s/attention.tsv", directory);
    struct Rows rows = read_table(path, "block\thead\tquery\tkey\tweight");
    ck_assert_int_eq(rows.count, layers * heads * MAPS);
    const double *at = rows.cells[0];
    for (int block = 0; block < layers; block++) {
        for (int head = 0; head < heads; head++) {
            for (int query = 0; query < LENGTH; query++) {
                double sum = 0.0;
                for (int key = 0; key <= query; key++, at += MAX_COLUMNS) {
                    ck_assert(at[0] == block + 1 && at[1] == head + 1);
                    ck_assert(at[2] == query && at[3] == key);
                    double want = (double)model_attention(model, block, head, 0, query, key);
                    ck_assert_double_eq_tol(at[4], want, 1e-6);
                    sum += at[4];
                }
                ck_assert_double_eq_tol(sum, 1.0, 1e-5);
            }
        }
    }
}

/* "NAME SHAPE COUNT" lines of the page add up to its "all", and that is what the file holds. */
static void assert_parameters(const char *page, const char *path)
{
    struct TensorFile file = read_tensors(path);
    size_t total = 0;
    for (int i = 0; i < file.count; i++) {
        char begin[100];
        const struct Tensor *t = &file.tensors[i];
        ck_assert_msg(tensor_all_finite(t), "%s: %s is not finite", path, t->name);
        snprintf(begin, sizeof begin, "  %s ", t->name);
        char *line = line_of(page, begin), *count = strrchr(line, ' ') + 1, *to = count;
        for (char *from = count; *from != '\0'; from++) {
            if (*from != ',') {
                *to++ = *from;
            }
        }
        *to = '\0';
        ck_assert_uint_eq(strtoul(count, NULL, 10), t->count);
        total += t->count;
    }
    char *line = line_of(page, "  all "), grouped[40], plain[40];
    snprintf(plain, sizeof plain, "%zu", total);
    snprintf(grouped, sizeof grouped, "%s", strrchr(line, ' ') + 1);
    for (char *comma; (comma = strchr(grouped, ',')) != NULL;) {
        memmove(comma, comma + 1, strlen(comma));
    }
    ck_assert_str_eq(grouped, plain);
}

/* The chapter's lengths, shapes and batches are defaults, no more. */
static const struct {
    const char *arguments;
    int steps, first, last, width, heads, layers;
} shapes[] = {
    {"--steps 5", 5, 3, 8, 64, 2, 2},
    {"--lengths 1-12 --steps 20", 20, 1, 12, 64, 2, 2},
    {"--steps 5 --heads 1", 5, 3, 8, 64, 1, 2},
    {"--steps 5 --layers 3", 5, 3, 8, 64, 2, 3},
    {"--steps 5 --width 36 --heads 3", 5, 3, 8, 36, 3, 2},
    {"--steps 30 --batch 1" SMALL, 30, 3, 8, 16, 2, 1},
    {"--steps 3 --batch 1 --lengths 1" SMALL, 3, 1, 1, 16, 2, 1},
    {"--steps 3 --batch 200 --lengths 12" SMALL, 3, 12, 12, 16, 2, 1},
    {"--steps 3 --width 1 --heads 1", 3, 3, 8, 1, 1, 2},
    {"--steps 3 --width 20 --heads 20 --layers 5", 3, 3, 8, 20, 20, 5},
    {"--steps 1" SMALL, 1, 3, 8, 16, 2, 1},
    {"--steps 251 --batch 2 --lengths 4-4" SMALL, 251, 4, 4, 16, 2, 1},
};

START_TEST(every_shape_trains_and_writes_its_files)
{
    int width = shapes[_i].width, heads = shapes[_i].heads, layers = shapes[_i].layers;
    struct Ran ran = run("./lesson-07 %s --reverse abcdefghijab --out out", shapes[_i].arguments);
    assert_good(&ran);
    assert_page(ran.out);
    assert_files("out");
    losses_of("out/loss.tsv", shapes[_i].steps);
    assert_accuracy("out/accuracy.tsv", ran.out, shapes[_i].first, shapes[_i].last);
    assert_attention("out", width, heads, layers);
    assert_parameters(ran.out, "out/model.safetensors");
    assert_80_columns(ran.out);
}
END_TEST

/* Names that a shell, a format or a path might stumble over, between single quotes. */
START_TEST(a_directory_may_have_any_name)
{
    static const char *const names[] = {
        "with space", "\"quoted\"", "it'\\''s", "%s%n%d",   "a\\b",
        "new\nline",  "$HOME;*",    "-",        "\xc3\xbc", "./here",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct Ran ran = run("./lesson-07" SMALL "--steps 0 --out '%s' --save ./'%s'.w && "
                             "mv './%s' moved && mv ./'%s'.w moved.w",
                             names[i], names[i], names[i], names[i]);
        assert_good(&ran);
        assert_files("moved");
        ck_assert(same_bytes("moved/model.safetensors", "moved.w"));
        run("rm -r moved moved.w");
    }
}
END_TEST

START_TEST(weights_may_be_saved_into_the_new_directory)
{
    struct Ran ran = run("./lesson-07" SMALL "--steps 1 --out new --save new/w");
    assert_good(&ran);
    ck_assert(same_bytes("new/model.safetensors", "new/w"));
    ran = run("./lesson-07" SMALL "--steps 2 --out new --save new/w"); /* over the old ones */
    assert_good(&ran);
    ck_assert(same_bytes("new/model.safetensors", "new/w"));
}
END_TEST

/* --- when it cannot go on --- */

/* Ctrl-C in the middle of training leaves an earlier run's files alone, and makes no new ones. */
START_TEST(an_interrupt_leaves_whole_files)
{
    struct Ran ran = run("./lesson-07" SMALL "--steps 2 --out out --save out/model.safetensors");
    assert_good(&ran);
    for (int fresh = 0; fresh < 2; fresh++) {
        const char *out = fresh ? "new" : "out";
        char command[200], seen;
        char *before = fresh ? NULL : listing("out");
        snprintf(command, sizeof command,
                 "exec ./lesson-07" SMALL "--steps 100000 --out %s --save %s/model.safetensors",
                 out, out);
        int master = posix_openpt(O_RDWR | O_NOCTTY);
        ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
        int slave = open(ptsname(master), O_RDWR | O_NOCTTY), nowhere = open("/dev/null", O_WRONLY);
        pid_t child = fork();
        if (child == 0) {
            setenv("TERM", "xterm", 1);
            become(command, nowhere, slave);
        }
        ck_assert_int_eq(read(master, &seen, 1), 1); /* the bar: it is training */
        ck_assert_int_eq(kill(child, SIGINT), 0);
        int status = wait_for(child);
        ck_assert_msg(status == -SIGINT || status == 128 + SIGINT, "status %d", status);
        if (!fresh) {
            ck_assert_str_eq(listing("out"), before);
            assert_files("out");
        } else {
            ck_assert_msg(rmdir("new") == 0, "it left something: %s", listing("new"));
        }
    }
}
END_TEST

static const char *const rates[] = {"1", "100", "101", "250", "1000"};

/* At the end of training it either says that it diverged, or every number that it gives is one. */
START_TEST(a_diverged_run_is_no_success)
{
    static const int steps[] = {1, 8, 39};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char out[20];
        snprintf(out, sizeof out, "out-%d", steps[i]);
        struct Ran ran =
            run("./lesson-07" SMALL "--lr %s --steps %d --out %s", rates[_i], steps[i], out);
        if (ran.status == 2) {
            assert_one_line(&ran);
            ck_assert_msg(strstr(ran.err, "diverged") != NULL, "%s", ran.err);
            ck_assert_msg(rmdir(out) == 0, "it left something: %s", listing(out));
            continue;
        }
        assert_good(&ran);
        assert_page(ran.out);
        assert_files(out);
        run("mv %s out", out);
        losses_of("out/loss.tsv", steps[i]);
        assert_attention("out", SMALL_WIDTH, SMALL_HEADS,
                         SMALL_LAYERS); /* NaN is not within 1e-6 */
        assert_parameters(ran.out, "out/model.safetensors");
        run("rm -r out");
    }
}
END_TEST

/* The message does not hang on the end of the bar. A batch this large takes long enough for one. */
START_TEST(a_diverged_run_ends_its_bar_first)
{
    const char command[] = "./lesson-07 --batch 200 --lr 250 --steps 1000 --out out";
    const char *seen = on_terminal("xterm", command, 2), *at = strstr(seen, "lesson-07: ");
    ck_assert_msg(at != NULL, "no message in \"%s\"", seen);
    bool fresh_line = at == seen || at[-1] == '\n' || at[-1] == '\r' ||
                      (at - seen >= 3 && strncmp(at - 3, "\033[K", 3) == 0);
    ck_assert_msg(fresh_line, "\"%s\"", at < seen + 20 ? seen : at - 20);
}
END_TEST

static const char *const sinks[] = {">&-", ">/dev/full"};

START_TEST(a_page_that_cannot_be_written_is_no_success)
{
    struct Ran ran = run("./lesson-07" SMALL "--steps 2 --reverse abc --out out %s", sinks[_i]);
    ck_assert_int_eq(ran.status, 2);
    assert_one_line(&ran);
    ck_assert_msg(strstr(ran.err, "stdout") != NULL, "%s", ran.err);
    ck_assert_str_eq(ran.out, "");
    ran = run("./lesson-07 --help %s", sinks[_i]);
    ck_assert_msg(ran.status != 0, "the help page went nowhere, and it says 0");
}
END_TEST

START_TEST(it_needs_neither_stdin_nor_stderr)
{
    struct Ran plain = run("./lesson-07" SMALL "--steps 2 --out plain");
    struct Ran closed = run("./lesson-07" SMALL "--steps 2 --out closed <&- 2>&-");
    assert_good(&closed);
    assert_same_page(closed.out, plain.out);
    assert_files("closed");
}
END_TEST

/* --- help --- */

static const char *const options[] = {
    "--help",      "--seed N",       "--threads N", "--out DIR",        "--quiet",    "--steps N",
    "--batch N",   "--lengths A-B",  "--width N",   "--heads N",        "--layers N", "--lr X",
    "--init FILE", "--batches FILE", "--save FILE", "--reverse STRING", "--live",
};

/* The help of one option in one line: the words from its name to the next one. */
static char *help_of(const char *page, const char *option)
{
    char begin[60], *text, *to;
    snprintf(begin, sizeof begin, "\n  %s", option);
    const char *at = strstr(page, begin);
    ck_assert_msg(at != NULL, "no \"%s\" in\n%s", option, page);
    const char *end = strstr(at + 1, "\n  --");
    text = to = strndup(at, end != NULL ? (size_t)(end - at) : strlen(at));
    for (const char *from = text; *from != '\0'; from++) {
        bool space = *from == ' ' || *from == '\n';
        if (!space) {
            *to++ = *from;
        } else if (to > text && to[-1] != ' ') {
            *to++ = ' ';
        }
    }
    *to = '\0';
    return text;
}

START_TEST(help_names_every_option_and_its_default)
{
    static const char *const defaults[][2] = {
        {"--steps N", "default: 1500"},    {"--batch N", "default: 64"},
        {"--lengths A-B", "default: 3-8"}, {"--width N", "default: 64"},
        {"--heads N", "default: 2)"},      {"--layers N", "default: 2)"},
        {"--lr X", "default: 0.003)"},     {"--out DIR", "default: out/07-train)"},
    };
    char *before = listing(".");
    struct Ran ran = run("./lesson-07 --lr 7 --nonsense --out out --help");
    assert_good(&ran);
    ck_assert_str_eq(listing("."), before);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        help_of(ran.out, options[i]);
    }
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        char *help = help_of(ran.out, defaults[i][0]);
        ck_assert_msg(strstr(help, defaults[i][1]) != NULL, "\"%s\" should hold \"%s\"", help,
                      defaults[i][1]);
    }
    assert_80_columns(ran.out);
}
END_TEST

/* --- the files that the tests read --- */

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *stream = fopen(name, "wb");
    if (stream == NULL || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) {
        die("cannot write %s: %s", name, strerror(errno));
    }
}

/* name := init with another head.bias. */
static void put_weights(const char *name, enum Dtype dtype, float last)
{
    struct TensorFile file;
    char error[TENSOR_ERROR_SIZE];
    if (!safetensors_read("init", &file, error)) {
        die("%s", error);
    }
    float bias[2 * VOCAB] = {0};
    struct Tensor *t = &file.tensors[file.count - 1];
    bias[VOCAB - 1] = last;
    t->data = bias;
    t->dtype = dtype;
    safetensors_write(name, file.tensors, file.count, NULL, 0);
    safetensors_free(&file);
}

static int32_t ones[LONGEST * CONTEXT], ones_targets[LONGEST * CONTEXT];

static struct Tensor batches_tensor(const char *name, const void *data)
{
    return (struct Tensor){.name = name,
                           .dtype = DTYPE_I32,
                           .n_dims = 3,
                           .shape = {LONGEST, 1, CONTEXT},
                           .count = LONGEST * CONTEXT,
                           .data = data};
}

/* name := the batches of one, with one number of tokens or targets changed for the while. */
static void put_batches(const char *name, int32_t *number, int32_t value)
{
    int32_t kept = *number;
    *number = value;
    const struct Tensor pair[] = {batches_tensor("tokens", ones),
                                  batches_tensor("targets", ones_targets)};
    safetensors_write(name, pair, 2, NULL, 0);
    *number = kept;
}

static void put_batches_of_other_kinds(void)
{
    static const int64_t wide[LONGEST * CONTEXT];
    const struct Tensor tokens = batches_tensor("tokens", ones);
    const struct Tensor targets = batches_tensor("targets", ones_targets);
    struct Tensor pair[] = {tokens, targets};
    safetensors_write("no-targets", pair, 1, NULL, 0);
    pair[0].dtype = DTYPE_F32;
    safetensors_write("floats", pair, 2, NULL, 0);
    pair[0] = tokens;
    pair[1].dtype = DTYPE_I64;
    pair[1].data = wide;
    safetensors_write("long-targets", pair, 2, NULL, 0);
    pair[1] = targets;
    pair[0].n_dims = pair[1].n_dims = 2;
    pair[0].shape[1] = pair[1].shape[1] = CONTEXT;
    safetensors_write("flat", pair, 2, NULL, 0);
    for (int i = 0; i < 2; i++) {
        pair[i].n_dims = 3;
        pair[i].shape[0] = CONTEXT, pair[i].shape[1] = 1, pair[i].shape[2] = LONGEST;
    }
    safetensors_write("narrow", pair, 2, NULL, 0);
    for (int i = 0; i < 2; i++) {
        pair[i].shape[0] = 0, pair[i].shape[2] = CONTEXT, pair[i].count = 0;
    }
    safetensors_write("no-steps", pair, 2, NULL, 0);
    pair[0] = tokens;
    pair[1] = targets;
    pair[1].shape[0] = 6, pair[1].shape[1] = 2;
    safetensors_write("other-shape", pair, 2, NULL, 0);
}

/* In the current directory. */
static void put_inputs(void)
{
    struct Model *model = small_model();
    model_init(model, 5);
    checkpoint_save(model, "init");
    model_free(model);
    put_weights("i32", DTYPE_I32, 0.0f);
    put_weights("f64", DTYPE_F64, 0.0f);
    put_weights("nan", DTYPE_F32, NAN);

    static char bytes[2000000];
    char path[PATH_MAX + 40];
    snprintf(path, sizeof path, "%s/model-reference.safetensors", golden);
    FILE *stream = fopen(path, "rb");
    size_t size = stream != NULL ? fread(bytes, 1, sizeof bytes, stream) : 0;
    if (size < 100000) {
        die("cannot read %s", path);
    }
    fclose(stream);
    put("truncated", bytes, size < sizeof bytes ? size - 1 : size);
    put("beheaded", bytes, 500);
    put("text", "This is a text, and a text is not weights.\n", 43);
    put("empty", "", 0);
    if (mkdir("directory", 0777) != 0) {
        die("cannot make a directory");
    }

    for (int step = 0; step < LONGEST; step++) {
        batch_of_one(ones + step * CONTEXT, ones_targets + step * CONTEXT, step);
    }
    put_batches("ones", ones, ones[0]);
    put_batches("high-token", ones + 2 * CONTEXT + 5, VOCAB);
    put_batches("low-token", ones, -1);
    put_batches("high-target", ones_targets + LONGEST * CONTEXT - 1, VOCAB);
    put_batches("low-target", ones_targets + CONTEXT, -1);
    put_batches_of_other_kinds();
    for (int t = 0; t < CONTEXT; t++) { /* last of all, as it stays */
        ones_targets[3 * CONTEXT + t] = IGNORE;
    }
    put_batches("aimless", ones, ones[0]);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static TCase *new_case(Suite *suite, const char *name)
{
    TCase *cases = tcase_create(name);
    tcase_add_checked_fixture(cases, enter_directory, NULL);
    tcase_set_timeout(cases, 60);
    suite_add_tcase(suite, cases);
    return cases;
}

#define COUNT(table) (int)(sizeof table / sizeof *table)

static bool terminals_exist(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0) {
        fprintf(stderr, "no pseudo-terminals here (is /dev/pts mounted?): "
                        "what is for terminals only is not tested\n");
    }
    return master >= 0 && close(master) == 0;
}

static Suite *lesson_suite(void)
{
    bool terminals = terminals_exist();
    Suite *suite = suite_create("lesson 07");
    TCase *refusals = new_case(suite, "refusals");
    tcase_add_loop_test(refusals, bad_numbers_are_refused, 0, COUNT(numbers));
    tcase_add_loop_test(refusals, what_cannot_be_done_is_refused, 0, COUNT(refused));
    tcase_add_test(refusals, help_names_every_option_and_its_default);

    TCase *bytes = new_case(suite, "same bytes");
    tcase_add_test(bytes, threads_and_place_change_no_byte);
    tcase_add_test(bytes, another_seed_is_another_run);
    tcase_add_test(bytes, the_environment_changes_nothing);
    if (terminals) {
        tcase_add_test(bytes, the_bar_is_for_terminals_only);
    }

    TCase *training = new_case(suite, "training");
    tcase_add_loop_test(training, losses_and_weights_are_as_in_pytorch, 0, COUNT(pytorch));
    tcase_add_test(training, a_batch_of_one_trains_at_every_length);
    tcase_add_test(training, a_saved_model_is_the_model);
    tcase_add_test(training, weights_pass_through_untouched);
    tcase_add_test(training, no_steps_show_what_they_can);
    tcase_add_test(training, the_learning_rate_is_taken);
    tcase_add_test(training, a_short_training_learns_single_letters);

    TCase *files = new_case(suite, "files");
    tcase_add_loop_test(files, every_shape_trains_and_writes_its_files, 0, COUNT(shapes));
    tcase_add_test(files, a_directory_may_have_any_name);
    tcase_add_test(files, weights_may_be_saved_into_the_new_directory);

    TCase *ends = new_case(suite, "ends");
    if (terminals) {
        tcase_add_test(ends, an_interrupt_leaves_whole_files);
    }
    tcase_add_loop_test(ends, a_diverged_run_is_no_success, 0, COUNT(rates));
    if (terminals) {
        tcase_add_test(ends, a_diverged_run_ends_its_bar_first);
    }
    tcase_add_loop_test(ends, a_page_that_cannot_be_written_is_no_success, 0, COUNT(sinks));
    tcase_add_test(ends, it_needs_neither_stdin_nor_stderr);
    return suite;
}

int main(void)
{
    const char *path = getenv("LESSON_07") != NULL ? getenv("LESSON_07") : "./lesson-07";
    char top[PATH_MAX], inputs[PATH_MAX + 20];
    if (realpath(path, program) == NULL || access(program, X_OK) != 0) {
        die("%s cannot be run: make lesson-07 builds it", path);
    }
    if (realpath("tests/golden", golden) == NULL || getcwd(top, sizeof top) == NULL) {
        die("tests/golden is not here: run this from the top of the checkout");
    }
    if (mkdtemp(base) == NULL) {
        die("cannot make a directory: %s", strerror(errno));
    }
    snprintf(inputs, sizeof inputs, "%s/inputs", base);
    if (mkdir(inputs, 0777) != 0 || chdir(inputs) != 0) {
        die("cannot make a directory: %s", strerror(errno));
    }
    setenv("OMP_NUM_THREADS", "1", 1); /* models this small gain nothing from a second one */
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    put_inputs();
    SRunner *runner = srunner_create(lesson_suite());
    srunner_run_all(runner, CK_NORMAL);
    int count = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (chdir(top) != 0 || nftw(base, remove_one, 10, FTW_DEPTH | FTW_PHYS) != 0) {
        die("cannot remove %s: %s", base, strerror(errno));
    }
    return count > 0 && failed == 0 ? 0 : 1;
}
