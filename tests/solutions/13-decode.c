/* Exercise 13: greedy decoding. The task, and where to read: README.md beside this file.

   The model has learned to say what comes next; let it write. As long as there are fewer than
   wanted new tokens, and fewer than context tokens in all: let it read what is there, take the
   token that most likely follows the last, and write it behind. Of equals take the first.

   tokens  (context), to be read and written: the first n are given, pads stand behind them. Each
           new token goes to the next place; what is not reached stays as it is.
   logits  (context,vocab), yours to use: model_forward(logits, tokens, n) is given, and leaves in
           row t, from logits + t*vocab on, a number for each token that might follow tokens[t].
   Any token may be written, also a separator or a pad: they do not end anything here.
   1 <= n <= context, wanted >= 0, vocab >= 1

   Returns how many tokens there are then: the given ones and the new.

   `make check-13` grades it. */
#include "exercises/13-decode/answer.h"

int decode(int32_t *tokens, float *logits, int n, int wanted, int context, int vocab)
{
    /* answer: */
    int end = n + wanted < context ? n + wanted : context;
    while (n < end) {
        model_forward(logits, tokens, n);
        const float *last = logits + (n - 1) * vocab;
        int best = 0;
        for (int i = 1; i < vocab; i++) {
            if (last[i] > last[best]) {
                best = i;
            }
        }
        tokens[n] = best;
        n++;
    }
    /* :answer */
    return n;
}
