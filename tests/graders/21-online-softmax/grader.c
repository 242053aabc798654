#include <math.h>

#include "tests/graders/exercise.h"

/* The state of a few keys, whose scores spread around this middle. */
static void draw_state(struct Rng *rng, float *m, float *l, float *u, int d, float middle)
{
    float more[2];
    draw(rng, more, 2);
    *m = middle + 2.0f * more[0];
    *l = 1.0f + fabsf(more[1]); /* the largest score gives 1 */
    draw(rng, u, d);
    for (int i = 0; i < d; i++) {
        u[i] *= *l;
    }
}

static void leave_empty(float *m, float *l, float *u, int d)
{
    *m = -INFINITY;
    *l = 0.0f;
    for (int i = 0; i < d; i++) {
        u[i] = 0.0f;
    }
}

/* In odd rows the first state has scores larger by so much, in even rows the second. empty: of
   every four rows one has no key in the first state, one none in the second, and one in neither. */
static void make(struct Case *c, struct Rng *rng, int rows, int d, float middle, float apart,
                 bool empty)
{
    case_size(c, "rows", rows);
    case_size(c, "d", d);
    for (int s = 0; s < 2; s++) {
        float *m = case_floats(c, IN, s == 0 ? "m1" : "m2", "r", rows);
        float *l = case_floats(c, IN, s == 0 ? "l1" : "l2", "r", rows);
        float *u = case_floats(c, IN, s == 0 ? "u1" : "u2", "rc", rows, d);
        for (int r = 0; r < rows; r++) {
            bool larger = r % 2 != s;
            draw_state(rng, m + r, l + r, u + r * d, d, larger ? middle + apart : middle);
            if (empty && (r % 4 == s || r % 4 == 2)) {
                leave_empty(m + r, l + r, u + r * d, d);
            }
        }
    }
    case_floats(c, OUT, "m", "r", rows);
    case_floats(c, OUT, "l", "r", rows);
    case_floats(c, OUT, "u", "rc", rows, d);
    case_floats(c, OUT, "out", "rc", rows, d);
}

static void ordinary(struct Case *c, struct Rng *rng)
{
    make(c, rng, 6, 4, 0.0f, 1.0f, false);
}

static void wide(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 11, -3.0f, 2.0f, false);
}

static void one_number(struct Case *c, struct Rng *rng)
{
    make(c, rng, 7, 1, 2.0f, 0.0f, false);
}

static void without_keys(struct Case *c, struct Rng *rng)
{
    make(c, rng, 8, 3, 0.0f, 1.0f, true);
}

static void large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, 3, 1000.0f, 1.0f, false);
}

static void far_apart(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 6, -200.0f, 400.0f, false);
}

static void without_keys_below(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 5, -20.0f, 3.0f, true);
}

static const struct Check checks[] = {
    {"6 rows of 4 numbers", ordinary},
    {"more numbers than rows", wide},
    {"one number a row", one_number},
    {"states without a key", without_keys},
    {"scores of 1000", large},
    {"one state 400 above the other", far_apart},
    {"negative scores, states without a key", without_keys_below},
};

enum {
    TURNED,
    SWAPPED,
    U_STAYS,
    L_STAYS,
    FIRST_ONLY,
    SECOND_ONLY,
    LEAST,
    FIRST,
    SECOND,
    FIRST_LARGER,
    BARE,
    MAX_L,
    U_DIVIDED,
    TWICE,
    UNDIVIDED,
    OUTPUTS,
    MEAN,
    SUM,
    ACROSS,
    EMPTY,
    OUT_GUARDED,
    ZERO_BY_ZERO
};

