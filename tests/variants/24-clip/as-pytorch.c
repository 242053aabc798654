/* As PyTorch does it: the norm of the norms of the tensors, a little above it to divide by, and a
   factor that is never above 1, by which everything is multiplied in any case. */
#include <math.h>

#include "exercises/24-clip/answer.h"

float clip_gradient(float *const *gradient, const int *sizes, int n_tensors, float longest)
{
    double total = 0.0;
    for (int t = 0; t < n_tensors; t++) {
        double norm = 0.0;
        for (int i = 0; i < sizes[t]; i++)
            norm = hypot(norm, gradient[t][i]);
        total = hypot(total, norm);
    }
    double factor = fmin(1.0, longest / (total + 1e-6));
    for (int t = n_tensors - 1; t >= 0; t--)
        for (int i = sizes[t] - 1; i >= 0; i--)
            gradient[t][i] = (float)(gradient[t][i] * factor);
    return (float)total;
}
