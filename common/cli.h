/* cli: the options of a program. Each is declared once, with its bounds, and --help, the checks
   and their messages all come from that. Options have one exact name (no abbreviations), the
   last of two wins, and no word stands without one. */
#ifndef COMMON_CLI_H
#define COMMON_CLI_H

#include <stdbool.h>
#include <stdint.h>

enum OptionKind {
    OPTION_INTEGER, /* int */
    OPTION_REAL,    /* double */
    OPTION_TEXT,    /* const char *: not empty, not beginning with -- */
    OPTION_FLAG,    /* bool, true when given */
    OPTION_RANGE,   /* struct Range: A-B, or A alone for A-A */
    OPTION_SEED     /* uint64_t */
};

struct Range {
    int first, last; /* both belong to it; 0 <= first <= last */
};

struct Option {
    const char *name; /* without the -- */
    enum OptionKind kind;
    void *value;            /* of the type above; holds the default, overwritten when given */
    const char *argument;   /* its name in --help, such as N; NULL for a flag */
    const char *help;       /* one sentence, without a full stop */
    double least, most;     /* bounds, both allowed, of an integer, a real or a range */
    const char *by_default; /* what --help tells as the default; NULL: *value as it stands */
    bool given;             /* overwritten: was it on the command line? */
};

/* One seed proves nothing. This one was taken for being ordinary: of the first twenty it is one of
   the middle two, by the step at which lesson 07 has learned its task. */
enum { DEFAULT_SEED = 5 };

/* What every program takes: --help, --seed, --threads, --out and --quiet. */
struct Common {
    uint64_t seed;
    int threads;
    const char *out;
    bool quiet;
};

/* Read the command line. Overwrites program_name (the end of argv[0]), common, and of the
   options value and given; sets the number of threads. --help prints the page (summary, then
   every option) on stdout and exits with 0. Anything that is not understood dies with one line.
   lesson ("07-train") makes the default of --out, "out/07-train". common NULL: of the shared
   options there is only --help. The options, the strings in argv and common->out must stay;
   nothing has to be freed. */
void cli_parse(int argc, char **argv, const char *summary, const char *lesson,
               struct Common *common, struct Option *options, int n_options);

#endif
