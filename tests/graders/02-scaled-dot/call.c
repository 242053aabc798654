#include "exercises/02-scaled-dot/answer.h"
#include "tests/graders/case.h"
#include "tests/graders/host/given.h"

void softmax(float *weights, const float *scores, int rows, int n)
{
    given_softmax(weights, scores, rows, n);
}

void call(struct Case *c)
{
    scaled_dot(floats(c, "out"), floats(c, "weights"), floats(c, "q"), floats(c, "k"),
               floats(c, "v"), size(c, "B"), size(c, "H"), size(c, "Tq"), size(c, "Tk"),
               size(c, "d_head"));
}
