/* text: a model as small as can be, which reads abc... Each letter has a query, a key and a value
   of D numbers, and a row of the head that guesses the next letter. All of it is drawn at random:
   nothing is learned in this lesson. */
#ifndef LESSONS_03_TEXT_H
#define LESSONS_03_TEXT_H

#include <stdint.h>

#include "attend.h"

enum {
    LONGEST = 10,
    LETTERS = LONGEST + 1, /* one more, to change a token into and to come after the last */
    D = 8
};

struct Text {
    int length, letters[LONGEST]; /* 0 for a */
};

/* What one way to attend makes of a text: out (T,D), weights (T,T). */
struct Look {
    float out[LONGEST * D], weights[LONGEST * LONGEST];
};

void model_draw(uint64_t seed);

/* The first letters of the alphabet; the same text with token j changed into the spare letter. */
struct Text text_of(int length);
struct Text text_with(const struct Text *text, int j);

struct Look look(const struct Text *text, const struct Way *way);

/* Two layers: the outputs of the first are queries, keys and values to the second. second NULL: one
   layer. */
struct Look look_through(const struct Text *text, const struct Way *first,
                         const struct Way *second);

/* scores (T,T) overwritten, before any mask. */
void text_scores(float *scores, const struct Text *text);

/* losses[0..T) overwritten: what the head pays for the next letter, each time. */
void text_losses(double *losses, const struct Look *look, int length);

/* The largest difference of two arrays; 0 only if they are equal, NaN if one holds a NaN. */
float distance(const float *a, const float *b, int n);

/* Equal but for float rounding. */
bool near(float a, float b);

/* The sum of n numbers, one every step floats. */
float sum_of(const float *x, int n, int step);

/* On the page: n numbers, or the letters above them. What is exactly 0 is a dot. */
void print_row(const float *x, int n, int step);
void print_letters(const struct Text *text);

#endif
