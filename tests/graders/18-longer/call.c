#include <string.h>

#include "exercises/18-longer/answer.h"
#include "tests/graders/case.h"

void call(struct Case *c)
{
    int n = case_array(c, "length")->size;
    const int32_t *letters = integers(c, "letters"), *random = integers(c, "random");
    int per_string = case_array(c, "letters")->size / n;
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, random + 2 * i, sizeof bits);
        training_example(integers(c, "tokens") + i * CONTEXT, integers(c, "targets") + i * CONTEXT,
                         letters + i * per_string, integers(c, "length")[i], bits);
    }
}
