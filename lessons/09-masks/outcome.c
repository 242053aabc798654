/* Sums run over the parameters in their order, in double. */
#include "outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"

struct Model *outcome_model(uint64_t seed)
{
    struct Model *model = model_new(model_config(VOCAB, CONTEXT, 16, 2, 2), 4);
    model_init(model, seed);
    return model;
}

void outcome_of(struct Outcome *o, struct Model *model, const struct Batch *batch,
                const struct Mask *mask)
{
    model->config.attention.mask = *mask;
    model_forward(model, batch);
    for (int row = 0; row < batch->rows; row++) {
        memcpy(o->logits + row * VOCAB, model_logits(model, row), VOCAB * sizeof *o->logits);
    }
    o->loss = model_gradient(model, batch);
    model_sum_gradients(model);
    o->gradient = array_new(model->params.size);
    memcpy(o->gradient, model->gradient, model->params.size * sizeof *o->gradient);
}

void outcome_free(struct Outcome *o)
{
    free(o->gradient);
}

double token_gradient(const struct Outcome *o, const struct Model *model, int token)
{
    int width = model->config.d_model;
    const float *g = o->gradient + (model->w.token - model->weights) + token * width;
    double square = 0.0;
    for (int i = 0; i < width; i++) {
        square += (double)g[i] * (double)g[i];
    }
    return sqrt(square);
}

double gradient_apart(const struct Outcome *o, const struct Outcome *right,
                      const struct Model *model)
{
    double apart = 0.0, whole = 0.0;
    for (size_t i = 0; i < model->params.size; i++) {
        double r = (double)right->gradient[i], d = (double)o->gradient[i] - r;
        apart += d * d;
        whole += r * r;
    }
    return sqrt(apart / whole);
}
