/* The plumbing: options, files, tables and the progress bar, as a user meets them. What must end
   the program runs in a child, with its exit status, stdout and stderr caught. Each test works
   in a fresh directory and must leave it empty but for the files it names. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "common/base.h"
#include "common/cli.h"
#include "common/file.h"
#include "common/progress.h"
#include "common/table.h"
#include "tests/core/suites.h"

static char directory[] = "/tmp/test-plumbing-XXXXXX";

static void enter_directory(void)
{
    strcpy(strrchr(directory, '-'), "-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

static void leave_directory(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_msg(rmdir(directory) == 0, "the test left something in %s", directory);
}

static int entries_in(const char *path)
{
    int count = -2; /* . and .. */
    DIR *stream = opendir(path);
    ck_assert_ptr_nonnull(stream);
    while (readdir(stream) != NULL) {
        count++;
    }
    closedir(stream);
    return count;
}

/* The content of the file, to be freed; *size is its length. */
static char *content(const char *path, size_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY);
    ck_assert_msg(fd >= 0, "%s is not there", path);
    ck_assert_int_eq(fstat(fd, &status), 0);
    char *bytes = calloc((size_t)status.st_size + 1, 1);
    *size = (size_t)read(fd, bytes, (size_t)status.st_size);
    close(fd);
    return bytes;
}

static void assert_content(const char *path, const char *expected)
{
    size_t size;
    char *bytes = content(path, &size);
    ck_assert_str_eq(bytes, expected);
    free(bytes);
}

static void put(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    fputs(text, stream);
    ck_assert_int_eq(fclose(stream), 0);
}

/* A program that ran to its end in a child. */
struct Run {
    int status; /* of exit; -1 when it ended otherwise */
    char out[8000], err[8000];
};

static void read_stream(FILE *stream, char *text, size_t size)
{
    rewind(stream);
    text[fread(text, 1, size - 1, stream)] = '\0';
    fclose(stream);
}

static struct Run run(void (*program)(const void *), const void *argument)
{
    struct Run result;
    FILE *out = tmpfile(), *err = tmpfile();
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        program(argument);
        fflush(NULL);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_stream(out, result.out, sizeof result.out);
    read_stream(err, result.err, sizeof result.err);
    return result;
}

/* The program ended with exit 2 and exactly this line, and said nothing on stdout. */
static void assert_died(void (*program)(const void *), const void *argument, const char *line)
{
    struct Run result = run(program, argument);
    size_t length = strlen(result.err);
    ck_assert_msg(result.status == 2, "exit status %d instead of 2: %s", result.status, line);
    ck_assert_str_eq(result.out, "");
    ck_assert_msg(length > 0 && strchr(result.err, '\n') == result.err + length - 1,
                  "no single line: \"%s\"", result.err);
    result.err[length - 1] = '\0';
    ck_assert_str_eq(result.err, line);
}

/* --- files --- */

static void make_directory(const void *path)
{
    directory_make(path);
}

static void check_writable(const void *path)
{
    file_check_writable(path);
}

static void replace_with_new(const void *path)
{
    file_replace(path, "new", 3);
}

START_TEST(test_directory_make)
{
    struct stat status;
    mode_t mask = umask(027);
    directory_make("a/bb//c/");
    umask(mask);
    ck_assert_int_eq(stat("a/bb/c", &status), 0);
    ck_assert(S_ISDIR(status.st_mode));
    ck_assert_int_eq(status.st_mode & 0777, 0750);
    directory_make("a/bb/c"); /* there already */
    directory_make(".");
    put("a/file", "");
    assert_died(make_directory, "a/file",
                "workbook: cannot make the directory a/file: something else has that name");
    assert_died(make_directory, "a/file/b/c",
                "workbook: cannot make the directory a/file: something else has that name");
    assert_died(make_directory, "",
                "workbook: cannot make the directory : No such file or directory");
    ck_assert_int_eq(symlink("loop\033", "loop\033"), 0);
    assert_died(make_directory, "loop\033/a",
                "workbook: cannot make the directory loop\\x1b: something else has that name");
    if (geteuid() != 0) { /* root may write everywhere */
        ck_assert_int_eq(chmod("a/bb", 0500), 0);
        assert_died(make_directory, "a/bb",
                    "workbook: cannot write into the directory a/bb: Permission denied");
        ck_assert_int_eq(chmod("a/bb", 0700), 0);
    }
    unlink("loop\033");
    unlink("a/file");
    rmdir("a/bb/c");
    rmdir("a/bb");
    rmdir("a");
}
END_TEST

