/* config: what a model consists of: its sizes, and its tensors by name. */
#ifndef COMMON_CONFIG_H
#define COMMON_CONFIG_H

#include "block.h"

struct ModelConfig {
    int vocab, context; /* tokens there are; positions there are */
    int d_model, n_layers;
    struct AttentionConfig attention;
};

/* The reference: causal, softmax over keys, scores divided by sqrt(d_head), d_head =
   d_model/n_heads. A fault is a field changed afterwards. */
struct ModelConfig model_config(int vocab, int context, int d_model, int n_heads, int n_layers);

/* The parameters of the model, or their gradients. */
struct ModelTensors {
    float *token, *position; /* (vocab,D), (context,D) */
    struct BlockTensors *blocks;
    float *ln_weight, *ln_bias; /* (D) */
    struct Linear head;         /* D -> vocab */
};

/* The walk that names every tensor of the model: pointers into walk->base go to tensors, whose
   blocks must have room for n_layers. */
void model_params(struct ModelTensors *tensors, struct ParamWalk *walk,
                  const struct ModelConfig *config);

#endif
