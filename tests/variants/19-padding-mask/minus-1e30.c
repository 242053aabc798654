/* A copy in which hidden scores are -1e30, as good as -INFINITY where there is something to see; and
   afterwards all that is hidden is cleared, which is all of a row that sees nothing. */
#include <stdlib.h>
#include <string.h>

#include "exercises/19-padding-mask/answer.h"

static int hidden(int b, int i, int j, const int *first, const int *length, int causal)
{
    return j < first[b] || j - first[b] >= length[b] || (causal && i < j);
}

void padded_weights(float *weights, const float *scores, const int *first, const int *length,
                    int causal, int B, int H, int T)
{
    size_t size = (size_t)B * H * T * T;
    float *masked = malloc(size * sizeof *masked);
    memcpy(masked, scores, size * sizeof *masked);
    for (int n = 0; n < (int)size; n++)
        if (hidden(n / (H * T * T), n / T % T, n % T, first, length, causal))
            masked[n] = -1e30f;
    softmax(weights, masked, B * H * T, T);
    for (int n = 0; n < (int)size; n++)
        if (hidden(n / (H * T * T), n / T % T, n % T, first, length, causal))
            weights[n] = 0;
    free(masked);
}
