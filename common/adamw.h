/* adamw: Adam with decoupled weight decay, Loshchilov & Hutter (2019), algorithm 2, in the order in
   which PyTorch does it. At step t = 1, 2, ...
     p -= lr·decay·p
     m = beta1·m + (1 - beta1)·g          v = beta2·v + (1 - beta2)·g²
     p -= lr · m/(1 - beta1^t) / (sqrt(v/(1 - beta2^t)) + eps) */
#ifndef COMMON_ADAMW_H
#define COMMON_ADAMW_H

#include <stddef.h>

struct AdamW {
    double lr, decay, beta1, beta2, eps;
    double beta1_power, beta2_power; /* beta^t, by repeated products: the same bits everywhere */
    float *m, *v;                    /* (size) */
};

/* Moments of size zeros, t = 0, beta 0.9 and 0.999, eps 1e-8. */
void adamw_new(struct AdamW *a, size_t size, double lr, double decay);
void adamw_free(struct AdamW *a);

/* t += 1. Once a step, before the updates. */
void adamw_begin_step(struct AdamW *a);

/* parameters[from..to) updated with gradient[from..to), and so are the moments: a range of the
   array, so that threads can share the work. */
void adamw_update(struct AdamW *a, float *parameters, const float *gradient, size_t from,
                  size_t to);

#endif
