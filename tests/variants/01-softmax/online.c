/* One pass for maximum and sum: when a larger score comes, the sum so far is scaled down. */
#include "exercises/01-softmax/answer.h"

#include <math.h>

void softmax(float *weights, const float *scores, int rows, int n)
{
    for (int r = rows - 1; r >= 0; r--) {
        double max = -INFINITY, sum = 0;
        for (int i = 0; i < n; i++) {
            double larger = fmax(max, scores[r * n + i]);
            sum = sum * exp(max - larger) + exp(scores[r * n + i] - larger);
            max = larger;
        }
        for (int i = 0; i < n; i++)
            weights[r * n + i] = (float)(exp(scores[r * n + i] - max) / sum);
    }
}