/* What file_replace would refuse is refused early, and neither touches anything. */
static void assert_not_writable(const char *path, const char *line)
{
    assert_died(check_writable, path, line);
    assert_died(replace_with_new, path, line);
}

START_TEST(test_not_writable)
{
    static char long_name[300];
    memset(long_name, 'n', sizeof long_name - 1);
    ck_assert_int_eq(mkdir("d", 0700), 0);
    put("old", "old");
    ck_assert_int_eq(symlink("old", "link"), 0);
    assert_not_writable("missing/x",
                        "workbook: cannot write missing/x: there is no such directory");
    assert_not_writable("old/x", "workbook: cannot write old/x: Not a directory");
    assert_not_writable("d", "workbook: cannot write d: it is a directory");
    assert_not_writable("d/", "workbook: cannot write d/: it is a directory");
    assert_not_writable("new/", "workbook: cannot write new/: there is no such directory");
    assert_not_writable("", "workbook: cannot write a file whose name is empty");
    assert_not_writable("link",
                        "workbook: cannot write link: it is a link or a device, not a plain "
                        "file");
    assert_not_writable("/dev/null",
                        "workbook: cannot write /dev/null: it is a link or a device, not "
                        "a plain file");
    ck_assert_int_eq(run(check_writable, long_name).status, 2);
    if (geteuid() != 0) {
        ck_assert_int_eq(chmod("d", 0500), 0);
        assert_not_writable("d/x", "workbook: cannot write d/x: Permission denied");
        ck_assert_int_eq(chmod("d", 0700), 0);
    }
    file_check_writable("old");
    file_check_writable("fresh");
    ck_assert_int_eq(entries_in("."), 3);
    ck_assert_int_eq(entries_in("d"), 0);
    assert_content("old", "old");
    unlink("link");
    unlink("old");
    rmdir("d");
}
END_TEST

START_TEST(test_file_replace)
{
    struct stat status;
    mode_t mask = umask(026);
    put("x", "a longer old text");
    file_replace("x", "new\0", 4);
    file_replace("empty", NULL, 0);
    ck_assert_int_eq(umask(mask), 026); /* left as it was */
    size_t size;
    char *bytes = content("x", &size);
    ck_assert_uint_eq(size, 4);
    ck_assert_mem_eq(bytes, "new\0", 4);
    free(bytes);
    ck_assert_int_eq(stat("x", &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0640);
    assert_content("empty", "");
    ck_assert_int_eq(entries_in("."), 2);
    unlink("x");
    unlink("empty");
}
END_TEST

static void replace_on_full_disk(const void *path)
{
    static char bytes[100000];
    struct rlimit limit = {50000, 50000};
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    file_replace(path, bytes, sizeof bytes);
}

START_TEST(test_full_disk)
{
    put("x", "old");
    assert_died(replace_on_full_disk, "x", "workbook: cannot write x: File too large");
    assert_died(replace_on_full_disk, "y", "workbook: cannot write y: File too large");
    ck_assert_int_eq(entries_in("."), 1);
    assert_content("x", "old");
    unlink("x");
}
END_TEST

/* Two programs replace one file over and over; whoever reads it sees one of the two, whole. */
START_TEST(test_two_writers)
{
    enum { SIZE = 300000, LOOKS = 50 };
    static char bytes[SIZE];
    bool seen['b' + 1] = {false};
    file_replace("x", bytes, SIZE);
    fflush(NULL);
    for (char letter = 'a'; letter <= 'b'; letter++) {
        if (fork() == 0) {
            memset(bytes, letter, SIZE);
            while (access("stop", F_OK) != 0) {
                file_replace("x", bytes, SIZE);
            }
            _exit(0);
        }
    }
    for (int looks = 0; looks < LOOKS || !seen['a'] || !seen['b']; looks++) {
        size_t size;
        char *now = content("x", &size);
        ck_assert_uint_eq(size, SIZE);
        ck_assert(memcmp(now, now + 1, SIZE - 1) == 0); /* all are the same letter */
        seen[(int)now[0]] = true;
        free(now);
    }
    put("stop", "");
    for (int i = 0; i < 2; i++) {
        int status;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    ck_assert_int_eq(entries_in("."), 2);
    unlink("stop");
    unlink("x");
}
END_TEST

START_TEST(test_printable)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"plain ~ text \\ \"", "plain ~ text \\ \""},
        {"\033[2J\n\t\x7f.", "\\x1b[2J\\x0a\\x09\\x7f."},
        {"\u00fc\u00a0\u4e2d\U0001f600", "\u00fc\u00a0\u4e2d\U0001f600"},
        {"\xc2\x9b.\xc2\x80\xc2\x9f", "\\xc2\\x9b.\\xc2\\x80\\xc2\\x9f"},
        {"\u202e.\u2066", "\\xe2\\x80\\xae.\\xe2\\x81\\xa6"},
        {"\xc2", "\xc2"}, /* cut short */
        {"\xe2\x80", "\xe2\x80"},
    };
    char text[1000];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_str_eq(printable(cases[i][0]).text, cases[i][1]);
    }
    for (int length = 100; length < 999; length++) { /* long text ends in dots, whatever it is of */
        memset(text, length % 2 ? 'n' : '\n', sizeof text);
        text[length] = '\0';
        struct Printable result = printable(text);
        ck_assert_uint_lt(strlen(result.text), sizeof result.text);
        ck_assert_uint_gt(strlen(result.text), 99);
        bool whole = strcmp(result.text, text) == 0;
        ck_assert(whole || strcmp(strchr(result.text, '\0') - 3, "...") == 0);
        ck_assert(whole || length % 2 == 0 || length > 180);
    }
}
END_TEST

