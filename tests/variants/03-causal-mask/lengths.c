/* Each row sees a prefix of its keys, one longer from row to row: the softmax runs over the prefix
   only, in double, and the rest is filled with zeros. */
#include "exercises/03-causal-mask/answer.h"

#include <math.h>
#include <string.h>

void causal_weights(float *weights, const float *scores, int B, int H, int Tq, int Tk)
{
    for (int row = 0; row < B * H * Tq; row++, scores += Tk, weights += Tk) {
        int length = Tk - Tq + row % Tq + 1;
        double most = scores[0], sum = 0;
        for (int j = 1; j < length; j++)
            most = scores[j] > most ? scores[j] : most;
        for (int j = 0; j < length; j++)
            sum += exp(scores[j] - most);
        memset(weights, 0, sizeof *weights * (size_t)Tk);
        for (int j = length; j-- > 0;)
            weights[j] = (float)(exp(scores[j] - most) / sum);
    }
}
