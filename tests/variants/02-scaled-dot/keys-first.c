/* The queries are scaled before the product, and the loop over keys stands outside. */
#include <math.h>
#include <stdlib.h>

#include "exercises/02-scaled-dot/answer.h"

void scaled_dot(float *out, float *weights, const float *q, const float *k, const float *v, int B,
                int H, int Tq, int Tk, int d_head)
{
    float scale = (float)pow(d_head, -0.5);
    for (int head = B * H - 1; head >= 0; head--) {
        const float *qs = q + (size_t)head * Tq * d_head, *ks = k + (size_t)head * Tk * d_head;
        const float *vs = v + (size_t)head * Tk * d_head;
        float *w = weights + (size_t)head * Tq * Tk, *o = out + (size_t)head * Tq * d_head;
        for (int j = 0; j < Tk; j++)
            for (int i = 0; i < Tq; i++) {
                w[i * Tk + j] = 0;
                for (int c = d_head - 1; c >= 0; c--)
                    w[i * Tk + j] += qs[i * d_head + c] * scale * ks[j * d_head + c];
            }
        softmax(w, w, Tq, Tk);
        for (int i = 0; i < Tq * d_head; i++)
            o[i] = 0;
        for (int j = 0; j < Tk; j++)
            for (int i = 0; i < Tq; i++)
                for (int c = 0; c < d_head; c++)
                    o[i * d_head + c] += w[i * Tk + j] * vs[j * d_head + c];
    }
}
