/* What overflows in float is computed in float here, and a loss that is not finite is expected as
   NaN: which kind it is depends on how it was written. */
#include "tests/graders/exercise.h"

#include <math.h>

#include "exercises/09-cross-entropy/answer.h"

/* Row r lies around apart * (r + 1); of its logits the one after the target is above more than the
   others. Every row counts but those whose bit in ignored is set. The first row that counts has
   class 0 as its target, the others have other classes. */
static void make(struct Case *c, struct Rng *rng, int rows, int vocab, unsigned ignored,
                 float apart, float above)
{
    case_size(c, "rows", rows);
    case_size(c, "vocab", vocab);
    float *logits = case_floats(c, IN, "logits", "rv", rows, vocab);
    int *targets = case_integers(c, IN, "targets", "r", rows);
    bool first = true;
    draw(rng, logits, rows * vocab);
    for (int r = 0; r < rows; r++) {
        bool counts = (ignored >> r & 1) == 0;
        int target = first && counts ? 0 : 1 + rng_below(rng, vocab - 1);
        for (int v = 0; v < vocab; v++) {
            logits[r * vocab + v] += apart * (float)(r + 1);
        }
        logits[r * vocab + (target + 1) % vocab] += above;
        targets[r] = counts ? target : IGNORE;
        first = first && !counts;
    }
    case_floats(c, OUT, "loss", "");
    case_floats(c, OUT, "d_logits", "rv", rows, vocab);
}

enum { EVERY = ~0 };

static void some_ignored(struct Case *c, struct Rng *rng)
{
    make(c, rng, 7, 4, 1u << 0 | 1u << 4, 0.0f, 0.0f);
}

static void none_ignored(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 5, 0, -1000.0f, 0.0f);
}

static void all_ignored(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 3, (unsigned)EVERY, 0.0f, 0.0f);
}

static void one_ignored(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 6, (unsigned)EVERY, 0.0f, 0.0f);
}

static void large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 5, 1u << 3, 1000.0f, 0.0f);
}

static void sure_and_wrong(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, 2, 1u << 1, 0.0f, 1000.0f);
}

static void far_below(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 6, 1u << 2, -1000.0f, 1000.0f);
}

static const struct Check checks[] = {
    {"7 rows, 2 of which do not count", some_ignored},
    {"every row counts, logits near -1000, -2000, ...", none_ignored},
    {"no row counts: all is 0", all_ignored},
    {"a single row, which does not count", one_ignored},
    {"logits near 1000, 2000, ...", large},
    {"two classes, the wrong one 1000 above the target", sure_and_wrong},
    {"logits near -1000, -2000, ..., the target far below another", far_below},
};

