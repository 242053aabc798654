/* gelu is called twice: by the grader on z, and by the learner's mlp. */
#include "tests/graders/exercise.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* Normal values, spread times as large as the standard ones. */
static void fill(struct Rng *rng, float *x, int n, float spread)
{
    draw(rng, x, n);
    for (int i = 0; i < n; i++) {
        x[i] *= spread;
    }
}

static void make(struct Case *c, struct Rng *rng, int rows, int d, int d_hidden, float spread)
{
    int n = 12 + rows;
    case_size(c, "rows", rows);
    case_size(c, "d", d);
    case_size(c, "d_hidden", d_hidden);
    case_size(c, "n", n);
    fill(rng, case_floats(c, IN, "z", "i", n), n, 2.0f * spread);
    fill(rng, case_floats(c, IN, "x", "ri", rows, d), rows * d, spread);
    fill(rng, case_floats(c, IN, "w_up", "ji", d_hidden, d), d_hidden * d, 0.7f);
    fill(rng, case_floats(c, IN, "b_up", "j", d_hidden), d_hidden, 0.7f);
    fill(rng, case_floats(c, IN, "w_down", "ij", d, d_hidden), d * d_hidden, 0.7f);
    fill(rng, case_floats(c, IN, "b_down", "i", d), d, 0.7f);
    case_floats(c, OUT, "gelu(z)", "i", n);
    case_floats(c, OUT, "hidden", "rj", rows, d_hidden);
    case_floats(c, OUT, "y", "ri", rows, d);
}

static void wider(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 4, 9, 1.0f);
}

static void narrower(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, 7, 2, 1.0f);
}

static void one_row(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 5, 6, 1.0f);
}

static void zeros(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 3, 8, 0.0f);
}

static void large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 3, 5, 200.0f);
}

static const struct Check checks[] = {
    {"3 rows, 4 wide outside, 9 inside", wider},
    {"5 rows, 7 wide outside, 2 inside", narrower},
    {"a single row", one_row},
    {"x and z are 0: what comes from the biases", zeros},
    {"values in the hundreds, where GELU is 0 or x", large},
};

enum {
    TANH,
    SIGMOID,
    SILU,
    NO_HALF,
    NO_ROOT,
    ROOT_ABOVE,
    NO_X,
    DENSITY,
    RELU,
    UP_TRANSPOSED,
    DOWN_TRANSPOSED,
    NO_UP_BIAS,
    NO_DOWN_BIAS,
    BIAS_REPEATED,
    NO_GELU,
    GELU_LATE,
    GELU_AGAIN,
    HIDDEN_EARLY,
    RESIDUAL,
    ALIASED,
};
static const struct Mistake mistakes[] = {
    [TANH] = {"tanh", "This is the tanh approximation of GELU. It is a little off, and weights "
                      "trained with one form want the same form: use erff."},
    [SIGMOID] = {"sigmoid",
                 "x * sigmoid(1.702 x) is a coarse approximation of GELU; the exact form "
                 "uses erff."},
    [SILU] = {"silu", "x * sigmoid(x) is SiLU (or Swish), another activation; GELU is x * Phi(x), "
                      "with erff."},
    [NO_HALF] = {"no-half",
                 "You forget the 1/2 of Phi: 1 + erf runs from 0 to 2, a chance from 0 to 1."},
    [NO_ROOT] = {"no-root", "You take erf(x); Phi(x) takes erf(x / sqrt(2)), as the normal "
                            "distribution has x*x/2 in its exponent."},
    [ROOT_ABOVE] = {"root-above", "You multiply x by sqrt(2) inside erf; it is divided."},
    [NO_X] = {"no-x", "Your gelu gives Phi(x), the chance alone; GELU is x times that."},
    [DENSITY] = {"density", "You multiply x by the bell curve, exp(-x*x/2)/sqrt(2 pi). Phi is the "
                            "area under it, up to x."},
    [RELU] = {"relu", "Your gelu is ReLU: it cuts at 0. GELU is round there, and dips below zero."},
    [UP_TRANSPOSED] = {"up-transposed", "You read w_up as if it were (d,d_hidden). A row of it "
                                        "holds what goes into one hidden place: w_up[j*d + i]."},
    [DOWN_TRANSPOSED] = {"down-transposed",
                         "You read w_down as if it were (d_hidden,d). A row of it holds what goes "
                         "into one entry of y: w_down[i*d_hidden + j]."},
    [NO_UP_BIAS] = {"no-up-bias", "You forget b_up, which is added before GELU."},
    [NO_DOWN_BIAS] = {"no-down-bias", "You forget b_down, which is added at the end."},
    [BIAS_REPEATED] = {"bias-repeated",
                       "You add the bias with each term of the sum; it is added once."},
    [NO_GELU] = {"no-gelu", "There is no GELU in your mlp: two matrices with nothing between them "
                            "are no more than one."},
    [GELU_LATE] = {"gelu-late",
                   "You apply GELU after w_down; it belongs between the two matrices."},
    [GELU_AGAIN] = {"gelu-again", "You apply GELU to y as well; it stands between the two matrices "
                                  "only."},
    [HIDDEN_EARLY] = {"hidden-early",
                      "Your hidden holds what goes into GELU; it is to hold what comes out."},
    [RESIDUAL] = {"residual",
                  "You add x to y. The residual path is the block's business; mlp gives "
                  "only what is added to it."},
    [ALIASED] = {"aliased",
                 "Your gelu goes wrong where y is x, as in your mlp: it writes Phi to y[i] and "
                 "then multiplies by x[i], which now is Phi too. Read x[i] first."},
};

