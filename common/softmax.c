/* One row at a time. The sum has the fixed shape of sum16, so a row padded with zero weights
   adds up to the same bits. */
#include "softmax.h"

#include <string.h>

#include "vmath.h"

static void hide(float *weights, int seen, int n)
{
    memset(weights + seen, 0, (size_t)(n - seen) * sizeof *weights);
}

/* A row that sees at most 16 stays in registers: written and read again in parts, it would wait for
   memory three times. The sums are those of the long row. */
static void short_row(float *weights, const float *scores, float scale, int seen, int n)
{
    struct Lanes16 e;
    vf best = vset(-INFINITY);
    UNROLL
    for (int p = 0; p < 16 / LANES; p++) {
        int left = seen - p * LANES > 0 ? seen - p * LANES : 0;
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
        vf weight = vselect(vfirst(seen - p * LANES), e.part[p] / sum, vset(0.0f));
        if (p * LANES < n) {
            vstore_n(weights + p * LANES, weight, n - p * LANES);
        }
    }
    if (n > 16) {
        hide(weights, 16, n);
    }
}

static void long_row(float *weights, const float *scores, float scale, int n)
{
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

void softmax_row_masked(float *weights, const float *scores, float scale, int seen, int n)
{
    if (seen <= 16) {
        short_row(weights, scores, scale, seen, n);
    } else {
        long_row(weights, scores, scale, seen);
        hide(weights, seen, n);
    }
}

void softmax_row(float *weights, const float *scores, int n)
{
    softmax_row_masked(weights, scores, 1.0f, n, n);
}

void softmax_row_masked_backward(float *d_scores, const float *d_weights, const float *weights,
                                 float scale, int seen, int n)
{
    vf mean = vset(dot16(weights, d_weights, seen));
    for (int i = 0; i < n; i += LANES) {
        int left = seen - i > 0 ? seen - i : 0;
        vf w = vload_n(weights + i, left), d_w = vload_n(d_weights + i, left);
        vstore_n(d_scores + i, w * (d_w - mean) * scale, n - i);
    }
}

void softmax_row_backward(float *d_scores, const float *d_weights, const float *weights, int n)
{
    softmax_row_masked_backward(d_scores, d_weights, weights, 1.0f, n, n);
}
