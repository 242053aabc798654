/* Exercise 09: cross-entropy with ignored targets. The task, and where to read: README.md.

   A row counts if its target is not IGNORE (-100, see answer.h). count is how many rows do. For a
   row that counts, with s its logits, m the largest of them and p = softmax(s):

     loss of the row = log(sum over v of exp(s[v] - m)) - (s[target] - m)     = -log p[target]
     d_logits[r][v]  = (p[v] - (1 if v is the target, else 0)) / count

   *loss     one number, to be written: the mean of the losses of the rows that count
   d_logits  (rows,vocab), to be written: the gradient of *loss; 0 in the rows that do not count
   logits    (rows,vocab), to be read: row r begins at logits + r*vocab. Any finite numbers; where
             the target is far below the largest, p[target] is 0 in float, and its log infinite
   targets   (rows), to be read: 0 <= target < vocab, or IGNORE

   If no row counts, *loss is 0, and so are all gradients. rows >= 1, vocab >= 1.

   `make check-09` grades it. */
#include "exercises/09-cross-entropy/answer.h"

#include <math.h>

void cross_entropy(float *loss, float *d_logits, const float *logits, const int *targets, int rows,
                   int vocab)
{
    /* Your code. */
}
