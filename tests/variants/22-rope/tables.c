/* As programs do it that keep cosine and sine once for each entry: x cos + rotated(x) sin, with
   rotated (a,b) = (-b,a). */
#include "exercises/22-rope/answer.h"

#include <math.h>
#include <stdlib.h>

static void turn(float *x, const float *cosine, const float *sine, int d)
{
    float *rotated = malloc((size_t)d * sizeof *rotated);
    for (int c = 0; c < d; c++) {
        rotated[c] = c % 2 == 0 ? -x[c + 1] : x[c - 1];
    }
    for (int c = 0; c < d; c++) {
        x[c] = x[c] * cosine[c] + rotated[c] * sine[c];
    }
    free(rotated);
}

void rope(float *qkv, const int *place, int T, int H, int d_head, float base)
{
    float *cosine = malloc((size_t)d_head * sizeof *cosine);
    float *sine = malloc((size_t)d_head * sizeof *sine);
    for (int t = 0; t < T; t++) {
        for (int c = 0; c < d_head; c++) {
            float exponent = (float)(c - c % 2) / d_head;
            float angle = place[t] * expf(-exponent * logf(base));
            cosine[c] = cosf(angle);
            sine[c] = sinf(angle);
        }
        float *q = qkv + 3 * t * H * d_head, *k = q + H * d_head;
        for (int h = 0; h < H; h++) {
            turn(q + h * d_head, cosine, sine, d_head);
            turn(k + h * d_head, cosine, sine, d_head);
        }
    }
    free(cosine);
    free(sine);
}