/* --- tables --- */

START_TEST(test_table)
{
    struct Table *table = table_new("out/07-train", "loss", "step loss name");
    ck_assert_int_eq(entries_in("out/07-train"), 0);
    for (int i = 0; i < 3; i++) {
        table_row(table, "%d\t%.3f\t%s", i, i / 8.0, "a b");
    }
    ck_assert_int_eq(entries_in("out/07-train"), 0); /* nothing before the end */
    table_save(table);
    assert_content("out/07-train/loss.tsv",
                   "step\tloss\tname\n0\t0.000\ta b\n1\t0.125\ta b\n2\t0.250\ta b\n");
    table_save(table_new(".", "one", "only"));
    assert_content("one.tsv", "only\n");
    ck_assert_int_eq(entries_in("out/07-train"), 1);
    unlink("out/07-train/loss.tsv");
    unlink("one.tsv");
    rmdir("out/07-train");
    rmdir("out");
}
END_TEST

static void save_row(const void *row)
{
    struct Table *table = table_new(".", "t", "a b");
    table_row(table, "%s", (const char *)row);
    table_save(table);
}

static void new_table_in(const void *path)
{
    table_new(path, "t", "a b");
}

START_TEST(test_table_refuses)
{
    assert_died(save_row, "1", "workbook: ./t.tsv has 2 columns, but this is no row for it: \"1\"");
    assert_died(save_row, "1\t2\t3",
                "workbook: ./t.tsv has 2 columns, but this is no row for it: \"1\\x092\\x093\"");
    assert_died(save_row, "1\t2\n",
                "workbook: ./t.tsv has 2 columns, but this is no row for it: \"1\\x092\\x0a\"");
    ck_assert_int_eq(entries_in("."), 0);
    ck_assert_int_eq(run(save_row, "1\t2").status, 0);
    assert_died(new_table_in, "t.tsv",
                "workbook: cannot make the directory t.tsv: something else has that name");
    unlink("t.tsv");
    ck_assert_int_eq(mkdir("t.tsv", 0700), 0);
    assert_died(new_table_in, ".", "workbook: cannot write ./t.tsv: it is a directory");
    rmdir("t.tsv");
}
END_TEST

/* --- options --- */

static struct Common common;
static int steps, heads;
static double rate;
static const char *text, *save;
static bool fast;
static struct Range lengths, layers;
static uint64_t other_seed;

