/* results: what trained models could do, over one seed or several, as tables. */
#ifndef LESSON_12_RESULTS_H
#define LESSON_12_RESULTS_H

#include "common/table.h"
#include "reverser.h"

enum { MOST_SEEDS = 20 };

/* One way to be told of places, in training and test, with each seed. */
struct Result {
    enum PositionKind kind;
    const char *rows; /* where they stood */
    int seeds;
    struct Accuracy of[MOST_SEEDS];
};

/* Of all seeds together, in percent. */
double mean_strings(const struct Result *result, int first, int last);
double mean_letters(const struct Result *result, int first, int last);

/* Strings and letters right, taught lengths and longer; then by length. */
void print_results(const struct Result *results, int n);
void print_by_length(const struct Result *results, int n);

/* One row for each seed and length. */
#define RESULT_COLUMNS "kind rows seed length strings letters tested"
void add_results(struct Table *table, const struct Result *results, int n, uint64_t first_seed);

#endif
