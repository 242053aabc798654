/* report: the sections of the page. */
#ifndef LESSON_04_REPORT_H
#define LESSON_04_REPORT_H

#include <stdint.h>

#include "common/table.h"
#include "heads.h"

/* Sections 1 to 3: numbers that tell their place, moved about. Rows for layout.tsv. */
void report_places(struct Table *layout, struct Shape s);

/* Sections 4 to 7: attention over random tokens. Rows for attention.tsv and reach.tsv. */
void report_attention(struct Table *attention, struct Table *reach, uint64_t seed);

/* Section 8: two heads that start alike. */
void report_equal_heads(uint64_t seed);

/* Section 9: heads.c against common/. */
void report_against_common(uint64_t seed);

/* How many of n numbers are the same to the bit. */
int same_bits(const float *a, const float *b, int n);

#endif