enum {
    LOSS_BY_ROWS,
    GRADIENT_BY_ROWS,
    LOSS_SUM,
    GRADIENT_UNDIVIDED,
    BY_ROWS,
    BY_ENTRIES,
    CLASS_ZERO,
    IGNORED_UNWRITTEN,
    IGNORED_PUSHED,
    NONE_COUNTS,
    BITS,
    NO_MAXIMUM,
    ONE_MAXIMUM,
    MAXIMUM_FROM_ZERO,
    MAXIMUM_LEFT,
    SUM_CARRIED,
    LOG_OF_ZERO,
    NO_ONEHOT,
    OF_PROBABILITIES,
    GRADIENT_SIGN,
    LOSS_SIGN,
    FIRST_LOGIT,
};
static const struct Mistake mistakes[] = {
    [LOSS_BY_ROWS] = {"loss-by-rows",
                      "You divide the loss by the number of all rows; divide by the "
                      "number of those that count."},
    [GRADIENT_BY_ROWS] = {"gradient-by-rows",
                          "You divide the gradient by the number of all rows; the loss is a mean "
                          "over those that count, and so is its gradient."},
    [LOSS_SUM] = {"loss-sum", "Your loss is the sum over the rows; it is their mean: divide by the "
                              "number of rows that count."},
    [GRADIENT_UNDIVIDED] = {"gradient-undivided",
                            "You do not divide the gradient. The loss is a mean, so each row has "
                            "1/count of the say."},
    [BY_ROWS] = {"by-rows", "You divide by the number of all rows; divide by the number of those "
                            "that count."},
    [BY_ENTRIES] = {"by-entries",
                    "You divide the gradient by vocab as well; the mean is taken over "
                    "rows, not over logits."},
    [CLASS_ZERO] = {"class-zero", "You leave out rows whose target is class 0. It is a class like "
                                  "any other; only IGNORE, -100, does not count."},
    [IGNORED_UNWRITTEN] = {"ignored-unwritten",
                           "You never write the gradient of the rows that do not count (d_logits "
                           "starts as NaN); it is 0."},
    [IGNORED_PUSHED] = {"ignored-pushed",
                        "Rows that do not count get a gradient, p/count. No loss depends on them: "
                        "theirs is 0."},
    [NONE_COUNTS] = {"none-counts", "Where no row counts, your loss is 0/0, which is NaN; it is to "
                                    "be 0."},
    [BITS] = {"bits", "You take the logarithm to base 2; use logf, so that the gradient is p - 1 "
                      "without a factor."},
    [NO_MAXIMUM] = {"no-maximum",
                    "You do not subtract the largest logit of the row: exp(1000) is "
                    "infinite in float, exp(-1000) is 0, and both spoil the division."},
    [ONE_MAXIMUM] = {"one-maximum", "You subtract the largest logit of the whole matrix. In a row "
                                    "far below it every exp is 0: take the largest of each row."},
    [MAXIMUM_FROM_ZERO] = {"maximum-from-0",
                           "Your search for the largest logit begins at 0. In a row of negative "
                           "logits nothing is larger: begin with the first."},
    [MAXIMUM_LEFT] = {"maximum-left", "You subtract the largest logit inside exp, but not from the "
                                      "target's logit: the loss is too small by it."},
    [SUM_CARRIED] = {"sum-carried",
                     "Your sum of exp goes on from row to row. Each row is by itself: "
                     "begin at 0 in each."},
    [LOG_OF_ZERO] = {"log-of-zero",
                     "You take the log of a probability that float rounded to 0. Use "
                     "log(sum) - (s[target] - m), which never divides."},
    [NO_ONEHOT] = {"no-onehot",
                   "You forget to subtract 1 at the target: the gradient is p minus the right "
                   "answer, and so adds up to 0 in each row."},
    [OF_PROBABILITIES] = {"of-probabilities",
                          "Your gradient is -1/p at the target: that of the probabilities. It has "
                          "to go on through the softmax to the logits: p - 1 there, p elsewhere."},
    [GRADIENT_SIGN] = {"gradient-sign",
                       "Your gradient has the wrong sign. It points to where the loss grows: up at "
                       "the wrong classes, down at the target."},
    [LOSS_SIGN] = {"loss-sign",
                   "Your loss has the wrong sign: log p is never positive, the loss is "
                   "-log p."},
    [FIRST_LOGIT] = {"first-logit",
                     "You subtract the first logit of the row, not its largest: where "
                     "another is far above it, exp is infinite in float."},
};

static bool counts(int target, Mistakes m)
{
    return made(m, CLASS_ZERO) ? target > 0 : target != IGNORE;
}

static int counted(const struct Case *c, Mistakes m)
{
    int count = 0;
    for (int r = 0; r < size(c, "rows"); r++) {
        count += counts(integers(c, "targets")[r], m);
    }
    return count;
}

static double subtracted(const struct Case *c, int r, Mistakes m)
{
    int rows = size(c, "rows"), vocab = size(c, "vocab");
    double max = -INFINITY;
    for (int i = 0; i < rows * vocab; i++) {
        bool seen = i / vocab == r || made(m, ONE_MAXIMUM);
        max = seen ? fmax(max, floats(c, "logits")[i]) : max;
    }
    if (made(m, FIRST_LOGIT)) {
        return floats(c, "logits")[r * vocab];
    }
    return made(m, NO_MAXIMUM) || (made(m, MAXIMUM_FROM_ZERO) && max < 0.0) ? 0.0 : max;
}

