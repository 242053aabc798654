/* Write one token, then the rest in the same way. */
#include <math.h>

#include "exercises/13-decode/answer.h"

int decode(int32_t *tokens, float *logits, int n, int wanted, int context, int vocab)
{
    if (wanted == 0 || n >= context)
        return n;
    model_forward(logits, tokens, n);
    float most = -INFINITY;
    for (float *last = logits + (n - 1) * vocab, *at = last; at < last + vocab; at++)
        if (*at > most) {
            most = *at;
            tokens[n] = (int32_t)(at - last);
        }
    return decode(tokens, logits, n + 1, wanted - 1, context, vocab);
}
