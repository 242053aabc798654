/* The loss of a row is log(sum exp(s - m)) - (s_target - m): never the log of a rounded weight. */
#include "loss.h"

#include <string.h>

#include "vmath.h"

static float row_loss(float *probabilities, const float *logits, int32_t target, int vocab)
{
    float max = logits[0];
    for (int i = 1; i < vocab; i++) {
        max = logits[i] > max ? logits[i] : max;
    }
    for (int i = 0; i < vocab; i += LANES) {
        vf shifted = vload_n(logits + i, vocab - i) - max;
        vstore_n(probabilities + i, vexp(shifted), vocab - i);
    }
    float sum = sum16(probabilities, vocab);
    for (int i = 0; i < vocab; i++) {
        probabilities[i] /= sum;
    }
    return log_f32(sum) - (logits[target] - max);
}

double cross_entropy_forward(float *probabilities, const float *logits, const int32_t *targets,
                             int rows, int vocab)
{
    double sum = 0.0;
    for (int r = 0; r < rows; r++) {
        if (targets[r] != IGNORE) {
            sum += row_loss(probabilities + r * vocab, logits + r * vocab, targets[r], vocab);
        }
    }
    return sum;
}

void cross_entropy_backward(float *d_logits, const float *probabilities, const int32_t *targets,
                            int rows, int vocab, int count)
{
    for (int r = 0; r < rows; r++) {
        if (targets[r] == IGNORE) {
            memset(d_logits + r * vocab, 0, (size_t)vocab * sizeof *d_logits);
            continue;
        }
        for (int i = 0; i < vocab; i++) {
            float onehot = i == targets[r] ? 1.0f : 0.0f;
            d_logits[r * vocab + i] = (probabilities[r * vocab + i] - onehot) / (float)count;
        }
    }
}
