/* report: the sections of lesson 07's page, and its files. */
#ifndef LESSON_07_REPORT_H
#define LESSON_07_REPORT_H

#include "common/reversal.h"
#include "source.h"

struct Options {
    int steps, batch, width, heads, layers;
    struct Range lengths;
    double lr, decay;
    const char *init, *batches, *save, *reverse; /* NULL: not given */
    bool live;
};

/* One training run: the model and what was noted on the way. */
struct Run {
    const struct Options *options;
    struct Model *model;
    struct Batch batch;
    int32_t *tokens, *targets; /* (batch,CONTEXT): the padded batch of the step */
    double *losses;            /* (steps) */
    float *position_start;     /* (CONTEXT,D): the position table before training */
    bool trained[CONTEXT];     /* rows of it that ever had a gradient */
    struct Seen seen;          /* the strings of all batches */
};

/* A model with fresh weights, or with those of options->init. */
void run_new(struct Run *run, const struct Options *options, struct ModelConfig config,
             uint64_t seed);
void run_free(struct Run *run);

/* Each prints one section. Those that need training print nothing when there were no steps. */
void report_examples(struct Run *run, struct Source source);
void report_parameters(const struct Run *run);
void report_wiring(struct Run *run, struct Source source);
void report_training(const struct Run *run);
void report_tests(struct Run *run, uint64_t seed, const char *out);
void report_positions(const struct Run *run);
void report_string(struct Run *run, const char *text);

/* loss.tsv, attention.tsv and model.safetensors; report_tests writes accuracy.tsv. */
void save_tables(struct Run *run, const char *out);

#endif
