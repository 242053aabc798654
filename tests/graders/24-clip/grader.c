#include "tests/graders/exercise.h"

#include <math.h>

#include "tests/graders/24-clip/tensors.h"

/* Tensors of these sizes, with entries of spread[t] before all of them are made so long together.
   Lengths stay away from the limit, so that PyTorch's norm + 1e-6 passes too. */
static void make(struct Case *c, struct Rng *rng, int n, const int *sizes, const double *spread,
                 double norm, double longest)
{
    double sum = 0.0;
    case_size(c, "tensors", n);
    case_size(c, "longest", longest);
    int32_t *told = case_integers(c, IN, "sizes", "t", n);
    case_floats(c, OUT, "norm", "n", 1);
    for (int t = 0; t < n; t++) {
        float *g = case_floats(c, BOTH, tensor_name(t), "i", sizes[t]);
        told[t] = sizes[t];
        draw(rng, g, sizes[t]);
        for (int i = 0; i < sizes[t]; i++) {
            g[i] *= (float)spread[t];
            sum += (double)g[i] * (double)g[i];
        }
    }
    for (int t = 0; t < n; t++) {
        for (int i = 0; i < sizes[t]; i++) {
            floats(c, tensor_name(t))[i] *= (float)(norm / sqrt(sum));
        }
    }
}

static const double even[MOST_TENSORS] = {1.0, 1.0, 1.0, 1.0, 1.0};

static void too_long(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, (int[]){4, 7, 5}, even, 8.0, 1.5);
}

static void short_enough(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, (int[]){3, 6, 4}, even, 0.5, 3.0);
}

static void nearly(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, (int[]){2, 5, 3, 4}, even, 3.0, 4.0);
}

static void below_one(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, (int[]){3, 4, 3, 6}, even, 0.4, 0.25);
}

static void one_is_long(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, (int[]){4, 5, 6}, (double[]){0.2, 5.0, 0.3}, 10.0, 2.0);
}

static void many_small(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, (int[]){20, 30, 25, 40}, even, 4.0, 1.8);
}

static void one_entry(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, (int[]){1, 1, 1, 1, 1}, even, 6.0, 2.5);
}

static void alone(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, (int[]){9}, even, 5.0, 3.0);
}

static void zeros(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, (int[]){3, 4}, even, 0.0, 1.0);
}

static const struct Check checks[] = {
    {"too long", too_long},
    {"short enough", short_enough},
    {"nearly as long as it may be", nearly},
    {"a limit below 1", below_one},
    {"one tensor is long, the others are not", one_is_long},
    {"many entries, all of them small", many_small},
    {"tensors of one entry", one_entry},
    {"one tensor", alone},
    {"all zeros", zeros},
};

enum {
    EACH,
    RUNNING,
    BY_VALUE,
    NO_ROOT,
    SQUARED_LIMIT,
    ALWAYS,
    UNIT,
    TIMES_LIMIT,
    INVERTED,
    ZEROED,
    SHORT_CLIPPED,
    LARGEST,
    L1,
    MEAN,
    NORMS_SUMMED,
    LONGEST_TENSOR,
    FIRST_TENSOR,
    LAST_TENSOR,
    ONE_SCALED,
    FIRST_SIZE,
    UNCHANGED,
    NORM_AFTER,
    SQUARE_RETURNED
};