static double gelu_of(double x, Mistakes m)
{
    double inside = made(m, NO_ROOT) ? x : made(m, ROOT_ABOVE) ? x * sqrt(2.0) : x / sqrt(2.0);
    double phi = (1.0 + erf(inside)) * (made(m, NO_HALF) ? 1.0 : 0.5);
    return made(m, TANH)      ? x * 0.5 * (1.0 + tanh(sqrt(2.0 / PI) * (x + 0.044715 * x * x * x)))
           : made(m, SIGMOID) ? x / (1.0 + exp(-1.702 * x))
           : made(m, SILU)    ? x / (1.0 + exp(-x))
           : made(m, RELU)    ? fmax(x, 0.0)
           : made(m, DENSITY) ? x * exp(-x * x / 2.0) / sqrt(2.0 * PI)
           : made(m, NO_X)    ? phi
                              : x * phi;
}

/* y[0..n) = W·x[0..k) + bias, with W (n,k). */
static void layer(double *y, const double *x, const float *w, const float *bias, int k, int n,
                  bool transposed, int n_biases)
{
    for (int j = 0; j < n; j++) {
        y[j] = (double)bias[j] * n_biases;
        for (int i = 0; i < k; i++) {
            y[j] += x[i] * w[transposed ? i * n + j : j * k + i];
        }
    }
}

static void expect_row(double *y, double *hidden, const float *x, const struct Case *c, Mistakes m)
{
    int d = size(c, "d"), inside = size(c, "d_hidden");
    double in[d], before[inside], after[inside];
    for (int i = 0; i < d; i++) {
        in[i] = x[i];
    }
    layer(before, in, floats(c, "w_up"), floats(c, "b_up"), d, inside, made(m, UP_TRANSPOSED),
          made(m, NO_UP_BIAS)      ? 0
          : made(m, BIAS_REPEATED) ? d
                                   : 1);
    for (int j = 0; j < inside; j++) {
        bool skipped = made(m, NO_GELU) || made(m, GELU_LATE);
        double phi = gelu_of(before[j], m | 1u << NO_X);
        after[j] = skipped ? before[j] : made(m, ALIASED) ? phi * phi : gelu_of(before[j], m);
        hidden[j] = made(m, HIDDEN_EARLY) ? before[j] : after[j];
    }
    layer(y, after, floats(c, "w_down"), floats(c, "b_down"), inside, d, made(m, DOWN_TRANSPOSED),
          made(m, NO_DOWN_BIAS)    ? 0
          : made(m, BIAS_REPEATED) ? inside
                                   : 1);
    for (int i = 0; i < d; i++) {
        y[i] = made(m, GELU_LATE) || made(m, GELU_AGAIN) ? gelu_of(y[i], m) : y[i];
        y[i] += made(m, RESIDUAL) ? x[i] : 0.0;
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int d = size(c, "d"), inside = size(c, "d_hidden");
    for (int i = 0; i < size(c, "n"); i++) {
        wanted(want, c, "gelu(z)")[i] = gelu_of(floats(c, "z")[i], m);
    }
    for (int r = 0; r < size(c, "rows"); r++) {
        expect_row(wanted(want, c, "y") + r * d, wanted(want, c, "hidden") + r * inside,
                   floats(c, "x") + r * d, c, m);
    }
}

const struct Exercise exercise_gelu_mlp = {
    .name = "07-gelu-mlp",
    .lesson = "lesson 05",
    .function = "gelu mlp",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
