/* What can be said of a wrong answer that no known mistake explains. Each look is for one
   pattern in one array of one check: it says so, in the middle of a sentence, or it says nothing
   and the next one looks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"

struct Look {
    const struct Exercise *exercise;
    const struct Trial *trial;
    const struct Wanted *right;
    int array;
    const struct Array *got;
    const double *want;
    double margin;
    char *text;
};

/* What array held before the call, if the function was to go on from there; else 0. */
static double before(const struct Look *l, int array, int i)
{
    const struct Array *a = &l->trial->given.arrays[array];
    return a->role == BOTH ? value(a, i) : 0.0;
}

/* "weights is <so>" if all its entries are, else "3 of the 21 entries of weights are <so>, first
   weights[r0 i6]" */
static void some_are(const struct Look *l, int n, int first, const char *so)
{
    const struct Array *a = l->got;
    char where[80];
    place(where, sizeof where, a, first);
    if (n == a->size) {
        write_line(l->text, "%s is %s", a->name, so);
    } else {
        write_line(l->text, "%d of the %d entries of %s %s %s, first %s", n, a->size, a->name,
                   n == 1 ? "is" : "are", so, where);
    }
}

static bool never_written(const struct Look *l)
{
    int n = 0, first = -1;
    for (int i = 0; i < l->got->size && l->got->role == OUT; i++) {
        if (isfinite(l->want[i]) && case_fresh(l->got, i)) {
            first = n++ == 0 ? i : first;
        }
    }
    if (n > 0) {
        some_are(l, n, first,
                 l->got->integer
                     ? "never written"
                     : "never written, or made of what was there at the start, which is NaN");
    }
    return n > 0;
}

static bool not_finite(const struct Look *l)
{
    int n[2] = {0}, first[2] = {-1, -1}; /* infinite, NaN */
    for (int i = 0; i < l->got->size; i++) {
        bool nan = isnan(value(l->got, i));
        if (isfinite(l->want[i]) && !isfinite(value(l->got, i))) {
            first[nan] = n[nan]++ == 0 ? i : first[nan];
        }
    }
    if (n[true] > 0) {
        some_are(l, n[true], first[true],
                 "NaN (look for 0/0, infinity - infinity, 0 * infinity, the root of a negative "
                 "number)");
    } else if (n[false] > 0) {
        some_are(l, n[false], first[false],
                 "infinite (look for a division by 0, the log of 0, exp of a large number, an "
                 "INFINITY of your own)");
    }
    return n[true] + n[false] > 0;
}

/* Only what was to be added is there. */
static bool overwritten(const struct Look *l)
{
    bool all = l->got->role == BOTH && l->got->size > 1;
    for (int i = 0; all && i < l->got->size; i++) {
        all = equal(value(l->got, i), l->want[i] - before(l, l->array, i), l->margin);
    }
    if (all) {
        write_line(l->text, "%s holds only what was to be added to it: what it held before is lost",
                   l->got->name);
    }
    return all;
}

/* The one number by which all differ, as ratio or as difference; NaN if there is none. */
static double constant(const struct Look *l, bool ratio)
{
    double found = NAN, sure = 50 * l->margin, off = 0.0;
    for (int i = 0; i < l->got->size; i++) {
        double start = before(l, l->array, i), want = l->want[i] - start;
        if (fabs(want) > sure) { /* the largest entry tells it most exactly */
            sure = fabs(want);
            off = value(l->got, i) - l->want[i];
            found = ratio ? (value(l->got, i) - start) / want : off;
        }
    }
    if (!(fabs(off) > 20 * l->margin)) { /* what hardly differs would fit any pattern */
        return NAN;
    }
    for (int i = 0; i < l->got->size; i++) {
        double start = before(l, l->array, i), want = l->want[i] - start;
        want = ratio ? want * found : want + found;
        if (!(fabs(value(l->got, i) - start - want) <= 2 * l->margin * fmax(1.0, fabs(found)))) {
            return NAN;
        }
    }
    return found;
}