static struct Option options[] = {
    {.name = "steps",
     .kind = OPTION_INTEGER,
     .value = &steps,
     .argument = "N",
     .help = "how many steps to train",
     .least = 0,
     .most = 10000000},
    {.name = "heads",
     .kind = OPTION_INTEGER,
     .value = &heads,
     .argument = "N",
     .help = "may be negative here",
     .least = -8,
     .most = 8},
    {.name = "rate",
     .kind = OPTION_REAL,
     .value = &rate,
     .argument = "X",
     .help = "the learning rate",
     .least = 0,
     .most = 1},
    {.name = "text",
     .kind = OPTION_TEXT,
     .value = &text,
     .argument = "DIGITS",
     .help = "the digits to reverse"},
    {.name = "save",
     .kind = OPTION_TEXT,
     .value = &save,
     .argument = "FILE",
     .help = "write the weights to this file when the training is over"},
    {.name = "fast", .kind = OPTION_FLAG, .value = &fast, .help = "no tests"},
    {.name = "lengths-of-tests",
     .kind = OPTION_RANGE,
     .value = &lengths,
     .argument = "A-B",
     .help = "how long the digits of a test are",
     .least = 1,
     .most = 12},
    {.name = "layers",
     .kind = OPTION_RANGE,
     .value = &layers,
     .argument = "A-B",
     .help = "the layers to show",
     .least = 0,
     .most = 5},
    {.name = "test-seed",
     .kind = OPTION_SEED,
     .value = &other_seed,
     .argument = "N",
     .help = "the seed of the tests"},
};
enum { STEPS, HEADS, RATE, TEXT, SAVE, FAST, LENGTHS, LAYERS, TEST_SEED, N_OPTIONS };

