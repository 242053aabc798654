/* Files and tables: whole or not there at all, refused early, with nothing left beside them; and
   text from outside that cannot steer a terminal. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/table.h"
#include "tests/core/suites.h"
#include "tests/helpers.h"

static void make_directory(const void *path)
{
    directory_make(path);
}

static void check_writable(const void *path)
{
    file_check_writable(path);
}

static void replace(const void *path)
{
    file_replace(path, "new", 3);
}

static void assert_content(const char *path, const char *wanted)
{
    ck_assert_str_eq(content(path, NULL), wanted);
}

START_TEST(directories_are_made_with_those_above_them)
{
    struct stat status;
    mode_t mask = umask(027);
    directory_make("a/bb//c/");
    umask(mask);
    ck_assert_int_eq(stat("a/bb/c", &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0750);
    directory_make("a/bb/c"); /* there already */
    directory_make(".");
    put("file", "", 0);
    ck_assert_int_eq(symlink("loop\033", "loop\033"), 0);
    static const char *const refused[][2] = {
        {"file", "workbook: cannot make the directory file: something else has that name"},
        {"file/b/c", "workbook: cannot make the directory file: something else has that name"},
        {"", "workbook: cannot make the directory : No such file or directory"},
        {"loop\033/a",
         "workbook: cannot make the directory loop\\x1b: something else has that name"},
        {"a/bb", "workbook: cannot write into the directory a/bb: Permission denied"},
    };
    ck_assert_int_eq(chmod("a/bb", 0500), 0);
    for (int i = 0; i < COUNT(refused) - (geteuid() == 0); i++) { /* root may write everywhere */
        assert_died(run(make_directory, refused[i][0]), refused[i][1]);
    }
    ck_assert_int_eq(chmod("a/bb", 0700), 0);
}
END_TEST

/* What file_replace would refuse is refused early, and neither touches anything. */
START_TEST(what_cannot_be_written_is_refused_at_once)
{
    static char long_name[300];
    static const char *const refused[][2] = {
        {"missing/x", "workbook: cannot write missing/x: there is no such directory"},
        {"old/x", "workbook: cannot write old/x: Not a directory"},
        {"d", "workbook: cannot write d: it is a directory"},
        {"d/", "workbook: cannot write d/: it is a directory"},
        {"new/", "workbook: cannot write new/: there is no such directory"},
        {"", "workbook: cannot write a file whose name is empty"},
        {"link", "workbook: cannot write link: it is a link or a device, not a plain file"},
        {"/dev/null", "workbook: cannot write /dev/null: it is a link or a device, not a ..."},
        {long_name, "workbook: cannot write nnn...nnn...: File name too long"},
        {"d/x", "workbook: cannot write d/x: Permission denied"},
    };
    memset(long_name, 'n', sizeof long_name - 1);
    put("old", "old", 3);
    ck_assert_int_eq(mkdir("d", 0500) | symlink("old", "link"), 0);
    for (int i = 0; i < COUNT(refused) - (geteuid() == 0); i++) {
        assert_died(run(check_writable, refused[i][0]), refused[i][1]);
        assert_died(run(replace, refused[i][0]), refused[i][1]);
    }
    file_check_writable("old");
    file_check_writable("fresh");
    ck_assert_str_eq(names_in("."), "d link old");
    ck_assert_str_eq(names_in("d"), "");
    assert_content("old", "old");
}
END_TEST

START_TEST(a_file_is_replaced_with_the_permissions_of_a_new_one)
{
    struct stat status;
    size_t size;
    mode_t mask = umask(026);
    put("x", "a longer old text", 17);
    ck_assert_int_eq(chmod("x", 0600), 0);
    file_replace("x", "new\0", 4);
    file_replace("empty", NULL, 0);
    ck_assert_int_eq(umask(mask), 026); /* left as it was */
    ck_assert_mem_eq(content("x", &size), "new\0", 4);
    ck_assert_uint_eq(size, 4);
    ck_assert_int_eq(stat("x", &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0640);
    assert_content("empty", "");
    ck_assert_str_eq(names_in("."), "empty x");
}
END_TEST

static void replace_on_full_disk(const void *path)
{
    static char bytes[100000];
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){50000, 50000}), 0);
    file_replace(path, bytes, sizeof bytes);
}

START_TEST(a_full_disk_leaves_the_old_file)
{
    put("x", "old", 3);
    assert_died(run(replace_on_full_disk, "x"), "workbook: cannot write x: File too large");
    assert_died(run(replace_on_full_disk, "y"), "workbook: cannot write y: File too large");
    ck_assert_str_eq(names_in("."), "x");
    assert_content("x", "old");
}
END_TEST

