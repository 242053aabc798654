/* One pass over each array, as a library does it: the corrections go into the rate and the root. */
#include <math.h>

#include "exercises/12-adamw/answer.h"

void adamw_step(float *p, float *m, float *v, const float *g, int n, int t, struct AdamW settings)
{
    float rate = settings.lr / (1 - powf(settings.beta1, t));
    float root = sqrtf(1 - powf(settings.beta2, t));
    for (int i = n - 1; i >= 0; i--)
        p[i] *= 1 - settings.lr * settings.decay;
    for (int i = 0; i < n; i++)
        m[i] += (g[i] - m[i]) * (1 - settings.beta1);
    for (int i = 0; i < n; i++)
        v[i] = fmaf(settings.beta2, v[i], (1 - settings.beta2) * (g[i] * g[i]));
    for (int i = 0; i < n; i++)
        p[i] -= rate * m[i] / (sqrtf(v[i]) / root + settings.eps);
}
