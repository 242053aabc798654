#include "exercises/10-attention-backward/answer.h"
#include "tests/graders/case.h"

void call(struct Case *c)
{
    attention_backward(floats(c, "d_q"), floats(c, "d_k"), floats(c, "d_v"), floats(c, "d_out"),
                       floats(c, "q"), floats(c, "k"), floats(c, "v"), floats(c, "weights"),
                       size(c, "B"), size(c, "H"), size(c, "T"), size(c, "d_head"));
}