/* Parse the words ("lesson-07" stands before them), NULL at the end. */
static void parse(const void *words)
{
    char *argv[12] = {"./bin/lesson-07"};
    int argc = 1;
    for (const char *const *word = words; word[argc - 1] != NULL; argc++) {
        argv[argc] = (char *)(size_t)word[argc - 1];
    }
    steps = 1500;
    heads = 4;
    rate = 0.003;
    text = "31415";
    save = NULL;
    fast = false;
    lengths = (struct Range){3, 8};
    layers = (struct Range){0, 0};
    other_seed = 2;
    cli_parse(argc, argv,
              "Trains the model to reverse digits, and shows how the loss falls and how the share "
              "of correct answers grows.",
              "07-train", &common, options, N_OPTIONS);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define INTEGER "a whole number from 0 to 10000000"
#define REAL "a number from 0 to 1"
#define RANGE "A-B or A, whole numbers from 1 to 12"
#define SEED "a whole number from 0 to 18446744073709551615"
#define THREADS "a whole number from 1 to 1024"
#define NAME "a text that is not empty and does not begin with --"

static const struct {
    const char *words[5];
    const char *message; /* after "lesson-07: " */
} refused[] = {
    {{"--steps", "12x"}, "--steps takes " INTEGER ", not \"12x\""},
    {{"--steps=12x"}, "--steps takes " INTEGER ", not \"12x\""},
    {{"--steps", ""}, "--steps takes " INTEGER ", not \"\""},
    {{"--steps="}, "--steps takes " INTEGER ", not \"\""},
    {{"--steps", " 7"}, "--steps takes " INTEGER ", not \" 7\""},
    {{"--steps", "7 "}, "--steps takes " INTEGER ", not \"7 \""},
    {{"--steps", "+7"}, "--steps takes " INTEGER ", not \"+7\""},
    {{"--steps", "-1"}, "--steps takes " INTEGER ", not \"-1\""},
    {{"--steps", "-"}, "--steps takes " INTEGER ", not \"-\""},
    {{"--steps", "3-5"}, "--steps takes " INTEGER ", not \"3-5\""},
    {{"--steps", "0x10"}, "--steps takes " INTEGER ", not \"0x10\""},
    {{"--steps", "1e3"}, "--steps takes " INTEGER ", not \"1e3\""},
    {{"--steps", "7.0"}, "--steps takes " INTEGER ", not \"7.0\""},
    {{"--steps", "10000001"}, "--steps takes " INTEGER ", not \"10000001\""},
    {{"--steps", "4294967297"}, "--steps takes " INTEGER ", not \"4294967297\""},
    {{"--steps", "99999999999999999999"},
     "--steps takes " INTEGER ", not \"99999999999999999999\""},
    {{"--steps", "--quiet"}, "--steps takes " INTEGER ", not \"--quiet\""},
    {{"--steps", "1\n\033[2J"}, "--steps takes " INTEGER ", not \"1\\x0a\\x1b[2J\""},
    {{"--heads", "-9"}, "--heads takes a whole number from -8 to 8, not \"-9\""},
    {{"--rate", "nan"}, "--rate takes " REAL ", not \"nan\""},
    {{"--rate", "inf"}, "--rate takes " REAL ", not \"inf\""},
    {{"--rate", "1e999"}, "--rate takes " REAL ", not \"1e999\""},
    {{"--rate", "-0.1"}, "--rate takes " REAL ", not \"-0.1\""},
    {{"--rate", "1.0001"}, "--rate takes " REAL ", not \"1.0001\""},
    {{"--rate", "0,1"}, "--rate takes " REAL ", not \"0,1\""},
    {{"--rate", "0x1p-3"}, "--rate takes " REAL ", not \"0x1p-3\""},
    {{"--rate", ".5."}, "--rate takes " REAL ", not \".5.\""},
    {{"--rate", "."}, "--rate takes " REAL ", not \".\""},
    {{"--rate", "1e"}, "--rate takes " REAL ", not \"1e\""},
    {{"--rate", " 1"}, "--rate takes " REAL ", not \" 1\""},
    {{"--rate", ""}, "--rate takes " REAL ", not \"\""},
    {{"--text", ""}, "--text takes " NAME ", not \"\""},
    {{"--text", "--fast"}, "--text takes " NAME ", not \"--fast\""},
    {{"--rate", "+0.5"}, "--rate takes " REAL ", not \"+0.5\""},
    {{"--layers", "0-"}, "--layers takes A-B or A, whole numbers from 0 to 5, not \"0-\""},
    {{"--layers", "0--0"}, "--layers takes A-B or A, whole numbers from 0 to 5, not \"0--0\""},
    {{"--lengths-of-tests", "8-3"}, "--lengths-of-tests takes " RANGE ", not \"8-3\""},
    {{"--lengths-of-tests", "0-3"}, "--lengths-of-tests takes " RANGE ", not \"0-3\""},
    {{"--lengths-of-tests", "3-13"}, "--lengths-of-tests takes " RANGE ", not \"3-13\""},
    {{"--lengths-of-tests", "13"}, "--lengths-of-tests takes " RANGE ", not \"13\""},
    {{"--lengths-of-tests", "3-"}, "--lengths-of-tests takes " RANGE ", not \"3-\""},
    {{"--lengths-of-tests", "-3"}, "--lengths-of-tests takes " RANGE ", not \"-3\""},
    {{"--lengths-of-tests", "3--5"}, "--lengths-of-tests takes " RANGE ", not \"3--5\""},
    {{"--lengths-of-tests", "3-5-7"}, "--lengths-of-tests takes " RANGE ", not \"3-5-7\""},
    {{"--lengths-of-tests", "3 - 5"}, "--lengths-of-tests takes " RANGE ", not \"3 - 5\""},
    {{"--lengths-of-tests", "3-5x"}, "--lengths-of-tests takes " RANGE ", not \"3-5x\""},
    {{"--lengths-of-tests", "4294967297"},
     "--lengths-of-tests takes " RANGE ", not \"4294967297\""},
    {{"--lengths-of-tests", ""}, "--lengths-of-tests takes " RANGE ", not \"\""},
    {{"--seed", "-1"}, "--seed takes " SEED ", not \"-1\""},
    {{"--seed", "+1"}, "--seed takes " SEED ", not \"+1\""},
    {{"--seed", "1.5"}, "--seed takes " SEED ", not \"1.5\""},
    {{"--seed", ""}, "--seed takes " SEED ", not \"\""},
    {{"--seed", "18446744073709551616"}, "--seed takes " SEED ", not \"18446744073709551616\""},
    {{"--threads", "0"}, "--threads takes " THREADS ", not \"0\""},
    {{"--threads", "1025"}, "--threads takes " THREADS ", not \"1025\""},
    {{"--out", ""}, "--out takes " NAME ", not \"\""},
    {{"--steps"}, "--steps needs a value: " INTEGER},
    {{"--fast", "--out"}, "--out needs a value: " NAME},
    {{"--fast=1"}, "--fast takes no value"},
    {{"--quiet="}, "--quiet takes no value"},
    {{"--help=me"}, "--help takes no value"},
    {{"--stpes", "5"}, "there is no option --stpes; --help lists them"},
    {{"--stpes=5"}, "there is no option --stpes; --help lists them"},
    {{"--step", "5"}, "there is no option --step; --help lists them"},
    {{"--step"}, "there is no option --step; --help lists them"},
    {{"--s=5"}, "there is no option --s; --help lists them"},
    {{"--te", "5"}, "there is no option --te; --help lists them"},
    {{"--qui"}, "there is no option --qui; --help lists them"},
    {{"--qui=5"}, "there is no option --qui; --help lists them"},
    {{"--=5"}, "there is no option --; --help lists them"},
    {{"--Steps", "5"}, "there is no option --Steps; --help lists them"},
    {{"--a\r\nb"}, "there is no option --a\\x0d\\x0ab; --help lists them"},
    {{"-h"}, "there is no option -h; --help lists them"},
    {{"-steps", "5"}, "there is no option -steps; --help lists them"},
    {{"-:"}, "there is no option -:; --help lists them"},
    {{"--fast", "-xyz"}, "there is no option -xyz; --help lists them"},
    {{"file"}, "\"file\" belongs to no option; --help lists them"},
    {{"--fast", "5", "--quiet"}, "\"5\" belongs to no option; --help lists them"},
    {{"-"}, "\"-\" belongs to no option; --help lists them"},
    {{""}, "\"\" belongs to no option; --help lists them"},
    {{"--fast", "--", "--quiet"}, "\"--quiet\" belongs to no option; --help lists them"},
    {{"--steps", "5", "--steps", "x"}, "--steps takes " INTEGER ", not \"x\""},
};

START_TEST(test_refused)
{
    char line[300];
    snprintf(line, sizeof line, "lesson-07: %s", refused[_i].message);
    assert_died(parse, refused[_i].words, line);
}
END_TEST

START_TEST(test_defaults)
{
    parse(WORDS(NULL));
    ck_assert_str_eq(program_name, "lesson-07");
    ck_assert_int_eq(steps, 1500);
    ck_assert_double_eq(rate, 0.003);
    ck_assert_str_eq(text, "31415");
    ck_assert_ptr_null(save);
    ck_assert(!fast);
    ck_assert_int_eq(lengths.first, 3);
    ck_assert_int_eq(lengths.last, 8);
    ck_assert_uint_eq(other_seed, 2);
    ck_assert_uint_eq(common.seed, DEFAULT_SEED);
    ck_assert_str_eq(common.out, "out/07-train");
    ck_assert(!common.quiet);
    ck_assert_int_ge(common.threads, 1);
    ck_assert_int_le(common.threads, 1024);
    for (int i = 0; i < N_OPTIONS; i++) {
        ck_assert(!options[i].given);
    }
    parse(WORDS("--fast", "--"));
    ck_assert(fast && options[FAST].given);
}
END_TEST

START_TEST(test_accepted)
{
    parse(WORDS("--steps", "0", "--rate", "1", "--text", "-3", "--save=a=b", "--lengths-of-tests",
                "1-12", "--fast"));
    ck_assert_int_eq(steps, 0);
    ck_assert_double_eq(rate, 1);
    ck_assert_str_eq(text, "-3");
    ck_assert_str_eq(save, "a=b");
    ck_assert(fast);
    ck_assert_int_eq(lengths.first, 1);
    ck_assert_int_eq(lengths.last, 12);
    for (int i = 0; i < N_OPTIONS; i++) {
        ck_assert_int_eq(options[i].given, i != HEADS && i != LAYERS && i != TEST_SEED);
    }
    parse(WORDS("--steps=10000000", "--rate", "2.5e-1", "--lengths-of-tests=7", "--heads", "-8",
                "--test-seed", "0"));
    ck_assert_int_eq(steps, 10000000);
    ck_assert_double_eq(rate, 0.25);
    ck_assert_int_eq(lengths.first, 7);
    ck_assert_int_eq(lengths.last, 7);
    ck_assert_int_eq(heads, -8);
    ck_assert_uint_eq(other_seed, 0);
    ck_assert(!options[FAST].given); /* of the parse before */

    parse(WORDS("--seed", "18446744073709551615", "--threads", "3", "--out", "d", "--quiet"));
    ck_assert_uint_eq(common.seed, UINT64_MAX);
    ck_assert_int_eq(common.threads, 3);
    ck_assert_str_eq(common.out, "d");
    ck_assert(common.quiet);
    parse(WORDS("--steps", "3", "--seed", "4", "--steps", "5")); /* the last wins */
    ck_assert_int_eq(steps, 5);
    ck_assert_uint_eq(common.seed, 4);
}
END_TEST

/* The whole page: wrapped at 80 columns, the defaults as they are without the words before
   --help. */
START_TEST(test_help)
{
    static const char page[] =
        "usage: lesson-07 [options]\n"
        "\n"
        "Trains the model to reverse digits, and shows how the loss falls and how the\n"
        "share of correct answers grows.\n"
        "\n"
        "  --steps N         how many steps to train (a whole number from 0 to 10000000;\n"
        "                    default: 1500)\n"
        "  --heads N         may be negative here (a whole number from -8 to 8; default:\n"
        "                    4)\n"
        "  --rate X          the learning rate (a number from 0 to 1; default: 0.003)\n"
        "  --text DIGITS     the digits to reverse (default: 31415)\n"
        "  --save FILE       write the weights to this file when the training is over\n"
        "  --fast            no tests\n"
        "  --lengths-of-tests A-B\n"
        "                    how long the digits of a test are (A-B or A, whole numbers\n"
        "                    from 1 to 12; default: 3-8)\n"
        "  --layers A-B      the layers to show (A-B or A, whole numbers from 0 to 5;\n"
        "                    default: 0-0)\n"
        "  --test-seed N     the seed of the tests (a whole number from 0 to\n"
        "                    18446744073709551615; default: 2)\n"
        "  --seed N          the seed of every random number (a whole number from 0 to\n"
        "                    18446744073709551615; default: 5)\n"
        "  --threads N       how many threads work at once (a whole number from 1 to\n"
        "                    1024; default: all processors)\n"
        "  --out DIR         the directory for the files it writes (default:\n"
        "                    out/07-train)\n"
        "  --quiet           no progress bar\n"
        "  --help            print this page\n";
    struct Run result = run(parse, WORDS("--steps", "7", "--nonsense", "--help"));
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.err, "");
    ck_assert_str_eq(result.out, page);
}
END_TEST

