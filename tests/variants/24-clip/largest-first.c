/* Safe against squares that are too large for a float: everything divided by the largest entry
   before it is squared. */
#include <math.h>

#include "exercises/24-clip/answer.h"

float clip_gradient(float *const *gradient, const int *sizes, int n_tensors, float longest)
{
    float largest = 0.0f, sum = 0.0f;
    for (int t = 0; t < n_tensors; t++)
        for (int i = 0; i < sizes[t]; i++)
            largest = fmaxf(largest, fabsf(gradient[t][i]));
    if (largest == 0.0f)
        return 0.0f;
    for (int t = 0; t < n_tensors; t++)
        for (int i = 0; i < sizes[t]; i++)
            sum += gradient[t][i] / largest * (gradient[t][i] / largest);
    float norm = largest * sqrtf(sum);
    for (int t = 0; t < n_tensors && norm > longest; t++)
        for (int i = 0; i < sizes[t]; i++)
            gradient[t][i] = gradient[t][i] / norm * longest;
    return norm;
}
