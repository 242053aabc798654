/* Head by head as five matrix products, in double, with the Jacobian as it stands in the task. */
#include <math.h>
#include <stdlib.h>

#include "exercises/10-attention-backward/answer.h"

/* c (n,m) = a·b, where a is (n,depth) and b (depth,m), each with its own two strides. */
static void product(double *c, const double *a, int a_row, int a_step, const double *b, int b_row,
                    int b_step, int n, int m, int depth)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            c[i * m + j] = 0;
            for (int l = 0; l < depth; l++)
                c[i * m + j] += a[i * a_row + l * a_step] * b[l * b_row + j * b_step];
        }
}

static double *doubles(const float *x, int n)
{
    double *y = malloc(sizeof *y * (size_t)n);
    for (int i = 0; i < n; i++)
        y[i] = x != NULL ? x[i] : 0;
    return y;
}

static void put(float *to, double *from, int n, double scale)
{
    for (int i = 0; i < n; i++)
        to[i] = (float)(from[i] * scale);
    free(from);
}

static void head(float *d_q, float *d_k, float *d_v, const float *d_out, const float *q,
                 const float *k, const float *v, const float *weights, int T, int d)
{
    double *g = doubles(d_out, T * d), *qq = doubles(q, T * d), *kk = doubles(k, T * d);
    double *vv = doubles(v, T * d), *w = doubles(weights, T * T);
    double *dw = doubles(NULL, T * T), *ds = doubles(NULL, T * T);
    double *dq = doubles(NULL, T * d), *dk = doubles(NULL, T * d), *dv = doubles(NULL, T * d);
    product(dv, w, 1, T, g, d, 1, T, d, T);
    product(dw, g, d, 1, vv, 1, d, T, T, d);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            for (int l = 0; l < T; l++)
                ds[i * T + j] += dw[i * T + l] * w[i * T + l] * ((l == j) - w[i * T + j]);
    product(dq, ds, T, 1, kk, d, 1, T, d, T);
    product(dk, ds, 1, T, qq, d, 1, T, d, T);
    put(d_q, dq, T * d, 1 / sqrt(d));
    put(d_k, dk, T * d, 1 / sqrt(d));
    put(d_v, dv, T * d, 1);
    free(g), free(qq), free(kk), free(vv), free(w), free(dw), free(ds);
}

void attention_backward(float *d_q, float *d_k, float *d_v, const float *d_out, const float *q,
                        const float *k, const float *v, const float *weights, int B, int H, int T,
                        int d_head)
{
    for (int n = B * H; n-- > 0;) {
        int at = n * T * d_head;
        head(d_q + at, d_k + at, d_v + at, d_out + at, q + at, k + at, v + at, weights + n * T * T,
             T, d_head);
    }
}
