/* Options: what is accepted, what is refused and in which words, and the page of --help. */
#include <string.h>

#include "common/base.h"
#include "common/cli.h"
#include "tests/core/suites.h"
#include "tests/helpers.h"

static struct Common common;
static struct {
    int steps, heads;
    double rate;
    const char *text, *save;
    bool fast;
    struct Range lengths, layers;
    uint64_t seed;
} v;

static struct Option options[] = {
    {"steps", OPTION_INTEGER, &v.steps, "N", "how many steps to train", 0, 10000000, NULL, false},
    {"heads", OPTION_INTEGER, &v.heads, "N", "may be negative here", -8, 8, NULL, false},
    {"rate", OPTION_REAL, &v.rate, "X", "the learning rate", 0, 1, NULL, false},
    {"text", OPTION_TEXT, &v.text, "DIGITS", "the digits to reverse", 0, 0, NULL, false},
    {"save", OPTION_TEXT, &v.save, "FILE",
     "write the weights to this file when the training is over", 0, 0, NULL, false},
    {"fast", OPTION_FLAG, &v.fast, NULL, "no tests", 0, 0, NULL, false},
    {"lengths-of-tests", OPTION_RANGE, &v.lengths, "A-B", "how long the digits of a test are", 1,
     12, NULL, false},
    {"layers", OPTION_RANGE, &v.layers, "A-B", "the layers to show", 0, 5, NULL, false},
    {"test-seed", OPTION_SEED, &v.seed, "N", "the seed of the tests", 0, 0, NULL, false},
};

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Parse these words, NULL at the end, behind the name of a program. */
static void parse(const void *words)
{
    char *argv[16] = {"./bin/lesson-07"};
    int argc = 1;
    for (const char *const *word = words; *word != NULL; word++) {
        argv[argc++] = (char *)(size_t)*word;
    }
    memset(&v, 0, sizeof v);
    v.steps = 1500, v.heads = 4, v.rate = 0.003, v.text = "31415", v.seed = 2;
    v.lengths = (struct Range){3, 8};
    cli_parse(argc, argv,
              "Trains the model to reverse digits, and shows how the loss falls and how the share "
              "of correct answers grows.",
              "07-train", &common, options, COUNT(options));
}

/* What each kind of option takes, and what it does not. */
static const struct {
    const char *option, *takes, *values[20];
} bad_values[] = {
    {"--steps",
     "a whole number from 0 to 10000000",
     {"12x", "", " 7", "7 ", "+7", "-1", "-", "3-5", "0x10", "1e3", "7.0", "10000001", "4294967297",
      "99999999999999999999", "--quiet"}},
    {"--heads", "a whole number from -8 to 8", {"-9", "9", "--8"}},
    {"--rate",
     "a number from 0 to 1",
     {"nan", "inf", "1e999", "-0.1", "1.0001", "0,1", "0x1", "0x1p-3", ".5.", ".", "1e", " 1", "",
      "+0.5"}},
    {"--text", "a text that is not empty and does not begin with --", {"", "--fast"}},
    {"--layers", "A-B or A, whole numbers from 0 to 5", {"0-", "0--0", "-0"}},
    {"--lengths-of-tests",
     "A-B or A, whole numbers from 1 to 12",
     {"8-3", "0-3", "3-13", "13", "3-", "-3", "3--5", "3-5-7", "3 - 5", "3-5x", "4294967297", "",
      "99999999999999999999"}},
    {"--seed",
     "a whole number from 0 to 18446744073709551615",
     {"-1", "+1", "1.5", "", "18446744073709551616"}},
    {"--threads", "a whole number from 1 to 1024", {"0", "1025"}},
    {"--out", "a text that is not empty and does not begin with --", {""}},
};

START_TEST(a_bad_value_is_refused)
{
    const char *option = bad_values[_i].option, *takes = bad_values[_i].takes;
    char line[300], word[100];
    for (int i = 0; bad_values[_i].values[i] != NULL; i++) {
        const char *value = bad_values[_i].values[i];
        snprintf(line, sizeof line, "lesson-07: %s takes %s, not \"%s\"", option, takes, value);
        snprintf(word, sizeof word, "%s=%s", option, value);
        assert_died(run(parse, WORDS(option, value)), line);
        assert_died(run(parse, WORDS(word)), line);
    }
    snprintf(line, sizeof line, "lesson-07: %s needs a value: %s", option, takes);
    assert_died(run(parse, WORDS("--fast", option)), line);
}
END_TEST

