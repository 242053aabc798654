/* Pointers walked, in double, and back at once if there is nothing to do. */
#include <math.h>

#include "exercises/24-clip/answer.h"

float clip_gradient(float *const *gradient, const int *sizes, int n_tensors, float longest)
{
    double squares = 0.0;
    for (int t = 0; t < n_tensors; t++)
        for (const float *g = gradient[t], *end = g + sizes[t]; g < end; g++)
            squares += (double)*g * *g;
    if (squares <= (double)longest * longest)
        return (float)sqrt(squares);
    for (int t = 0; t < n_tensors; t++)
        for (float *g = gradient[t], *end = g + sizes[t]; g < end; g++)
            *g = (float)(*g / (sqrt(squares) / longest));
    return (float)sqrt(squares);
}
