/* batch: rows, not pads. A batch is a list of rows, one for each token that matters, and the row at
   which each sequence begins; only attention knows where sequences end. */
#ifndef COMMON_BATCH_H
#define COMMON_BATCH_H

#include <stdbool.h>
#include <stdint.h>

struct Batch {
    int count, rows;           /* sequences, rows in all */
    int n_targets;             /* rows with a target */
    int32_t *start;            /* (count+1): sequence s is the rows start[s] .. start[s+1]-1 */
    int32_t *tokens, *targets; /* (rows); a target may be IGNORE */
    int32_t *first;         /* (count): the first row of a sequence with a target, from its start */
    int32_t *positions;     /* (rows): 0 for the first row of each sequence */
    int max_count, context; /* what there is room for */
};

/* Room for max_count sequences of context tokens each. */
void batch_new(struct Batch *batch, int max_count, int context);
void batch_free(struct Batch *batch);

/* batch made empty. */
void batch_clear(struct Batch *batch);

/* Append the first length tokens as one sequence, at most context; targets NULL: none of its
   rows has a target. */
void batch_add(struct Batch *batch, const int32_t *tokens, const int32_t *targets, int length);

/* Overwrite batch with count padded sequences; tokens, targets (count,context).
   trim: leave out what follows the last target of a sequence. Under a causal mask with the softmax
   over keys no loss and no gradient can depend on it. */
void batch_from_padded(struct Batch *batch, const int32_t *tokens, const int32_t *targets,
                       int count, int context, bool trim);

#endif
