/* shard: the part of a batch that one thread takes through the whole model, forward and
   backward, without waiting for the others. It owns its activations and its gradient. Private to
   the model. */
#ifndef COMMON_SHARD_H
#define COMMON_SHARD_H

#include "tensors.h"

/* What the forward pass keeps for the backward pass, and room to work in. A thread that takes
   one shard after the other forward and backward uses one workspace for all of them, which then
   stays in its cache. */
struct Workspace {
    float **x; /* n_layers+1 of (R,D): what goes into each block, and what the last one gives */
    struct BlockSaved *blocks;
    float *mean, *rstd, *normed;   /* (R), (R), (R,D): the final norm */
    float *logits, *probabilities; /* (R,vocab) */
    int32_t *query_targets;        /* (R) targets of the rows with a query in the last block */

    struct BlockScratch scratch;
    float *d_x;                       /* (R,D) the gradient of what the last step back went into */
    float *d_y, *d_normed, *d_logits; /* (R,D), (R,D), (R,vocab) */
    struct Bias d_bias;               /* if positions are T5's */
    float *memory;                    /* all of the above lies here */
};

struct Shard {
    int first_sequence, first_row, rows; /* its part of the batch */
    struct Sequences sequences;
    const int32_t *tokens, *places, *targets;
    struct Positions positions; /* the model's */
    int n_queries; /* rows that the last block computes: all, or those that a loss can see */
    double loss;   /* sum over its rows with a target */

    struct Workspace *work; /* where its activations are */
    float *gradient;        /* laid out like the weights */
    size_t n_weights;
    struct ModelTensors d;
};

/* Room for rows rows. */
void workspace_new(struct Workspace *work, const struct ModelConfig *config, int rows);
void workspace_free(struct Workspace *work);

/* Room for a gradient of n_weights floats: the layout of the weights. */
void shard_new(struct Shard *shard, const struct ModelConfig *config, size_t n_weights);
void shard_free(struct Shard *shard);

/* Leaves the shard's loss, and in its workspace what the backward pass needs. w: the weights,
   packed. */
void shard_forward(struct Shard *shard, const struct ModelConfig *config,
                   const struct ModelTensors *w);

/* The gradient overwritten, for the loss divided by n_targets, the targets of the whole batch. */
void shard_backward(struct Shard *shard, const struct ModelConfig *config,
                    const struct ModelTensors *w, int n_targets);

/* x (rows,D) overwritten: row r is the row of tokens[r] in token, plus, if added is not NULL, the row
   of place[r] in added. */
void embed_rows(float *x, const float *token, const float *added, const int32_t *tokens,
                const int32_t *place, int rows, int d);

/* The parts of both, in the order in which they must be called; each backward part takes the
   gradient in work->d_x one step back. */
void shard_embed_forward(struct Shard *shard, const struct ModelConfig *config,
                         const struct ModelTensors *w);
void shard_block_forward(struct Shard *shard, int layer, const struct ModelConfig *config,
                         const struct ModelTensors *w);
void shard_head_forward(struct Shard *shard, const struct ModelConfig *config,
                        const struct ModelTensors *w);
void shard_head_backward(struct Shard *shard, const struct ModelConfig *config,
                         const struct ModelTensors *w, int n_targets);
void shard_block_backward(struct Shard *shard, int layer, const struct ModelConfig *config,
                          const struct ModelTensors *w);
void shard_embed_backward(struct Shard *shard, const struct ModelConfig *config);

/* Which rows have a query in a layer. No loss sees the rows of the last block that stand before the
   first target of their sequence: they need none there. In the blocks before it, later rows look at
   them. */
struct Sequences shard_sequences(const struct Shard *shard, int layer, int n_layers);

#endif
