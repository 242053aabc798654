#include "exercises/24-clip/answer.h"
#include "tests/graders/24-clip/tensors.h"

void call(struct Case *c)
{
    float *gradient[MOST_TENSORS];
    int n = size(c, "tensors");
    for (int t = 0; t < n; t++) {
        gradient[t] = floats(c, tensor_name(t));
    }
    floats(c, "norm")[0] =
        clip_gradient(gradient, integers(c, "sizes"), n, (float)number(c, "longest"));
}
