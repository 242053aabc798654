/* Run the suites: all of them, or those that are named. */
#include <string.h>

#include "suites.h"
#include "tests/helpers.h"

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
    {"table", table_suite},
    {"table-rest", table_rest_suite},
    {"experiments", experiment_suite},
    {"hostile", hostile_suite},
    {"learner", learner_suite},
    {"report", report_suite},
    {"gradebook", gradebook_suite},
};

int main(int argc, char **argv)
{
    SRunner *runner = srunner_create(NULL);
    for (int i = 0; i < COUNT(suites); i++) {
        bool wanted = argc == 1;
        for (int k = 1; k < argc; k++) {
            wanted |= strcmp(argv[k], suites[i].name) == 0;
        }
        if (wanted) {
            srunner_add_suite(runner, suites[i].make());
        }
    }
    return run_suites(runner);
}
