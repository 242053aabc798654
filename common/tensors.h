/* tensors: what a model has learned, by name. */
#ifndef COMMON_TENSORS_H
#define COMMON_TENSORS_H

#include "block.h"

/* The parameters of the model, or their gradients. A table that the kind of position does not need
   is NULL. */
struct ModelTensors {
    float *token;         /* (vocab,D) */
    float *position;      /* (context,D), if positions are learned */
    float *position_bias; /* (T5_BUCKETS,n_heads), if they are T5's */
    struct BlockTensors *blocks;
    float *ln_weight, *ln_bias; /* (D) */
    struct Linear head;         /* D -> vocab */
};

/* The walk that names every tensor of the model: pointers into walk->base go to tensors, whose
   blocks must have room for n_layers. */
void model_params(struct ModelTensors *tensors, struct ParamWalk *walk,
                  const struct ModelConfig *config);

#endif
