/* Options. getopt_long splits the words; which option one means is looked up here again by its
   exact name, because getopt_long would take --st for --steps. Numbers are read by hand-picked
   characters, so that " 7", "0x7", "nan" and "inf" are no numbers. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "file.h"
#include "threads.h"

enum { MAX_OPTIONS = 40, PAGE_WIDTH = 80, HELP_INDENT = 20 };

/* The program's options, then the common ones. */
struct List {
    struct Option *items[MAX_OPTIONS];
    int count;
};

/* What an option accepts, in words; empty for a flag. */
static void accepted(char *text, size_t size, const struct Option *option)
{
    double least = option->least, most = option->most;
    switch (option->kind) {
    case OPTION_INTEGER:
        snprintf(text, size, "a whole number from %.0f to %.0f", least, most);
        break;
    case OPTION_REAL:
        snprintf(text, size, "a number from %g to %g", least, most);
        break;
    case OPTION_RANGE:
        snprintf(text, size, "A-B or A, whole numbers from %.0f to %.0f", least, most);
        break;
    case OPTION_SEED:
        snprintf(text, size, "a whole number from 0 to %llu", (unsigned long long)UINT64_MAX);
        break;
    case OPTION_TEXT:
        snprintf(text, size, "a text that is not empty and does not begin with --");
        break;
    case OPTION_FLAG:
        text[0] = '\0';
        break;
    }
}

/* The default in words; empty when there is none. */
static void standing_value(char *text, size_t size, const struct Option *option)
{
    const void *value = option->value;
    const struct Range *range = value;
    text[0] = '\0';
    if (option->by_default != NULL) {
        snprintf(text, size, "%s", option->by_default);
    } else if (option->kind == OPTION_INTEGER) {
        snprintf(text, size, "%d", *(const int *)value);
    } else if (option->kind == OPTION_REAL) {
        snprintf(text, size, "%g", *(const double *)value);
    } else if (option->kind == OPTION_RANGE) {
        snprintf(text, size, "%d-%d", range->first, range->last);
    } else if (option->kind == OPTION_SEED) {
        snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)value);
    } else if (option->kind == OPTION_TEXT && *(const char *const *)value != NULL) {
        snprintf(text, size, "%s", *(const char *const *)value);
    }
}

