#ifndef EXERCISE_PADDING_MASK_H
#define EXERCISE_PADDING_MASK_H

void padded_weights(float *weights, const float *scores, const int *first, const int *length,
                    int causal, int B, int H, int T);

/* Given: weights = softmax of each row of scores (rows,n). Both may be the same array. A score of
   -INFINITY gets a weight of exactly 0; a row of nothing else becomes NaN. */
void softmax(float *weights, const float *scores, int rows, int n);

#endif
