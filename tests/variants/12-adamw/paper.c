/* Decay and step subtracted at once, as in the paper; in double, with powers by repeated products. */
#include <math.h>

#include "exercises/12-adamw/answer.h"

void adamw_step(float *p, float *m, float *v, const float *g, int n, int t, struct AdamW settings)
{
    double power1 = 1, power2 = 1;
    while (t-- > 0) {
        power1 *= settings.beta1;
        power2 *= settings.beta2;
    }
    for (const float *end = g + n; g < end; p++, m++, v++, g++) {
        double mean = (double)settings.beta1 * *m + (1 - (double)settings.beta1) * *g;
        double square = *v + (1 - (double)settings.beta2) * ((double)*g * *g - *v);
        double step = mean / (1 - power1) / (sqrt(square / (1 - power2)) + settings.eps);
        *m = (float)mean;
        *v = (float)square;
        *p = (float)(*p - settings.lr * (step + settings.decay * *p));
    }
}
