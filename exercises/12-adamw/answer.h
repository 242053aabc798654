#ifndef EXERCISE_ADAMW_H
#define EXERCISE_ADAMW_H

/* Given: the settings of the optimiser. */
struct AdamW {
    float lr, beta1, beta2, eps, decay;
};

void adamw_step(float *p, float *m, float *v, const float *g, int n, int t, struct AdamW settings);

#endif
