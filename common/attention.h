/* attention: multi-head scaled dot-product attention, Vaswani et al. (2017), eq. 1 and section
   3.2.2, over a batch of rows. For each sequence and head, with q, k, v (T,d_head):
     scores = scale · q·kᵀ       weights = softmax(scores)       out = weights·v
   The score of a key that the mask hides is -inf; a query that sees no key gets zeros. The softmax
   runs over the keys of each query; over the queries of each key it is a fault, kept here to be
   looked at. Heads may share keys and values in groups, Ainslie et al. (2023): of n_kv_heads, query
   head h reads number h / (n_heads / n_kv_heads). */
#ifndef COMMON_ATTENTION_H
#define COMMON_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mask.h"
#include "position.h"

enum SoftmaxAxis { OVER_KEYS, OVER_QUERIES };

struct AttentionConfig {
    int n_heads;
    int n_kv_heads; /* divides n_heads: as many for each head its own, 1 for one pair for all */
    float scale;    /* 1/sqrt(d_head) */
    struct Mask mask;
    enum SoftmaxAxis axis;
    bool stacked; /* a fault: what the heads give lies as (n_heads,T,d_head), read as (T,D) */
};

/* Which rows belong together: sequence s is the rows start[s]-start[0] .. start[s+1]-start[0]-1.
   first[s], counted from start[s], is the first of them that has a query; those before it are only
   looked at. first NULL: all have one. place[r] is where row r, counted from start[0], stands; it is
   only read where there is a bias or a rotation (position.h). */
struct Sequences {
    const int32_t *start;
    int count;
    const int32_t *first;
    const int32_t *place;
};

/* How many rows have a query; how many of sequence s have none. */
int sequences_queries(struct Sequences sequences);
static inline int sequences_first_query(struct Sequences sequences, int s)
{
    return sequences.first != NULL ? sequences.first[s] : 0;
}

/* Floats in a row of qkv: the queries of all heads, head h at h*d_head, then all keys, then all
   values. */
int attention_row(int d_model, const struct AttentionConfig *config);

/* out (Q,D) overwritten, for the Q rows with a query. weights: attention_weights_size floats,
   overwritten in the rows with a query, kept for the backward pass. qkv (R,attention_row).
   scratch: attention_scratch_size floats, overwritten. bias: added to the scaled scores; NULL: none.
   D divisible by n_heads. With the softmax over queries, or stacked, all rows must have one, and
   there is no bias and no mask but a causal one. */
void attention_forward(float *out, float *weights, float *scratch, const float *qkv,
                       const struct Bias *bias, struct Sequences sequences, int d_model,
                       const struct AttentionConfig *config);

/* d_qkv (R,attention_row) overwritten: zeros for the query of a row without one. d_bias, laid out as
   the bias was, added to; NULL if there was none. d_out (Q,D); qkv and weights as left by the
   forward pass. */
void attention_backward(float *d_qkv, const struct Bias *d_bias, float *scratch, const float *d_out,
                        const float *qkv, const float *weights, struct Sequences sequences,
                        int d_model, const struct AttentionConfig *config);

/* One sequence whose keys and values lie somewhere else than its queries: the count queries of its
   last rows, out of length rows. out (count,D) and weights (n_heads,count,attention_stride(length))
   overwritten; scratch: d_head*attention_stride(length) floats; q (count,..) and keys, values
   (length,..) with the given steps from one row to the next; place (length) or NULL as above. The
   bits are those of attention_forward. */
void attention_of_last(float *out, float *weights, float *scratch, const float *q, ptrdiff_t q_row,
                       const float *keys, const float *values, ptrdiff_t kv_row,
                       const struct Bias *bias, const int32_t *place, int count, int length,
                       int d_model, const struct AttentionConfig *config);

/* Weights lie as (n_heads,T,stride) for each sequence in turn; stride is T rounded up for the
   vector registers, and the entries past T are zeros. */
int attention_stride(int length);
size_t attention_weights_size(struct Sequences sequences, int n_heads);

/* The weight of one sequence's key for its query, from the weights of the forward pass. */
float attention_weight(const float *weights, struct Sequences sequences, int n_heads, int sequence,
                       int head, int query, int key);

size_t attention_scratch_size(int longest, int d_head);

#endif
