/* reference: the model once more, in double. One plain loop for each formula, to be read, with no
   thought for speed or memory: what these functions compute is what the fast ones must mean. All
   outputs are overwritten; arrays lie as in common. */
#ifndef TESTS_CORE_REFERENCE_H
#define TESTS_CORE_REFERENCE_H

#include "common/model.h"

/* Way 0 to 7 to attend: with a mask or without, over either axis, scaled as usual or by one. */
struct AttentionConfig way_to_attend(int i, int n_heads, int d_head);

/* y (rows,n) = x·Wᵀ + b; x (rows,k), w (n,k), bias (n). */
void ref_linear(double *y, const double *x, const double *w, const double *bias, int rows, int k,
                int n);

/* y, x (rows,d); gamma, beta (d). */
void ref_layernorm(double *y, const double *x, const double *gamma, const double *beta, int rows,
                   int d);

void ref_gelu(double *y, const double *x, int n);

/* weights[0..n) from scores[0..n); a score may be -inf. */
void ref_softmax(double *weights, const double *scores, int n);

/* out (R,D); qkv (R,attention_row). bias (n_heads,2*span-1) by distance as in position.h, or NULL. */
void ref_attention(double *out, const double *qkv, const double *bias, int span,
                   struct Sequences sequences, int d_model, const struct AttentionConfig *config);

/* The sum over the rows with a target; logits (rows,vocab). */
double ref_cross_entropy(const double *logits, const int32_t *targets, int rows, int vocab);

/* The mean loss; logits (rows,vocab). w: every tensor in the order of model->params. */
double ref_model(double *logits, const double *w, const struct Batch *batch,
                 const struct ModelConfig *config);

#endif
