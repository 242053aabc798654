#include "tests/graders/exercise.h"

#include <math.h>

/* What the forward pass leaves for the backward pass. */
static void find_moments(float *mean, float *rstd, const float *x, int d)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < d; i++) {
        sum += x[i];
    }
    for (int i = 0; i < d; i++) {
        squares += (x[i] - sum / d) * (x[i] - sum / d);
    }
    *mean = (float)(sum / d);
    *rstd = (float)(1.0 / sqrt(squares / d + 1e-5));
}

/* The first n_flat rows consist of equal numbers. */
static void make(struct Case *c, struct Rng *rng, int rows, int d, float offset, int n_flat)
{
    case_size(c, "rows", rows);
    case_size(c, "d", d);
    float *x = case_floats(c, IN, "x", "ri", rows, d);
    float *mean = case_floats(c, IN, "mean", "r", rows);
    float *rstd = case_floats(c, IN, "rstd", "r", rows);
    draw(rng, x, rows * d);
    for (int i = 0; i < rows * d; i++) {
        x[i] = i / d < n_flat ? (float)(i / d) + 0.5f : x[i] * (1.0f + (float)(i / d)) + offset;
    }
    for (int r = 0; r < rows; r++) {
        find_moments(&mean[r], &rstd[r], x + r * d, d);
    }
    draw(rng, case_floats(c, IN, "gamma", "i", d), d);
    draw(rng, case_floats(c, IN, "d_y", "ri", rows, d), rows * d);
    draw(rng, case_floats(c, BOTH, "d_beta", "i", d), d);
    draw(rng, case_floats(c, BOTH, "d_gamma", "i", d), d);
    draw(rng, case_floats(c, BOTH, "d_x", "ri", rows, d), rows * d);
}

static void ordinary(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 5, 0.0f, 0);
}

static void tall(struct Case *c, struct Rng *rng)
{
    make(c, rng, 8, 3, 1.0f, 0);
}

static void one_row(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 7, -1.0f, 0);
}

static void far(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 6, 100.0f, 0);
}

static void flat(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 4, 0.0f, 2);
}

static void one_entry(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, 1, 0.0f, 0);
}

static const struct Check checks[] = {
    {"3 rows of 5", ordinary},           {"8 rows of 3", tall},
    {"a single row", one_row},           {"rows around 100", far},
    {"two rows of equal numbers", flat}, {"rows of one entry: d_x stays as it was", one_entry},
};

enum {
    NO_MEAN_G,
    NO_MEAN_GX,
    CONSTANT,
    NO_GAMMA,
    GAMMA_LATE,
    G_IN_GAMMA,
    G_IN_BOTH,
    RAW_X,
    UNSCALED_X,
    NO_RSTD,
    RSTD_INVERTED,
    PLUS,
    NOT_MEANS,
    BY_ROWS,
    BY_D_MINUS_ONE,
    CARRIED,
    CLEARED,
    LAST_ROW,
    X_OVERWRITTEN,
    FLIPPED,
    XHAT_DIVIDED,
    INNER_DIVIDED,
    X_FOR_XHAT,
    GAMMA_TWICE,
};
static const struct Mistake mistakes[] = {
    [NO_MEAN_G] = {"no-mean-g",
                   "You leave out the mean of g in d_x: each x also moves the mean, which is taken "
                   "from all entries of its row."},
    [NO_MEAN_GX] = {"no-mean-gx",
                    "You leave out xhat times the mean of g*xhat in d_x: each x also moves the "
                    "spread that its row is divided by."},
    [CONSTANT] = {"constant",
                  "Your d_x treats mean and rstd as constants. Both depend on x: subtract mean(g) "
                  "and xhat * mean(g*xhat)."},
    [NO_GAMMA] = {"no-gamma", "You leave out gamma on the way to d_x: g is d_y * gamma, as y is "
                              "gamma times xhat."},
    [GAMMA_LATE] = {"gamma-late", "You multiply by gamma after the means are subtracted. gamma "
                                  "differs from entry to entry, so it belongs into g, inside the "
                                  "means."},
    [G_IN_GAMMA] = {"g-in-gamma",
                    "Your d_gamma collects d_y * gamma * xhat. The slope of "
                    "gamma*xhat + beta along gamma is xhat: gamma itself is not in it."},
    [G_IN_BOTH] = {"g-in-both", "Your d_gamma and d_beta collect g = d_y * gamma. They collect d_y "
                                "itself: gamma*xhat + beta has the slopes xhat and 1."},
    [RAW_X] = {"raw-x",
               "Your d_gamma collects d_y * x; gamma was multiplied by xhat, the normalised x."},
    [UNSCALED_X] = {"unscaled-x", "Your xhat is x - mean, without rstd: gamma was multiplied by "
                                  "(x - mean) * rstd."},
    [NO_RSTD] = {"no-rstd", "What you add to d_x is not multiplied by rstd: the forward pass "
                            "multiplies x by it, so the slope has it too."},
    [RSTD_INVERTED] = {"rstd-inverted",
                       "You divide by rstd; it already is 1/sqrt(variance + 1e-5). Multiply."},
    [PLUS] = {"plus", "You add xhat * mean(g*xhat) in d_x; it is subtracted."},
    [NOT_MEANS] = {"not-means",
                   "You subtract the sums of g and of g*xhat. They are means: divide by d."},
    [BY_ROWS] = {"by-rows", "You divide the sums over a row by the number of rows; a row has d "
                            "entries."},
    [BY_D_MINUS_ONE] = {"by-d-1", "You divide the sums of g and of g*xhat by d - 1; they are means "
                                  "over d entries, as in the forward pass."},
    [CARRIED] = {"carried", "Your sums of g and g*xhat go on from row to row. Each row is by "
                            "itself: begin at 0 in each."},
    [CLEARED] = {"cleared",
                 "You overwrite d_gamma and d_beta. Add to what they hold: the gradients "
                 "of several calls accumulate."},
    [LAST_ROW] = {"last-row", "Your d_gamma and d_beta hold the last row only: = in the loop over "
                              "rows, where it should be +=."},
    [X_OVERWRITTEN] = {"x-overwritten", "You overwrite d_x. Add to it: it may hold what came back "
                                        "on another path, past the norm."},
    [FLIPPED] = {"flipped", "Your xhat has the wrong sign (mean - x for x - mean?): d_x does not "
                            "notice, d_gamma does."},
    [XHAT_DIVIDED] = {"xhat-divided", "You divide by rstd in xhat; rstd already is "
                                      "1/sqrt(variance + 1e-5). Multiply."},
    [INNER_DIVIDED] = {"inner-divided",
                       "You divide what you add to d_x by rstd; the forward pass "
                       "multiplies x by rstd, so the slope has it as a factor too."},
    [X_FOR_XHAT] = {"x-for-xhat",
                    "You take x for xhat, in d_x and in d_gamma. gamma was multiplied by "
                    "the normalised x, (x - mean) * rstd."},
    [GAMMA_TWICE] = {"gamma-twice", "d_x has gamma twice: it is in g already, and the whole is not "
                                    "multiplied by it again."},
};

