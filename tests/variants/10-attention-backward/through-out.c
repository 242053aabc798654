/* The mean of d_weights under the weights is d_out · out: out is made anew, keys are the outer loop,
   and keys without weight are passed over. */
#include <math.h>
#include <string.h>

#include "exercises/10-attention-backward/answer.h"

void attention_backward(float *d_q, float *d_k, float *d_v, const float *d_out, const float *q,
                        const float *k, const float *v, const float *weights, int B, int H, int T,
                        int d_head)
{
    size_t n = (size_t)T * d_head;
    for (int head = 0; head < B * H; head++) {
        float mean[T];
        memset(d_q, 0, n * sizeof *d_q);
        for (int i = 0; i < T; i++) {
            mean[i] = 0;
            for (int c = d_head - 1; c >= 0; c--) {
                float out = 0;
                for (int j = T - 1; j >= 0; j--)
                    out += weights[i * T + j] * v[j * d_head + c];
                mean[i] += out * d_out[i * d_head + c];
            }
        }
        for (int j = 0; j < T; j++) {
            for (int c = 0; c < d_head; c++)
                d_k[j * d_head + c] = d_v[j * d_head + c] = 0;
            for (int i = T - 1; i >= 0; i--) {
                float w = weights[i * T + j], dw = 0;
                if (w == 0)
                    continue;
                for (int c = 0; c < d_head; c++)
                    dw += d_out[i * d_head + c] * v[j * d_head + c];
                float ds = (dw - mean[i]) * w / sqrtf(d_head);
                for (int c = 0; c < d_head; c++) {
                    d_v[j * d_head + c] += w * d_out[i * d_head + c];
                    d_k[j * d_head + c] += ds * q[i * d_head + c];
                    d_q[i * d_head + c] += ds * k[j * d_head + c];
                }
            }
        }
        d_q += n, d_k += n, d_v += n, d_out += n, q += n, k += n, v += n;
        weights += T * T;
    }
}
