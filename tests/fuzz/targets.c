/* The list, and what all targets share. */
#include "targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct Target targets[] = {
    {"safetensors", try_safetensors, true}, {"checkpoint", try_checkpoint, true},
    {"batches", try_batches, true},         {"worksheet", try_worksheet, false},
    {"answers", try_answers, false},        {"options", try_options, false},
    {"string", try_string, false},          {NULL, NULL, false},
};

const struct Target *target_named(const char *name)
{
    for (const struct Target *target = targets; target->name != NULL; target++) {
        if (name != NULL && strcmp(target->name, name) == 0) {
            return target;
        }
    }
    return NULL;
}

void targets_prepare(const char *directory)
{
    prepare_files(directory);
}

bool refused_well(int status, const char *said)
{
    size_t length = strlen(said);
    if (status == 0) {
        return length == 0;
    }
    for (size_t i = 0; i + 1 < length; i++) {
        if ((unsigned char)said[i] < ' ' || said[i] == 0x7f) {
            return false;
        }
    }
    return status == 2 && length > 1 && said[length - 1] == '\n';
}

void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "broken promise: %s\n", what);
        abort();
    }
}
