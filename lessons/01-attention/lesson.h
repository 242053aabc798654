/* lesson: what the files of this lesson share. 01-attention.c has the idea and reads the command
   line; then there is a file for each section of the page or two: sentence.c, two-tokens.c,
   colours.c, softmax.c, and compare.c, which holds the idea against common/. */
#ifndef LESSON_01_H
#define LESSON_01_H

#include <stdbool.h>

#include "common/table.h"

enum { MAX_N = 100, MAX_D = 33 };

/* What a query can look at: row j of keys (n,d_key) is how token j is found, row j of values
   (n,d_value) is what it hands over. */
struct Memory {
    const char *tokens[4];
    int n, d_key, d_value;
    const float *keys, *values;
};

struct Answer {
    float scores[MAX_N], weights[MAX_N], out[MAX_D];
};

/* The idea (01-attention.c). */
void softmax(float *weights, const float *scores, int n);
float dot(const float *x, const float *y, int n);
void mix(float *out, const float *weights, const struct Memory *memory);
void attend(struct Answer *answer, const float *query, const struct Memory *memory, float scale);

/* The larger of two, and the largest difference of two entries; NaN if a number is. */
float larger(float x, float y);
float distance(const float *x, const float *y, int n);

/* Is ours what a text gives, which rounds to so many digits? */
bool reads(float ours, double theirs, int digits);
bool add_up_to_one(const float *weights, int n);

/* A text's own figures, its weights to so many digits. */
struct Told {
    const char *source;
    int digits;
    double scores[4], weights[4];
};

/* A line for each of four keys, beside it what the text says (NULL: nothing). Does ours read so? */
bool print_keys(const struct Answer *answer, const struct Memory *memory, const struct Told *told);
void print_weights(const char *name, const float *four);

/* The sections. The tables get a row for each of their lines. */
void report_sentence(const float *query, struct Table *keys, struct Table *query_table);
void report_roles(void);
void report_two_tokens(void);
void report_sharpness(struct Table *table);
void report_softmax(void);
void report_common(unsigned long long seed);

#endif
