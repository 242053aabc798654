/* Scores, and the files that other systems take, read back as they would. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "suites.h"
#include "tests/graders/csv.h"
#include "tests/graders/gradebook.h"
#include "tests/graders/text.h"
#include "tests/helpers.h"

START_TEST(a_score_is_the_share_that_passed_and_never_1_without_a_pass)
{
    static const struct {
        enum State state;
        int passed, n_checks, score;
    } cases[] = {
        {PASS, 6, 6, 100}, {PASS, 1, 1, 100},    {WRONG, 4, 6, 66},   {WRONG, 0, 6, 0},
        {WRONG, 2, 3, 66}, {WRONG, 6, 6, 99},    {WRONG, 15, 16, 93}, {CRASH, 1, 5, 20},
        {CRASH, 0, 0, 0},  {TIMEOUT, 5, 16, 31}, {COMPILE, 0, 6, 0},  {COMPILE, 2, 6, 0},
        {TODO, 0, 6, 0},   {TODO, 1, 6, 0},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        struct Result r = sample("01-x", cases[i].state, cases[i].passed, cases[i].n_checks);
        ck_assert_int_eq(score(&r), cases[i].score);
    }
    ck_assert_str_eq(points(0).text, "0.00");
    ck_assert_str_eq(points(99).text, "0.99");
    ck_assert_str_eq(points(123405).text, "1234.05");
}
END_TEST

static void score_of(const void *result)
{
    score(result);
}

START_TEST(a_pass_without_all_its_checks_is_no_pass)
{
    struct Result none = sample("01-x", PASS, 0, 0), some = sample("01-x", PASS, 5, 6);
    struct Result more = sample("01-x", WRONG, 6, 6);
    more.passed = 7;
    assert_died(run(score_of, &none),
                "workbook: the grader contradicts itself: 01-x is PASS with 0 of 0 checks");
    assert_died(run(score_of, &some), "...: 01-x is PASS with 5 of 6 checks");
    assert_died(run(score_of, &more), "...: 01-x is WRONG with 7 of 6 checks");
}
END_TEST

/* A class: each student has the samples, or passes all, or started nothing, in turn. */

enum { MOST_STUDENTS = 12 };

struct Class {
    struct Result results[3][N_SAMPLES];
    struct Student students[MOST_STUDENTS];
    struct Gradebook book;
};

static struct Gradebook *class_of(const char *const *names, int n)
{
    static struct Class class;
    samples(class.results[0]);
    samples(class.results[1]);
    samples(class.results[2]);
    for (int i = 0; i < N_SAMPLES; i++) {
        const char *name = class.results[0][i].exercise;
        class.results[1][i] = sample(name, PASS, 4, 4);
        class.results[2][i] = sample(name, TODO, 0, 4);
    }
    for (int k = 0; k < n; k++) {
        snprintf(class.students[k].name, sizeof class.students[k].name, "%s", names[k]);
        class.students[k].results = class.results[k % 3];
    }
    class.book = (struct Gradebook){.title = "Transformer, written out",
                                    .students = class.students,
                                    .n_students = n,
                                    .n_exercises = N_SAMPLES};
    return &class.book;
}

/* What gradebook_write says. */
static char *write_class(const struct Gradebook *book, const char *worksheet)
{
    struct Gathered said;
    text_open(&said);
    gradebook_write(book, worksheet, "out/marks", said.stream);
    return text_take(&said);
}

