#ifndef EXERCISE_DECODE_H
#define EXERCISE_DECODE_H

#include <stdint.h>

int decode(int32_t *tokens, float *logits, int n, int wanted, int context, int vocab);

/* Given: the model reads the first n of these tokens, 1 <= n <= context. logits (n,vocab) is
   overwritten: row t says how likely each token is to follow the tokens 0 to t. */
void model_forward(float *logits, const int32_t *tokens, int n);

#endif
