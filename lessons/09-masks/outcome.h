/* outcome: a small model that nobody has trained, and what comes of a batch under a mask: logits,
   loss and gradient. It is the model of the core, with two layers; only its mask is exchanged. */
#ifndef LESSONS_09_OUTCOME_H
#define LESSONS_09_OUTCOME_H

#include "common/model.h"

enum { VOCAB = 12, PAD = VOCAB - 1, EOS = VOCAB - 2, CONTEXT = 10 };

struct Outcome {
    double loss;
    float logits[CONTEXT * VOCAB]; /* a row for each row of the batch */
    float *gradient;
};

struct Model *outcome_model(uint64_t seed);

/* Overwrites outcome, whose gradient outcome_free gives back. */
void outcome_of(struct Outcome *outcome, struct Model *model, const struct Batch *batch,
                const struct Mask *mask);
void outcome_free(struct Outcome *outcome);

/* How long the gradient is in the token table's row of this token. */
double token_gradient(const struct Outcome *outcome, const struct Model *model, int token);

/* How far one gradient is from another, as a share of the other's length. */
double gradient_apart(const struct Outcome *outcome, const struct Outcome *right,
                      const struct Model *model);

#endif