static bool constant_ratio(const struct Look *l)
{
    double ratio = l->got->size > 1 ? constant(l, true) : NAN;
    bool both = l->got->role == BOTH;
    const char *name = l->got->name;
    if (isnan(ratio)) {
        return false;
    }
    if (fabs(ratio) < 1e-5) { /* not a zero: what rounding leaves of terms that cancel */
        write_line(l->text, "%s is %s%s", name, both ? "as it was before" : "zero everywhere",
                   ratio != 0.0 ? ", but for rounding" : "");
    } else if (fabs(ratio + 1.0) < 1e-4) {
        write_line(l->text,
                   both ? "%s changes by the right amount, but with the wrong sign"
                        : "%s has the wrong sign everywhere",
                   name);
    } else {
        write_line(l->text,
                   both ? "%s changes by %.4g times what it should"
                        : "every entry of %s is %.4g times what it should be",
                   name, ratio);
    }
    return true;
}

static bool constant_difference(const struct Look *l)
{
    double difference = l->got->size > 1 ? constant(l, false) : NAN;
    if (isnan(difference)) {
        return false;
    }
    write_line(l->text, "every entry of %s is %.4g too %s", l->got->name, fabs(difference),
               difference > 0 ? "large" : "small");
    return true;
}

/* The index into an array with axes x and y exchanged that belongs to index of a. */
static int exchanged(const struct Array *a, int index, int x, int y)
{
    int at[MAX_RANK], rank = (int)strlen(a->axes), result = 0;
    for (int i = rank - 1; i >= 0; i--) {
        at[i] = index % a->shape[i];
        index /= a->shape[i];
    }
    for (int i = 0; i < rank; i++) {
        int axis = i == x ? y : i == y ? x : i;
        result = result * a->shape[axis] + at[axis];
    }
    return result;
}

static bool two_axes_exchanged(const struct Look *l)
{
    int rank = (int)strlen(l->got->axes);
    for (int x = 0; x < rank; x++) {
        for (int y = x + 1; y < rank; y++) {
            bool all = true, moved = false;
            for (int i = 0; all && i < l->got->size; i++) {
                int j = exchanged(l->got, i, x, y);
                moved = moved || i != j;
                all = equal(value(l->got, j), l->want[i], l->margin);
            }
            if (all && moved) {
                write_line(l->text, "the values of %s are right, but axes %c and %c are exchanged",
                           l->got->name, l->got->axes[x], l->got->axes[y]);
                return true;
            }
        }
    }
    return false;
}

/* What is wanted of array is what got did to the other one. */
static bool holds_other(const struct Look *l, int array, int other)
{
    const struct Array *got = &l->trial->got.arrays[other];
    const double *want = l->right->values[array];
    double margin = margin_of(l->exercise, got, want);
    bool all = true;
    for (int i = 0; all && i < got->size; i++) {
        double moved = value(got, i) - before(l, other, i);
        all = equal(moved, want[i] - before(l, array, i), 2 * margin);
    }
    return all;
}

static bool two_arrays_exchanged(const struct Look *l)
{
    for (int other = 0; other < l->trial->got.n_arrays; other++) {
        const struct Array *b = &l->trial->got.arrays[other];
        if (other != l->array && b->role != IN && b->integer == l->got->integer &&
            memcmp(b->shape, l->got->shape, sizeof b->shape) == 0 &&
            holds_other(l, l->array, other) && holds_other(l, other, l->array)) {
            write_line(l->text, "%s and %s are exchanged: each holds what belongs to the other",
                       l->got->name, b->name);
            return true;
        }
    }
    return false;
}

/* The sums over the last axis are 1 where that is expected, in got or in want. */
static bool rows_sum_to_one(const struct Look *l, bool of_got, double *first)
{
    int rank = (int)strlen(l->got->axes), n = l->got->shape[rank - 1];
    bool all = true;
    for (int row = 0; row < l->got->size / n; row++) {
        double sum = 0.0;
        for (int i = row * n; i < (row + 1) * n; i++) {
            sum += of_got ? value(l->got, i) : l->want[i];
        }
        bool one = fabs(sum - 1.0) < 1e-4;
        *first = all && !one ? sum : *first;
        all = all && one;
    }
    return all;
}

