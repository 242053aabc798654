/* faults: one training each. A fault differs from the reference in one field of this struct, and in
   nothing else. */
#ifndef LESSON_08_FAULTS_H
#define LESSON_08_FAULTS_H

#include "common/progress.h"
#include "common/reversal.h"

enum { BATCH = 64, HEADS = 2, LAYERS = 2, SHORTEST = 3, LONGEST_TRAINED = 8, TESTED = 500 };
enum { WINDOW = 25, LAST = 250 };

struct Fault {
    const char *name, *what;
    float scale;           /* of the scores; 0: 1/sqrt(d_head), as it should be */
    enum SoftmaxAxis axis; /* OVER_KEYS, as it should be */
    bool no_mask;          /* every token sees every other */
    bool every_position;   /* the letters before the separator are targets too */
    bool stacked;          /* heads are merged without permuting back */
    int most_steps;        /* 0: as many as the others */

    const char *chapter_below, *chapter_right; /* what the chapter reports; NULL: nothing */
};

struct Settings {
    int steps, width, seeds;
    double lr;
};

struct Result {
    const struct Fault *fault;
    uint64_t seed;
    int steps;
    double *losses; /* (steps) */
    int below;      /* first step at which the mean of the last 25 losses is under 0.01; 0: never */
    double last;    /* mean of the last 250 losses */
    struct Score itself, truth; /* of 500 strings, fed with what it wrote, or with what is right */
    struct Model *model;
    struct Batch batch; /* room to work in */
};

/* These faults see what stands behind the last target of a string, so they are trained with it: all
   25 places of a row. */
bool looks_ahead(const struct Fault *fault);

/* How many of so many steps this fault is trained for. */
int fault_steps(const struct Fault *fault, int steps);

/* Train as many steps (fewer if the fault says so) and test. Each step is counted on the bar from
   done on. */
struct Result fault_run(const struct Fault *fault, uint64_t seed, const struct Settings *settings,
                        struct Progress *bar, int done);
void result_free(struct Result *result);

/* The batch of one padded example: the string, the separator, the reversal. */
void show_string(struct Result *result, const struct String *string);

#endif
