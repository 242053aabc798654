/* The layer of the small examples: queries, keys and values by three products, and attend. */
#include <math.h>

#include "common/rng.h"
#include "lesson.h"

void layer_draw(struct Layer *layer, struct Heads heads, struct Rng *rng)
{
    float bound = sqrtf(3.0f / WIDTH); /* what comes out spreads as what goes in */
    layer->heads = heads;
    rng_uniform(rng, layer->wq, heads.query * heads.d * WIDTH, bound);
    rng_uniform(rng, layer->wk, heads.key_value * heads.d * WIDTH, bound);
    rng_uniform(rng, layer->wv, heads.key_value * heads.d * WIDTH, bound);
}

void multiply(float *y, const float *x, const float *w, int rows, int k, int n)
{
    for (int at = 0; at < rows * n; at++) {
        y[at] = 0.0f;
        for (int i = 0; i < k; i++) {
            y[at] = fmaf(x[at / n * k + i], w[at % n * k + i], y[at]);
        }
    }
    multiply_adds += (long long)rows * k * n;
}

void layer_project(float *q, float *k, float *v, const float *x, const struct Layer *layer,
                   int rows)
{
    const struct Heads *heads = &layer->heads;
    multiply(q, x, layer->wq, rows, WIDTH, heads->query * heads->d);
    multiply(k, x, layer->wk, rows, WIDTH, heads->key_value * heads->d);
    multiply(v, x, layer->wv, rows, WIDTH, heads->key_value * heads->d);
}

void layer_read(float *out, struct Store *store, const float *x, const struct Layer *layer,
                int rows, enum Sees sees)
{
    float q[MOST_KEYS * WIDTH], k[MOST_KEYS * WIDTH], v[MOST_KEYS * WIDTH];
    layer_project(q, k, v, x, layer, rows);
    store_append(store, k, v, rows, &layer->heads);
    attend(out, q, store, rows, &layer->heads, sees);
}
