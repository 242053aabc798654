#include "exercises/06-layernorm-backward/answer.h"
#include "tests/graders/case.h"

void call(struct Case *c)
{
    layernorm_backward(floats(c, "d_x"), floats(c, "d_gamma"), floats(c, "d_beta"),
                       floats(c, "d_y"), floats(c, "x"), floats(c, "mean"), floats(c, "rstd"),
                       floats(c, "gamma"), size(c, "rows"), size(c, "d"));
}
