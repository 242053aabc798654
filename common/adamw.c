/* One pass over parameters, gradient and both moments. */
#include "adamw.h"

#include <math.h>
#include <stdlib.h>

#include "base.h"

void adamw_new(struct AdamW *a, size_t size, double lr, double decay)
{
    *a = (struct AdamW){.lr = lr,
                        .decay = decay,
                        .beta1 = 0.9,
                        .beta2 = 0.999,
                        .eps = 1e-8,
                        .beta1_power = 1.0,
                        .beta2_power = 1.0,
                        .m = zeros_new(size, sizeof(float)),
                        .v = zeros_new(size, sizeof(float))};
}

void adamw_free(struct AdamW *a)
{
    free(a->m);
    free(a->v);
}

void adamw_begin_step(struct AdamW *a)
{
    a->beta1_power *= a->beta1;
    a->beta2_power *= a->beta2;
}

void adamw_update(struct AdamW *a, float *parameters, const float *gradient, size_t from, size_t to)
{
    float keep = (float)(1.0 - a->lr * a->decay);
    float beta1 = (float)a->beta1, rest1 = (float)(1.0 - a->beta1);
    float beta2 = (float)a->beta2, rest2 = (float)(1.0 - a->beta2);
    float step = (float)(a->lr / (1.0 - a->beta1_power));
    float scale = (float)(1.0 / sqrt(1.0 - a->beta2_power));
    float eps = (float)a->eps;
    float *restrict p = parameters, *restrict m = a->m, *restrict v = a->v;
    for (size_t i = from; i < to; i++) {
        float g = gradient[i];
        m[i] = fmaf(beta1, m[i], rest1 * g);
        v[i] = fmaf(beta2, v[i], rest2 * g * g);
        p[i] = p[i] * keep - step * m[i] / fmaf(sqrtf(v[i]), scale, eps);
    }
}