START_TEST(grades_have_a_row_for_each_student)
{
    static const char *const names[] = {"Ada Lovelace", "Hopper, Grace", "4711"};
    char *said = write_class(class_of(names, 3), NULL);
    ck_assert_str_eq(
        content("out/marks/grades.csv", NULL),
        "student,01-softmax,02-scaled-dot,03-causal-mask,04-layernorm,05-gelu,06-adamw,total,"
        "mistakes\r\n"
        "Ada Lovelace,1.00,0.66,0.20,0.20,0.00,0.00,2.06,02-scaled-dot: d_model\r\n"
        "\"Hopper, Grace\",1.00,1.00,1.00,1.00,1.00,1.00,6.00,\r\n"
        "4711,0.00,0.00,0.00,0.00,0.00,0.00,0.00,\r\n");
    ck_assert_str_eq(content("out/marks/canvas.csv", NULL),
                     "Student,ID,Section,\"Transformer, written out\"\r\n"
                     "    Points Possible,,,6\r\n"
                     "Ada Lovelace,,,2.06\r\n"
                     "\"Hopper, Grace\",,,6.00\r\n"
                     "4711,4711,,0.00\r\n");
    ck_assert_str_eq(names_in("out/marks"), "canvas.csv classroom grades.csv gradescope");
    assert_like(said, "3 submissions, 6 exercises:\n  out/marks/grades.csv ...");
}
END_TEST

static const char *const odd_names[] = {
    "a,b",
    "say \"hi\"",
    "two\nlines\r\n",
    "Zo\xc3\xab \xe4\xb8\xad",
    "\xff not UTF-8",
    " spaces ",
    "-dash",
    "=1+1",
    "\t@x",
    "a;b\tc",
    "+49",
    "'quoted'",
};

/* Every name comes back; only one that would be computed has a ' before it. */
START_TEST(odd_names_survive)
{
    write_class(class_of(odd_names, COUNT(odd_names)), NULL);
    for (int table = 0; table < 2; table++) {
        struct Sheet sheet = sheet_read(table ? "out/marks/canvas.csv" : "out/marks/grades.csv");
        ck_assert_int_eq(sheet.n_rows, COUNT(odd_names) + 1 + table);
        for (int k = 0; k < COUNT(odd_names); k++) {
            const char *name = odd_names[k];
            bool formula = strchr("=+-@", name[strspn(name, " \t")]) != NULL;
            char *text = sheet_text(&sheet, k + 1 + table, 0);
            ck_assert_int_eq(text[0] == '\'' && text[1] != 'q', formula);
            ck_assert_str_eq(text + formula, name);
        }
    }
    for (int k = 0; k < COUNT(odd_names); k++) {
        char path[300];
        snprintf(path, sizeof path, "out/marks/gradescope/%s/results.json", odd_names[k]);
        ck_assert_int_eq(access(path, R_OK), 0);
    }
}
END_TEST

static json_t *read_json(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(json != NULL, "%s: %s", path, error.text);
    return json;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    ck_assert_msg(text != NULL, "there is no text %s", key);
    return text;
}

/* Hundredths. */
static int number_of(const json_t *object, const char *key)
{
    ck_assert(json_is_number(json_object_get(object, key)));
    return (int)(100 * json_number_value(json_object_get(object, key)) + 0.5);
}

START_TEST(gradescope_gets_what_it_documents)
{
    static const char *const names[] = {"Ada"};
    struct Gradebook *book = class_of(names, 1);
    struct Result *results = book->students[0].results;
    snprintf(results[1].lines[0], LINE, "%s", nasty);
    snprintf(results[1].file, sizeof results[1].file, "%s", nasty);
    write_class(book, NULL);
    json_t *json = read_json("out/marks/gradescope/Ada/results.json");
    json_t *tests = json_object_get(json, "tests"), *test = json_array_get(tests, 1);
    ck_assert_int_eq(number_of(json, "score"), 206);
    ck_assert_int_eq(number_of(json, "execution_time"), 150);
    ck_assert_str_eq(text_of(json, "visibility"), "visible");
    ck_assert_str_eq(text_of(json, "stdout_visibility"), "hidden");
    ck_assert_str_eq(text_of(json, "output_format"), "text");
    assert_like(text_of(json, "output"), "Graded by make grade: 2.06 of 6 points.\nPassed: "
                                         "01-softmax\n02-scaled-dot: WRONG, 0.66 points. "
                                         "\\x1b...\n05-gelu: COMPILE, 0.00 points. answer.c:12: "
                                         "'x' undeclared\nNot started: 06-adamw\n");
    ck_assert_uint_eq(json_array_size(tests), N_SAMPLES);
    ck_assert_str_eq(text_of(json_array_get(tests, 0), "status"), "passed");
    ck_assert_str_eq(text_of(test, "name"), "02-scaled-dot");
    ck_assert_str_eq(text_of(test, "number"), "02");
    ck_assert_str_eq(text_of(test, "status"), "failed");
    ck_assert_str_eq(text_of(test, "visibility"), "visible");
    ck_assert_int_eq(number_of(test, "score"), 66);
    ck_assert_int_eq(number_of(test, "max_score"), 100);
    assert_like(text_of(test, "output"), "02 scaled-dot           WRONG    4/6\n   \\x1b...\n"
                                         "   WRONG    check 5\n            why 5\n...");
}
END_TEST

