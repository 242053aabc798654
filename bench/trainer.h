/* trainer: the training loop of lesson 07 and nothing around it. */
#ifndef BENCH_TRAINER_H
#define BENCH_TRAINER_H

#include "common/reversal.h"

struct Setting {
    int batch, width, heads, layers;
    int shortest, longest; /* letters */
};

/* Lesson 07 as it stands. */
static const struct Setting lesson_07 = {
    .batch = 64, .width = 64, .heads = 2, .layers = 2, .shortest = 3, .longest = 8};

enum { LESSON_STEPS = 1500 };

struct Trainer {
    struct Setting setting;
    struct Model *model;
    struct AdamW adamw;
    struct Batch batch;
    struct Rng rng;
    int32_t *tokens, *targets; /* (batch,CONTEXT): what was drawn last */
    double loss, operations;   /* of the last step; of all steps */
};

/* Fresh weights, moments at zero, the lesson's seed. */
void trainer_new(struct Trainer *t, struct Setting setting);
void trainer_free(struct Trainer *t);

/* tokens and targets overwritten with the next batch. */
void trainer_draw(struct Trainer *t, int32_t *tokens, int32_t *targets);

/* One step on this batch. */
void trainer_learn(struct Trainer *t, const int32_t *tokens, const int32_t *targets);

/* Draw and learn, so many times. */
void trainer_run(struct Trainer *t, int steps);

#endif
