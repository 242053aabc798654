/* The idea of this lesson. A token's D numbers are H heads of d numbers each. Attention wants the
   numbers of one head together, (H,T,d); memory holds those of one token together, (T,D). Between
   the two stand a view, which moves nothing, an exchange of axes, which moves nothing either, and a
   copy in the new order. */
#include "heads.h"

#include <math.h>

#include "common/softmax.h"

struct View view(const float *data, int a, int b, int c)
{
    return (struct View){data, {a, b, c}, {b * c, c, 1}};
}

struct View exchange(struct View x)
{
    return (struct View){
        x.data, {x.shape[1], x.shape[0], x.shape[2]}, {x.stride[1], x.stride[0], x.stride[2]}};
}

void contiguous(float *out, struct View x)
{
    for (int i = 0; i < x.shape[0]; i++) {
        for (int j = 0; j < x.shape[1]; j++) {
            for (int k = 0; k < x.shape[2]; k++) {
                *out++ = x.data[i * x.stride[0] + j * x.stride[1] + k * x.stride[2]];
            }
        }
    }
}

void split(float *heads, const float *x, struct Shape s)
{
    contiguous(heads, exchange(view(x, s.tokens, s.heads, s.d_head)));
}

void merge(float *x, const float *heads, struct Shape s)
{
    contiguous(x, exchange(view(heads, s.heads, s.tokens, s.d_head)));
}

void project(float *y, const float *x, const float *w, int rows, int k, int n)
{
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int i = 0; i < k; i++) {
                sum = fmaf(x[r * k + i], w[j * k + i], sum);
            }
            y[r * n + j] = sum;
        }
    }
}

/* out (T,d), weights (T,T) overwritten; q, k, v (T,d). It does not know that there are others. */
static void attend_one_head(float *out, float *weights, const float *q, const float *k,
                            const float *v, int tokens, int d)
{
    float value_by_number[MAX_TOKENS * MAX_WIDTH]; /* vᵀ (d,T) */
    contiguous(value_by_number, exchange(view(v, tokens, d, 1)));
    project(weights, q, k, tokens, d, tokens);
    for (int query = 0; query < tokens; query++) {
        float *row = weights + query * tokens;
        softmax_row_masked(row, row, 1.0f / sqrtf((float)d), query + 1, tokens);
    }
    project(out, weights, value_by_number, tokens, tokens, d);
}

void attend(float *out, float *weights, const float *q, const float *k, const float *v,
            struct Shape s, struct Fault fault)
{
    static float heads[4][MAX_TOKENS * MAX_WIDTH]; /* q, k, v and out, (H,T,d) */
    const float *qkv[3] = {q, k, v};
    int size = s.tokens * s.d_head;

    for (int i = 0; i < 3; i++) {
        if (fault.in_split) {
            contiguous(heads[i], view(qkv[i], s.heads, s.tokens, s.d_head));
        } else {
            split(heads[i], qkv[i], s);
        }
    }
    for (int at = 0; at < s.heads * size; at += size, weights += s.tokens * s.tokens) {
        attend_one_head(heads[3] + at, weights, heads[0] + at, heads[1] + at, heads[2] + at,
                        s.tokens, s.d_head);
    }
    if (fault.in_merge) {
        contiguous(out, view(heads[3], s.heads, s.tokens, s.d_head));
    } else {
        merge(out, heads[3], s);
    }
}