START_TEST(classroom_gets_what_its_reporter_adds_up)
{
    static const char *const names[] = {"Ada", "Bob", "Eve"}, *const status[] = {"error", "pass",
                                                                                 "fail"};
    static const char *const of_tests[] = {"pass", "fail", "error", "error", "error", "fail"};
    write_class(class_of(names, 3), NULL);
    for (int k = 0; k < 3; k++) {
        char path[100];
        int sum = 0;
        snprintf(path, sizeof path, "out/marks/classroom/%s/results.json", names[k]);
        json_t *json = read_json(path), *tests = json_object_get(json, "tests");
        ck_assert_int_eq(json_integer_value(json_object_get(json, "version")), 1);
        ck_assert_int_eq(json_integer_value(json_object_get(json, "max_score")), N_SAMPLES);
        ck_assert_str_eq(text_of(json, "status"), status[k]);
        ck_assert_uint_eq(json_array_size(tests), N_SAMPLES);
        for (int i = 0; i < N_SAMPLES; i++) {
            const json_t *test = json_array_get(tests, (size_t)i);
            sum += number_of(test, "score");
            ck_assert_str_eq(text_of(test, "status"), k == 0 ? of_tests[i] : status[k]);
            ck_assert_int_eq(json_integer_value(json_object_get(test, "line_no")), 0);
            ck_assert_int_eq(json_integer_value(json_object_get(test, "duration")), 250);
        }
        ck_assert_int_eq(sum, k == 0 ? 206 : k == 1 ? 600 : 0);
        ck_assert_str_eq(text_of(json_array_get(tests, 3), "test_code"), "make check-04");
    }
}
END_TEST

/* Moodle. */

#define MARK "\xef\xbb\xbf"
#define HEADER                                                                                     \
    "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum grade\",\"Grade can be "    \
    "changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"\r\n"

static void put_text(const char *path, const char *text)
{
    put(path, text, strlen(text));
}

static const char passed_all[] =
    "\"Graded by make grade: 6.00 of 6 points.<br>Passed: 01-softmax, 02-scaled-dot, "
    "03-causal-mask, 04-layernorm, 05-gelu, 06-adamw\"";

