/* A value is right when it is within a small share of the largest value of its array: float sums in
   another order differ by a few units in the last place. The comparison is written so that NaN is
   never right where a number is expected. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"

static const double USUAL_TOLERANCE = 2e-5;

struct Wanted expect(const struct Exercise *e, const struct Case *given, Mistakes mistakes)
{
    struct Wanted want = {0};
    for (int i = 0; i < given->n_arrays; i++) {
        const struct Array *a = &given->arrays[i];
        if (a->role == IN) {
            continue;
        }
        want.values[i] = zeros_new((size_t)a->size, sizeof *want.values[i]);
        for (int j = 0; j < a->size && a->role == BOTH; j++) {
            want.values[i][j] = a->integer ? a->i[j] : (double)a->f[j];
        }
    }
    e->expect(&want, given, mistakes);
    return want;
}

void wanted_free(struct Wanted *want)
{
    for (int i = 0; i < MAX_ARRAYS; i++) {
        free(want->values[i]);
    }
}

double *wanted(struct Wanted *want, const struct Case *c, const char *name)
{
    double *values = want->values[case_array(c, name) - c->arrays];
    if (values == NULL) {
        die("'%s' is no output of this case", name);
    }
    return values;
}

double value(const struct Array *a, int i)
{
    return a->integer ? a->i[i] : (double)a->f[i];
}

static double largest(const double *values, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double size = fabs(values[i]);
        most = size > most && isfinite(size) ? size : most;
    }
    return most;
}

bool equal(double got, double want, double margin)
{
    return isfinite(want) ? fabs(got - want) <= margin : isnan(want) ? !isfinite(got) : got == want;
}

double margin_of(const struct Exercise *e, const struct Array *a, const double *right)
{
    double share = e->tolerance > 0 ? e->tolerance : USUAL_TOLERANCE;
    return a->integer ? 0.0 : share * largest(right, a->size);
}

bool first_difference(const struct Exercise *e, const struct Case *got, const struct Wanted *want,
                      const struct Wanted *right, int *array, int *index)
{
    for (*array = 0; *array < got->n_arrays; ++*array) {
        const struct Array *a = &got->arrays[*array];
        const double *w = want->values[*array];
        double margin =
            w != NULL ? fmax(margin_of(e, a, w), margin_of(e, a, right->values[*array])) : 0.0;
        for (*index = 0; w != NULL && *index < a->size; ++*index) {
            if (!equal(value(a, *index), w[*index], margin)) {
                return true;
            }
        }
    }
    return false;
}

bool matches(const struct Exercise *e, const struct Case *got, const struct Wanted *want,
             const struct Wanted *right)
{
    int array, index;
    return !first_difference(e, got, want, right, &array, &index);
}

bool changed_input(const struct Trial *t, int *array, int *index)
{
    for (*array = 0; *array < t->given.n_arrays; ++*array) {
        const struct Array *before = &t->given.arrays[*array], *after = &t->got.arrays[*array];
        for (*index = 0; before->role == IN && *index < before->size; ++*index) {
            if (before->i[*index] != after->i[*index]) { /* compares bits, of floats too */
                return true;
            }
        }
    }
    return false;
}

void place(char *text, size_t room, const struct Array *a, int index)
{
    int at[MAX_RANK], rank = (int)strlen(a->axes);
    for (int i = rank - 1; i >= 0; i--) {
        at[i] = index % a->shape[i];
        index /= a->shape[i];
    }
    size_t n = (size_t)snprintf(text, room, "%s%s", a->name, rank > 0 ? "[" : "");
    for (int i = 0; i < rank; i++) {
        n += (size_t)snprintf(text + n, room - n, "%s%c%d", i > 0 ? " " : "", a->axes[i], at[i]);
    }
    snprintf(text + n, room - n, "%s", rank > 0 ? "]" : "");
}
