/* All in double, with the exponentials written out instead of the given softmax. */
#include "exercises/02-scaled-dot/answer.h"

#include <math.h>

void scaled_dot(float *out, float *weights, const float *q, const float *k, const float *v, int B,
                int H, int Tq, int Tk, int d_head)
{
    for (int i = 0; i < B * H * Tq; i++) {
        int head = i / Tq;
        double scores[Tk], most = -INFINITY, sum = 0;
        for (int j = 0; j < Tk; j++) {
            scores[j] = 0;
            for (int c = 0; c < d_head; c++)
                scores[j] += (double)q[i * d_head + c] * k[(head * Tk + j) * d_head + c];
            scores[j] /= sqrt(d_head);
            most = fmax(most, scores[j]);
        }
        for (int j = 0; j < Tk; j++)
            sum += exp(scores[j] - most);
        for (int j = 0; j < Tk; j++)
            weights[i * Tk + j] = (float)(exp(scores[j] - most) / sum);
        for (int c = 0; c < d_head; c++) {
            double mixed = 0;
            for (int j = 0; j < Tk; j++)
                mixed += exp(scores[j] - most) / sum * v[(head * Tk + j) * d_head + c];
            out[i * d_head + c] = (float)mixed;
        }
    }
}
