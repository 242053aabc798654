/* make try-18: train on the examples of exercises/18-longer/answer.c and print the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/cli.h"
#include "common/file.h"
#include "longer.h"
#include "tests/graders/build.h"
#include "trial.h"

int main(int argc, char **argv)
{
    struct Common common;
    char directory[LINE], beside[LINE];
    snprintf(beside, sizeof beside, "%s", argv[0]);
    *strrchr(beside, '/') = '\0'; /* the build is where this program is */
    build_directory = beside;
    cli_parse(argc, argv, "Exercise 18: train on the examples of its answer.c.", "18-longer",
              &common, NULL, 0);
    write_line(directory, "%s/try/18-longer", beside);
    struct Examples examples;
    struct Change change =
        longer_change(&examples, "exercises/18-longer/answer.c", directory, common.seed);
    if (change.how == REFUSED) {
        die("exercises/18-longer/answer.c: %s", change.text);
    }
    char *page = trial_page(&examples, common.seed, common.quiet);
    printf("%s%s", page, change.how == AS_IT_WAS ? "\n  answer.c is as it was.\n" : "");
    free(page);
    examples_free(&examples);
    return fflush(stdout) == 0 ? 0 : 1;
}
