/* The page behind each array is closed, so that one float too far is a fault at once. */
#include "tests/core/trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base.h"

char trial[160];
uint64_t seed;
struct Rng rng;

void begin_trials(void)
{
    const char *text = getenv("TEST_SEED");
    seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    rng = rng_stream(seed, "trials");
    TRY("first trial");
}

struct Array {
    const char *name;
    char *memory;
    size_t guards, mapped; /* bytes before x, and in all */
    float *x, *before;     /* before: what an input must still be */
    size_t count;
};

static struct Array arrays[64];
static int n_arrays;

float *array_of(const char *name, size_t count)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = count * sizeof(float);
    size_t readable = (size + 64 + page - 1) / page * page, mapped = readable + page;
    char *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(n_arrays < COUNT(arrays) && memory != MAP_FAILED);
    ck_assert_int_eq(mprotect(memory + readable, page, PROT_NONE), 0);
    memset(memory, 0xff, readable); /* every float is NaN */
    size_t guards = readable - size;
    float *x = (float *)(void *)(memory + guards);
    arrays[n_arrays++] = (struct Array){name, memory, guards, mapped, x, NULL, count};
    return x;
}

float *random_array(const char *name, size_t count)
{
    float *x = array_of(name, count);
    rng_normal(&rng, x, (int)count);
    return x;
}

float *copy_of(const char *name, const float *x, size_t count)
{
    return memcpy(array_of(name, count), x, count * sizeof *x);
}

double *doubles_of(const float *x, size_t count)
{
    double *y = zeros_new(count, sizeof *y);
    for (size_t i = 0; x != NULL && i < count; i++) {
        y[i] = (double)x[i];
    }
    return y;
}

const float *input(const float *x)
{
    for (struct Array *a = arrays; a < arrays + n_arrays; a++) {
        if (a->x == x) {
            a->before = array_new(a->count);
            memcpy(a->before, x, a->count * sizeof *x);
        }
    }
    return x;
}

const float *random_input(const char *name, size_t count)
{
    return input(random_array(name, count));
}

void arrays_done(void)
{
    for (struct Array *a = arrays; a < arrays + n_arrays; a++) {
        for (size_t i = 0; i < a->guards; i++) {
            if ((unsigned char)a->memory[i] != 0xff) {
                ck_abort_msg("%s: byte -%zu was written; %s", a->name, a->guards - i, trial);
            }
        }
        if (a->before != NULL) {
            same_bits(a->name, a->x, a->before, a->count);
        }
        free(a->before);
        munmap(a->memory, a->mapped);
    }
    n_arrays = 0;
}

/* Comparing. */

void same_bits(const char *name, const float *got, const float *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&got[i], &wanted[i], sizeof *got) != 0) {
            ck_abort_msg("%s[%zu]: got %a, wanted %a; %s, TEST_SEED=%llu", name, i, (double)got[i],
                         (double)wanted[i], trial, (unsigned long long)seed);
        }
    }
}

void near(const char *name, size_t i, double got, double wanted, double bound)
{
    if (!(fabs(got - wanted) <= bound)) {
        ck_abort_msg("%s[%zu]: got %.9g, wanted %.9g within %.2g; %s, TEST_SEED=%llu", name, i, got,
                     wanted, bound, trial, (unsigned long long)seed);
    }
}

void check_even(const char *name, const int *counts, int n)
{
    double total = 0.0, chi2 = 0.0, mean = n - 1;
    for (int i = 0; i < n; i++) {
        total += counts[i];
    }
    for (int i = 0; i < n; i++) {
        chi2 += pow(counts[i] - total / n, 2.0) / (total / n);
    }
    near(name, 0, chi2, mean, 5.0 * sqrt(2.0 * mean));
}

double bound_among(const double *x, size_t count)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    return 1e-5 * largest + 1e-6;
}

static double slope(double *x, double (*value)(void))
{
    const double h = 1e-6, middle = *x;
    *x = middle + h;
    double above = value();
    *x = middle - h;
    double below = value();
    *x = middle;
    return (above - below) / (2.0 * h);
}

void check_gradient(const char *name, const float *d, const float *before, double *x, size_t count,
                    size_t most, double (*value)(void))
{
    size_t n = count < most ? count : most, *at = zeros_new(n, sizeof *at);
    double *wanted = zeros_new(n, sizeof *wanted);
    for (size_t i = 0; i < n; i++) {
        at[i] = count <= most ? i : (size_t)rng_below(&rng, (int)count);
        wanted[i] = slope(&x[at[i]], value);
    }
    double bound = bound_among(wanted, n);
    for (size_t i = 0; i < n; i++) {
        double start = before != NULL ? (double)before[at[i]] : 0.0;
        near(name, at[i], (double)d[at[i]] - start, wanted[i], bound);
    }
    free(at);
    free(wanted);
}
