#ifndef EXERCISE_ATTENTION_BACKWARD_H
#define EXERCISE_ATTENTION_BACKWARD_H

void attention_backward(float *d_q, float *d_k, float *d_v, const float *d_out, const float *q,
                        const float *k, const float *v, const float *weights, int B, int H, int T,
                        int d_head);

#endif
