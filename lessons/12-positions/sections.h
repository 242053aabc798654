/* sections: the page of lesson 12 from top to bottom. */
#ifndef LESSON_12_SECTIONS_H
#define LESSON_12_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/table.h"

/* order.c: what is blind to order, and what ends it. */
void report_equivariance(uint64_t seed);
void report_past(uint64_t seed);

/* distance.c: what the ways say, and which of them know nothing but the distance. */
void report_ways(void);
void report_shifts(uint64_t seed);
void report_turning(uint64_t seed);

/* layout.c: which entries make a pair, and where the next token stands beside a cache. */
void report_layouts(uint64_t seed);
void report_cached(uint64_t seed);

/* stretch.c: three ways to read further. */
#define FREQUENCY_COLUMNS "model pair trained frequency interpolation base yarn"
void report_stretches(struct Table *table);

/* length.c: the reverser trained with each way: longer strings, places moved on, other frequencies,
   the other layout. */
void report_lengths(uint64_t seed, int steps, int tested, struct Table *table, bool quiet);

/* against.c: our own functions, held against common/. */
void report_against(uint64_t seed);

#endif
