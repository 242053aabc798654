/* checkpoint: a model's weights in a safetensors file, under PyTorch's names, so that a comparison
   works both ways. */
#ifndef COMMON_CHECKPOINT_H
#define COMMON_CHECKPOINT_H

#include "model.h"

/* Write the weights; whole or not at all. The metadata holds width, heads, kv_heads, layers
   and position. */
void checkpoint_save(const struct Model *model, const char *path);

/* Fill the weights from a file and pack them. Dies with one line unless the file holds exactly
   the model's tensors, F32, of the right shape, every number finite, and, where its metadata
   names a number of heads, or of those of keys and values, a kind of position, a mask, a scaling or
   a softmax axis, the model's. What metadata does not name is not looked at: files written before
   there were kinds of position have none. The names may all stand behind "init.", as in
   tests/golden. */
void checkpoint_load(struct Model *model, const char *path);

#endif