static bool sums_of_rows(const struct Look *l)
{
    double sum = 0.0;
    if (l->got->integer || l->got->axes[0] == '\0' || !rows_sum_to_one(l, false, &sum) ||
        rows_sum_to_one(l, true, &sum)) {
        return false;
    }
    write_line(
        l->text,
        "each row of %s must add up to 1, and the first of yours that does not adds up to %.4g",
        l->got->name, sum);
    return true;
}

static bool wrong_at(const struct Look *l, int index)
{
    return !equal(value(l->got, index), l->want[index], l->margin);
}

/* "all of them where h is 2" or "none of them where h is 0", if it is so for an axis; else "". */
static void where_along(char *text, size_t room, const struct Look *l)
{
    const struct Array *a = l->got;
    int rank = (int)strlen(a->axes), stride = a->size;
    text[0] = '\0';
    for (int x = 0; x < rank && rank > 1 && text[0] == '\0'; x++) {
        int wrong[a->shape[x]], slices = 0, wrong_one = 0, right_one = 0;
        memset(wrong, 0, sizeof wrong);
        stride /= a->shape[x];
        for (int i = 0; i < a->size; i++) {
            wrong[i / stride % a->shape[x]] |= wrong_at(l, i);
        }
        for (int at = 0; at < a->shape[x]; at++) {
            slices += wrong[at];
            *(wrong[at] ? &wrong_one : &right_one) = at;
        }
        if (slices == 1 && a->shape[x] > 1) {
            snprintf(text, room, ", all of them where %c is %d", a->axes[x], wrong_one);
        } else if (slices == a->shape[x] - 1) {
            snprintf(text, room, ", none of them where %c is %d", a->axes[x], right_one);
        }
    }
}

/* How much of the array is wrong, if only a part is. */
static bool partly_right(const struct Look *l)
{
    int wrong = 0;
    char where[60];
    for (int i = 0; i < l->got->size; i++) {
        wrong += wrong_at(l, i);
    }
    if (wrong == l->got->size) {
        return false;
    }
    where_along(where, sizeof where, l);
    write_line(l->text, "%d of the %d entries of %s %s wrong%s", wrong, l->got->size, l->got->name,
               wrong == 1 ? "is" : "are", wrong == 1 ? "" : where);
    return true;
}

/* The outputs of this trial that are right, if any is: "nothing is wrong in d_v and d_k" */
static void right_outputs(const struct Exercise *e, const struct Case *got,
                          const struct Wanted *want, char text[LINE])
{
    char names[LINE] = "";
    int n = 0;
    for (int i = 0; i < got->n_arrays; i++) {
        struct Wanted only = {0};
        only.values[i] = want->values[i];
        if (only.values[i] != NULL && matches(e, got, &only, &only)) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", n++ > 0 ? " and " : "",
                     got->arrays[i].name);
        }
    }
    if (n > 0) {
        write_line(text, "nothing is wrong in %s", names);
    }
}

void read_off(const struct Exercise *e, const struct Trial *t, char text[LINE])
{
    static bool (*const looks[])(const struct Look *) = {
        never_written,      not_finite,           overwritten,  constant_ratio, constant_difference,
        two_axes_exchanged, two_arrays_exchanged, sums_of_rows, partly_right,
    };
    int array, index;
    text[0] = '\0';
    if (changed_input(t, &array, &index)) {
        write_line(text, "You change %s, which is only to be read.", t->given.arrays[array].name);
        return;
    }
    struct Wanted want = expect(e, &t->given, 0);
    if (first_difference(e, &t->got, &want, &want, &array, &index)) {
        const struct Array *a = &t->got.arrays[array];
        const double *w = want.values[array];
        struct Look look = {e, t, &want, array, a, w, margin_of(e, a, w), text};
        for (size_t i = 0; i < sizeof looks / sizeof *looks && !looks[i](&look); i++) {
        }
        char right[LINE] = "", seen[LINE];
        right_outputs(e, &t->got, &want, right);
        memcpy(seen, text, LINE);
        if (seen[0] != '\0' || right[0] != '\0') {
            write_line(text, "In this check %s%s%s.", seen,
                       seen[0] != '\0' && right[0] != '\0' ? "; " : "", right);
        }
    }
    wanted_free(&want);
}
