/* A copy of all scores, hidden ones set to -1e9, which is as good as -INFINITY where every row has
   something to look at; then one call for all rows. */
#include <stdlib.h>
#include <string.h>

#include "exercises/03-causal-mask/answer.h"

void causal_weights(float *weights, const float *scores, int B, int H, int Tq, int Tk)
{
    size_t size = (size_t)B * H * Tq * Tk;
    float *masked = malloc(size * sizeof *masked), *at = masked;
    memcpy(masked, scores, size * sizeof *masked);
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int i = 0; i < Tq; i++, at += Tk)
                for (int j = Tk - 1; j > i + Tk - Tq; j--)
                    at[j] = -1e9f;
    softmax(weights, masked, B * H * Tq, Tk);
    free(masked);
}
