/* sections: the masks of the page, and its sections in their order; the first stands in 09-masks.c. */
#ifndef LESSONS_09_SECTIONS_H
#define LESSONS_09_SECTIONS_H

#include "common/cli.h"
#include "common/table.h"
#include "masks.h"

/* Five masks, and several of them at once. */
enum { CAUSAL, PADDING, WINDOW, PREFIX, DOCUMENTS, TOGETHER, MASKS };
struct Gallery {
    int T, window;
    struct Mask masks[MASKS];
    int32_t document[MOST];
};
extern const char *const mask_names[MASKS];
void gallery_make(struct Gallery *gallery, int T, int window, int prefix);

/* Grids (T,T) side by side, at most three, x where seen is true. */
void print_grids(const char *const names[], bool (*seen)[MOST][MOST], int n, int T);

/* The largest difference of two arrays; 0 only if they are equal, NaN if one holds a NaN. */
float distance(const float *a, const float *b, int n);

void report_runs(const struct Gallery *gallery); /* one run of keys for each query */
void report_empty(uint64_t seed);                /* a query without a key */
void report_batch(uint64_t seed);                /* a batch of two lengths */
void report_moves(const struct Gallery *gallery, uint64_t seed); /* change a token */
void report_layers(const struct Gallery *gallery, uint64_t seed);
void report_pads(uint64_t seed);   /* two masks for pads, with two jobs */
void report_packed(uint64_t seed); /* documents in one sequence */

/* Labels shifted not at all, once and twice: a training each. losses: step unshifted once twice;
   least: what the data allow, unshifted once twice. */
void report_labels(const struct Common *common, int steps, struct Table *losses,
                   struct Table *least);

void report_common(uint64_t seed); /* attend held against common/ */

#endif
