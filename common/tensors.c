/* The one place where every tensor gets its name. */
#include "tensors.h"

#include <stdio.h>

void model_params(struct ModelTensors *t, struct ParamWalk *walk, const struct ModelConfig *config)
{
    int d = config->d_model;
    t->token = param(walk, "", "tok.weight", config->vocab, d, INIT_NORMAL, 0);
    t->position = t->position_bias = NULL;
    if (config->position == POSITION_LEARNED) {
        t->position = param(walk, "", "pos.weight", config->context, d, INIT_NORMAL, 0);
    } else if (config->position == POSITION_T5) {
        t->position_bias = param(walk, "", "pos_bias.weight", T5_BUCKETS, config->attention.n_heads,
                                 INIT_NORMAL, 0);
    }
    for (int layer = 0; layer < config->n_layers; layer++) {
        char prefix[24];
        snprintf(prefix, sizeof prefix, "blocks.%d.", layer);
        t->blocks[layer] = block_params(walk, prefix, config);
    }
    t->ln_weight = param(walk, "", "ln.weight", d, 0, INIT_ONES, 0);
    t->ln_bias = param(walk, "", "ln.bias", d, 0, INIT_ZEROS, 0);
    t->head = param_linear(walk, "", "head", config->vocab, d);
}
