/* One loop over all numbers, last one first; where each belongs is divided out of its index. */
#include "exercises/04-heads/answer.h"

static int place_in_x(int i, int T, int H, int d_head)
{
    int c = i % d_head, t = i / d_head % T, h = i / (d_head * T) % H, b = i / (d_head * T * H);
    return b * T * H * d_head + t * H * d_head + h * d_head + c;
}

void split_heads(float *heads, const float *x, int B, int T, int H, int d_head)
{
    for (int i = B * H * T * d_head - 1; i >= 0; i--)
        heads[i] = x[place_in_x(i, T, H, d_head)];
}

void merge_heads(float *x, const float *heads, int B, int T, int H, int d_head)
{
    for (int i = B * H * T * d_head - 1; i >= 0; i--)
        x[place_in_x(i, T, H, d_head)] = heads[i];
}
