/* attention: multi-head scaled dot-product attention, Vaswani et al. (2017), eq. 1 and section
   3.2.2, over a batch of rows. For each sequence and head, with q, k, v (T,d_head):
     scores = scale · q·kᵀ       weights = softmax(scores)       out = weights·v
   Under a causal mask the scores of later keys are -inf. The softmax runs over the keys of each
   query; over the queries of each key it is a fault, kept here to be looked at. */
#ifndef COMMON_ATTENTION_H
#define COMMON_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum SoftmaxAxis { OVER_KEYS, OVER_QUERIES };

struct AttentionConfig {
    int n_heads;
    float scale; /* 1/sqrt(d_head) */
    bool causal;
    enum SoftmaxAxis axis;
    bool stacked; /* a fault: what the heads give lies as (n_heads,T,d_head), read as (T,D) */
};

/* Which rows belong together: sequence s is the rows start[s]-start[0] .. start[s+1]-start[0]-1.
   first[s], counted from start[s], is the first of them that has a query; those before it are only
   looked at. first NULL: all have one. */
struct Sequences {
    const int32_t *start;
    int count;
    const int32_t *first;
};

/* How many rows have a query; how many of sequence s have none. */
int sequences_queries(struct Sequences sequences);
static inline int sequences_first_query(struct Sequences sequences, int s)
{
    return sequences.first != NULL ? sequences.first[s] : 0;
}

/* out (Q,D) overwritten, for the Q rows with a query. weights: attention_weights_size floats,
   overwritten in the rows with a query, kept for the backward pass. qkv (R,3D): in each row the
   queries, keys and values of all heads, head h at h*d_head. scratch: attention_scratch_size
   floats, overwritten. D divisible by n_heads. With the softmax over queries, or
   stacked, all rows must have one. */
void attention_forward(float *out, float *weights, float *scratch, const float *qkv,
                       struct Sequences sequences, int d_model,
                       const struct AttentionConfig *config);

/* d_qkv (R,3D) overwritten: zeros for the query of a row without one. d_out (Q,D); qkv and
   weights as left by the forward pass. */
void attention_backward(float *d_qkv, float *scratch, const float *d_out, const float *qkv,
                        const float *weights, struct Sequences sequences, int d_model,
                        const struct AttentionConfig *config);

/* Weights lie as (n_heads,T,stride) for each sequence in turn; stride is T rounded up for the
   vector registers, and the entries past T are zeros. */
int attention_stride(int length);
size_t attention_weights_size(struct Sequences sequences, int n_heads);

/* The weight of one sequence's key for its query, from the weights of the forward pass. */
float attention_weight(const float *weights, struct Sequences sequences, int n_heads, int sequence,
                       int head, int query, int key);

size_t attention_scratch_size(int longest, int d_head);

#endif
