/* What is typed: options, and a string to be reversed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli.h"
#include "common/file.h"
#include "common/reversal.h"
#include "common/threads.h"
#include "targets.h"
#include "tests/graders/text.h"

enum { MOST_WORDS = 12 };

/* One of each kind. */
static struct Values {
    int steps;
    double rate;
    struct Range lengths;
    uint64_t salt;
    const char *save;
    bool live;
} values;

static struct Option options[] = {
    {"steps", OPTION_INTEGER, &values.steps, "N", "an integer", -7, 1000000, NULL, false},
    {"rate", OPTION_REAL, &values.rate, "X", "a real", 0, 1000, NULL, false},
    {"lengths", OPTION_RANGE, &values.lengths, "A-B", "a range", 1, 12, NULL, false},
    {"salt", OPTION_SEED, &values.salt, "N", "a seed", 0, 0, NULL, false},
    {"save", OPTION_TEXT, &values.save, "FILE", "a text", 0, 0, NULL, false},
    {"live", OPTION_FLAG, &values.live, NULL, "a flag", 0, 0, NULL, false},
};

/* The lines of the bytes as argv[1..]; each in memory of its own. Returns argc. */
static int words_of(char **argv, const uint8_t *bytes, size_t size)
{
    int argc = 0;
    argv[argc++] = strdup("a/program");
    while (size > 0 && argc < MOST_WORDS) {
        const uint8_t *end = memchr(bytes, '\n', size);
        size_t length = end != NULL ? (size_t)(end - bytes) : size;
        argv[argc++] = strndup((const char *)bytes, length);
        bytes += length + (end != NULL);
        size -= length + (end != NULL);
    }
    argv[argc] = NULL;
    return argc;
}

void try_options(const uint8_t *bytes, size_t size)
{
    char *argv[MOST_WORDS + 1];
    int argc = words_of(argv, bytes, size);
    struct Common common;
    values = (struct Values){.steps = 1, .rate = 0.5, .lengths = {3, 8}};
    cli_parse(argc, argv, "What it is about.", "00-none", &common, options,
              sizeof options / sizeof *options);
    must(values.steps >= -7 && values.steps <= 1000000, "an integer is in its bounds");
    must(values.rate >= 0.0 && values.rate <= 1000.0, "a real is in its bounds");
    must(values.lengths.first >= 1 && values.lengths.last <= 12 &&
             values.lengths.first <= values.lengths.last,
         "a range is in its bounds");
    must(common.threads >= 1 && common.threads <= MAX_THREADS, "threads are in their bounds");
    must(common.out[0] != '\0' && (values.save == NULL || values.save[0] != '\0'),
         "no text is empty");
    for (int i = 0; i < argc; i++) {
        free(argv[i]);
    }
}

void try_string(const uint8_t *bytes, size_t size)
{
    char *text = strndup((const char *)bytes, size);
    struct String string;
    if (string_parse(&string, text)) {
        must((size_t)string.length == strlen(text) && string.length <= LONGEST, "all of it counts");
        for (int i = 0; i < string.length; i++) {
            must(token_letter(string.letters[i]) == text[i], "a letter is what it was");
        }
        int32_t tokens[CONTEXT], targets_of[CONTEXT];
        struct String again = {0};
        reversal_example(tokens, targets_of, &string, size % 2 == 0);
        must(reversal_string_of(&again, tokens) && string_code(&again) == string_code(&string),
             "an example gives its string back");
    }
    char line[sizeof(struct Clean) + 2];
    snprintf(line, sizeof line, "x%s\n", printable(text).text);
    must(refused_well(2, line), "what is printable is one line");
    snprintf(line, sizeof line, "x%s\n", clean(text).text);
    must(refused_well(2, line), "what is clean is one line");
    free(text);
}
