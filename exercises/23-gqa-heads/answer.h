#ifndef EXERCISE_GQA_HEADS_H
#define EXERCISE_GQA_HEADS_H

void grouped_attention(float *out, float *weights, const float *q, const float *k, const float *v,
                       int B, int H, int Hkv, int Tq, int Tk, int d_head);

/* Given: weights = softmax of each row of scores (rows,n). Both may be the same array. */
void softmax(float *weights, const float *scores, int rows, int n);

#endif
