#ifndef EXERCISE_ROPE_H
#define EXERCISE_ROPE_H

void rope(float *qkv, const int *place, int T, int H, int d_head, float base);

#endif