static const struct Mistake mistakes[] = {
    [EACH] = {"each", "You clip each tensor by its own length, which turns the gradient; all of "
                      "them should be multiplied by one factor, found from all of them."},
    [RUNNING] = {"running", "You multiply a tensor before you have seen those behind it; the norm "
                            "should be of all tensors before the first is changed."},
    [BY_VALUE] = {"by-value", "You cut every entry at longest, which turns the gradient; it should "
                              "be multiplied as a whole, which keeps its direction."},
    [NO_ROOT] = {"no-root", "You take the sum of squares for the length; it is the root of it."},
    [SQUARED_LIMIT] = {"squared-limit",
                       "You compare the sum of squares with longest; its root should be compared."},
    [ALWAYS] = {"always",
                "You make a short gradient longer; what is not longer than longest should "
                "stay as it is."},
    [UNIT] = {"unit",
              "You divide by the norm alone, so that the length becomes 1; it should become "
              "longest: multiply by longest/norm."},
    [TIMES_LIMIT] = {"times-limit", "You multiply by longest; it should be by longest/norm."},
    [INVERTED] = {"inverted", "You multiply by norm/longest, which makes a long gradient longer; "
                              "it should be longest/norm."},
    [ZEROED] = {"zeroed",
                "Where it is too long your gradient becomes 0 (a factor that is an int does "
                "that, too). Its direction is good: it should be made shorter and kept."},
    [SHORT_CLIPPED] = {"short-clipped",
                       "You multiply where the norm is below longest and leave alone "
                       "what is above; it should be the other way round."},
    [LARGEST] = {"largest", "Your norm is the largest entry; it should be the root of the sum of "
                            "all squares."},
    [L1] = {"l1", "Your norm is the sum of the absolute values; it should be the root of the sum "
                  "of squares."},
    [MEAN] = {"mean", "You take the mean of the squares; it should be their sum, or a larger model "
                      "would be allowed a longer gradient."},
    [NORMS_SUMMED] = {"norms-summed", "You add up the lengths of the tensors; their squares should "
                                      "be added, and the root taken once, at the end."},
    [LONGEST_TENSOR] = {"longest-tensor",
                        "Your norm is that of the longest tensor; it should be that of all of them "
                        "together: the root of the sum of all squares."},
    [FIRST_TENSOR] = {"first-tensor", "Your norm is that of the first tensor alone; it should take "
                                      "in all of them."},
    [LAST_TENSOR] = {"last-tensor", "Your norm is that of the last tensor: the sum begins anew "
                                    "with each; it should begin once, before the loop."},
    [ONE_SCALED] = {"one-scaled", "You multiply the first tensor only; the others should be "
                                  "multiplied by the same factor."},
    [FIRST_SIZE] = {"first-size", "You take sizes[0] for the size of every tensor; tensor t has "
                                  "sizes[t] entries."},
    [UNCHANGED] = {"unchanged", "You never change the gradient: above longest it should be "
                                "multiplied by longest/norm."},
    [NORM_AFTER] = {"norm-after", "You return the length that the gradient has afterwards; it "
                                  "should be the one from before, which is worth a look."},
    [SQUARE_RETURNED] = {"square-returned",
                         "You return the sum of squares; it should be its root, the norm."},
};

/* How many entries of tensor t are looked at. */
static int entries(const struct Case *c, int t, Mistakes m)
{
    return integers(c, "sizes")[made(m, FIRST_SIZE) ? 0 : t];
}

/* What tensor t adds to the norm of all. */
static double share(const struct Case *c, int t, Mistakes m)
{
    const float *g = floats(c, tensor_name(t));
    double sum = 0.0;
    for (int i = 0; i < entries(c, t, m); i++) {
        double x = fabs((double)g[i]);
        sum = made(m, LARGEST) ? fmax(sum, x) : sum + (made(m, L1) ? x : x * x);
    }
    return made(m, NORMS_SUMMED) ? sqrt(sum) : sum;
}

/* The norm of the tensors from first to end - 1. */
static double norm_of(const struct Case *c, int first, int end, Mistakes m)
{
    double sum = 0.0, count = 0.0;
    for (int t = first; t < end; t++) {
        bool most = made(m, LARGEST) || made(m, LONGEST_TENSOR);
        sum = most ? fmax(sum, share(c, t, m)) : sum + share(c, t, m);
        count += entries(c, t, m);
    }
    sum /= made(m, MEAN) ? count : 1.0;
    bool is_root = made(m, LARGEST) || made(m, L1) || made(m, NORMS_SUMMED) || made(m, NO_ROOT);
    return is_root ? sum : sqrt(sum);
}

static double factor_of(double norm, double longest, Mistakes m)
{
    double compared = made(m, SQUARED_LIMIT) ? norm * norm : norm;
    bool too_long = made(m, SHORT_CLIPPED) ? compared < longest : compared > longest;
    if (made(m, UNCHANGED) || (!made(m, ALWAYS) && !too_long)) {
        return 1.0;
    }
    return made(m, UNIT)          ? 1.0 / norm
           : made(m, TIMES_LIMIT) ? longest
           : made(m, INVERTED)    ? norm / longest
           : made(m, ZEROED)      ? 0.0
                                  : longest / norm;
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int n = size(c, "tensors");
    double longest = (float)number(c, "longest");
    double all = norm_of(c, made(m, LAST_TENSOR) ? n - 1 : 0, made(m, FIRST_TENSOR) ? 1 : n, m);
    for (int t = 0; t < n; t++) {
        double *g = wanted(want, c, tensor_name(t));
        double norm = made(m, EACH)      ? norm_of(c, t, t + 1, m)
                      : made(m, RUNNING) ? norm_of(c, 0, t + 1, m)
                                         : all;
        double factor = made(m, ONE_SCALED) && t > 0 ? 1.0 : factor_of(norm, longest, m);
        for (int i = 0; i < entries(c, t, m); i++) {
            g[i] = made(m, BY_VALUE) ? fmax(-longest, fmin(longest, g[i])) : g[i] * factor;
        }
    }
    double after = made(m, NORM_AFTER) ? factor_of(all, longest, m) : 1.0;
    wanted(want, c, "norm")[0] = made(m, SQUARE_RETURNED) ? all * all : all * after;
}

const struct Exercise exercise_clip = {
    .name = "24-clip",
    .lesson = "lesson 13",
    .function = "clip_gradient",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
