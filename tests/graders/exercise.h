/* exercise: what the grader knows of a coding exercise. Each has a directory tests/graders/NN-name/
   with two files: call.c, linked to the learner's function, unpacks a case and calls it; grader.c,
   linked to the grader, makes the cases and says what is right.

   The heart is expect(): the right answer in double precision, in which each mistake that people
   make is one line under an if. So the grader knows what every wrong answer gives, alone and
   together with another one, and tells the learner which of them it has seen. */
#ifndef GRADERS_EXERCISE_H
#define GRADERS_EXERCISE_H

#include "case.h"
#include "common/rng.h"

struct Check {
    const char *name; /* what is special about it: "scores of 1000" */
    void (*make)(struct Case *c, struct Rng *rng);
};

struct Mistake {
    const char *id;       /* "d_model" */
    const char *sentence; /* to the learner: "You divide by sqrt(d_model); ..." */
};

/* The mistakes of one answer: bit m stands for mistakes[m]. */
typedef unsigned Mistakes;
static inline bool made(Mistakes mistakes, int m)
{
    return mistakes >> m & 1;
}

/* What the outputs of a case should hold, in double: an array for each array of the case. */
struct Wanted {
    double *values[MAX_ARRAYS]; /* NULL where the role is IN */
};

struct Exercise {
    const char *name;     /* "02-scaled-dot" */
    const char *lesson;   /* where to read: "lesson 02" */
    const char *function; /* what the learner writes; functions, with spaces between them */
    const struct Check *checks;
    int n_checks;
    const struct Mistake *mistakes;
    int n_mistakes;
    /* Overwrites all of want, which is zeros (a copy of the values where the role is BOTH). */
    void (*expect)(struct Wanted *want, const struct Case *c, Mistakes mistakes);
    double tolerance; /* of an entry, as a share of the largest of its array; 0: the usual 2e-5 */
};

/* Where expect() writes the output of this name. */
double *wanted(struct Wanted *want, const struct Case *c, const char *name);

/* x[0..n) overwritten with standard normal values. */
void draw(struct Rng *rng, float *x, int n);

extern const struct Exercise *const exercises[];
extern const int n_exercises;
const struct Exercise *exercise_find(const char *number); /* "02"; NULL if there is none */

#endif