/* --- progress --- */

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 110000000}, NULL);
}

/* Three steps of 0.11 s, then thousands that take no time. */
static void work(const void *quiet)
{
    struct Progress progress;
    progress_start(&progress, 5000, *(const bool *)quiet);
    for (int step = 1; step <= 5000; step++) {
        if (step <= 3) {
            wait_a_little();
        }
        progress_step(&progress, step, step == 2 ? 1e300 : 1.0 / step);
    }
    progress_end(&progress);
}

static void work_without_steps(const void *quiet)
{
    struct Progress progress;
    progress_start(&progress, 0, *(const bool *)quiet);
    wait_a_little();
    progress_step(&progress, 0, 1);
    progress_end(&progress);
}

/* Three of four steps have taken 300 s, by a clock that was set back; then a step too many. */
static void work_slowly(const void *quiet)
{
    struct Progress progress;
    progress_start(&progress, 4, *(const bool *)quiet);
    progress.start -= 300;
    progress.drawn -= 300;
    progress_step(&progress, 3, 1);
    progress_step(&progress, 5, 1);
    progress_end(&progress);
}

/* What program prints on a terminal of that kind and width, with \r\n as \n. */
static char *on_terminal(void (*program)(const void *), bool quiet, const char *kind, int width)
{
    static char seen[20000];
    size_t size = 0;
    char c;
    struct winsize window = {.ws_row = 24, .ws_col = (unsigned short)width};
    int status, master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    ck_assert(slave >= 0 && ioctl(slave, TIOCSWINSZ, &window) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(slave, STDERR_FILENO);
        close(slave);
        close(master);
        if (kind == NULL) {
            unsetenv("TERM");
        } else {
            setenv("TERM", kind, 1);
        }
        program(&quiet);
        _exit(0);
    }
    close(slave);
    while (size < sizeof seen - 1 && read(master, &c, 1) == 1) {
        size -= c == '\n' && size > 0 && seen[size - 1] == '\r';
        seen[size++] = c;
    }
    seen[size] = '\0';
    close(master);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return seen;
}

