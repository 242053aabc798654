/* depth: blocks on top of each other, put together in one of three orders, forward and backward.
   The weights are those that training starts from, and the same in all three. There is one
   stack, and its arrays are static. */
#ifndef LESSON_05_DEPTH_H
#define LESSON_05_DEPTH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/tensors.h"

enum { HEADS = 2, MAX_WIDTH = 128, MAX_DEPTH = 64 };
enum { SEQUENCES = 4, LENGTH = 16, ROWS = SEQUENCES * LENGTH };

enum Order {
    PRE_NORM,    /* x + f(LN x): the code */
    POST_NORM,   /* LN(x + f(x)): the paper's picture */
    NO_RESIDUAL, /* f(LN x): without the path past f */
    ORDERS
};

/* Fresh weights, random tokens and random targets of this seed. */
void stack_init(struct ModelConfig config, uint64_t seed);

/* Every weight and bias inside the blocks times factor. */
void stack_scale(float factor);

/* The input (ROWS,D) of this block, from 0; that of block n is what n blocks give. */
float *stack_input(int block);

/* The first n blocks. Returns the mean loss at the head behind them. */
double stack_forward(enum Order order, int n);

/* norms[k], 0 <= k <= n, overwritten with the length of d loss / d input of block k after a forward
   pass with the same order and n. past_f: of that part of it that came along the residual path
   alone. Returns the gradient (ROWS,D) of the first input, good until the next call. */
const float *stack_backward(double *norms, enum Order order, bool past_f, int n);

/* The mean cosine between the vectors of two tokens of a sequence, at the input of this block. */
double stack_similarity(int block);

#endif
