/* Two heads and their output product, trained on one made-up task: from 5 random tokens, give 5
   random vectors. Nothing here treats one head otherwise than the other: whatever tells them apart
   was in their first weights. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/attention.h"
#include "common/matmul.h"
#include "common/page.h"
#include "common/rng.h"
#include "report.h"

enum { T = 5, D = 12, HEADS = 2, D_HEAD = D / HEADS };
static const float rate = 0.1f;

/* What of head 1 begins as a copy of head 0. */
enum Start { ALL_DRAWN, EQUAL_QKV, EQUAL_QKV_AND_OUT, STARTS };

static float x[T * D], wanted[T * D];
static float w_qkv[3 * D * D], w_out[D * D], no_bias[3 * D];

static void draw(enum Start start, uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "two heads");
    rng_normal(&rng, x, T * D);
    rng_normal(&rng, wanted, T * D);
    rng_uniform(&rng, w_qkv, 3 * D * D, 1.0f / sqrtf(D));
    rng_uniform(&rng, w_out, D * D, 1.0f / sqrtf(D));
    for (int part = 0; part < 3 && start != ALL_DRAWN; part++) {
        float *head = w_qkv + part * D * D;
        memcpy(head + D_HEAD * D, head, D_HEAD * D * sizeof *head);
    }
    for (int row = 0; row < D && start == EQUAL_QKV_AND_OUT; row++) {
        memcpy(w_out + row * D + D_HEAD, w_out + row * D, D_HEAD * sizeof *w_out);
    }
}

static float difference(void)
{
    float largest = 0.0f;
    for (int part = 0; part < 3; part++) {
        const float *head = w_qkv + part * D * D;
        for (int i = 0; i < D_HEAD * D; i++) {
            float apart = fabsf(head[i] - head[D_HEAD * D + i]);
            largest = apart > largest ? apart : largest;
        }
    }
    return largest;
}

static void descend(float *w, const float *gradient, int n)
{
    for (int i = 0; i < n; i++) {
        w[i] = fmaf(-rate, gradient[i], w[i]);
    }
}

/* One step; returns the loss before it, half the mean square of y - wanted. */
static double step(void)
{
    static const int32_t start[] = {0, T};
    static float qkv[T * 3 * D], mixed[T * D], y[T * D];
    static float d_qkv[T * 3 * D], d_mixed[T * D], d_y[T * D], d_x[T * D];
    static float d_w_qkv[3 * D * D], d_w_out[D * D], d_bias[3 * D];
    static float weights[HEADS * T * 16],
        scratch[(2 * D_HEAD + T) * 16]; /* rows are filled up to 16 */
    struct Sequences one = {.start = start, .count = 1};
    struct AttentionConfig config = {.n_heads = HEADS,
                                     .n_kv_heads = HEADS,
                                     .scale = 1.0f / sqrtf(D_HEAD),
                                     .mask = {.causal = true}};
    double loss = 0.0;

    linear_forward_ref(qkv, x, w_qkv, no_bias, T, D, 3 * D);
    attention_forward(mixed, weights, scratch, qkv, NULL, one, D, &config);
    linear_forward_ref(y, mixed, w_out, no_bias, T, D, D);
    for (int i = 0; i < T * D; i++) {
        double off = (double)y[i] - (double)wanted[i];
        loss += off * off / (2 * T * D);
        d_y[i] = (float)off / T; /* the slope of D times the loss: the sum over a token */
    }
    linear_backward_ref(d_mixed, d_w_out, d_bias, d_y, mixed, w_out, T, D, D);
    attention_backward(d_qkv, NULL, scratch, d_mixed, qkv, weights, one, D, &config);
    linear_backward_ref(d_x, d_w_qkv, d_bias, d_qkv, x, w_qkv, T, D, 3 * D);
    descend(w_qkv, d_w_qkv, 3 * D * D);
    descend(w_out, d_w_out, D * D);
    return loss;
}

/* Draw two heads and train them for this many steps of gradient descent. apart[0..steps]: before
   each step and after the last, the largest difference between a weight of W_Q, W_K or W_V in one
   head and its twin in the other. Returns the loss after the last step. */
static double train_two_heads(float *apart, enum Start start, int steps, uint64_t seed)
{
    draw(start, seed);
    apart[0] = difference();
    for (int i = 1; i <= steps; i++) {
        step();
        apart[i] = difference();
    }
    return step();
}

void report_equal_heads(uint64_t seed)
{
    static const char *const names[] = {"nothing", "W_Q, W_K, W_V", "these and W_O's columns"};
    enum { STEPS = 100 };
    float apart[STARTS][STEPS + 1], equal = 0.0f;
    page_heading("What keeps heads from being equal");
    printf("  Two heads of %d, trained to turn %d random tokens into %d random vectors. Head 1\n"
           "  starts as a copy of head 0 in some of its weights. Largest difference between\n"
           "  W_Q, W_K, W_V of the two, and the loss in the end, half the mean square:\n\n"
           "  a copy in                 step 0  after 1  after 10  after %d      loss\n",
           D_HEAD, T, T, STEPS);
    for (int start = 0; start < STARTS; start++) {
        double loss = train_two_heads(apart[start], (enum Start)start, STEPS, seed);
        printf("  %-24s%8.4f%9.4f%10.4f%11.4f%10.5f\n", names[start], (double)apart[start][0],
               (double)apart[start][1], (double)apart[start][10], (double)apart[start][STEPS],
               loss);
    }
    for (int i = 0; i <= STEPS; i++) {
        equal = apart[EQUAL_QKV_AND_OUT][i] > equal ? apart[EQUAL_QKV_AND_OUT][i] : equal;
    }
    page_claim(equal == 0.0f,
               "equal in all of it: equal gradients, and equal for ever, to the bit");
    page_claim(apart[EQUAL_QKV][0] == 0.0f && apart[EQUAL_QKV][1] > 0.0f,
               "unequal columns of W_O alone tell them apart, in the first step");
}
