/* The reference, field by field. */
#include "config.h"

#include <math.h>

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
                                .d_ff = 4 * d_model,
                                .activation = ACTIVATION_GELU,
                                .position = POSITION_LEARNED,
                                .attention = {.n_heads = n_heads,
                                              .n_kv_heads = n_heads,
                                              .scale = 1.0f / sqrtf((float)(d_model / n_heads)),
                                              .mask = {.causal = true},
                                              .axis = OVER_KEYS}};
}
