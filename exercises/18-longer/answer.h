#ifndef EXERCISE_LONGER_H
#define EXERCISE_LONGER_H

#include <stdint.h>

enum { SEPARATOR = 10, PAD = 11, CONTEXT = 25, IGNORE = -100 };

void training_example(int32_t *tokens, int32_t *targets, const int32_t *letters, int length,
                      uint64_t random);

#endif
