/* d_logits holds the log of the softmax first: the loss is read off there, and exp gives p. The
   maximum and the sum come out of one pass. */
#include <math.h>
#include <string.h>

#include "exercises/09-cross-entropy/answer.h"

void cross_entropy(float *loss, float *d_logits, const float *logits, const int *targets, int rows,
                   int vocab)
{
    float count = 0;
    *loss = 0;
    memset(d_logits, 0, sizeof(float) * (size_t)rows * (size_t)vocab);
    for (int r = 0; r < rows; r++)
        if (targets[r] != IGNORE)
            count++;
    if (count == 0)
        return;
    for (const int *end = targets + rows; targets < end;
         targets++, logits += vocab, d_logits += vocab) {
        if (*targets == IGNORE)
            continue;
        float max = logits[0], sum = 1;
        for (int v = 1; v < vocab; v++) {
            float larger = fmaxf(max, logits[v]);
            sum = sum * expf(max - larger) + expf(logits[v] - larger);
            max = larger;
        }
        for (int v = 0; v < vocab; v++)
            d_logits[v] = logits[v] - max - logf(sum);
        *loss -= d_logits[*targets] * (1 / count);
        for (int v = 0; v < vocab; v++)
            d_logits[v] = (expf(d_logits[v]) - (v == *targets)) * (1 / count);
    }
}