static const struct {
    const char *words[4], *line;
} bad_words[] = {
    {{"--fast=1"}, "--fast takes no value"},
    {{"--quiet="}, "--quiet takes no value"},
    {{"--help=me"}, "--help takes no value"},
    {{"--stpes", "5"}, "there is no option --stpes; --help lists them"},
    {{"--stpes=5"}, "there is no option --stpes; --help lists them"},
    {{"--step", "5"}, "there is no option --step; --help lists them"},
    {{"--s=5"}, "there is no option --s; --help lists them"},
    {{"--te", "5"}, "there is no option --te; --help lists them"},
    {{"--qui"}, "there is no option --qui; --help lists them"},
    {{"--=5"}, "there is no option --; --help lists them"},
    {{"--Steps", "5"}, "there is no option --Steps; --help lists them"},
    {{"--a\r\nb"}, "there is no option --a\\x0d\\x0ab; --help lists them"},
    {{"-h"}, "there is no option -h; --help lists them"},
    {{"-steps", "5"}, "there is no option -steps; --help lists them"},
    {{"-:"}, "there is no option -:; --help lists them"},
    {{"file"}, "\"file\" belongs to no option; --help lists them"},
    {{"--fast", "5", "--quiet"}, "\"5\" belongs to no option; --help lists them"},
    {{"-"}, "\"-\" belongs to no option; --help lists them"},
    {{""}, "\"\" belongs to no option; --help lists them"},
    {{"--fast", "--", "--quiet"}, "\"--quiet\" belongs to no option; --help lists them"},
    {{"--steps", "5", "--steps=x"}, "--steps takes ..., not \"x\""},
    {{"--steps", "1\n\033[2J"}, "--steps takes ..., not \"1\\x0a\\x1b[2J\""},
};

START_TEST(what_is_no_option_is_refused)
{
    char line[300];
    snprintf(line, sizeof line, "lesson-07: %s", bad_words[_i].line);
    assert_died(run(parse, bad_words[_i].words), line);
}
END_TEST

/* The options that were given, by their first letters; those named test-... as T. */
static void assert_given(const char *letters)
{
    for (int i = 0; i < COUNT(options); i++) {
        bool wanted = strchr(letters, "shrtSflLT"[i]) != NULL;
        ck_assert_msg(options[i].given == wanted, "--%s", options[i].name);
    }
}

START_TEST(without_options_the_defaults_stand)
{
    parse(WORDS("--"));
    ck_assert_str_eq(program_name, "lesson-07");
    ck_assert(v.steps == 1500 && v.rate == 0.003 && v.save == NULL && !v.fast && v.seed == 2);
    ck_assert(v.lengths.first == 3 && v.lengths.last == 8);
    ck_assert_str_eq(v.text, "31415");
    ck_assert(common.seed == DEFAULT_SEED && !common.quiet);
    ck_assert(common.threads >= 1 && common.threads <= 1024);
    ck_assert_str_eq(common.out, "out/07-train");
    assert_given("");
}
END_TEST

START_TEST(values_are_taken)
{
    parse(WORDS("--steps", "0", "--rate", "1", "--text", "-3", "--save=a=b", "--lengths-of-tests",
                "1-12", "--fast"));
    ck_assert(v.steps == 0 && v.rate == 1 && v.fast);
    ck_assert(v.lengths.first == 1 && v.lengths.last == 12);
    ck_assert_str_eq(v.text, "-3");
    ck_assert_str_eq(v.save, "a=b");
    assert_given("srtSfl");
    parse(WORDS("--steps=10000000", "--rate", "2.5e-1", "--lengths-of-tests=7", "--heads", "-8",
                "--test-seed", "0"));
    ck_assert(v.steps == 10000000 && v.rate == 0.25 && v.heads == -8 && v.seed == 0);
    ck_assert(v.lengths.first == 7 && v.lengths.last == 7);
    assert_given("srlhT");

    parse(WORDS("--seed", "18446744073709551615", "--threads", "3", "--out", "d", "--quiet"));
    ck_assert(common.seed == UINT64_MAX && common.threads == 3 && common.quiet);
    ck_assert_str_eq(common.out, "d");
    parse(WORDS("--steps", "3", "--seed", "4", "--steps", "5")); /* the last wins */
    ck_assert(v.steps == 5 && common.seed == 4);
}
END_TEST

/* Wrapped at 80 columns; the defaults as they are without the words before --help. */
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

START_TEST(help_lists_the_options_with_limits_and_defaults)
{
    struct Ran ran = run(parse, WORDS("--steps", "7", "--nonsense", "--help"));
    ck_assert_int_eq(ran.status, 0);
    ck_assert_str_eq(ran.err, "");
    ck_assert_str_eq(ran.out, page);
}
END_TEST

Suite *cli_suite(void)
{
    Suite *suite = suite_create("cli");
    TCase *cases = new_case(suite, "cli", NULL);
    tcase_add_loop_test(cases, a_bad_value_is_refused, 0, COUNT(bad_values));
    tcase_add_loop_test(cases, what_is_no_option_is_refused, 0, COUNT(bad_words));
    tcase_add_test(cases, without_options_the_defaults_stand);
    tcase_add_test(cases, values_are_taken);
    tcase_add_test(cases, help_lists_the_options_with_limits_and_defaults);
    return suite;
}
