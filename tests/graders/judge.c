#include "judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers as text, with so many digits; NaN is written alike everywhere. */
static void digits_of(char text[40], double x, int digits)
{
    snprintf(text, 40, isnan(x) ? "NaN" : "%.*g", digits, x);
}

/* Enough digits for the two to look different. */
static void evidence_of(char *text, const struct Array *a, int index, double want)
{
    char where[80], yours[40], expected[40];
    double got = value(a, index);
    int digits = 4;
    place(where, sizeof where, a, index);
    do {
        digits_of(yours, got, digits);
        digits_of(expected, want, digits);
    } while (strcmp(yours, expected) == 0 && ++digits < 10);
    bool untouched = a->integer && a->i[index] == INT32_MIN;
    write_line(text, "%s: yours %s, expected %s", where, untouched ? "never written" : yours,
               expected);
}

bool judge(const struct Exercise *e, const struct Trial *t, char evidence[LINE])
{
    int array, index;
    struct Wanted want = expect(e, &t->given, 0);
    bool right = true;
    evidence[0] = '\0';
    if (changed_input(t, &array, &index)) {
        char where[80];
        right = false;
        place(where, sizeof where, &t->got.arrays[array], index);
        write_line(evidence, "%s was %.6g and is now %.6g", where,
                   value(&t->given.arrays[array], index), value(&t->got.arrays[array], index));
    } else if (first_difference(e, &t->got, &want, &want, &array, &index)) {
        right = false;
        evidence_of(evidence, &t->got.arrays[array], index, want.values[array][index]);
    }
    wanted_free(&want);
    return right;
}

/* Do these mistakes explain every trial, and show in two of them (in all, if there are fewer)? */
static bool explains(const struct Exercise *e, const struct Trial *trials, int n, Mistakes mistakes)
{
    int shown = 0;
    bool all = true;
    for (int i = 0; all && i < n; i++) {
        struct Wanted wrong = expect(e, &trials[i].given, mistakes);
        struct Wanted right = expect(e, &trials[i].given, 0);
        all = matches(e, &trials[i].got, &wrong, &right);
        shown += !matches(e, &trials[i].got, &right, &right);
        wanted_free(&wrong);
        wanted_free(&right);
    }
    return all && shown >= (n < 2 ? n : 2) && shown > 0;
}

Mistakes diagnose(const struct Exercise *e, const struct Trial *trials, int n)
{
    for (int first = 0; first < e->n_mistakes; first++) {
        if (explains(e, trials, n, 1u << first)) {
            return 1u << first;
        }
    }
    for (int first = 0; first < e->n_mistakes; first++) {
        for (int second = first + 1; second < e->n_mistakes; second++) {
            if (explains(e, trials, n, 1u << first | 1u << second)) {
                return 1u << first | 1u << second;
            }
        }
    }
    return 0;
}