/* exp of each logit of row r, and their sum. */
static double powers(double *p, const struct Case *c, int r, Mistakes m)
{
    int vocab = size(c, "vocab");
    double max = subtracted(c, r, m), sum = 0.0;
    for (int v = 0; v < vocab; v++) {
        sum += p[v] = (float)exp(floats(c, "logits")[r * vocab + v] - max);
    }
    return sum;
}

/* p (vocab) of row r; the logarithm of what it was divided by. */
static double softmax(double *p, const struct Case *c, int r, Mistakes m)
{
    double sum = 0.0;
    for (int earlier = made(m, SUM_CARRIED) ? 0 : r; earlier < r; earlier++) {
        sum += counts(integers(c, "targets")[earlier], m) ? powers(p, c, earlier, m) : 0.0;
    }
    sum += powers(p, c, r, m);
    for (int v = 0; v < size(c, "vocab"); v++) {
        p[v] /= sum;
    }
    return log(sum);
}

static double row_loss(const double *p, double log_sum, const struct Case *c, int r, Mistakes m)
{
    int target = integers(c, "targets")[r];
    double max = made(m, MAXIMUM_LEFT) ? 0.0 : subtracted(c, r, m);
    double loss = log_sum - (floats(c, "logits")[r * size(c, "vocab") + target] - max);
    loss = made(m, LOG_OF_ZERO) && (float)p[target] == 0.0f ? NAN : loss;
    loss = made(m, BITS) ? loss / log(2.0) : loss;
    return isfinite(loss) ? made(m, LOSS_SIGN) ? -loss : loss : NAN;
}

static void row_gradient(double *d, const double *p, const struct Case *c, int r, Mistakes m)
{
    int vocab = size(c, "vocab"), target = integers(c, "targets")[r], count = counted(c, m);
    double divisor = made(m, GRADIENT_UNDIVIDED)                     ? 1.0
                     : made(m, BY_ROWS) || made(m, GRADIENT_BY_ROWS) ? size(c, "rows")
                     : made(m, BY_ENTRIES)                           ? count * vocab
                                                                     : count;
    for (int v = 0; v < vocab; v++) {
        double onehot = v == target && !made(m, NO_ONEHOT) ? 1.0 : 0.0;
        d[v] = p[v] - onehot;
        if (made(m, OF_PROBABILITIES)) {
            d[v] = v == target ? -1.0 / p[v] : 0.0;
        }
        d[v] *= made(m, GRADIENT_SIGN) ? -1.0 : 1.0;
        d[v] /= divisor;
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int rows = size(c, "rows"), vocab = size(c, "vocab"), count = counted(c, m);
    double *loss = wanted(want, c, "loss"), *d_logits = wanted(want, c, "d_logits"), p[vocab];
    for (int r = 0; r < rows; r++) {
        double log_sum = softmax(p, c, r, m), *d = d_logits + r * vocab;
        bool row_counts = counts(integers(c, "targets")[r], m);
        *loss += row_counts ? row_loss(p, log_sum, c, r, m) : 0.0;
        if (row_counts || made(m, IGNORED_PUSHED)) {
            row_gradient(d, p, c, r, m);
        }
        for (int v = 0; v < vocab && !row_counts && made(m, IGNORED_UNWRITTEN); v++) {
            d[v] = NAN;
        }
    }
    double divisor = made(m, LOSS_SUM)                           ? 1.0
                     : made(m, BY_ROWS) || made(m, LOSS_BY_ROWS) ? rows
                                                                 : count;
    *loss = count > 0 ? *loss / divisor : made(m, NONE_COUNTS) ? NAN : 0.0;
}

const struct Exercise exercise_cross_entropy = {
    .name = "09-cross-entropy",
    .lesson = "lesson 07",
    .function = "cross_entropy",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
    /* max + log(sum) - s[target] is right too, and at 3000 float has three decimals. */
    .tolerance = 5e-4,
};
