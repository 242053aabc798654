/* Each position by itself, from the end, out of the letters alone. */
#include "exercises/11-example/answer.h"

static int32_t token(const int32_t *letters, int n, int t)
{
    return t < n ? letters[t] : t == n ? SEPARATOR : t <= 2 * n ? letters[2 * n - t] : PAD;
}

void example(int32_t *tokens, int32_t *targets, const int32_t *letters, int n, int context)
{
    while (context-- > 0) {
        tokens[context] = token(letters, n, context);
        targets[context] =
            n <= context && context < 2 * n ? token(letters, n, context + 1) : IGNORE;
    }
}
