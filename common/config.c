/* The one place where every tensor gets its name. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "base.h"

struct ModelConfig model_config(int vocab, int context, int d_model, int n_heads, int n_layers)
{
    if (n_heads < 1 || d_model % n_heads != 0) {
        die("a width of %d cannot be split among %d heads: it must be divisible by their number",
            d_model, n_heads);
    }
    return (struct ModelConfig){.vocab = vocab,
                                .context = context,
                                .d_model = d_model,
                                .n_layers = n_layers,
                                .attention = {.n_heads = n_heads,
                                              .scale = 1.0f / sqrtf((float)(d_model / n_heads)),
                                              .causal = true,
                                              .axis = OVER_KEYS}};
}

void model_params(struct ModelTensors *t, struct ParamWalk *walk, const struct ModelConfig *config)
{
    int d = config->d_model;
    t->token = param(walk, "", "tok.weight", config->vocab, d, INIT_NORMAL, 0);
    t->position = param(walk, "", "pos.weight", config->context, d, INIT_NORMAL, 0);
    for (int layer = 0; layer < config->n_layers; layer++) {
        char prefix[24];
        snprintf(prefix, sizeof prefix, "blocks.%d.", layer);
        t->blocks[layer] = block_params(walk, prefix, d);
    }
    t->ln_weight = param(walk, "", "ln.weight", d, 0, INIT_ONES, 0);
    t->ln_bias = param(walk, "", "ln.bias", d, 0, INIT_ZEROS, 0);
    t->head = param_linear(walk, "", "head", config->vocab, d);
}
