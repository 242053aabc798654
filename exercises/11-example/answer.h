#ifndef EXERCISE_EXAMPLE_H
#define EXERCISE_EXAMPLE_H

#include <stdint.h>

/* Given: the tokens beside the letters a to j, which are 0 to 9; and what stands in targets where
   nothing is to be predicted. */
enum { SEPARATOR = 10, PAD = 11, IGNORE = -100 };

void example(int32_t *tokens, int32_t *targets, const int32_t *letters, int n, int context);

#endif
