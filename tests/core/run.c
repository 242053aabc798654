/* Run the suites: all of them, or those that are named. */
#include <stdio.h>
#include <string.h>

#include "tests/core/suites.h"
#include "tests/helpers.h"

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
    {"cli", cli_suite},
    {"files", files_suite},
    {"progress", progress_suite},
    {"page", page_suite},
    {"threads", threads_suite},
    {"vmath", vmath_suite},
    {"random", random_suite},
    {"matmul", matmul_suite},
    {"layers", layers_suite},
    {"mask", mask_suite},
    {"attention", attention_suite},
    {"tiled", tiled_suite},
    {"golden", golden_suite},
    {"position", position_suite},
    {"model", model_suite},
    {"safetensors", safetensors_suite},
    {"batch", batch_suite},
    {"diverged", diverged_suite},
    {"reversal", reversal_suite},
    {"cache", cache_suite},
    {"decode", decode_suite},
    {"checkpoint", checkpoint_suite},
    {"clip", clip_suite},
};

static bool wanted(const char *name, int argc, char **argv)
{
    bool named = false;
    for (int i = 1; i < argc; i++) {
        named |= strcmp(argv[i], name) == 0;
    }
    return argc == 1 || named;
}

int main(int argc, char **argv)
{
    SRunner *runner = srunner_create(NULL);
    for (int i = 0; i < COUNT(suites); i++) {
        if (wanted(suites[i].name, argc, argv)) {
            srunner_add_suite(runner, suites[i].make());
        }
    }
    return run_suites(runner);
}
