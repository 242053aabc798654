#include "tests/graders/exercise.h"

#include <math.h>

/* Rows with this spread, around level in the first, around twice level in the second, and so on. */
static void make(struct Case *c, struct Rng *rng, int rows, int d, float spread, float level)
{
    case_size(c, "rows", rows);
    case_size(c, "d", d);
    float *x = case_floats(c, IN, "x", "ri", rows, d);
    draw(rng, case_floats(c, IN, "gamma", "i", d), d);
    draw(rng, case_floats(c, IN, "beta", "i", d), d);
    case_floats(c, OUT, "mean", "r", rows);
    case_floats(c, OUT, "rstd", "r", rows);
    case_floats(c, OUT, "y", "ri", rows, d);
    draw(rng, x, rows * d);
    for (int i = 0; i < rows * d; i++) {
        x[i] = spread * x[i] + level * (float)(i / d + 1);
    }
}

static void ordinary(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 5, 2.0f, 0.5f);
}

static void wide(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 33, 1.0f, -0.5f);
}

/* Rows of 8 or 16 numbers in steps of 1/256: a float then holds their sum and their mean exactly,
   in whatever order they are added, so a right answer is right far from 0 as well. The sum of their
   squares it does not hold. */
static void make_far(struct Case *c, struct Rng *rng, int rows, int d, float level)
{
    make(c, rng, rows, d, 1.0f, level);
    for (int i = 0; i < rows * d; i++) {
        floats(c, "x")[i] = roundf(floats(c, "x")[i] * 256.0f) / 256.0f;
    }
}

static void far_above(struct Case *c, struct Rng *rng)
{
    make_far(c, rng, 6, 8, 40.0f);
}

static void far_below(struct Case *c, struct Rng *rng)
{
    make_far(c, rng, 3, 16, -80.0f);
}

static void nearly_equal(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 7, 3e-3f, 0.0f);
}

static void equal_numbers(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 4, 0.0f, 1.5f);
}

static void one_number(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 1, 1.0f, 0.0f);
}

static const struct Check checks[] = {
    {"3 rows of 5", ordinary},
    {"2 rows of 33", wide},
    {"rows around 40, 80, ... 240", far_above},
    {"rows around -80, -160, -240", far_below},
    {"numbers that are nearly equal", nearly_equal},
    {"rows of equal numbers", equal_numbers},
    {"a single number", one_number},
};

enum {
    UNBIASED,
    NOT_DIVIDED,
    ABOUT_ZERO,
    ONE_PASS,
    NO_ROOT,
    NO_EPSILON,
    EPSILON_OUTSIDE,
    NOT_CENTERED,
    STD_KEPT,
    NO_GAMMA,
    NO_BETA,
    BETA_FIRST,
    BY_ROW,
    ONE_MEAN,
    SUMS_KEPT,
    EPSILON_6,
    EPSILON_8,
    EPSILON_12,
    ABSOLUTE,
    NOT_SQUARED,
    NOT_SQUARED_DOUBLE
};
static const char small_epsilon[] = "Your epsilon is smaller than 1e-5. It shows where the numbers "
                                    "of a row are nearly or quite equal.";

static const char not_squared[] = "Your variance is 0, but for rounding. Is the square missing? "
                                  "Without it, x - mean adds up to 0 over a row.";

static const struct Mistake mistakes[] = {
    [UNBIASED] = {"unbiased", "You divide by d - 1 for the variance. Layer norm describes the "
                              "numbers it has and estimates nothing: it divides by d."},
    [NOT_DIVIDED] = {"not-divided", "You do not divide the sum of squares by d: the variance is "
                                    "their mean."},
    [ABOUT_ZERO] = {"about-zero", "Your variance is the mean of x^2. It is that of (x - mean)^2: "
                                  "subtract the mean before you square."},
    [ONE_PASS] = {"one-pass",
                  "Your variance is mean(x^2) - mean^2. Far from 0 these are large and "
                  "nearly the same, and their digits cancel. Sum (x - mean)^2 instead."},
    [NO_ROOT] = {"no-root", "You divide by the variance; it is its square root, the standard "
                            "deviation."},
    [NO_EPSILON] = {"no-epsilon", "You leave out the 1e-5. In a row of equal numbers the variance "
                                  "is 0, and 0/0 is NaN."},
    [EPSILON_OUTSIDE] = {"epsilon-outside",
                         "You add 1e-5 to the root; it is added to the variance, "
                         "under the root."},
    [NOT_CENTERED] = {"not-centered", "You do not subtract the mean in y: it is (x - mean) that is "
                                      "divided by the spread."},
    [STD_KEPT] = {"std-kept", "y is right, but rstd holds sqrt(variance + 1e-5). The r stands for "
                              "reciprocal: 1/sqrt(variance + 1e-5)."},
    [NO_GAMMA] = {"no-gamma", "You do not multiply by gamma."},
    [NO_BETA] = {"no-beta", "You do not add beta."},
    [BETA_FIRST] = {"beta-first",
                    "You add beta before you multiply by gamma; it is gamma times the "
                    "normalised number, and then beta."},
    [BY_ROW] = {"by-row",
                "You index gamma and beta with the row. They have a number for each of the "
                "d places, the same for all rows: gamma[i]."},
    [ONE_MEAN] = {"one-mean", "You take mean and variance over all rows. Each row has its own: a "
                              "token's numbers never depend on another token."},
    [SUMS_KEPT] = {"sums-kept", "Your sums run on from one row to the next: they must begin at 0 "
                                "in each row."},
    [EPSILON_6] = {"epsilon-1e-6", small_epsilon},
    [EPSILON_8] = {"epsilon-1e-8", small_epsilon},
    [EPSILON_12] = {"epsilon-1e-12", small_epsilon},
    [ABSOLUTE] = {"absolute",
                  "Your variance is the mean of |x - mean|; it is that of (x - mean)^2, "
                  "whose root is then the spread."},
    [NOT_SQUARED] = {"not-squared", not_squared},
    [NOT_SQUARED_DOUBLE] = {"not-squared-double", not_squared},
};