START_TEST(test_bar)
{
    static const char clear[] = "\r\033[K";
    double seconds, speed;
    int n_drawn = 0, end = 0;
    char *seen = on_terminal(work, false, "xterm", 80);
    ck_assert_msg(strstr(seen, "[....") != NULL, "no bar in \"%s\"", seen);
    ck_assert_msg(strstr(seen, " 1/5000  loss 1.0000  ") != NULL, "\"%s\"", seen);
    ck_assert_msg(strstr(seen, " 3/5000  loss 0.3333  ") != NULL, "\"%s\"", seen);
    ck_assert_msg(strstr(seen, " steps/s  ") != NULL && strstr(seen, " left") != NULL, "\"%s\"",
                  seen);
    for (char *at = seen; (at = strstr(at, clear)) != NULL; at++) {
        n_drawn++;
        ck_assert_uint_lt(strcspn(at + strlen(clear), "\r\n"), 80);
    }
    ck_assert_int_ge(n_drawn, 3);
    ck_assert_int_le(n_drawn, 20);          /* not 5000: ten a second, and this took half of one */
    const char *last = strrchr(seen, '\r'); /* the end: one line, nothing after it */
    ck_assert_ptr_nonnull(last);
    ck_assert_msg(
        sscanf(last, "\r\033[K5000 steps in %lf s, %lf steps/s\n%n", &seconds, &speed, &end) == 2,
        "\"%s\"", last);
    ck_assert_int_eq(last[end], '\0');
    ck_assert(seconds >= 0.3 && seconds < 30 && fabs(speed * seconds / 5000 - 1) < 0.2);
}
END_TEST

