/* Sequence, group, member of the group; the value of g counted up and not divided. */
#include <math.h>

#include "exercises/23-gqa-heads/answer.h"

void grouped_attention(float *out, float *weights, const float *q, const float *k, const float *v,
                       int B, int H, int Hkv, int Tq, int Tk, int d_head)
{
    const int members = H / Hkv;
    for (int b = B - 1; b >= 0; b--)
        for (int g = 0; g < Hkv; g++)
            for (int m = 0; m < members; m++) {
                const int head = b * H + g * members + m, from = (b * Hkv + g) * Tk;
                for (int j = 0; j < Tk; j++)
                    for (int i = 0; i < Tq; i++) {
                        float score = 0;
                        for (int c = d_head - 1; c >= 0; c--)
                            score += k[(from + j) * d_head + c] * q[(head * Tq + i) * d_head + c];
                        weights[(head * Tq + i) * Tk + j] = score * powf(d_head, -0.5f);
                    }
                softmax(weights + head * Tq * Tk, weights + head * Tq * Tk, Tq, Tk);
                for (int i = 0; i < Tq; i++)
                    for (int c = 0; c < d_head; c++) {
                        float sum = 0;
                        for (int j = Tk - 1; j >= 0; j--)
                            sum += weights[(head * Tq + i) * Tk + j] * v[(from + j) * d_head + c];
                        out[(head * Tq + i) * d_head + c] = sum;
                    }
            }
}
