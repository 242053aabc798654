/* The square of a float is exact in a double; only the sum is rounded. */
#include "clip.h"

#include <math.h>

double gradient_norm(const float *gradient, size_t size)
{
    double lane[4] = {0.0, 0.0, 0.0, 0.0}; /* four sums, so that one need not wait for the last */
    for (size_t i = 0; i < size; i++) {
        lane[i % 4] += (double)gradient[i] * (double)gradient[i];
    }
    return sqrt((lane[0] + lane[1]) + (lane[2] + lane[3]));
}

double gradient_clip(float *gradient, size_t size, double longest)
{
    double norm = gradient_norm(gradient, size);
    float factor = (float)(longest / (norm + 1e-6));
    if (factor < 1.0f) {
        for (size_t i = 0; i < size; i++) {
            gradient[i] *= factor;
        }
    }
    return norm;
}