static double x_hat(const struct Case *c, int r, int i, Mistakes m)
{
    double centred = (double)floats(c, "x")[r * size(c, "d") + i] - floats(c, "mean")[r];
    double rstd = floats(c, "rstd")[r];
    if (made(m, X_FOR_XHAT)) {
        return floats(c, "x")[r * size(c, "d") + i];
    }
    return (made(m, FLIPPED) ? -centred : centred) *
           (made(m, UNSCALED_X)                               ? 1.0
            : made(m, RSTD_INVERTED) || made(m, XHAT_DIVIDED) ? 1.0 / rstd
                                                              : rstd);
}

/* The means of g and of g·xhat. */
struct Means {
    double g, gx;
};

static struct Means means_of(const struct Case *c, int r, Mistakes m)
{
    int rows = size(c, "rows"), d = size(c, "d");
    const float *d_y = floats(c, "d_y"), *gamma = floats(c, "gamma");
    struct Means means = {0};
    for (int i = made(m, CARRIED) ? 0 : r * d; i < (r + 1) * d; i++) {
        double g = d_y[i] * (made(m, NO_GAMMA) || made(m, GAMMA_LATE) ? 1.0 : gamma[i % d]);
        means.g += g;
        means.gx += g * x_hat(c, i / d, i % d, m);
    }
    double divisor = made(m, NOT_MEANS)        ? 1.0
                     : made(m, BY_ROWS)        ? rows
                     : made(m, BY_D_MINUS_ONE) ? d - 1
                                               : d;
    means.g = made(m, NO_MEAN_G) || made(m, CONSTANT) ? 0.0 : means.g / divisor;
    means.gx = made(m, NO_MEAN_GX) || made(m, CONSTANT) ? 0.0 : means.gx / divisor;
    return means;
}

static void row_of_d_x(double *d_x, const struct Case *c, int r, Mistakes m)
{
    const float *d_y = floats(c, "d_y") + r * size(c, "d"), *gamma = floats(c, "gamma");
    double rstd = floats(c, "rstd")[r];
    double scale = made(m, NO_RSTD)                                   ? 1.0
                   : made(m, RSTD_INVERTED) || made(m, INNER_DIVIDED) ? 1.0 / rstd
                                                                      : rstd;
    struct Means means = means_of(c, r, m);
    for (int i = 0; i < size(c, "d"); i++) {
        double g = d_y[i] * (made(m, NO_GAMMA) || made(m, GAMMA_LATE) ? 1.0 : gamma[i]);
        double along = x_hat(c, r, i, m) * means.gx;
        double inner = g - means.g - (made(m, PLUS) ? -along : along);
        inner *= made(m, GAMMA_LATE) || made(m, GAMMA_TWICE) ? gamma[i] : 1.0;
        d_x[i] = (made(m, X_OVERWRITTEN) ? 0.0 : d_x[i]) + scale * inner;
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int rows = size(c, "rows"), d = size(c, "d");
    double *d_gamma = wanted(want, c, "d_gamma"), *d_beta = wanted(want, c, "d_beta");
    const float *d_y = floats(c, "d_y"), *x = floats(c, "x"), *gamma = floats(c, "gamma");
    for (int r = 0; r < rows; r++) {
        row_of_d_x(wanted(want, c, "d_x") + r * d, c, r, m);
        for (int i = 0; i < d; i++) {
            bool afresh = made(m, LAST_ROW) || (made(m, CLEARED) && r == 0);
            double times = made(m, RAW_X) ? x[r * d + i] : x_hat(c, r, i, m);
            double along = d_y[r * d + i], g = along * gamma[i];
            times *= made(m, G_IN_GAMMA) || made(m, G_IN_BOTH) ? g : along;
            d_gamma[i] = (afresh ? 0.0 : d_gamma[i]) + times;
            d_beta[i] = (afresh ? 0.0 : d_beta[i]) + (made(m, G_IN_BOTH) ? g : along);
        }
    }
}

const struct Exercise exercise_layernorm_backward = {
    .name = "06-layernorm-backward",
    .lesson = "lessons 05 and 07",
    .function = "layernorm_backward",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
