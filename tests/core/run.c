/* Run the suites: all of them, or those that are named. Exit status 0 only if every check passed
   and at least one ran. */
#include <stdio.h>
#include <string.h>

#include "suites.h"

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
    {"vmath", vmath_suite},     {"plumbing", plumbing_suite},   {"safetensors", safetensors_suite},
    {"kernels", kernels_suite}, {"gradients", gradients_suite}, {"golden", golden_suite},
    {"batch", batch_suite},     {"reversal", reversal_suite},
};

static int wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return 1;
        }
    }
    return argc == 1;
}

int main(int argc, char **argv)
{
    SRunner *runner = srunner_create(NULL);
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++) {
        if (wanted(suites[i].name, argc, argv)) {
            srunner_add_suite(runner, suites[i].make());
        }
    }
    srunner_run_all(runner, CK_NORMAL);
    int run = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (run == 0) {
        fprintf(stderr, "no test ran: no suite has that name\n");
    }
    return run > 0 && failed == 0 ? 0 : 1;
}
