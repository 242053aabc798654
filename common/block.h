/* block: the pre-norm transformer block of GPT-2, Radford et al. (2019):
     middle = x + Attention(LayerNorm1(x))        y = middle + MLP(LayerNorm2(middle))
   with MLP(x) = W_down·GELU(W_up·x), d_ff wide inside; or with ReLU in its place. */
#ifndef COMMON_BLOCK_H
#define COMMON_BLOCK_H

#include "config.h"
#include "param.h"

/* The block's parameters, or their gradients. */
struct BlockTensors {
    float *ln1_weight, *ln1_bias; /* (D) */
    struct Linear qkv;            /* D -> attention_row: queries, keys, values */
    struct Linear out;            /* D -> D */
    float *ln2_weight, *ln2_bias; /* (D) */
    struct Linear up, down;       /* D -> d_ff, d_ff -> D */
};

/* What the forward pass leaves for the backward pass: R rows, Q of which have a query
   (attention.h). */
struct BlockSaved {
    float *mean1, *rstd1, *normed1; /* (R), (R), (R,D) */
    float *qkv;                     /* (R,attention_row), turned by RoPE if there is one */
    float *weights;                 /* attention_weights_size */
    float *heads;                   /* (Q,D) what the heads give, side by side */
    float *middle;                  /* (Q,D) */
    float *mean2, *rstd2, *normed2; /* (Q), (Q), (Q,D) */
    float *slope, *gelu;            /* (Q,d_ff): the slope of GELU where it was taken, its value */
};

/* Working space, used anew by each block. */
struct BlockScratch {
    float *attention;           /* attention_scratch_size */
    float *d_middle, *d_normed; /* (R,D) */
    float *d_heads, *d_qkv;     /* (R,D), (R,attention_row) */
    float *d_gelu;              /* (R,d_ff) */
};

/* How places are told to the model, the parts it does without NULL. */
struct Positions {
    const float *added; /* (context,D): what is added to the token, before the first block */
    const struct Rope *rope;
    const struct Bias *bias, *d_bias; /* the gradient is added to, NULL if it is not wanted */
};

/* The next block of the walk, its names beginning with prefix. */
struct BlockTensors block_params(struct ParamWalk *walk, const char *prefix,
                                 const struct ModelConfig *config);

/* y (Q,D) overwritten for the rows with a query, saved overwritten; x (R,D), which the backward
   pass needs again. sequences.place must be there if positions has a rope or a bias. */
void block_forward(float *y, struct BlockSaved *saved, struct BlockScratch *scratch, const float *x,
                   const struct BlockTensors *w, struct Positions positions,
                   struct Sequences sequences, int rows, const struct ModelConfig *config);

/* The attention of a block; the rope may have a say in the scale of the scores. */
struct AttentionConfig block_attention(const struct Rope *rope, const struct ModelConfig *config);

/* Its two parts, before and behind attention: saved->qkv from x; y from saved->heads and x. */
void block_qkv(struct BlockSaved *saved, const float *x, const struct BlockTensors *w,
               const struct Rope *rope, const int32_t *place, int rows,
               const struct ModelConfig *config);
void block_rest(float *y, struct BlockSaved *saved, const float *x, const struct BlockTensors *w,
                struct Sequences sequences, const struct ModelConfig *config);

/* d_x (R,D) and the gradients d overwritten; d_y (Q,D), x and saved as the forward pass had
   them. */
void block_backward(float *d_x, struct BlockTensors *d, struct BlockScratch *scratch,
                    const float *d_y, const float *x, const struct BlockSaved *saved,
                    const struct BlockTensors *w, struct Positions positions,
                    struct Sequences sequences, int rows, const struct ModelConfig *config);

#endif