START_TEST(a_worksheet_changes_only_in_grade_and_feedback)
{
    static const char *const names[] = {"Eve_99_assignsubmission_file_",
                                        "Ada Lovelace_1234567_assignsubmission_file_",
                                        "Bob_7_onlinetext"};
    const char *sheet =
        MARK HEADER "\"Participant 1234567\",Ada  \"\"\"L\"\"\",ada@x.org,\"Submitted, "
                    "late\",,50.00,Yes,\"Monday, "
                    "1 June\",-,\r\n"
                    "Participant 12,\"Grace \"\"G\"\"\nHopper\",,,,50.00,Yes,-,-,\"\"\r\n";
    char wanted[2000];
    put_text("Grades-C1-5.csv", sheet);
    char *said = write_class(class_of(names, 3), "Grades-C1-5.csv");
    snprintf(wanted, sizeof wanted,
             MARK HEADER "\"Participant 1234567\",Ada  \"\"\"L\"\"\",ada@x.org,\"Submitted, "
                         "late\",50.00,50.00,Yes,\"Monday, 1 June\",-,%s\r\n"
                         "Participant 12,\"Grace \"\"G\"\"\nHopper\",,,,50.00,Yes,-,-,\"\"\r\n",
             passed_all);
    ck_assert_str_eq(content("out/marks/Grades-C1-5.csv", NULL), wanted);
    ck_assert_str_eq(content("Grades-C1-5.csv", NULL), sheet);
    assert_like(said, "...out/marks/Grades-C1-5.csv:\n"
                      "  Participant 12, Grace \"G\"\\x0aHopper: no submission\n"
                      "  submission \"Eve_99_assignsubmission_file_\": matches no row\n"
                      "  submission \"Bob_7_onlinetext\": matches no row\n"
                      "  filled in: 1 of 2 rows\n");
}
END_TEST

/* A worksheet of these rows, with a submission by each name: what is said, up to "filled in". */
static char *fill(const char *rows, const char *const *names, int n)
{
    char sheet[2000];
    snprintf(sheet, sizeof sheet, HEADER "%s", rows);
    put_text("w.csv", sheet);
    return strstr(write_class(class_of(names, n), "w.csv"), "w.csv:\n") + strlen("w.csv:\n");
}

/* The fields of a column in the copy, with | between them. */
static char *column_of(const char *name)
{
    static char text[2000];
    struct Sheet sheet = sheet_read("out/marks/w.csv");
    text[0] = '\0';
    for (int row = 1; row < sheet.n_rows; row++) {
        strcat(text, row > 1 ? "|" : "");
        strcat(text, sheet_text(&sheet, row, sheet_column(&sheet, name)));
    }
    return text;
}

START_TEST(a_submission_finds_its_row_by_number_or_else_by_name)
{
    static const char *const names[] = {"12",
                                        "x_1_assignsubmission_file",
                                        "participant 3",
                                        "ADA@x.org",
                                        "Zo\xc3\xab",
                                        "x_2_9_assignsubmission_onlinetext_",
                                        "x7_assignsubmission_file_"};
    fill("Participant 123,,,,,100,Yes,-,-,\n"
         "Participant 1,,,,,100,Yes,-,-,\n"
         "Participant 4,,ada@x.org,,,100,Yes,-,-,\n"
         "Participant 5,Zo\xc3\xab,,,,100,Yes,-,-,\n"
         "Participant 12,,,,,100,Yes,-,-,\n"
         "Participant 3,,,,,100,Yes,-,-,\n"
         "Participant 7,,,,,100,Yes,-,-,\n",
         names, COUNT(names));
    ck_assert_str_eq(column_of("Grade"), "|100.00|34.33|100.00|34.33|0.00|");
    fill("Participant 9,,,,,100,Yes,-,-,\n", names + 5, 1);
    ck_assert_str_eq(column_of("Grade"), "34.33");
    fill("Participant 29,,,,,100,Yes,-,-,\n", names + 5, 1);
    ck_assert_str_eq(column_of("Grade"), "");
}
END_TEST

START_TEST(where_there_is_a_choice_nothing_is_filled_in)
{
    static const char *const names[] = {"Ada", "1", "Bob_1_assignsubmission_file_"};
    char *said = fill("Participant 1,Bob,,,,100,Yes,-,-,\n"
                      "Participant 2,Ada,,,,100,Yes,-,-,\n"
                      "Participant 3,Ada,,,,100,Yes,-,-,\n",
                      names, 3);
    ck_assert_str_eq(column_of("Grade"), "||");
    ck_assert_str_eq(said, "  Participant 1, Bob: several submissions\n"
                           "  Participant 2, Ada: no submission\n"
                           "  Participant 3, Ada: no submission\n"
                           "  submission \"Ada\": matches several rows\n"
                           "  filled in: 0 of 3 rows\n");
}
END_TEST

