/* compare: what came back, held against what is wanted, entry by entry. */
#ifndef GRADERS_COMPARE_H
#define GRADERS_COMPARE_H

#include "exercise.h"

/* A check that the learner's function came back from. */
struct Trial {
    const char *name;
    struct Case given, got;
};

/* What e expects of given when these mistakes are made, and its memory back. */
struct Wanted expect(const struct Exercise *e, const struct Case *given, Mistakes mistakes);
void wanted_free(struct Wanted *want);

double value(const struct Array *a, int i);

/* How far an entry of a may be from what is right. */
double margin_of(const struct Exercise *e, const struct Array *a, const double *right);

/* A want of NaN is what a mistake gives that overflows: one way of writing it gives NaN there,
   another one infinity. */
bool equal(double got, double want, double margin);

/* The first entry of the outputs that differs from want: its array and its index; false if none.
   right: what would be right, which may be larger than want. A mistake by which everything cancels
   gives zeros in double, and in float what is left of the terms. */
bool first_difference(const struct Exercise *e, const struct Case *got, const struct Wanted *want,
                      const struct Wanted *right, int *array, int *index);
bool matches(const struct Exercise *e, const struct Case *got, const struct Wanted *want,
             const struct Wanted *right);

/* The first input that is not what it was: its array and index; false if none. */
bool changed_input(const struct Trial *trial, int *array, int *index);

/* text := "scores[b0 h1 q2 k0]"; a single number without axes is "loss". */
void place(char *text, size_t room, const struct Array *a, int index);

#endif
