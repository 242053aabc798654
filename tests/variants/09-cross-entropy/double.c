/* In double, the last row first; the rows are counted on the way, and divided at the end. */
#include "exercises/09-cross-entropy/answer.h"

#include <math.h>

void cross_entropy(float *loss, float *d_logits, const float *logits, const int *targets, int rows,
                   int vocab)
{
    double total = 0;
    int count = 0;
    for (int r = rows - 1; r >= 0; r--) {
        double max = -INFINITY, sum = 0;
        for (int v = 0; v < vocab; v++)
            max = fmax(max, logits[r * vocab + v]);
        for (int v = 0; v < vocab; v++)
            sum += exp(logits[r * vocab + v] - max);
        for (int v = 0; v < vocab; v++)
            d_logits[r * vocab + v] =
                targets[r] < 0 ? 0 : (float)(exp(logits[r * vocab + v] - max) / sum);
        if (targets[r] >= 0) {
            d_logits[r * vocab + targets[r]] -= 1;
            total += max + log(sum) - logits[r * vocab + targets[r]];
            count++;
        }
    }
    for (int i = 0; count > 0 && i < rows * vocab; i++)
        d_logits[i] /= (float)count;
    *loss = count > 0 ? (float)(total / count) : 0;
}
