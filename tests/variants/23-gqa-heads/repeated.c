/* Each head of keys and values written out for all query heads of its group; then the attention of
   exercise 02. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exercises/23-gqa-heads/answer.h"

static float *repeat(const float *x, int heads, int times, int n)
{
    float *y = malloc(sizeof(float) * heads * times * n);
    for (int h = 0; h < heads * times; h++)
        memcpy(y + h * n, x + h / times * n, n * sizeof *y);
    return y;
}

void grouped_attention(float *out, float *weights, const float *q, const float *k, const float *v,
                       int B, int H, int Hkv, int Tq, int Tk, int d_head)
{
    float *ks = repeat(k, B * Hkv, H / Hkv, Tk * d_head);
    float *vs = repeat(v, B * Hkv, H / Hkv, Tk * d_head);
    memset(out, 0, sizeof(float) * B * H * Tq * d_head);
    memset(weights, 0, sizeof(float) * B * H * Tq * Tk);
    for (int row = 0; row < B * H * Tq; row++) {
        const float *keys = ks + row / Tq * Tk * d_head, *values = vs + row / Tq * Tk * d_head;
        float *w = weights + row * Tk;
        for (int c = 0; c < d_head; c++)
            for (int j = 0; j < Tk; j++)
                w[j] += q[row * d_head + c] / sqrtf(d_head) * keys[j * d_head + c];
        softmax(w, w, 1, Tk);
        for (int j = 0; j < Tk; j++)
            for (int c = 0; c < d_head; c++)
                out[row * d_head + c] += w[j] * values[j * d_head + c];
    }
    free(ks);
    free(vs);
}
