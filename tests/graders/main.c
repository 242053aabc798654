/* The program behind make check, next, watch, hint-NN, reset-NN, solution-NN and grade. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "build.h"
#include "class.h"
#include "common/base.h"
#include "common/cli.h"
#include "learner.h"

struct Verb {
    const char *name, *summary;
    int (*run)(const struct Settings *settings);
};
static const struct Verb verbs[] = {
    {"check", "Grade the exercises.", learner_check},
    {"next", "Show the first exercise that is not done.", learner_next},
    {"watch", "Grade an exercise again each time it is saved.", learner_watch},
    {"hint", "One more hint for an exercise.", learner_hint},
    {"reset", "Begin an exercise anew; what was there is kept.", learner_reset},
    {"solution", "Show the solution of an exercise that is done.", learner_solution},
    {"grade", "Grade a class.", NULL},
};

static uint64_t fresh_seed(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return ((uint64_t)time.tv_nsec * 2654435761u ^ (uint64_t)time.tv_sec ^ (uint64_t)getpid()) %
           1000000;
}

/* The build is where this program is. */
static void find_build(const char *program)
{
    static char directory[200];
    const char *slash = strrchr(program, '/');
    int length = slash != NULL ? (int)(slash - program) : 1;
    snprintf(directory, sizeof directory, "%.*s", length, slash != NULL ? program : ".");
    build_directory = directory;
}

int main(int argc, char **argv)
{
    struct Settings settings = {.grading = {.seed = fresh_seed(), .timeout_scale = 1.0}};
    struct Class class = {.out = "out/grades", .title = "Transformer workbook"};
    struct Option options[] = {
        {.name = "only",
         .kind = OPTION_TEXT,
         .value = &settings.only,
         .argument = "NN",
         .help = "this exercise, by its number",
         .by_default = "all of them"},
        {.name = "report",
         .kind = OPTION_TEXT,
         .value = &settings.report,
         .argument = "FORMAT",
         .help = "also write a report: tap, junit or json",
         .by_default = "none"},
        {.name = "file",
         .kind = OPTION_TEXT,
         .value = &settings.file,
         .argument = "FILE",
         .help = "where the report goes",
         .by_default = "standard output"},
        {.name = "strict",
         .kind = OPTION_FLAG,
         .value = &settings.strict,
         .help = "an exercise that was not begun is a failure too"},
        {.name = "force",
         .kind = OPTION_FLAG,
         .value = &settings.force,
         .help = "show the solution whatever the state"},
        {.name = "seed",
         .kind = OPTION_SEED,
         .value = &settings.grading.seed,
         .argument = "N",
         .help = "draw the values of the checks from this seed",
         .by_default = "a fresh one"},
        {.name = "timeout-scale",
         .kind = OPTION_REAL,
         .value = &settings.grading.timeout_scale,
         .argument = "X",
         .help = "give each check X times as long",
         .least = 0.1,
         .most = 1000},
        {.name = "submissions",
         .kind = OPTION_TEXT,
         .value = &class.submissions,
         .argument = "DIR",
         .help = "grade: the directory with one directory for each student",
         .by_default = "none"},
        {.name = "out",
         .kind = OPTION_TEXT,
         .value = &class.out,
         .argument = "DIR",
         .help = "grade: where the marks go"},
        {.name = "moodle",
         .kind = OPTION_TEXT,
         .value = &class.worksheet,
         .argument = "FILE",
         .help = "grade: fill in a copy of this worksheet from Moodle",
         .by_default = "none"},
        {.name = "title",
         .kind = OPTION_TEXT,
         .value = &class.title,
         .argument = "TEXT",
         .help = "grade: the name of the assignment in gradebooks"},
    };
    find_build(argv[0]);
    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(argv[1], verbs[i].name) == 0) {
            argv[1] = argv[0];
            cli_parse(argc - 1, argv + 1, verbs[i].summary, "", NULL, options,
                      sizeof options / sizeof *options);
            class.grading = settings.grading;
            return verbs[i].run != NULL ? verbs[i].run(&settings) : class_grade(&class);
        }
    }
    program_name = "grader";
    die("say what to do: check, next, watch, hint, reset, solution or grade");
}
