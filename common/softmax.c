/* One row at a time. The sum has the fixed shape of sum16, so a row padded with zero weights
   adds up to the same bits. */
#include "softmax.h"

#include "vmath.h"

/* A row of at most 16 stays in registers: written and read again in parts, it would wait for memory
   three times. The sums are those of the long row. */
static void short_row(float *weights, const float *scores, float scale, int n)
{
    struct Lanes16 e;
    vf best = vset(-INFINITY);
    UNROLL
    for (int p = 0; p < 16 / LANES; p++) {
        int left = n - p * LANES > 0 ? n - p * LANES : 0;
        vf score = vload_n(scores + p * LANES, left) * scale;
        e.part[p] = vselect(vfirst(left), score, vset(-INFINITY)); /* exp makes it 0 */
        best = vmax(e.part[p], best);
    }
    vf max = vset(vmax_lane(best));
    UNROLL
    for (int p = 0; p < 16 / LANES; p++) {
        e.part[p] = vexp(e.part[p] - max);
    }
    vf sum = vset(fold16(e));
    UNROLL
    for (int p = 0; p < 16 / LANES; p++) {
        if (p * LANES < n) {
            vstore_n(weights + p * LANES, e.part[p] / sum, n - p * LANES);
        }
    }
}

void softmax_row_scaled(float *weights, const float *scores, float scale, int n)
{
    if (n <= 16) {
        short_row(weights, scores, scale, n);
        return;
    }
    vf best = vset(-INFINITY);
    for (int i = 0; i < n; i += LANES) {
        vf score = vload_n(scores + i, n - i) * scale;
        vstore_n(weights + i, score, n - i);
        best = vselect(vfirst(n - i), vmax(score, best), best);
    }
    vf max = vset(vmax_lane(best));
    for (int i = 0; i < n; i += LANES) {
        vstore_n(weights + i, vexp(vload_n(weights + i, n - i) - max), n - i);
    }
    vf sum = vset(sum16(weights, n));
    for (int i = 0; i < n; i += LANES) {
        vstore_n(weights + i, vload_n(weights + i, n - i) / sum, n - i);
    }
}

void softmax_row(float *weights, const float *scores, int n)
{
    softmax_row_scaled(weights, scores, 1.0f, n);
}

void softmax_row_backward(float *d_scores, const float *d_weights, const float *weights, int n)
{
    vf mean = vset(dot16(weights, d_weights, n));
    for (int i = 0; i < n; i += LANES) {
        vf w = vload_n(weights + i, n - i), d_w = vload_n(d_weights + i, n - i);
        vf d_s = vload_n(d_scores + i, n - i);
        vstore_n(d_scores + i, vfma(w, d_w - mean, d_s), n - i);
    }
}
