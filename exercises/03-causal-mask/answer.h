#ifndef EXERCISE_CAUSAL_MASK_H
#define EXERCISE_CAUSAL_MASK_H

void causal_weights(float *weights, const float *scores, int B, int H, int Tq, int Tk);

/* Given: weights = softmax of each row of scores (rows,n). Both may be the same array. A score of
   -INFINITY gets a weight of exactly 0; a row of nothing else becomes NaN. */
void softmax(float *weights, const float *scores, int rows, int n);

#endif
