/* tiled: the attention of attention.h without its weights. They are made and used block by block, a
   few queries against a few keys, and never stand in memory together: what is kept grows with T and
   not with T·T. The softmax goes from block to block with a running maximum and sum (Milakov &
   Gimelshein 2018); the backward pass makes the weights anew from the logarithm of each query's sum
   (FlashAttention: Dao et al. 2022, Dao 2023). Blocks have one size on every machine, and each sum
   one order: so the bits are the same everywhere, but they are not those of attention_forward. */
#ifndef COMMON_TILED_H
#define COMMON_TILED_H

#include "attention.h"

/* out (Q,D) overwritten, for the Q rows with a query: zeros where a query sees no key. lse
   (n_heads,Q) overwritten, kept for the backward pass: of each query log(sum of e^score), INFINITY
   where it sees no key. qkv (R,attention_row). scratch: tiled_scratch_size floats, overwritten. Any
   mask; blocks in which no query sees a key are left out. The softmax runs over keys, not stacked,
   without a bias. The heads and blocks are parallel tasks, so not to be called from one. */
void tiled_forward(float *out, float *lse, float *scratch, const float *qkv,
                   struct Sequences sequences, int d_model, const struct AttentionConfig *config);

/* d_qkv (R,attention_row) overwritten: zeros for the query of a row without one. d_out (Q,D); qkv,
   out and lse as left by the forward pass. */
void tiled_backward(float *d_qkv, float *scratch, const float *d_out, const float *qkv,
                    const float *out, const float *lse, struct Sequences sequences, int d_model,
                    const struct AttentionConfig *config);

/* For so many threads, as told to threads_set. It does not depend on T. */
size_t tiled_scratch_size(int d_head, int threads);

#endif
