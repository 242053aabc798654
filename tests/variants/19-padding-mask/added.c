/* A mask (B,T,T) of zeros and -INFINITY, made once and added to the scores of every head; the NaN of
   a row without a key is found by being unequal to itself. */
#include <math.h>
#include <stdlib.h>

#include "exercises/19-padding-mask/answer.h"

void padded_weights(float *weights, const float *scores, const int *first, const int *length,
                    int causal, int B, int H, int T)
{
    float *mask = malloc(sizeof *mask * (size_t)(B * T * T) + 1);
    for (int b = 0; b < B; b++)
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++) {
                int text = first[b] <= j && j < first[b] + length[b];
                mask[(b * T + i) * T + j] = text && (!causal || i >= j) ? 0 : -INFINITY;
            }
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int n = 0; n < T * T; n++) {
                int at = (b * H + h) * T * T + n;
                weights[at] = scores[at] + mask[b * T * T + n];
            }
    softmax(weights, weights, B * H * T, T);
    for (int n = 0; n < B * H * T * T; n++)
        if (weights[n] != weights[n])
            weights[n] = 0;
    free(mask);
}
