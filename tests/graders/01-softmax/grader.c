#include "tests/graders/exercise.h"

#include <math.h>

/* Scores around level in the first row, around twice level in the second, and so on. One in each is
   higher by gap: in the first row the last, in the second the first, then the second, ... */
static void make(struct Case *c, struct Rng *rng, int rows, int n, float level, float gap)
{
    case_size(c, "rows", rows);
    case_size(c, "n", n);
    float *scores = case_floats(c, IN, "scores", "ri", rows, n);
    case_floats(c, OUT, "weights", "ri", rows, n);
    draw(rng, scores, rows * n);
    for (int i = 0; i < rows * n; i++) {
        scores[i] += level * (float)(i / n + 1) + (i % n == (i / n + n - 1) % n ? gap : 0.0f);
    }
}

static void ordinary(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 5, 0.0f, 0.0f);
}

static void tall(struct Case *c, struct Rng *rng)
{
    make(c, rng, 7, 2, 0.0f, 1.0f);
}

static void one_score(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 1, 0.0f, 0.0f);
}

static void large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 6, 1000.0f, 0.0f);
}

static void very_negative(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 4, -1000.0f, 0.0f);
}

static void far_apart(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 7, -500.0f, 700.0f);
}

static void one_row(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 9, -600.0f, 300.0f);
}

static const struct Check checks[] = {
    {"3 rows of 5", ordinary},
    {"7 rows of 2", tall},
    {"rows of one score", one_score},
    {"scores near 1000 and 2000", large},
    {"scores near -1000, -2000, -3000", very_negative},
    {"one score of each row 700 above the others", far_apart},
    {"one row, near -600, the last near -300", one_row},
};

enum {
    COLUMNS,
    NO_MAXIMUM,
    ONE_MAXIMUM,
    MAXIMUM_KEPT,
    MAXIMUM_ZERO,
    MINIMUM,
    NEGATED,
    BASE_TWO,
    NO_EXP,
    NOT_DIVIDED,
    ONE_SUM,
    UNFINISHED_SUM
};
static const struct Mistake mistakes[] = {
    [COLUMNS] = {"columns",
                 "Your columns add up to 1. Each row is a distribution of its own: its n weights "
                 "add up to 1."},
    [NO_MAXIMUM] = {"no-maximum",
                    "You do not subtract the largest score. In float exp(1000) is infinite and "
                    "exp(-1000) is 0, and neither can be divided by itself: NaN."},
    [ONE_MAXIMUM] = {"one-maximum",
                     "You subtract the largest score of the whole matrix: in a row far below it "
                     "every exp is 0, and 0/0 is NaN. Take the largest of each row."},
    [MAXIMUM_KEPT] = {"maximum-kept",
                      "You keep the largest score from one row to the next: in a later row far "
                      "below it every exp is 0, and 0/0 is NaN. Begin anew in each row."},
    [MAXIMUM_ZERO] = {"maximum-zero",
                      "Your search for the largest score begins at a number, 0 or FLT_MIN perhaps, "
                      "that no score of a negative row exceeds. Begin with the first score of the "
                      "row."},
    [MINIMUM] = {"minimum", "You subtract the smallest score of the row, or the mean. Where the "
                            "largest is far above it exp is infinite; subtract the largest."},
    [NEGATED] = {"negated", "Your exponent has the wrong sign: the largest weight goes to the "
                            "smallest score. It is the score minus the largest score."},
    [BASE_TWO] = {"base-two",
                  "You raise 2 to the power of the score; softmax takes e: expf, not exp2f."},
    [NO_EXP] = {"no-exp",
                "You leave out the exponential: differences of scores over their sum. A weight "
                "is exp of the difference, over the sum of these."},
    [NOT_DIVIDED] = {"not-divided",
                     "You do not divide by the sum: the weights of a row must add up to 1."},
    [ONE_SUM] = {"one-sum", "Your sum runs on from one row to the next: it must begin at 0 in "
                            "each row."},
    [UNFINISHED_SUM] = {"unfinished-sum",
                        "You divide while you are still adding up: each weight needs the sum of "
                        "the whole row, so divide in a loop of its own."},
};

/* Entry i of row r is x[r * across + i * along]. */
struct Shape {
    int rows, n, across, along;
};

/* What row r subtracts: the largest of its scores. */
static double largest(const float *scores, struct Shape s, int r, Mistakes m)
{
    int from = made(m, ONE_MAXIMUM) || made(m, MAXIMUM_KEPT) ? 0 : r;
    int to = made(m, ONE_MAXIMUM) ? s.rows : r + 1;
    double found = made(m, MAXIMUM_ZERO) ? 0.0 : scores[from * s.across];
    for (int k = from * s.n; k < to * s.n; k++) {
        double score = scores[k / s.n * s.across + k % s.n * s.along];
        found = made(m, MINIMUM) ? fmin(found, score) : fmax(found, score);
    }
    return made(m, NO_MAXIMUM) ? 0.0 : found;
}

/* In the range of float, where exp(1000) is infinite and exp(-1000) is 0. */
static double power(double x, Mistakes m)
{
    x = made(m, NEGATED) ? -x : x;
    return made(m, NO_EXP) ? x : (float)(made(m, BASE_TWO) ? exp2(x) : exp(x));
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int rows = size(c, "rows"), n = size(c, "n");
    struct Shape s =
        made(m, COLUMNS) ? (struct Shape){n, rows, 1, n} : (struct Shape){rows, n, n, 1};
    double sum = 0.0;
    for (int r = 0; r < s.rows; r++) {
        const float *scores = floats(c, "scores");
        double *w = wanted(want, c, "weights") + r * s.across;
        double max = largest(scores, s, r, m);
        sum = made(m, ONE_SUM) ? sum : 0.0;
        for (int i = 0; i < s.n; i++) {
            double e = power(scores[r * s.across + i * s.along] - max, m);
            sum += e;
            w[i * s.along] = made(m, UNFINISHED_SUM) ? e / sum : e;
        }
        for (int i = 0; i < s.n && !made(m, UNFINISHED_SUM) && !made(m, NOT_DIVIDED); i++) {
            w[i * s.along] /= sum;
        }
    }
}

const struct Exercise exercise_softmax = {
    .name = "01-softmax",
    .lesson = "lesson 01",
    .function = "softmax",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
