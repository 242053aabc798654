/* Lesson 10: the cache. A model that writes reads one new token a time; what it made of those
   before has not changed.

   Read attend.c first: attention that keeps keys and values. steps.c asks what has to be kept and
   which keys a new query sees; reader.c reads a whole model with such caches, and words.c trains
   one and lets it write in right and wrong ways. Then what it saves (work.c, time.c) and what it
   costs: bytes, fewer with heads that share keys and values (heads.c, budget.c) or with a latent
   in their place (latent.c). Last, all of it against common/. */
#include <stdio.h>

#include "common/base.h"
#include "common/page.h"
#include "lesson.h"

int main(int argc, char **argv)
{
    static const double many = 1000000;
    struct Budget budget = {1, 32, 4096, 32, 8, 128, 2};
    int steps = 400, words = 200, timed = 512;
    struct Option options[] = {
        {"sequences", OPTION_INTEGER, &budget.sequences, "N", "sequences at the same time", 1, many,
         NULL, false},
        {"layers", OPTION_INTEGER, &budget.layers, "N", "layers of the model", 1, many, NULL,
         false},
        {"positions", OPTION_INTEGER, &budget.positions, "N", "tokens of a sequence that are kept",
         1, 1000 * many, NULL, false},
        {"heads", OPTION_INTEGER, &budget.heads, "N", "query heads", 1, many, NULL, false},
        {"kv-heads", OPTION_INTEGER, &budget.kv_heads, "N",
         "heads of keys and values, by which --heads can be divided", 1, many, NULL, false},
        {"d-head", OPTION_INTEGER, &budget.d_head, "N", "numbers in a key, and in a value", 1, many,
         NULL, false},
        {"bytes", OPTION_INTEGER, &budget.bytes, "N", "bytes of a number: 4 fp32, 2 bf16, 1 int8",
         1, 4, NULL, false},
        {"steps", OPTION_INTEGER, &steps, "N", "training steps of the model that writes", 0, 10000,
         NULL, false},
        {"words", OPTION_INTEGER, &words, "N", "words that it writes", 1, MOST_WORDS, NULL, false},
        {"timed", OPTION_INTEGER, &timed, "N", "the last position of which the time is taken", 2,
         1024, NULL, false},
    };
    struct Common common;
    cli_parse(argc, argv, "Lesson 10: the cache of keys and values.", "10-cache", &common, options,
              sizeof options / sizeof *options);
    budget_check(&budget);
    struct Table *time = table_new(common.out, "time", "position anew cached");
    struct Table *bytes = table_new(common.out, "bytes", "variant kv_heads token total");

    printf("Lesson 10. The cache: what has been read is not read again\n");
    report_needs(common.seed);
    report_several(common.seed);
    struct Model *model = report_words(&common, steps, words);
    report_work(model);
    model_free(model);
    measure_time(&common, timed, time);
    report_heads(common.seed);
    report_budget(&budget, bytes);
    report_latent(common.seed);
    report_against(common.seed);
    table_save(time);
    table_save(bytes);
    return page_verdict();
}
