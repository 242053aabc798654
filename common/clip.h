/* clip: a gradient that is too long is made shorter; its direction stays. Pascanu et al. (2013),
   over all tensors together, as PyTorch's clip_grad_norm_ does it. */
#ifndef COMMON_CLIP_H
#define COMMON_CLIP_H

#include <stddef.h>

/* The length of the gradient: sqrt of the sum of all squares, added in double in one fixed order. */
double gradient_norm(const float *gradient, size_t size);

/* gradient multiplied by longest/(norm + 1e-6) if that is below 1. Returns the norm before. Where an
   entry is infinite, so is the norm, and clipping makes that entry NaN and the others 0. Where one is
   NaN, so is the norm, and nothing changes. */
double gradient_clip(float *gradient, size_t size, double longest);

#endif