/* Two programs replace one file over and over; whoever reads it sees one of the two, whole. */
START_TEST(two_writers_leave_one_whole_file)
{
    enum { SIZE = 300000 };
    static char bytes[SIZE];
    bool seen['b' + 1] = {false};
    file_replace("x", bytes, SIZE);
    pid_t writers[2];
    for (int i = 0; i < 2; i++) {
        writers[i] = fork();
        if (writers[i] == 0) {
            memset(bytes, 'a' + i, SIZE);
            while (access("stop", F_OK) != 0) {
                file_replace("x", bytes, SIZE);
            }
            _exit(0);
        }
    }
    for (int looks = 0; looks < 30 || !seen['a'] || !seen['b']; looks++) {
        size_t size;
        char *now = content("x", &size);
        ck_assert_uint_eq(size, SIZE);
        ck_assert(memcmp(now, now + 1, SIZE - 1) == 0); /* all are the same letter */
        seen[(int)now[0]] = true;
        free(now);
    }
    put("stop", "", 0);
    ck_assert_int_eq(wait_for(writers[0]) | wait_for(writers[1]), 0);
    ck_assert_str_eq(names_in("."), "stop x");
}
END_TEST

START_TEST(printable_text_steers_no_terminal)
{
    static const char *const cases[][2] = {
        {"plain ~ text \\ \"", "plain ~ text \\ \""},
        {"\033[2J\n\t\x7f.", "\\x1b[2J\\x0a\\x09\\x7f."},
        {"\u00fc\u00a0\u4e2d\U0001f600", "\u00fc\u00a0\u4e2d\U0001f600"},
        {"\xc2\x9b.\xc2\x80\xc2\x9f", "\\xc2\\x9b.\\xc2\\x80\\xc2\\x9f"},
        {"\u202e.\u2066", "\\xe2\\x80\\xae.\\xe2\\x81\\xa6"},
        {"\xc2", "\xc2"}, /* cut short */
        {"\xe2\x80", "\xe2\x80"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        ck_assert_str_eq(printable(cases[i][0]).text, cases[i][1]);
    }
    for (int length = 100; length < 999; length++) { /* long text ends in dots, whatever it is of */
        char text[1000] = "";
        memset(text, length % 2 ? 'n' : '\n', (size_t)length);
        struct Printable result = printable(text);
        size_t size = strlen(result.text);
        bool whole = strcmp(result.text, text) == 0;
        ck_assert(size > 99 && size < sizeof result.text);
        ck_assert(whole || strcmp(result.text + size - 3, "...") == 0);
        ck_assert(whole || length % 2 == 0 || length > 180);
    }
}
END_TEST

START_TEST(a_table_is_there_when_it_is_saved)
{
    struct Table *table = table_new("out/07-train", "loss", "step loss name");
    for (int i = 0; i < 3; i++) {
        table_row(table, "%d\t%.3f\t%s", i, i / 8.0, "a b");
    }
    ck_assert_str_eq(names_in("out/07-train"), "");
    table_save(table);
    assert_content("out/07-train/loss.tsv",
                   "step\tloss\tname\n0\t0.000\ta b\n1\t0.125\ta b\n2\t0.250\ta b\n");
    table_save(table_new(".", "one", "only"));
    assert_content("one.tsv", "only\n");
    ck_assert_str_eq(names_in("out/07-train"), "loss.tsv");
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

START_TEST(a_table_refuses_rows_and_places_that_do_not_fit)
{
    static const char *const rows[][2] = {
        {"1", "workbook: ./t.tsv has 2 columns, but this is no row for it: \"1\""},
        {"1\t2\t3", "workbook: ./t.tsv has 2 columns, but ... for it: \"1\\x092\\x093\""},
        {"1\t2\n", "workbook: ./t.tsv has 2 columns, but ... for it: \"1\\x092\\x0a\""},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        assert_died(run(save_row, rows[i][0]), rows[i][1]);
    }
    ck_assert_str_eq(names_in("."), "");
    ck_assert_int_eq(mkdir("t.tsv", 0700), 0);
    put("file", "", 0);
    assert_died(run(new_table_in, "."), "workbook: cannot write ./t.tsv: it is a directory");
    assert_died(run(new_table_in, "file"),
                "workbook: cannot make the directory file: something else has that name");
}
END_TEST

Suite *files_suite(void)
{
    Suite *suite = suite_create("files");
    TCase *cases = new_case(suite, "files", enter_directory);
    tcase_add_test(cases, directories_are_made_with_those_above_them);
    tcase_add_test(cases, what_cannot_be_written_is_refused_at_once);
    tcase_add_test(cases, a_file_is_replaced_with_the_permissions_of_a_new_one);
    tcase_add_test(cases, a_full_disk_leaves_the_old_file);
    tcase_add_test(cases, two_writers_leave_one_whole_file);
    tcase_add_test(cases, printable_text_steers_no_terminal);
    tcase_add_test(cases, a_table_is_there_when_it_is_saved);
    tcase_add_test(cases, a_table_refuses_rows_and_places_that_do_not_fit);
    return suite;
}
