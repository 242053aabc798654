/* Exercise 18: are the untrained rows of the position table the whole story? README.md has the task.

   training_example writes one padded example of the string reverser:

     letters  f g c                        tokens   f g c | c g f . . .
     length   3                            targets  _ _ _ c g f _ _ _ _

   tokens   (CONTEXT), to be written: the string, SEPARATOR, the string backwards, PAD elsewhere
   targets  (CONTEXT), to be written: from the separator on the next token, IGNORE elsewhere
   letters  (length), 3 to 8 of them, each 0 to 9
   random   64 bits that are fresh in each call: all of your chance comes from them

   As it stands, every string begins at position 0, as in lesson 07. Change where it begins: one line.
   `make try-18` trains with it and prints what came of it; `make check-18` grades it. */
#include "exercises/18-longer/answer.h"

void training_example(int32_t *tokens, int32_t *targets, const int32_t *letters, int length,
                      uint64_t random)
{
    int begin = 0; /* where the string begins */
    /* Your code. */

    for (int t = 0; t < CONTEXT; t++) {
        int i = t - begin;
        tokens[t] = i < 0 || i > 2 * length ? PAD
                    : i == length           ? SEPARATOR
                    : i < length            ? letters[i]
                                            : letters[2 * length - i];
    }
    for (int t = 0; t < CONTEXT; t++) {
        int i = t - begin;
        targets[t] = i >= length && i < 2 * length ? tokens[t + 1] : IGNORE;
    }
}
