#ifndef EXERCISE_HEADS_H
#define EXERCISE_HEADS_H

void split_heads(float *heads, const float *x, int B, int T, int H, int d_head);
void merge_heads(float *x, const float *heads, int B, int T, int H, int d_head);

#endif
