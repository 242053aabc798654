#include "exercises/12-adamw/answer.h"

#include <string.h>

#include "tests/graders/case.h"

/* Row s of each array is what step s leaves; the next step begins with a copy of it. */
void call(struct Case *c)
{
    static const char *const kept[] = {"p", "m", "v"};
    static const char *const start[] = {"p_start", "m_start", "v_start"};
    struct AdamW settings = {(float)number(c, "lr"), (float)number(c, "beta1"),
                             (float)number(c, "beta2"), (float)number(c, "eps"),
                             (float)number(c, "decay")};
    int n = size(c, "n");
    for (int s = 0; s < size(c, "steps"); s++) {
        float *now[3];
        for (int k = 0; k < 3; k++) {
            now[k] = floats(c, kept[k]) + s * n;
            memcpy(now[k], s > 0 ? now[k] - n : floats(c, start[k]), (size_t)n * sizeof(float));
        }
        adamw_step(now[0], now[1], now[2], floats(c, "g") + s * n, n, size(c, "t") + s, settings);
    }
}
