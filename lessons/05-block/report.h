/* report: the sections of the page, in its order. */
#ifndef LESSON_05_REPORT_H
#define LESSON_05_REPORT_H

#include <stdint.h>

#include "common/table.h"
#include "depth.h"

/* The pieces (report-pieces.c); width is that of the stack. */
void report_norm(int width);
void report_gelu(void);
void report_parameters(struct Table *table, int width);
void report_block(uint64_t seed);

/* What a stack of n blocks gives, for each order. Entry k belongs to the input of block k, from 0,
   and entry n to what the last block gives. */
struct Run {
    int n;
    double gradient[ORDERS][MAX_DEPTH + 1], past_f[ORDERS][MAX_DEPTH + 1];
    double similarity[ORDERS][MAX_DEPTH + 1];
};
void run_stack(struct Run *run, int n);

/* The orders (report-orders.c). */
void report_gradient(const struct Run *run, struct Table *table, int width);
void report_depth(int depth);
void report_path(const struct Run *fresh, const struct Run *larger, struct Table *table);
void report_similarity(const struct Run *run, struct Table *table);

#endif
