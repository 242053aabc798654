/* The query heads of a group lie one behind the other: together they are one head with more queries.
   In double. */
#include <math.h>

#include "exercises/23-gqa-heads/answer.h"

void grouped_attention(float *out, float *weights, const float *q, const float *k, const float *v,
                       int B, int H, int Hkv, int Tq, int Tk, int d_head)
{
    int queries = H / Hkv * Tq;
    for (int g = 0; g < B * Hkv; g++, k += Tk * d_head, v += Tk * d_head)
        for (int i = 0; i < queries; i++, q += d_head, out += d_head, weights += Tk) {
            double w[Tk], most = -INFINITY, sum = 0, o[d_head];
            for (int j = 0; j < Tk; j++) {
                w[j] = 0;
                for (int c = 0; c < d_head; c++)
                    w[j] += (double)q[c] * k[j * d_head + c] / sqrt(d_head);
                most = fmax(most, w[j]);
            }
            for (int j = 0; j < Tk; j++)
                sum += w[j] = exp(w[j] - most);
            for (int c = 0; c < d_head; c++)
                o[c] = 0;
            for (int j = 0; j < Tk; j++) {
                weights[j] = (float)(w[j] / sum);
                for (int c = 0; c < d_head; c++)
                    o[c] += w[j] / sum * v[j * d_head + c];
            }
            for (int c = 0; c < d_head; c++)
                out[c] = (float)o[c];
        }
}
