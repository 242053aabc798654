/* One token after the other, and the target of each before it is written. */
#include "exercises/11-example/answer.h"

void example(int32_t *tokens, int32_t *targets, const int32_t *letters, int n, int context)
{
    int32_t *next = tokens, *end = tokens + context;
    while (next < tokens + n)
        *next++ = *letters++;
    *next++ = SEPARATOR;
    while (n-- > 0)
        *next++ = *--letters;
    while (next < end)
        *next++ = PAD;
    int answer = 0;
    for (int t = 0; t < context; t++) {
        if (tokens[t] == SEPARATOR)
            answer = 1;
        if (answer && t + 1 < context && tokens[t + 1] != PAD)
            targets[t] = tokens[t + 1];
        else
            targets[t] = IGNORE;
    }
}
