/* report: the sections of lesson 07's page, and its files. Beside each figure stands the chapter's
   own where the run is the chapter's: its random numbers were others, so the figures differ. */
#ifndef LESSON_07_REPORT_H
#define LESSON_07_REPORT_H

#include "common/reversal.h"
#include "source.h"

struct Options {
    int steps, batch, width, heads, layers;
    struct Range lengths;
    double lr, decay;
    const char *init, *batches, *save, *reverse, *study; /* NULL: not given */
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

/* ln 12, the loss of an even guess among the tokens; as a constant, since no two libraries need
   agree on a logarithm. */
static const double LN_VOCAB = 2.4849066497880004;

/* What the chapter reports of its own run. */
extern const struct Chapter {
    int parameters, first_learned, distinct, unseen;
    const char *block_means[6], *abcdefghij;
} chapter;

/* Is it the chapter's model? The chapter's run of this length on strings of these lengths? */
bool chapters_model(const struct Options *options);
bool chapters_run(const struct Options *options, int steps, int first, int last);

/* A model with fresh weights, or with those of options->init. */
void run_new(struct Run *run, const struct Options *options, struct ModelConfig config,
             uint64_t seed);
void run_free(struct Run *run);

/* Die now if one of the run's files could not be written into out later. */
void run_check_files(const char *out);

/* Write loss.tsv and model.safetensors; the other tables are written by the sections
   that they belong to. */
void run_save(struct Run *run, const char *out);

/* Each prints one section; those that need training print nothing when there were no steps. A
   source is a copy here: it looks ahead at the first batch. */
void report_examples(struct Run *run, struct Source source);
void report_parameters(const struct Run *run);
void report_wiring(struct Run *run, struct Source source);
void report_training(const struct Run *run, struct Source source);
void report_tests(struct Run *run, uint64_t seed, const char *out);
void report_attention(struct Run *run, uint64_t seed, const char *out);
void report_positions(const struct Run *run);
void report_string(struct Run *run, const char *text);

#endif
