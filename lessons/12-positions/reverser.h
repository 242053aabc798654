/* reverser: the string reverser of lesson 07, its model, its rates and its strings, told of places in
   any way. */
#ifndef LESSON_12_REVERSER_H
#define LESSON_12_REVERSER_H

#include "common/progress.h"
#include "common/reversal.h"

/* Trained on SHORTEST to TAUGHT letters, tested on up to LONGEST. A training string has rows for
   places 0 .. TRAINED-1, and the context has CONTEXT places. */
enum { SHORTEST = 3, TAUGHT = 8, LONGER = TAUGHT + 1, TRAINED = 2 * TAUGHT };
enum { BATCH = 64, WIDTH = 64, N_HEADS = 2, LAYERS = 2 };

/* Where the rows of a string stand. */
enum Rule {
    FROM_ZERO, /* at 0, 1, 2, ... */
    ANYWHERE,  /* side by side, from a random place on, so that all fit into the context */
    SPREAD     /* at random places of the context, in order: Ruoss et al. (2023) */
};

/* place (rows) overwritten. */
void draw_places(int32_t *place, int rows, enum Rule rule, struct Rng *rng);

/* A fresh model without weights. */
struct Model *reverser_new(enum PositionKind kind);

/* One training of so many steps. Strings and fresh weights depend on the seed alone. done: steps
   that the bar has behind it. */
struct Model *reverser_train(enum PositionKind kind, enum Rule rule, uint64_t seed, int steps,
                             struct Progress *bar, int done);

/* What came of the tested strings of each length. */
struct Accuracy {
    int tested;               /* strings of each length */
    int strings[LONGEST + 1]; /* right to the last letter */
    int letters[LONGEST + 1]; /* letters right */
};

/* Let the model write, told places by this rule. */
struct Accuracy reverser_test(struct Model *model, int tested, enum Rule rule, uint64_t seed);

/* In percent, over the strings of first to last letters. */
double strings_right(const struct Accuracy *accuracy, int first, int last);
double letters_right(const struct Accuracy *accuracy, int first, int last);

#endif
