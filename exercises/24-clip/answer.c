/* Exercise 24: clip a gradient. The task, and where to read: README.md beside this file.

   The gradient of a model is several tensors. Together they are one vector, and its length is

     norm = sqrt(the sum of g² over all entries g of all tensors)

   If norm is greater than longest, every entry of every tensor is multiplied by longest/norm: then
   the length is longest, and the direction is what it was. Otherwise nothing is changed. Returned
   is the norm from before, whether something was changed or not.

   gradient   n_tensors arrays, to be read and overwritten: entry i of tensor t is gradient[t][i]
   sizes      (n_tensors), to be read: tensor t has sizes[t] entries
   longest    greater than 0

   n_tensors >= 1, sizes[t] >= 1. No square, and no sum of squares, is too large for a float.

   `make check-24` grades it. */
#include "exercises/24-clip/answer.h"

#include <math.h>

float clip_gradient(float *const *gradient, const int *sizes, int n_tensors, float longest)
{
    float norm = 0.0f;
    /* Your code. */
    return norm;
}
