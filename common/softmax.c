/* One row at a time. The sum has the fixed shape of sum16, so a row padded with zero weights
   adds up to the same bits. */
#include "softmax.h"

#include "vmath.h"

static float row_max(const float *x, int n)
{
    vf best = vset(-INFINITY);
    for (int i = 0; i < n; i += LANES) {
        best = vselect(vfirst(n - i), vmax(vload_n(x + i, n - i), best), best);
    }
    return vmax_lane(best);
}

void softmax_row(float *weights, const float *scores, int n)
{
    vf max = vset(row_max(scores, n));
    for (int i = 0; i < n; i += LANES) {
        vstore_n(weights + i, vexp(vload_n(scores + i, n - i) - max), n - i);
    }
    vf sum = vset(sum16(weights, n));
    for (int i = 0; i < n; i += LANES) {
        vstore_n(weights + i, vload_n(weights + i, n - i) / sum, n - i);
    }
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