START_TEST(test_time_left)
{
    char *seen = on_terminal(work_slowly, false, "xterm", 80);
    bool good = strstr(seen, "  1:40 left") != NULL || strstr(seen, "  1:41 left") != NULL;
    ck_assert_msg(good, "\"%s\"", seen);
    ck_assert_msg(strstr(seen, "\033[K4 steps in 30") != NULL, "\"%s\"", seen);
}
END_TEST

START_TEST(test_bar_fits)
{
    for (int width = 8; width <= 100; width += 31) {
        char *seen = on_terminal(work, false, "xterm", width);
        char *end = strrchr(seen, '\r'); /* the summary */
        ck_assert_ptr_nonnull(end);
        *end = '\0';
        char *at = strstr(seen, "\r\033[K");
        ck_assert_ptr_nonnull(at);
        for (; at != NULL; at = strstr(at + 1, "\r\033[K")) {
            ck_assert_int_lt((int)strcspn(at + 4, "\r"), width);
        }
    }
    /* a terminal that does not tell its width has 80 columns; a bar has at most 40 */
    ck_assert_ptr_nonnull(strstr(on_terminal(work, false, "xterm", 0), "] 1/5000"));
    ck_assert_ptr_null(strchr(on_terminal(work_slowly, false, "xterm", 20), ']'));
    const char *bar = strchr(on_terminal(work_slowly, false, "xterm", 200), '#');
    ck_assert_ptr_nonnull(bar);
    ck_assert_uint_eq(strcspn(bar, "."), 30); /* three of four steps */
    ck_assert_uint_eq(strcspn(bar, "]"), 40);
}
END_TEST

START_TEST(test_no_bar)
{
    bool quiet = false;
    ck_assert_str_eq(on_terminal(work, true, "xterm", 80), "");
    ck_assert_str_eq(on_terminal(work, false, "dumb", 80), "");
    ck_assert_str_eq(on_terminal(work, false, "", 80), "");
    ck_assert_str_eq(on_terminal(work, false, NULL, 80), "");
    ck_assert_str_eq(on_terminal(work_without_steps, false, "xterm", 80), "");
    struct Run result = run(work, &quiet); /* stderr is a file */
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.out, "");
    ck_assert_str_eq(result.err, "");
}
END_TEST

static bool terminals_exist(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    return master >= 0 && close(master) == 0;
}

Suite *plumbing_suite(void)
{
    Suite *suite = suite_create("plumbing");
    TCase *cases = tcase_create("plumbing");
    tcase_add_checked_fixture(cases, enter_directory, leave_directory);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, test_directory_make);
    tcase_add_test(cases, test_not_writable);
    tcase_add_test(cases, test_file_replace);
    tcase_add_test(cases, test_full_disk);
    tcase_add_test(cases, test_two_writers);
    tcase_add_test(cases, test_printable);
    tcase_add_test(cases, test_table);
    tcase_add_test(cases, test_table_refuses);
    tcase_add_loop_test(cases, test_refused, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(cases, test_defaults);
    tcase_add_test(cases, test_accepted);
    tcase_add_test(cases, test_help);
    if (terminals_exist()) {
        tcase_add_test(cases, test_bar);
        tcase_add_test(cases, test_time_left);
        tcase_add_test(cases, test_bar_fits);
        tcase_add_test(cases, test_no_bar);
    } else {
        fprintf(stderr, "no pseudo-terminals here (is /dev/pts mounted?): "
                        "the progress bar is not tested\n");
    }
    suite_add_tcase(suite, cases);
    return suite;
}
