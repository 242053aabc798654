/* A pair is a complex number, and turning it a product. The frequencies by repeated division. */
#include "exercises/22-rope/answer.h"

#include <complex.h>
#include <math.h>

void rope(float *qkv, const int *place, int T, int H, int d_head, float base)
{
    float slower = powf(base, 2.0f / d_head);
    for (int t = 0; t < T; t++) {
        for (int vector = 0; vector < 2 * H; vector++) {
            float *x = qkv + (t * 3 * H + vector) * d_head, frequency = 1.0f;
            for (int c = 0; c < d_head; c += 2, frequency /= slower) {
                float angle = place[t] * frequency;
                float complex turned = (x[c] + I * x[c + 1]) * (cosf(angle) + I * sinf(angle));
                x[c] = crealf(turned);
                x[c + 1] = cimagf(turned);
            }
        }
    }
}
