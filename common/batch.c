/* The batch owns its arrays; they are filled anew at each step and never grow. */
#include "batch.h"

#include <stdlib.h>

#include "base.h"
#include "loss.h"

void batch_new(struct Batch *batch, int max_count, int context)
{
    size_t rows = (size_t)max_count * (size_t)context;
    *batch = (struct Batch){.start = zeros_new((size_t)max_count + 1, sizeof(int32_t)),
                            .first = zeros_new((size_t)max_count, sizeof(int32_t)),
                            .tokens = zeros_new(rows, sizeof(int32_t)),
                            .targets = zeros_new(rows, sizeof(int32_t)),
                            .positions = zeros_new(rows, sizeof(int32_t)),
                            .max_count = max_count,
                            .context = context};
}

void batch_free(struct Batch *batch)
{
    free(batch->start);
    free(batch->first);
    free(batch->tokens);
    free(batch->targets);
    free(batch->positions);
    *batch = (struct Batch){0};
}

void batch_clear(struct Batch *batch)
{
    batch->count = batch->rows = batch->n_targets = 0;
}

void batch_add(struct Batch *batch, const int32_t *tokens, const int32_t *targets, int length)
{
    if (batch->count == batch->max_count) {
        die("a batch of %d sequences is full", batch->max_count);
    }
    if (length > batch->context) {
        die("a sequence of %d tokens is longer than the context of %d", length, batch->context);
    }
    for (int t = 0; t < length; t++) {
        int row = batch->rows + t;
        batch->tokens[row] = tokens[t];
        batch->targets[row] = targets != NULL ? targets[t] : IGNORE;
        batch->positions[row] = t;
        batch->n_targets += batch->targets[row] != IGNORE;
    }
    int first = 0;
    while (first < length && batch->targets[batch->rows + first] == IGNORE) {
        first++;
    }
    batch->first[batch->count] = first;
    batch->rows += length;
    batch->count++;
    batch->start[batch->count] = batch->rows;
}

static int end_of_targets(const int32_t *targets, int length)
{
    while (length > 0 && targets[length - 1] == IGNORE) {
        length--;
    }
    return length;
}

void batch_from_padded(struct Batch *batch, const int32_t *tokens, const int32_t *targets,
                       int count, int context, bool trim)
{
    batch_clear(batch);
    for (int s = 0; s < count; s++, tokens += context, targets += context) {
        batch_add(batch, tokens, targets, trim ? end_of_targets(targets, context) : context);
    }
}
