#include "exercises/21-online-softmax/answer.h"
#include "tests/graders/case.h"

void call(struct Case *c)
{
    merge_states(floats(c, "m"), floats(c, "l"), floats(c, "u"), floats(c, "out"), floats(c, "m1"),
                 floats(c, "l1"), floats(c, "u1"), floats(c, "m2"), floats(c, "l2"),
                 floats(c, "u2"), size(c, "rows"), size(c, "d"));
}
