/* Exercise 11: a training example. The task, and where to read: README.md beside this file.

   Make of a string what the model is trained on: what it reads, and what it is to predict.

     tokens   the n letters, SEPARATOR, the letters from the last to the first, then PAD to the end
     targets  at each position from the separator on, the token that comes next, up to the position
              that predicts the last letter; IGNORE at all others

   For the string "fgc" in 9 places, with | for the separator, . for PAD and _ for IGNORE:

     tokens   f g c | c g f . .
     targets  _ _ _ c g f _ _ _

   letters          (n), to be read: 0 to 9
   tokens, targets  (context), to be written, every entry
   n >= 1, context >= 2*n + 1

   `make check-11` grades it. */
#include "exercises/11-example/answer.h"

void example(int32_t *tokens, int32_t *targets, const int32_t *letters, int n, int context)
{
    /* Your code. */
}