START_TEST(what_moodle_or_the_lecturer_has_settled_stays)
{
    static const char *const names[] = {"1", "2", "3", "4", "5"};
    char *said = fill("1,,,,7.00,100.00,No,-,-,\n"
                      "2,,,,7.00,100.00,Yes,-,-,\"Well, done\"\n"
                      "3,,,,,Competent,Yes,-,-,\n"
                      "4,,,,7.00,\"33,35\",Yes,-,-,\"Graded by make grade: 0.00 of 6 points.\"\n"
                      "5,,,,,100 points,Yes,-,-,\n",
                      names, COUNT(names));
    ck_assert_str_eq(column_of("Grade"), "7.00|100.00||11,45|");
    ck_assert_str_eq(said, "  1: Moodle says that the grade cannot be changed\n"
                           "  2: grade filled in; the feedback that was there is kept\n"
                           "  3: the maximum grade is no number\n"
                           "  5: the maximum grade is no number\n"
                           "  filled in: 2 of 5 rows\n");
    assert_like(column_of("Feedback comments"), "|Well, done||Graded by make grade: 2.06 of 6 "
                                                "points.<br>Passed: 01-softmax<br>02-scaled-...");
}
END_TEST

/* Moodle's own worksheets have had "Maximum Grade" and "Maximum grade". */
START_TEST(a_column_is_found_however_it_is_capitalised)
{
    static const char *const names[] = {"1"};
    put_text("w.csv", "Identifier,Grade,Maximum Grade\n1,,100.00\n");
    write_class(class_of(names, 1), "w.csv");
    ck_assert_str_eq(column_of("Grade"), "34.33");
}
END_TEST

START_TEST(feedback_is_html_in_one_line)
{
    static const char *const names[] = {"1"};
    struct Gradebook *book = class_of(names, 1);
    snprintf(book->students[0].results[1].lines[0], LINE, "%s", nasty);
    put_text("w.csv", "Identifier;Grade;Feedback comments\n1;;\n");
    write_class(book, "w.csv");
    const char *text = column_of("Feedback comments");
    ck_assert_ptr_nonnull(strstr(text, "&lt;b a=\"1\" b='2'&gt;&amp;amp; ]]&gt;"));
    ck_assert_ptr_null(strpbrk(text, "\n\r\033"));
    ck_assert_str_eq(column_of("Grade"), "2.06"); /* no maximum is known */
    put_text("w.csv", "Identifier;Grade\n1;");
    assert_like(write_class(book, "w.csv"),
                "...  there is no column \"Maximum grade\": the grades "
                "are points of 6\n  there is no column \"Feedback comments\": only "
                "grades are filled in\n  filled in: 1 of 1 rows\n");
    ck_assert_str_eq(content("out/marks/w.csv", NULL), "Identifier;Grade\n1;2.06");
}
END_TEST

static void write_with(const void *worksheet)
{
    static const char *const names[] = {"1"};
    gradebook_write(class_of(names, 1), worksheet, "out/marks", stdout);
}

