#include "exercises/04-heads/answer.h"
#include "tests/graders/case.h"

void call(struct Case *c)
{
    int B = size(c, "B"), T = size(c, "T"), H = size(c, "H"), d_head = size(c, "d_head");
    split_heads(floats(c, "heads"), floats(c, "x"), B, T, H, d_head);
    merge_heads(floats(c, "merged"), floats(c, "to_merge"), B, T, H, d_head);
}