/* Print words from this column on; lines after the first begin at indent. Ends the line. */
static void print_wrapped(const char *words, int column, int indent)
{
    while (*words != '\0') {
        int length = (int)strcspn(words, " ");
        if (column > indent && column + 1 + length > PAGE_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        int gap = column > indent;
        printf("%s%.*s", gap ? " " : "", length, words);
        column += gap + length;
        words += length;
        words += strspn(words, " ");
    }
    putchar('\n');
}

static void print_option(const struct Option *option)
{
    char limits[100] = "", standard[200], description[1000];
    const char *argument = option->argument != NULL ? option->argument : "";
    if (option->kind != OPTION_TEXT) {
        accepted(limits, sizeof limits, option);
    }
    standing_value(standard, sizeof standard, option);
    if (limits[0] != '\0') {
        snprintf(description, sizeof description, "%s (%s; default: %s)", option->help, limits,
                 standard);
    } else if (standard[0] != '\0') {
        snprintf(description, sizeof description, "%s (default: %s)", option->help, standard);
    } else {
        snprintf(description, sizeof description, "%s", option->help);
    }
    int column = printf("  --%s %s", option->name, argument);
    if (column >= HELP_INDENT) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", HELP_INDENT - column, "");
    print_wrapped(description, HELP_INDENT, HELP_INDENT);
}

static _Noreturn void print_help(const char *summary, const struct List *list)
{
    printf("usage: %s [options]\n\n", program_name);
    print_wrapped(summary, 0, 0);
    putchar('\n');
    for (int i = 0; i < list->count; i++) {
        print_option(list->items[i]);
    }
    if (fflush(stdout) != 0) {
        die("the page could not be written to stdout: is the disk full?");
    }
    exit(0);
}

/* Is text made of these characters, and the first of it one of those that begin a number? */
static bool spelled(const char *text, const char *first, const char *others)
{
    return text[0] != '\0' && strchr(first, text[0]) != NULL && text[strspn(text, others)] == '\0';
}

static bool set_integer(const struct Option *option, const char *text)
{
    char *end;
    long long number = strtoll(text, &end, 10);
    bool good = spelled(text, "-0123456789", "-0123456789") && *end == '\0' &&
                (double)number >= option->least && (double)number <= option->most;
    if (good) {
        *(int *)option->value = (int)number;
    }
    return good;
}

static bool set_real(const struct Option *option, const char *text)
{
    char *end;
    double number = strtod(text, &end);
    bool good = spelled(text, "-.0123456789", "-+.0123456789eE") && *end == '\0' &&
                number >= option->least && number <= option->most;
    if (good) {
        *(double *)option->value = number;
    }
    return good;
}

static bool set_range(const struct Option *option, const char *text)
{
    char *end;
    long long first = strtoll(text, &end, 10), last = first;
    bool good = spelled(text, "0123456789", "-0123456789");
    if (good && *end == '-') {
        good = spelled(end + 1, "0123456789", "0123456789");
        last = strtoll(end + 1, &end, 10);
    }
    good = good && *end == '\0' && first <= last && (double)first >= option->least &&
           (double)last <= option->most;
    if (good) {
        *(struct Range *)option->value = (struct Range){(int)first, (int)last};
    }
    return good;
}

static bool set_seed(const struct Option *option, const char *text)
{
    errno = 0;
    unsigned long long number = strtoull(text, NULL, 10);
    bool good = spelled(text, "0123456789", "0123456789") && errno == 0;
    if (good) {
        *(uint64_t *)option->value = number;
    }
    return good;
}

/* Store text in the option's value; false, and nothing stored, when it is not accepted. */
static bool set_value(const struct Option *option, const char *text)
{
    switch (option->kind) {
    case OPTION_INTEGER:
        return set_integer(option, text);
    case OPTION_REAL:
        return set_real(option, text);
    case OPTION_RANGE:
        return set_range(option, text);
    case OPTION_SEED:
        return set_seed(option, text);
    case OPTION_FLAG:
        *(bool *)option->value = true;
        return true;
    case OPTION_TEXT:
        if (text[0] == '\0' || strncmp(text, "--", 2) == 0) {
            return false;
        }
        *(const char **)option->value = text;
        return true;
    }
    return false;
}

/* The option that word (--name or --name=value) spells out, or NULL. */
static struct Option *find(const struct List *list, const char *word)
{
    size_t length = strcspn(word, "=");
    for (int i = 0; i < list->count && strncmp(word, "--", 2) == 0; i++) {
        const char *name = list->items[i]->name;
        if (strlen(name) == length - 2 && strncmp(name, word + 2, length - 2) == 0) {
            return list->items[i];
        }
    }
    return NULL;
}

static void parse_words(int argc, char **argv, const struct List *list)
{
    struct option longs[MAX_OPTIONS + 1] = {{.name = NULL}};
    char limits[100];
    for (int i = 0; i < list->count; i++) {
        longs[i].name = list->items[i]->name;
        longs[i].has_arg = list->items[i]->kind == OPTION_FLAG ? no_argument : required_argument;
    }
    opterr = 0;
    optind = 1;
    for (int at = 1, code; (code = getopt_long(argc, argv, "+:", longs, NULL)) != -1; at = optind) {
        struct Option *option = find(list, argv[at]);
        if (option == NULL) {
            struct Printable word = printable(argv[at]);
            die("there is no option %.*s; --help lists them", (int)strcspn(word.text, "="),
                word.text);
        }
        accepted(limits, sizeof limits, option);
        if (code == '?') {
            die("--%s takes no value", option->name);
        }
        if (code == ':') {
            die("--%s needs a value: %s", option->name, limits);
        }
        if (!set_value(option, optarg)) {
            die("--%s takes %s, not \"%s\"", option->name, limits, printable(optarg).text);
        }
        option->given = true;
    }
    if (optind < argc) {
        die("\"%s\" belongs to no option; --help lists them", printable(argv[optind]).text);
    }
}

static void add_options(struct List *list, struct Option *options, int n_options)
{
    for (int i = 0; i < n_options; i++) {
        if (list->count == MAX_OPTIONS) {
            die("a program can have at most %d options", MAX_OPTIONS);
        }
        options[i].given = false;
        list->items[list->count++] = &options[i];
    }
}

void cli_parse(int argc, char **argv, const char *summary, const char *lesson,
               struct Common *common, struct Option *options, int n_options)
{
    static char out[100];
    bool help = false, alone = common == NULL;
    struct Common unused;
    common = alone ? &unused : common;
    struct Option shared[] = {
        {.name = "seed",
         .kind = OPTION_SEED,
         .value = &common->seed,
         .argument = "N",
         .help = "the seed of every random number"},
        {.name = "threads",
         .kind = OPTION_INTEGER,
         .value = &common->threads,
         .argument = "N",
         .help = "how many threads work at once",
         .least = 1,
         .most = MAX_THREADS,
         .by_default = "all processors"},
        {.name = "out",
         .kind = OPTION_TEXT,
         .value = &common->out,
         .argument = "DIR",
         .help = "the directory for the files it writes"},
        {.name = "quiet", .kind = OPTION_FLAG, .value = &common->quiet, .help = "no progress bar"},
        {.name = "help", .kind = OPTION_FLAG, .value = &help, .help = "print this page"},
    };
    struct List list = {.count = 0};
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    if (argc > 0) {
        program_name = slash != NULL ? slash + 1 : argv[0];
    }
    snprintf(out, sizeof out, "out/%s", lesson);
    *common = (struct Common){.seed = DEFAULT_SEED, .threads = threads_available(), .out = out};
    add_options(&list, options, n_options);
    int n_shared = sizeof shared / sizeof *shared, first = alone ? n_shared - 1 : 0;
    add_options(&list, shared + first, n_shared - first);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) { /* before the others change their defaults */
            print_help(summary, &list);
        }
    }
    parse_words(argc, argv, &list);
    threads_set(common->threads);
}
