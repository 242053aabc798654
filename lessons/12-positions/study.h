/* study: what each way can do on strings longer than it was taught. */
#ifndef LESSON_12_STUDY_H
#define LESSON_12_STUDY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/table.h"

struct Extent {
    int steps, tested, seeds; /* tested: strings of each length */
};

/* Trains all of it, prints the page of the study, fills the table (results.h). */
void study(struct Extent extent, uint64_t first_seed, struct Table *table, bool quiet);

#endif
