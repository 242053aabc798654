/* shard: the part of a batch that one thread takes through the whole model, forward and
   backward, without waiting for the others. It owns its activations and its gradient. Private to
   the model. */
#ifndef COMMON_SHARD_H
#define COMMON_SHARD_H

#include "config.h"

struct Shard {
    int first_sequence, first_row, rows; /* its part of the batch */
    struct Sequences sequences;
    const int32_t *tokens, *positions, *targets;
    int n_queries; /* rows that the last block computes: all, or those that a loss can see */
    int32_t *query_targets; /* (n_queries): their targets */
    double loss;            /* sum over its rows with a target */

    float *gradient; /* laid out like the weights */
    size_t n_weights;
    struct ModelTensors d;

    /* kept by the forward pass */
    float **x; /* n_layers+1 of (R,D): what goes into each block, and what the last one gives */
    struct BlockSaved *blocks;
    float *mean, *rstd, *normed;   /* (R), (R), (R,D): the final norm */
    float *logits, *probabilities; /* (R,vocab) */

    /* scratch */
    struct BlockScratch scratch;
    float *d_x, *d_y, *d_normed, *d_logits; /* (R,D) three times, (R,vocab) */
    float *memory;                          /* all of the above lies here */
};

/* Room for rows rows, and for a gradient of n_weights floats: the layout of the weights. */
void shard_new(struct Shard *shard, const struct ModelConfig *config, size_t n_weights, int rows);
void shard_free(struct Shard *shard);

/* Leaves the shard's loss and what the backward pass needs. sequences.first says which rows have a
   query in the last block; in the blocks before it all have one. w: the weights, packed. */
void shard_forward(struct Shard *shard, const struct ModelConfig *config,
                   const struct ModelTensors *w);

/* The gradient overwritten, for the loss divided by n_targets, the targets of the whole batch. */
void shard_backward(struct Shard *shard, const struct ModelConfig *config,
                    const struct ModelTensors *w, int n_targets);

#endif
