/* config: what kind of model it is, and its sizes. */
#ifndef COMMON_CONFIG_H
#define COMMON_CONFIG_H

#include "activation.h"
#include "attention.h"

struct ModelConfig {
    int vocab, context; /* tokens there are; places there are */
    int d_model, n_layers;
    int d_ff; /* the width inside the MLP */
    enum Activation activation;
    enum PositionKind position;
    struct AttentionConfig attention;
};

/* The reference: causal, softmax over keys, scores divided by sqrt(d_head), d_head =
   d_model/n_heads, each head with keys and values of its own, a learned table of positions, GELU,
   d_ff = 4·d_model. A variant, or a fault, is a field changed afterwards. */
struct ModelConfig model_config(int vocab, int context, int d_model, int n_heads, int n_layers);

#endif
