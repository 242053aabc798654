/* model: token and positions, blocks, final norm, head. A step of training is
     model_gradient(model, batch)    forward and backward, shard by shard
     model_update(model, adamw)      sum the shards' gradients, update, pack
   The batch is cut into a fixed number of shards, whatever the number of threads, and the shards'
   gradients are added in a fixed tree: so the bits do not depend on who computed what. */
#ifndef COMMON_MODEL_H
#define COMMON_MODEL_H

#include "adamw.h"
#include "batch.h"
#include "tensors.h"

enum { SHARDS = 8 };
struct Shard;
struct Workspace;

struct Model {
    struct ModelConfig config;
    struct ParamList params;
    float *weights, *gradient; /* (params.size): every tensor in the order of params */
    float *packed;             /* the kernels' copy of the weights */
    struct ModelTensors w;
    struct Rope rope; /* RoPE: base 10000, places up to context; to be replaced for other angles */
    struct Bias bias; /* T5 and ALiBi */
    float *sinusoids; /* (context,D) */
    struct Shard *shards;         /* SHARDS of them */
    struct Workspace *workspaces; /* SHARDS: one for each shard, or for each thread */
    int max_count;                /* sequences there is room for */
    const struct Batch *batch;    /* the one of the last forward pass */
};

/* A model for batches of at most max_count sequences. Its weights are NaN until model_init, or until
   they are filled in and model_pack is called. Dies if heads cannot share their keys and values as
   told, or if a head, or the width, is odd where positions go by pairs. */
struct Model *model_new(struct ModelConfig config, int max_count);
void model_free(struct Model *model);

/* Fresh weights from the stream "init" of this seed. */
void model_init(struct Model *model, uint64_t seed);

/* To be called when model->weights were changed by other hands than model_update. */
void model_pack(struct Model *model);

/* Forward pass. Returns the mean loss, in nats, over the rows that have a target; NaN if none has.
   Logits and attention weights can be read until the next call. batch must live as long. */
double model_forward(struct Model *model, const struct Batch *batch);

/* Forward and backward pass, for a batch with at least one target. The gradient lies in the
   shards until model_update or model_sum_gradients. Rows that no loss can see are left out of
   the last block, so logits and attention weights cannot be read afterwards. Returns the mean
   loss. */
double model_gradient(struct Model *model, const struct Batch *batch);

/* model->gradient overwritten with the sum over the shards. */
void model_sum_gradients(struct Model *model);

/* One AdamW step with the summed gradient, which is left in model->gradient. */
void model_update(struct Model *model, struct AdamW *adamw);

/* The same with the gradient clipped to this length (clip.h). Returns its length before. */
double model_update_clipped(struct Model *model, struct AdamW *adamw, double longest);

/* How places are told to this model. */
struct Positions model_positions(const struct Model *model);

/* The logits (vocab) of a row of the last batch, after model_forward. */
const float *model_logits(const struct Model *model, int row);

/* What a head of a layer gave to one key for one query, in a sequence of the last batch, after
   model_forward. */
float model_attention(const struct Model *model, int layer, int head, int sequence, int query,
                      int key);

#endif
