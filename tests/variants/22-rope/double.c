/* In double, with a table of angles made before any head is looked at. */
#include "exercises/22-rope/answer.h"

#include <math.h>
#include <stdlib.h>

static void turn(float *pair, double angle)
{
    double a = pair[0], b = pair[1];
    pair[0] = (float)(a * cos(angle) - b * sin(angle));
    pair[1] = (float)(a * sin(angle) + b * cos(angle));
}

void rope(float *qkv, const int *place, int T, int H, int d_head, float base)
{
    int pairs = d_head / 2, row = 3 * H * d_head;
    double *angles = malloc((size_t)T * (size_t)pairs * sizeof *angles);
    for (int i = 0; i < T * pairs; i++) {
        angles[i] = place[i / pairs] * pow(base, -2.0 * (i % pairs) / d_head);
    }
    for (int t = 0; t < T; t++) {
        for (int i = 0; i < 2 * H * pairs; i++) { /* queries, then keys, side by side */
            turn(qkv + t * row + 2 * i, angles[t * pairs + i % pairs]);
        }
    }
    free(angles);
}
