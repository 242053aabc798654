/* heads: how the numbers of several heads lie in memory, and attention made of that. */
#ifndef LESSON_04_HEADS_H
#define LESSON_04_HEADS_H

#include <stdbool.h>

enum { MAX_TOKENS = 17, MAX_WIDTH = 99 };

/* T, H and d; the width D of a token is H*d. */
struct Shape {
    int tokens, heads, d_head;
};

/* Memory and a way to walk over it: element (i,j,k) is data[i*stride[0] + j*stride[1] + ...]. */
struct View {
    const float *data;
    int shape[3], stride[3];
};

/* (a,b,c) in the order of memory. */
struct View view(const float *data, int a, int b, int c);

/* The same memory with the first two axes exchanged. */
struct View exchange(struct View x);

/* out overwritten with the elements of x, in the order of its axes. */
void contiguous(float *out, struct View x);

/* heads (H,T,d) overwritten from x (T,D), and back. */
void split(float *heads, const float *x, struct Shape s);
void merge(float *x, const float *heads, struct Shape s);

/* y (rows,n) = x·Wᵀ, overwritten; x (rows,k), w (n,k). */
void project(float *y, const float *x, const float *w, int rows, int k, int n);

/* Two faults to be looked at: memory is taken as it lies, and no axis is exchanged. */
struct Fault {
    bool in_split, in_merge;
};

/* Causal attention of all heads: out (T,D), weights (H,T,T) overwritten; q, k, v (T,D). */
void attend(float *out, float *weights, const float *q, const float *k, const float *v,
            struct Shape s, struct Fault fault);

#endif
