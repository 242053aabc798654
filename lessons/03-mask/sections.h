/* sections: the sections of the page, in its order; the first stands in 03-mask.c. */
#ifndef LESSONS_03_SECTIONS_H
#define LESSONS_03_SECTIONS_H

#include "common/table.h"
#include "text.h"

/* Token j is changed, and the row before it watched. */
void report_change(const struct Text *text, int j);

/* Every token is changed; one layer, and two. table: way output changed moved. */
void report_leaks(const struct Text *text, struct Table *table);
void report_layers(const struct Text *text, struct Table *table);

void report_prefixes(const struct Text *text);
void report_empty(const struct Text *text);

/* table: tokens scores seen. */
void report_cost(uint64_t seed, struct Table *table);
void report_common(uint64_t seed);

#endif
