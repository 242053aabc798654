#include "exercises/22-rope/answer.h"
#include "tests/graders/case.h"

void call(struct Case *c)
{
    rope(floats(c, "qkv"), integers(c, "place"), size(c, "T"), size(c, "H"), size(c, "d_head"),
         (float)number(c, "base"));
}
