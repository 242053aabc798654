/* A model to decode with: small enough to be understood, and causal. What follows position t
   depends on t, on all tokens up to t and on their order. Its numbers are whole, so that ties are
   ties. A token that is repeated does not outweigh the rest: its likes cancel. */
#ifndef GRADERS_DECODE_MODEL_H
#define GRADERS_DECODE_MODEL_H

#include <stdint.h>

struct Model {
    const float *likes;  /* (vocab,vocab): what each token likes to be followed by */
    const float *places; /* (context,vocab): what follows each position */
    int vocab;
};

static inline float model_logit(const struct Model *m, const int32_t *tokens, int t, int next)
{
    static const float weight[] = {2.0f, -3.0f, 1.0f};
    float sum = m->places[t * m->vocab + next];
    for (int s = 0; s <= t; s++) {
        sum += weight[(t - s) % 3] * m->likes[tokens[s] * m->vocab + next];
    }
    return sum;
}

#endif
