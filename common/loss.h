/* loss: cross-entropy over the rows that have a target. A row whose target is IGNORE counts neither
   in the sum nor in the mean. loss of a row = -log softmax(logits)[target]. */
#ifndef COMMON_LOSS_H
#define COMMON_LOSS_H

#include <stdint.h>

enum { IGNORE = -100 }; /* PyTorch's ignore_index */

/* Returns the sum of the row losses, in nats. probabilities (rows,vocab) overwritten in the rows
   that count, left alone in the others; logits (rows,vocab); targets (rows), each IGNORE or <
   vocab. */
double cross_entropy_forward(float *probabilities, const float *logits, const int32_t *targets,
                             int rows, int vocab);

/* d_logits (rows,vocab) overwritten, for the loss sum/count: the gradient of a row that counts is
   (probabilities - onehot(target))/count, that of another is zero. count: the rows with a target in
   the whole batch. */
void cross_entropy_backward(float *d_logits, const float *probabilities, const int32_t *targets,
                            int rows, int vocab, int count);

#endif
