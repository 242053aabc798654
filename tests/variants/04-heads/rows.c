/* Rows of d_head numbers are copied whole; the one that is written goes on by one row a time. */
#include <string.h>

#include "exercises/04-heads/answer.h"

void split_heads(float *heads, const float *x, int B, int T, int H, int d_head)
{
    for (int b = 0; b < B; b++)
        for (int h = 0; h < H; h++)
            for (int t = 0; t < T; t++, heads += d_head)
                memcpy(heads, x + ((b * T + t) * H + h) * d_head, sizeof *x * (size_t)d_head);
}

void merge_heads(float *x, const float *heads, int B, int T, int H, int d_head)
{
    for (int row = 0; row < B * T; row++)
        for (int h = 0; h < H; h++, x += d_head)
            memcpy(x, heads + (row / T * H * T + h * T + row % T) * d_head,
                   sizeof *x * (size_t)d_head);
}
