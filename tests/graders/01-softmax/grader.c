#include "tests/graders/exercise.h"

#include <math.h>

static void make(struct Case *c, struct Rng *rng, int rows, int n, float spread, float apart)
{
    case_size(c, "rows", rows);
    case_size(c, "n", n);
    float *scores = case_floats(c, IN, "scores", "ri", rows, n);
    case_floats(c, OUT, "weights", "ri", rows, n);
    draw(rng, scores, rows * n);
    for (int i = 0; i < rows * n; i++) {
        scores[i] = spread * scores[i] + apart * (float)(i / n + 1);
    }
}

static void ordinary(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 5, 1.0f, 0.0f);
}

static void tall(struct Case *c, struct Rng *rng)
{
    make(c, rng, 7, 2, 2.0f, 0.0f);
}

static void one_score(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 1, 1.0f, 0.0f);
}

static void large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 6, 1.0f, 1000.0f);
}

static void very_negative(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 4, 1.0f, -1000.0f);
}

static void spread_out(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 8, 40.0f, 0.0f);
}

static const struct Check checks[] = {
    {"3 rows of 5", ordinary},
    {"7 rows of 2", tall},
    {"rows of one score", one_score},
    {"scores near 1000 and 2000", large},
    {"scores near -1000", very_negative},
    {"scores far apart", spread_out},
};

enum { COLUMNS, NO_MAXIMUM, ONE_MAXIMUM, BASE_TWO, NOT_DIVIDED, ONE_SUM };
static const struct Mistake mistakes[] = {
    [COLUMNS] = {"columns",
                 "You divide by the sum of the column. Each row is a distribution of its "
                 "own: its n weights add up to 1."},
    [NO_MAXIMUM] = {"no-maximum", "You do not subtract the largest score: exp(1000) is infinite in "
                                  "float, and infinite divided by infinite is NaN."},
    [ONE_MAXIMUM] = {"one-maximum",
                     "You subtract the largest score of the whole matrix: in a row "
                     "far below it every exp is 0, and 0/0 is NaN. Take the largest of each row."},
    [BASE_TWO] = {"base-two",
                  "You raise 2 to the power of the score; softmax takes e: expf, not exp2f."},
    [NOT_DIVIDED] = {"not-divided",
                     "You do not divide by the sum: the weights of a row must add up to 1."},
    [ONE_SUM] = {"one-sum",
                 "You divide by the sum over all rows: the sum must begin at 0 in each row."},
};

/* One weight, before it is divided. */
static double power(const float *scores, int rows, int n, int r, int i, Mistakes m)
{
    double max = -INFINITY;
    for (int j = 0; j < n; j++) {
        max = fmax(max, scores[r * n + j]);
    }
    for (int j = 0; made(m, ONE_MAXIMUM) && j < rows * n; j++) {
        max = fmax(max, scores[j]);
    }
    for (int j = 0; made(m, COLUMNS) && j < rows; j++) {
        max = j == 0 ? scores[i] : fmax(max, scores[j * n + i]);
    }
    double x = scores[r * n + i] - (made(m, NO_MAXIMUM) ? 0.0 : max);
    return (float)(made(m, BASE_TWO) ? exp2(x) : exp(x));
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    const float *scores = floats(c, "scores");
    double *weights = wanted(want, c, "weights");
    int rows = size(c, "rows"), n = size(c, "n");
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            if (made(m, COLUMNS)) {
                for (int j = 0; j < rows; j++) {
                    sum += power(scores, rows, n, j, i, m);
                }
            } else {
                for (int k = made(m, ONE_SUM) ? 0 : r; k <= r; k++) {
                    for (int j = 0; j < n; j++) {
                        sum += power(scores, rows, n, k, j, m);
                    }
                }
            }
            weights[r * n + i] =
                power(scores, rows, n, r, i, m) / (made(m, NOT_DIVIDED) ? 1.0 : sum);
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
