#include "longer.h"

#include <stdio.h>

#include "tests/graders/build.h"

/* Just what building needs to know. */
static const struct Exercise exercise = {.name = "18-longer", .function = "training_example"};

static void as_in_lesson_07(struct Examples *e)
{
    for (int i = 0; i < EXAMPLES; i++) {
        reversal_example(e->tokens + i * CONTEXT, e->targets + i * CONTEXT, &e->strings[i], false);
    }
}

struct Change longer_change(struct Examples *examples, const char *answer_c, const char *directory,
                            uint64_t seed)
{
    struct Change change = {.how = FAIR};
    struct Build build = build_answer(&exercise, answer_c, directory);
    examples_new(examples, seed);
    if (build.how == NOT_BUILT) {
        change = (struct Change){.how = REFUSED, .state = COMPILE};
        write_line(change.text, "%s", build.complaint);
    } else if (build.how == UNCHANGED) {
        change.how = AS_IT_WAS;
        as_in_lesson_07(examples);
    } else if (examples_collect(examples, build.program, seed, &change)) {
        examples_fault(examples, &change);
    }
    build_done(&build);
    return change;
}
