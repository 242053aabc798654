/* Exercise 04: split and merge heads. The task, and where to read: README.md beside this file.

   A token's D = H*d_head numbers are H slices of d_head numbers, one for each head. In x all slices
   of a token lie together, in heads all tokens of a head:

     x      (B,T,D)         number c of head h in token t is x[(b*T + t)*D + h*d_head + c]
     heads  (B,H,T,d_head)  and there it is              heads[((b*H + h)*T + t)*d_head + c]

   split_heads writes heads from x, merge_heads writes x from heads. What is only read must stay as
   it is; the two arrays never overlap. All sizes are at least 1.

   `make check-04` grades it. */
#include "exercises/04-heads/answer.h"

void split_heads(float *heads, const float *x, int B, int T, int H, int d_head)
{
    /* Your code. */
}

void merge_heads(float *x, const float *heads, int B, int T, int H, int d_head)
{
    /* Your code. */
}
