/* exp, log, erf, sin and cos of common/vmath.h for every float there is: the bits of one number alone
   are those of a register, and the largest error is the bound that vmath.h states: no more, and not
   so much less that the bound says nothing.

       build/test-exhaustive [exp] [log] ...          (make test-exhaustive) */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base.h"
#include "common/threads.h"
#include "tests/core/functions.h"

/* The 2^32 floats in blocks, one a task. */
enum { BLOCKS = 1 << 12, BLOCK = 1 << 20 };

/* A stated bound may be a tenth above the largest error, as it is rounded up. */
static const double GENEROUS = 1.1;

/* What was found among the floats of a block. */
static struct Found {
    double error; /* the largest, in ulp */
    float at;     /* and the first argument that has it */
    uint32_t alone;
    float alone_at; /* results that differ alone, and the first such argument */
} found[BLOCKS];

static void look_at(struct Found *f, const struct Function *function, float x, float y)
{
    double error = error_in_ulp(y, function->truth((double)x));
    if (error > f->error) {
        f->error = error;
        f->at = x;
    }
    if (result_bits(function->scalar(x)) != result_bits(y) && f->alone++ == 0) {
        f->alone_at = x;
    }
}

static void search(void *context, int block, int thread)
{
    const struct Function *function = context;
    struct Found f = {0};
    (void)thread;
    for (uint32_t i = 0; i < BLOCK; i += LANES) {
        vf x;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            x[lane] = float_of((uint32_t)block * BLOCK + i + lane);
        }
        vf y = function->vector(x);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            look_at(&f, function, x[lane], y[lane]);
        }
    }
    found[block] = f;
}

/* The largest error of all; the first, where there are several. */
static struct Found gather(void)
{
    struct Found all = {0};
    for (int i = 0; i < BLOCKS; i++) {
        if (found[i].error > all.error) {
            all.error = found[i].error;
            all.at = found[i].at;
        }
        if (all.alone == 0) {
            all.alone_at = found[i].alone_at;
        }
        all.alone += found[i].alone;
    }
    return all;
}

/* A line, and whether the function is as it should be. */
static bool check(const struct Function *function)
{
    time_t began = time(NULL);
    struct Function copy = *function;
    parallel_for(BLOCKS, search, &copy);
    struct Found all = gather();
    const char *verdict = all.error > *function->bound              ? "MORE THAN STATED"
                          : *function->bound > GENEROUS * all.error ? "LESS THAN STATED"
                          : all.alone > 0                           ? "DIFFERS ALONE"
                                                                    : "holds";
    printf("%-8s  %7.4f  %15.9g  %6.2f  %5.0f s  %s\n", function->name, all.error, (double)all.at,
           *function->bound, difftime(time(NULL), began), verdict);
    if (all.alone > 0) {
        printf("  %" PRIu32 " results differ alone and in a register, first at %.9g\n", all.alone,
               (double)all.alone_at);
    }
    fflush(stdout);
    return strcmp(verdict, "holds") == 0;
}

static bool wanted(const char *name, int argc, char **argv)
{
    bool named = argc == 1;
    for (int i = 1; i < argc; i++) {
        named |= strcmp(argv[i], name) == 0;
    }
    return named;
}

int main(int argc, char **argv)
{
    int checked = 0, good = 0;
    threads_set(threads_available());
    printf("function  largest        at argument  stated     time\n"
           "          error, in ulp\n");
    for (int i = 0; i < N_FUNCTIONS; i++) {
        if (wanted(functions[i].name, argc, argv)) {
            checked++;
            good += check(&functions[i]);
        }
    }
    printf("exhaustive: %d functions hold for all 4294967296 floats, %d do not\n", good,
           checked - good);
    return checked > 0 && good == checked ? 0 : 1;
}
