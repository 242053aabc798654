/* Lesson 12: seven ways to tell a transformer where a token stands.

   Read ways.c first: each way is one function. toy.c is attention that takes any of them, and sections
   1 to 7 of the page ask it what they do before anything is learned: what is blind to order (order.c),
   what knows only distances (distance.c), what goes wrong with pairs and caches (layout.c). stretch.c is
   about reading further than one was trained. Then length.c trains the reverser of lesson 07 with each
   way and asks it for longer strings; --study does that at length. */
#include <stdio.h>

#include "common/base.h"
#include "common/cli.h"
#include "common/page.h"
#include "results.h"
#include "sections.h"
#include "study.h"

int main(int argc, char **argv)
{
    int steps = 500, tested = 50, seeds = 5;
    bool whole = false;
    struct Option options[] = {
        {"steps", OPTION_INTEGER, &steps, "N", "training steps for each way", 1, 100000,
         "500, in the study 6000", false},
        {"tested", OPTION_INTEGER, &tested, "N", "test strings of each length", 1, 1000, NULL,
         false},
        {"study", OPTION_FLAG, &whole, NULL,
         "instead: the whole experiment, with rows in three places and several seeds", 0, 0, NULL,
         false},
        {"seeds", OPTION_INTEGER, &seeds, "N", "seeds of the study, from --seed on", 1, MOST_SEEDS,
         NULL, false},
    };
    struct Common common;
    cli_parse(argc, argv, "Lesson 12: seven ways to tell where a token stands.", "12-positions",
              &common, options, sizeof options / sizeof *options);
    if (!whole && options[3].given) {
        die("--seeds %d: only the study takes several; add --study", seeds);
    }
    if (whole && common.seed > UINT64_MAX - (uint64_t)(seeds - 1)) {
        die("--seed %llu leaves no room for %d seeds", (unsigned long long)common.seed, seeds);
    }
    if (whole) {
        struct Table *table = table_new(common.out, "study", RESULT_COLUMNS);
        printf("Lesson 12. Positions: the study\n");
        study((struct Extent){options[0].given ? steps : 6000, tested, seeds}, common.seed, table,
              common.quiet);
        table_save(table);
        return page_verdict();
    }
    struct Table *frequency = table_new(common.out, "frequencies", FREQUENCY_COLUMNS);
    struct Table *length = table_new(common.out, "length", RESULT_COLUMNS);
    printf("Lesson 12. Positions\n");
    report_equivariance(common.seed);
    report_past(common.seed);
    report_ways();
    report_shifts(common.seed);
    report_turning(common.seed);
    report_layouts(common.seed);
    report_cached(common.seed);
    report_stretches(frequency);
    report_lengths(common.seed, steps, tested, length, common.quiet);
    report_against(common.seed);
    table_save(frequency);
    table_save(length);
    return page_verdict();
}
