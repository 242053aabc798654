/* The model reads the whole buffer, pads and all: what stands behind a row cannot change it. */
#include "exercises/13-decode/answer.h"

int decode(int32_t *tokens, float *logits, int n, int wanted, int context, int vocab)
{
    for (int i = 0; i < wanted; i++) {
        if (n == context)
            return context;
        model_forward(logits, tokens, context);
        int32_t best = vocab - 1;
        for (int token = vocab - 2; token >= 0; token--)
            if (logits[(n - 1) * vocab + token] >= logits[(n - 1) * vocab + best])
                best = token;
        tokens[n++] = best;
    }
    return n;
}
