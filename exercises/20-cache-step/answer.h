#ifndef EXERCISE_CACHE_STEP_H
#define EXERCISE_CACHE_STEP_H

#include <stdint.h>

void cache_step(float *out, float *keys, float *values, int32_t *length, const float *q,
                const float *k, const float *v, int layer, int H, int Hkv, int capacity,
                int d_head);

/* Given: weights = softmax of each row of scores (rows,n). Both may be the same array. */
void softmax(float *weights, const float *scores, int rows, int n);

#endif