static const struct Mistake mistakes[] = {
    [TURNED] = {"turned",
                "Your factors are turned round, e^(m - m1) and e^(m - m2): they grow where "
                "they should shrink. It should be e^(m1 - m) and e^(m2 - m)."},
    [SWAPPED] = {"swapped", "Each state gets the other's factor: e^(m1 - m) belongs to l1 and u1, "
                            "e^(m2 - m) to l2 and u2."},
    [U_STAYS] = {"u-stays", "You add u1 and u2 as they stand. Their terms were made with different "
                            "maxima, so u needs the factors as l does."},
    [L_STAYS] = {"l-stays", "You add l1 and l2 as they stand. Their terms were made with different "
                            "maxima, so l needs the factors as u does."},
    [FIRST_ONLY] = {"first-only",
                    "State 2 is added without a factor: that is right only where it has "
                    "the larger maximum. It should get e^(m2 - m)."},
    [SECOND_ONLY] =
        {"second-only",
         "State 1 is added without a factor: that is right only where it has the larger "
         "maximum. It should get e^(m1 - m), with m1 as it was before."},
    [LEAST] = {"least", "Your m is the smaller of the two maxima; it is the larger one. Then no "
                        "factor is over 1, and none can overflow."},
    [FIRST] = {"first", "Your m is always m1; it is the larger of m1 and m2, whichever that is."},
    [SECOND] = {"second", "Your m is always m2; it is the larger of m1 and m2, whichever that is."},
    [FIRST_LARGER] =
        {"first-larger",
         "Your factors are 1 and e^(m2 - m1), as if m1 were always the larger. Where it is "
         "not, l and u do not belong to your m, and the factor can overflow."},
    [BARE] = {"bare",
              "Your factors are e^m1 and e^m2; they should be e^(m1 - m) and e^(m2 - m). e^m1 "
              "alone is not in range for a float where m1 is large."},
    [MAX_L] = {"max-l",
               "Your l is the larger of the two sums; all keys count, so it is both of them "
               "added, each times its factor."},
    [U_DIVIDED] = {"u-divided", "out is right, but your u has been divided by l. Keep it as it is: "
                                "only so can it be merged again."},
    [TWICE] = {"twice",
               "You divide by l twice: u is divided already when you make out of it. u stays "
               "undivided, and out is u / l."},
    [UNDIVIDED] = {"undivided", "Your out is u, which is not divided by l; out is u / l."},
    [OUTPUTS] = {"outputs",
                 "You merge u1 / l1 and u2 / l2, which are outputs. It is u1 and u2 that are to be "
                 "added, and the sum is divided by l at the end."},
    [MEAN] = {"mean",
              "Your out is the mean of the outputs of both states. They do not count alike: "
              "how much each counts is in l and m. out is u / l."},
    [SUM] = {"sum",
             "Your out is the sum of the outputs of both states. Each of them has weights that add "
             "up to 1, so together they would add up to 2. out is u / l."},
    [ACROSS] = {"across",
                "You read and write u and out as (d,rows). They are (rows,d): number c of "
                "row r is at r*d + c."},
    [EMPTY] = {"empty", "Where neither state has seen a key you compute -INFINITY less -INFINITY, "
                        "which is NaN. Such a state should get the factor 0."},
    [OUT_GUARDED] = {"out-guarded",
                     "Where neither state has seen a key your out is 0, but l and u are NaN: the "
                     "factors are e^(-INFINITY less -INFINITY). Such a state should get the "
                     "factor 0."},
    [ZERO_BY_ZERO] = {"zero-by-zero", "Where neither state has seen a key l is 0, and your out is "
                                      "0 / 0. It should be 0 there."},
};

static double largest_of(double m1, double m2, Mistakes m)
{
    return made(m, FIRST)    ? m1
           : made(m, SECOND) ? m2
           : made(m, LEAST)  ? fmin(m1, m2)
                             : fmax(m1, m2);
}

/* What a state is multiplied by, as a float: the wrong ones are too large for it. */
static double factor(double mine, double base, Mistakes m)
{
    if (mine == -INFINITY && !made(m, EMPTY) && !made(m, OUT_GUARDED)) {
        return 0.0;
    }
    double power = made(m, TURNED) ? base - mine : made(m, BARE) ? mine : mine - base;
    return (double)(float)exp(power);
}

/* What becomes of one number of u, and of out. */
static void merge(double *u, double *out, const double f[2], const double uu[2], const double ll[2],
                  double l, Mistakes m)
{
    double first = made(m, OUTPUTS) ? uu[0] / ll[0] : uu[0];
    double second = made(m, OUTPUTS) ? uu[1] / ll[1] : uu[1];
    bool whole = made(m, ZERO_BY_ZERO) || (made(m, OUT_GUARDED) ? l > 0.0 : l != 0.0);
    double sum = made(m, U_STAYS) ? first + second : f[0] * first + f[1] * second;
    double divided = whole ? sum / l : 0.0;
    *u = made(m, U_DIVIDED) || made(m, TWICE) ? divided : sum;
    *out = made(m, UNDIVIDED) ? sum
           : made(m, MEAN)    ? (uu[0] / ll[0] + uu[1] / ll[1]) / 2.0
           : made(m, SUM)     ? uu[0] / ll[0] + uu[1] / ll[1]
           : made(m, TWICE)   ? (whole ? divided / l : 0.0)
                              : divided;
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int rows = size(c, "rows"), d = size(c, "d");
    const float *m1 = floats(c, "m1"), *m2 = floats(c, "m2"), *l1 = floats(c, "l1");
    const float *l2 = floats(c, "l2"), *u1 = floats(c, "u1"), *u2 = floats(c, "u2");
    double *u = wanted(want, c, "u"), *out = wanted(want, c, "out");
    for (int r = 0; r < rows; r++) {
        double most = largest_of(m1[r], m2[r], m);
        double base = made(m, FIRST_LARGER) ? m1[r] : most;
        double f[2] = {factor(m1[r], base, m), factor(m2[r], base, m)};
        if (made(m, SWAPPED)) {
            double first = f[0];
            f[0] = f[1], f[1] = first;
        }
        f[0] = made(m, SECOND_ONLY) ? 1.0 : f[0];
        f[1] = made(m, FIRST_ONLY) ? 1.0 : f[1];
        double ll[2] = {l1[r], l2[r]};
        double l = made(m, L_STAYS) ? ll[0] + ll[1]
                   : made(m, MAX_L) ? fmax(f[0] * ll[0], f[1] * ll[1])
                                    : f[0] * ll[0] + f[1] * ll[1];
        wanted(want, c, "m")[r] = most;
        wanted(want, c, "l")[r] = l;
        for (int i = 0; i < d; i++) {
            int at = made(m, ACROSS) ? i * rows + r : r * d + i;
            merge(u + at, out + at, f, (double[]){u1[at], u2[at]}, ll, l, m);
        }
    }
}

const struct Exercise exercise_online_softmax = {
    .name = "21-online-softmax",
    .lesson = "lesson 11",
    .function = "merge_states",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
