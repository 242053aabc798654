/* retrieval: the parts of lesson 13. The task (task.c), clipping (clip.c), training (train.c), what
   can be asked of a trained model (ask.c), and then the page, section by section. */
#ifndef LESSON_13_RETRIEVAL_H
#define LESSON_13_RETRIEVAL_H

#include <math.h>

#include "common/cli.h"
#include "common/model.h"
#include "common/progress.h"
#include "common/table.h"

/* An example is a list of rows, each a key with its value. The last row asks: it has one of the
   keys again, and MASK where its value would stand. The answer is that value. */
enum { VALUES = 8, MASK = VALUES, MOST_KEYS = 64, MOST_ROWS = MOST_KEYS + 1 };

struct Example {
    int pairs; /* rows with a value; the one behind them asks */
    int asked; /* the row whose key it has */
    int32_t keys[MOST_ROWS], values[MOST_ROWS];
};

/* Distinct keys out of so many, values that are drawn one by one, a row that is asked for. */
struct Example example_draw(struct Rng *rng, int keys, int pairs);
void example_ask(struct Example *e, int row);
int example_answer(const struct Example *e);

/* The batch gets the rows of one example, from first on; the last of them has the target. */
void example_add(struct Batch *batch, const struct Example *e, int first);

/* The lab: 8 keys, a training set and a test set without an example in common. */
enum { LAB_KEYS = 8, TRAINED = 2048, TESTED = 384 };
struct Lab {
    int pairs;
    struct Example train[TRAINED], test[TESTED];
};
void lab_draw(struct Lab *lab, int pairs, uint64_t seed);

/* The length of the gradient over all tensors; and the gradient made shorter if that is greater
   than longest (0: never), in which case clip returns true. */
double global_norm(const struct ParamList *params, const float *gradient);
bool clip(const struct ParamList *params, float *gradient, double longest);

/* What a training is told. */
enum { WIDTH = 32, HEADS = 4, INNER = 64, BATCH = 64 };
struct Recipe {
    int keys;
    struct Range pairs;    /* in an example that is drawn afresh */
    const struct Lab *lab; /* not NULL: its training set instead */
    bool query_only;       /* the last row alone */
    int layers, window;    /* window 0: all earlier rows are seen */
    double longest;        /* where gradients are clipped; 0: nowhere */
    int spike_step;        /* the gradient of this step (from 1) is made SPIKE times as long */
    int test_every;        /* steps between two looks at the lab's test set; 0: none */
};
static const double SPIKE = 1000.0, LEARNING_RATE = 0.005, DECAY = 0.01;

/* A training, and what came of it. */
struct Training {
    struct Recipe recipe;
    int steps, clipped, tests;
    struct Model *model;
    double *losses, *norms, *after; /* (steps); the length before clipping, and after */
    double *test_losses; /* (tests), before step 1, then every test_every, and at the end */
    int *test_right;
    double memory; /* root of AdamW's mean of squares at the end, mean over the parameters */
};

/* Trainings follow each other under one bar. */
struct Work {
    struct Progress bar;
    int steps, done; /* steps of each training; of all that are over */
    uint64_t seed;
};
struct Training train(struct Recipe recipe, struct Work *work);
void training_free(struct Training *t);
struct Model *model_of(const struct Recipe *recipe);

enum { MOST_ASKED = 2048 };

/* answers[i] overwritten with what the model answers to e[i]. Returns the mean loss. */
double ask(struct Model *model, const struct Example *e, int count, bool query_only, int *answers);

/* How many of them, at most MOST_ASKED, are right. */
int count_right(struct Model *model, const struct Example *e, int count, bool query_only);

/* As the text has it that the lab is from. */
bool sources_setting(const struct Lab *lab, const struct Training *t);

/* Enough steps that what must be learned is learned. */
static inline bool learned(int steps)
{
    return steps >= 320;
}

/* The first of the values that stand in the context most often. */
int commonest(const struct Example *e);

/* Sections 1 to 5 of the page, on the lab. */
void report_task(const struct Lab *lab);
void report_clipping(void);
void report_training(const struct Lab *lab, const struct Training *t, const struct Training *blind,
                     struct Table *loss, struct Table *test);
void report_controls(const struct Lab *lab, const struct Training *t);
void report_heads(const struct Lab *lab, const struct Training *t);

/* Section 6: the lab with other limits, and with one gradient that is far too long. */
enum { LIMITS = 5 };
struct Limit {
    int clipped, right;
    double loss, memory;
};
struct Limits {
    struct Limit quiet[LIMITS], spiked[LIMITS];
};
struct Limits study_limits(const struct Lab *lab, struct Work *work);
void report_limits(const struct Limits *limits, int steps);

/* Section 7: 64 keys, and more and more pairs: 1, 2, 4, ..., up to most. */
enum { SIZES = 7, TRAINED_ON = 3 };
struct Pairs {
    int most, sizes;
    int lab[LAB_KEYS + 1];            /* the lab's model, by number of pairs */
    int right[TRAINED_ON][SIZES];     /* trained on 4, on 1 to 64, on the number that is tested */
    int common[SIZES];                /* who names the commonest value */
    double weight[TRAINED_ON][SIZES]; /* what the row that is asked for gets, mean over the heads */
    int below[SIZES];                 /* trained on that number: the step with a loss below 0.1 */
};
int sizes_up_to(int most);
struct Pairs study_pairs(const struct Training *lab, int most, struct Work *work);
void report_pairs(const struct Pairs *pairs, int steps, struct Table *table);

/* Section 8: 16 pairs, by the place of the row that is asked for. */
enum { PLACES = 16, PLACED = 64, WINDOW = 8, READERS = 3 };
struct Places {
    int right[READERS][PLACES]; /* of PLACED each */
    double loss[READERS];
    double shuffled; /* how far a logit moves when rows change places */
};
struct Places study_places(struct Work *work);
void report_places(const struct Places *places, int steps, struct Table *table);

/* Section 9. */
void report_against(const struct Lab *lab, const struct Training *t, uint64_t seed);

/* --seeds: the lab with several seeds, a line each. */
void study_seeds(int count, struct Work *work, int pairs, double longest, struct Table *table);

/* The larger of the two; NaN, once it is there, stays. Not fmax, which would lose it; and gcc 12 for
   AArch64 breaks off at a loop of it. */
static inline double larger(double most, double x)
{
    return isnan(most) || x <= most ? most : x;
}

#endif