START_TEST(what_is_no_worksheet_is_refused_before_anything_is_written)
{
    static const char *const refused[][3] = {
        {"w.csv", "", "workbook: w.csv is empty"},
        {"w.csv", MARK "\r\n\r\n", "workbook: w.csv is empty"},
        {"w.csv", "a,b\n1,2\n",
         "workbook: w.csv is no grading worksheet: it has no column "
         "\"Identifier\" (Moodle names it so in English)"},
        {"w.csv", "Identifier,b\n1,2\n", "...it has no column \"Grade\" (Moodle..."},
        {"w.csv", "Identifier,Grade\n1,2,3\n",
         "workbook: w.csv is no table: row 2 has 3 fields, but the first has 2"},
        {"w.csv", "Identifier,Grade\n1,2\n1\n", "...row 3 has 1 fields, but the first has 2"},
        {"w.csv", "Identifier,Grade\n1,\"2\n",
         "workbook: w.csv is no table: a quote is opened and never closed"},
        {"grades.csv", "Identifier,Grade\n1,\n",
         "workbook: the worksheet cannot have the name grades.csv: another file gets it"},
    };
    for (int i = 0; i < COUNT(refused); i++) {
        put_text(refused[i][0], refused[i][1]);
        assert_died(run(write_with, refused[i][0]), refused[i][2]);
    }
    put("w.csv", "I\0d\0", 4);
    assert_died(run(write_with, "w.csv"), "workbook: w.csv is no CSV file in UTF-8: ...");
    assert_died(run(write_with, "none"), "workbook: cannot read none: No such file or directory");
    assert_died(run(write_with, "."), "workbook: cannot read .: Is a directory");
    ck_assert_str_eq(names_in("."), "grades.csv w.csv");
    directory_make("out/marks");
    put_text("out/marks/w.csv", HEADER);
    assert_died(run(write_with, "out/marks/w.csv"),
                "workbook: out/marks/w.csv would be overwritten: take a directory that does ...");
    ck_assert_str_eq(names_in("out/marks"), "w.csv");
}
END_TEST

static void check_early(const void *worksheet)
{
    gradebook_check(worksheet, "out/marks");
}

START_TEST(a_worksheet_can_be_checked_before_grading)
{
    put_text("bad.csv", "a,b\n");
    assert_died(run(check_early, "bad.csv"), "workbook: bad.csv is no grading worksheet: ...");
    ck_assert_str_eq(names_in("."), "bad.csv");
    put_text("w.csv", HEADER);
    check_early("w.csv");
    ck_assert_str_eq(names_in("out/marks"), "");
    check_early(NULL);
    ck_assert_int_eq(chdir("out"), 0);
    put_text("out", "");
    assert_died(run(check_early, NULL), "workbook: cannot make the directory out: ...");
}
END_TEST

static void write_name(const void *name)
{
    const char *const names[] = {name};
    gradebook_write(class_of(names, name != NULL), NULL, "out", stdout);
}

START_TEST(a_class_needs_students_with_names)
{
    static const char *const bad[] = {"", ".", "..", "a/b"};
    assert_died(run(write_name, NULL), "workbook: there are no submissions to grade");
    for (int i = 0; i < COUNT(bad); i++) {
        assert_died(run(write_name, bad[i]), "workbook: \"...\" is no name of a submission");
    }
    ck_assert_str_eq(names_in("."), "");
}
END_TEST

Suite *gradebook_suite(void)
{
    Suite *suite = suite_create("gradebook");
    TCase *cases = new_case(suite, "gradebook", enter_directory);
    tcase_add_test(cases, a_score_is_the_share_that_passed_and_never_1_without_a_pass);
    tcase_add_test(cases, a_pass_without_all_its_checks_is_no_pass);
    tcase_add_test(cases, grades_have_a_row_for_each_student);
    tcase_add_test(cases, odd_names_survive);
    tcase_add_test(cases, gradescope_gets_what_it_documents);
    tcase_add_test(cases, classroom_gets_what_its_reporter_adds_up);
    tcase_add_test(cases, a_worksheet_changes_only_in_grade_and_feedback);
    tcase_add_test(cases, a_submission_finds_its_row_by_number_or_else_by_name);
    tcase_add_test(cases, where_there_is_a_choice_nothing_is_filled_in);
    tcase_add_test(cases, what_moodle_or_the_lecturer_has_settled_stays);
    tcase_add_test(cases, a_column_is_found_however_it_is_capitalised);
    tcase_add_test(cases, feedback_is_html_in_one_line);
    tcase_add_test(cases, what_is_no_worksheet_is_refused_before_anything_is_written);
    tcase_add_test(cases, a_worksheet_can_be_checked_before_grading);
    tcase_add_test(cases, a_class_needs_students_with_names);
    return suite;
}
