/* block: the pre-norm transformer block of GPT-2, Radford et al. (2019):
     middle = x + Attention(LayerNorm1(x))        y = middle + MLP(LayerNorm2(middle))
   with MLP(x) = W_down·GELU(W_up·x), four times as wide inside. */
#ifndef COMMON_BLOCK_H
#define COMMON_BLOCK_H

#include "attention.h"
#include "param.h"

/* The block's parameters, or their gradients. */
struct BlockTensors {
    float *ln1_weight, *ln1_bias; /* (D) */
    struct Linear qkv;            /* D -> 3D: queries, keys, values */
    struct Linear out;            /* D -> D */
    float *ln2_weight, *ln2_bias; /* (D) */
    struct Linear up, down;       /* D -> 4D, 4D -> D */
};

/* What the forward pass leaves for the backward pass: R rows, Q of which have a query
   (attention.h). */
struct BlockSaved {
    float *mean1, *rstd1, *normed1; /* (R), (R), (R,D) */
    float *qkv;                     /* (R,3D) */
    float *weights;                 /* attention_weights_size */
    float *heads;                   /* (Q,D) what the heads give, side by side */
    float *middle;                  /* (Q,D) */
    float *mean2, *rstd2, *normed2; /* (Q), (Q), (Q,D) */
    float *slope, *gelu;            /* (Q,4D): the slope of GELU where it was taken, its value */
};

/* Working space, used anew by each block. */
struct BlockScratch {
    float *attention;           /* attention_scratch_size */
    float *d_middle, *d_normed; /* (R,D) */
    float *d_heads, *d_qkv;     /* (R,D), (R,3D) */
    float *d_gelu;              /* (R,4D) */
};

/* The next block of the walk, its names beginning with prefix. */
struct BlockTensors block_params(struct ParamWalk *walk, const char *prefix, int d_model);

/* y (Q,D) overwritten for the rows with a query, saved overwritten; x (R,D), which the backward
   pass needs again. */
void block_forward(float *y, struct BlockSaved *saved, struct BlockScratch *scratch, const float *x,
                   const struct BlockTensors *w, struct Sequences sequences, int rows, int d_model,
                   const struct AttentionConfig *config);

/* d_x (R,D) and the gradients d overwritten; d_y (Q,D), x and saved as the forward pass had
   them. */
void block_backward(float *d_x, struct BlockTensors *d, struct BlockScratch *scratch,
                    const float *d_y, const float *x, const struct BlockSaved *saved,
                    const struct BlockTensors *w, struct Sequences sequences, int rows, int d_model,
                    const struct AttentionConfig *config);

#endif
