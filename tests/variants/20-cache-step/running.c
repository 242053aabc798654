/* The old rows first, then the new one from k and v themselves; the softmax as a running maximum and
   sum. Kept at the end. */
#include <math.h>
#include <string.h>

#include "exercises/20-cache-step/answer.h"

void cache_step(float *out, float *keys, float *values, int32_t *length, const float *q,
                const float *k, const float *v, int layer, int H, int Hkv, int capacity, int d_head)
{
    int n = length[layer], group = H / Hkv;
    for (int h = H - 1; h >= 0; h--) {
        int g = h / group, row = (layer * Hkv + g) * capacity * d_head;
        float max = -INFINITY, sum = 0, *o = out + h * d_head;
        memset(o, 0, sizeof(float) * d_head);
        for (int j = n; j >= 0; j--) {
            const float *key = j == n ? k + g * d_head : keys + row + j * d_head;
            const float *value = j == n ? v + g * d_head : values + row + j * d_head;
            float score = 0;
            for (int c = 0; c < d_head; c++)
                score += q[h * d_head + c] * key[c] * powf(d_head, -0.5f);
            float next = fmaxf(max, score), keep = expf(max - next), weight = expf(score - next);
            sum = sum * keep + weight;
            for (int c = 0; c < d_head; c++)
                o[c] = o[c] * keep + weight * value[c];
            max = next;
        }
        for (int c = 0; c < d_head; c++)
            o[c] /= sum;
    }
    for (int g = 0; g < Hkv; g++)
        for (int c = 0; c < d_head; c++) {
            keys[((layer * Hkv + g) * capacity + n) * d_head + c] = k[g * d_head + c];
            values[((layer * Hkv + g) * capacity + n) * d_head + c] = v[g * d_head + c];
        }
    length[layer] = n + 1;
}