static double epsilon(Mistakes m)
{
    return made(m, EPSILON_6)    ? 1e-6
           : made(m, EPSILON_8)  ? 1e-8
           : made(m, EPSILON_12) ? 1e-12
                                 : 1e-5;
}

/* mean(x^2) - mean^2 as float gives it, term by term. */
static double in_one_pass(const float *x, int n)
{
    float sum = 0.0f, squares = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    float mean = sum / (float)n;
    return squares / (float)n - mean * mean;
}

/* mean(x - mean) as float gives it: 0, but for rounding, and next to 1e-5 that is not nothing. */
static double mean_off(const float *x, int n)
{
    float sum = 0.0f, off = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    for (int i = 0; i < n; i++) {
        off += x[i] - sum / (float)n;
    }
    return off / (float)n;
}

/* What a row adds up: kept for the next only by mistake. */
struct Sums {
    double numbers, squares;
};

static double mean_of(struct Sums *sums, const float *x, int n, Mistakes m)
{
    sums->numbers = made(m, SUMS_KEPT) ? sums->numbers : 0.0;
    for (int i = 0; i < n; i++) {
        sums->numbers += x[i];
    }
    return sums->numbers / n;
}

static double variance_of(struct Sums *sums, const float *x, double mean, int n, Mistakes m)
{
    sums->squares = made(m, SUMS_KEPT) ? sums->squares : 0.0;
    for (int i = 0; i < n; i++) {
        double off = x[i] - (made(m, ABOUT_ZERO) ? 0.0 : mean);
        sums->squares += made(m, ABSOLUTE) ? fabs(off) : off * off;
    }
    return made(m, ONE_PASS)             ? in_one_pass(x, n)
           : made(m, NOT_SQUARED)        ? mean_off(x, n)
           : made(m, NOT_SQUARED_DOUBLE) ? 0.0
           : made(m, NOT_DIVIDED)        ? sums->squares
           : made(m, UNBIASED)           ? sums->squares / (n - 1)
                                         : sums->squares / n;
}

static double deviation(double variance, Mistakes m)
{
    return made(m, NO_ROOT)           ? variance + epsilon(m)
           : made(m, NO_EPSILON)      ? sqrt(variance)
           : made(m, EPSILON_OUTSIDE) ? sqrt(variance) + epsilon(m)
                                      : sqrt(variance + epsilon(m));
}

/* A normalised number, scaled and moved. */
static double placed(double x, double gamma, double beta, Mistakes m)
{
    gamma = made(m, NO_GAMMA) ? 1.0 : gamma;
    beta = made(m, NO_BETA) ? 0.0 : beta;
    return made(m, BETA_FIRST) ? (x + beta) * gamma : x * gamma + beta;
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int rows = size(c, "rows"), d = size(c, "d");
    const float *gamma = floats(c, "gamma"), *beta = floats(c, "beta");
    struct Sums sums = {0};
    for (int r = 0; r < rows; r++) {
        const float *x = floats(c, "x") + r * d, *from = made(m, ONE_MEAN) ? x - r * d : x;
        double *y = wanted(want, c, "y") + r * d;
        int n = made(m, ONE_MEAN) ? rows * d : d;
        double mean = mean_of(&sums, from, n, m);
        double std = deviation(variance_of(&sums, from, mean, n, m), m);
        for (int i = 0; i < d; i++) {
            double centered = made(m, NOT_CENTERED) ? x[i] : x[i] - mean;
            int k = made(m, BY_ROW) ? r : i; /* there are no more rows than places */
            y[i] = placed(centered / std, gamma[k], beta[k], m);
        }
        wanted(want, c, "mean")[r] = mean;
        wanted(want, c, "rstd")[r] = made(m, STD_KEPT) ? std : 1.0 / std;
    }
}

const struct Exercise exercise_layernorm = {
    .name = "05-layernorm",
    .lesson = "lesson 05",
    .function = "layernorm",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
    .tolerance = 1e-4, /* for means that are found in another way, far from 0 */
};
