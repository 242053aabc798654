/* What a query sees is one run of keys: the softmax runs over the run, in double, and all else was
   cleared at the beginning. A run without a key leaves the zeros as they are. */
#include "exercises/19-padding-mask/answer.h"

#include <math.h>
#include <string.h>

void padded_weights(float *weights, const float *scores, const int *first, const int *length,
                    int causal, int B, int H, int T)
{
    memset(weights, 0, sizeof *weights * (size_t)(B * H * T * T));
    for (int row = 0; row < B * H * T; row++, scores += T, weights += T) {
        int b = row / (H * T), i = row % T, from = first[b], to = from + length[b];
        double most = -HUGE_VAL, sum = 0;
        if (causal && to > i + 1)
            to = i + 1;
        for (int j = from; j < to; j++)
            most = scores[j] > most ? scores[j] : most;
        for (int j = from; j < to; j++)
            sum += exp(scores[j] - most);
        for (int j = to; j-- > from;)
            weights[j] = (float)(exp(scores[j] - most) / sum);
    }
}
