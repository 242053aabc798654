/* All sequences of a batch take their next token together; those that have enough drop out. */
#include "decode.h"

#include <stdlib.h>

#include "base.h"

int argmax(const float *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++) {
        best = x[i] > x[best] ? i : best;
    }
    return best;
}

/* One more token for each sequence in list[0..n). */
static void extend(struct Model *model, struct Batch *batch, int32_t *tokens, int row_size,
                   int *length, const int *list, int n)
{
    batch_clear(batch);
    for (int i = 0; i < n; i++) {
        batch_add(batch, tokens + list[i] * row_size, NULL, length[list[i]]);
    }
    model_forward(model, batch);
    for (int i = 0; i < n; i++) {
        const float *logits = model_logits(model, batch->start[i + 1] - 1);
        tokens[list[i] * row_size + length[list[i]]++] = argmax(logits, model->config.vocab);
    }
}

void decode_greedy(struct Model *model, struct Batch *batch, int32_t *tokens, int row_size,
                   int *length, const int *wanted, int count)
{
    int *list = zeros_new((size_t)count, sizeof *list);
    int *end = zeros_new((size_t)count, sizeof *end);
    for (int s = 0; s < count; s++) {
        end[s] = length[s] + wanted[s];
    }
    for (int first = 0, last; first < count; first = last) {
        last = first + batch->max_count < count ? first + batch->max_count : count;
        int n;
        do {
            n = 0;
            for (int s = first; s < last; s++) {
                if (length[s] < end[s]) {
                    list[n++] = s;
                }
            }
            if (n > 0) {
                extend(model, batch, tokens, row_size, length, list, n);
            }
        } while (n > 0);
    }
    free(list);
    free(end);
}
