#include "exercises/07-gelu-mlp/answer.h"
#include "tests/graders/case.h"

void call(struct Case *c)
{
    gelu(floats(c, "gelu(z)"), floats(c, "z"), size(c, "n"));
    mlp(floats(c, "y"), floats(c, "hidden"), floats(c, "x"), floats(c, "w_up"), floats(c, "b_up"),
        floats(c, "w_down"), floats(c, "b_down"), size(c, "rows"), size(c, "d"),
        size(c, "d_hidden"));
}
