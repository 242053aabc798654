#include "tests/graders/exercise.h"

#include <math.h>

#include "tests/graders/double.h"

/* Scores that may be seen lie around seen, those to be hidden around hidden. */
static void make(struct Case *c, struct Rng *rng, int B, int H, int Tq, int Tk, float seen,
                 float hidden)
{
    case_size(c, "B", B);
    case_size(c, "H", H);
    case_size(c, "Tq", Tq);
    case_size(c, "Tk", Tk);
    float *scores = case_floats(c, IN, "scores", "bhqk", B, H, Tq, Tk);
    case_floats(c, OUT, "weights", "bhqk", B, H, Tq, Tk);
    draw(rng, scores, B * H * Tq * Tk);
    for (int r = 0; r < B * H * Tq; r++) {
        for (int j = 0; j < Tk; j++) {
            scores[r * Tk + j] += j <= Tk - Tq + r % Tq ? seen : hidden;
        }
    }
}

static void whole_text(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 3, 5, 5, 0.0f, 0.0f);
}

static void last_tokens(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 2, 4, 7, 0.0f, 0.0f);
}

static void last_token(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 3, 1, 6, 0.0f, 0.0f);
}

static void one_token(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 2, 1, 1, 0.0f, 0.0f);
}

static void hidden_large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 4, 6, 6, 0.0f, 1000.0f);
}

/* What is to be hidden is 0, so that a finite number hides it evenly, put there or added. */
static void make_low(struct Case *c, struct Rng *rng, int B, int H, int Tq, int Tk)
{
    make(c, rng, B, H, Tq, Tk, -1e5f, 0.0f);
    for (int i = 0; i < B * H * Tq * Tk; i++) {
        if (i % Tk > Tk - Tq + i / Tk % Tq) {
            floats(c, "scores")[i] = 0.0f;
        }
    }
}

static void seen_low(struct Case *c, struct Rng *rng)
{
    make_low(c, rng, 2, 1, 3, 5);
}

static void all_low(struct Case *c, struct Rng *rng)
{
    make_low(c, rng, 1, 2, 4, 4);
}

static const struct Check checks[] = {
    {"all 5 tokens ask", whole_text},
    {"the last 4 of 7 tokens ask", last_tokens},
    {"only the last token asks: it sees all", last_token},
    {"a text of one token", one_token},
    {"hidden scores near 1000", hidden_large},
    {"scores near -100000, hidden ones 0", seen_low},
    {"the same where all 4 tokens ask", all_low},
};

enum {
    UNMASKED,
    ZERO,
    AFTER,
    RENORMALISED,
    STRICT,
    ONE_AHEAD,
    INVERTED,
    TRANSPOSED,
    TOP_LEFT,
    BACKWARDS,
    FIRST_HEAD,
    OVER_QUERIES,
    NO_SOFTMAX,
    FINITE
};
static const struct Mistake mistakes[] = {
    [UNMASKED] = {"unmasked", "Nothing is hidden: every query looks at every key, later ones too."},
    [ZERO] = {"zero", "You hide with a score of 0 (or FLT_MIN, which is just above 0). That is a "
                      "score like any other and gets a weight; -INFINITY gets none."},
    [AFTER] = {"after", "You clear weights after the softmax. What was hidden has had its share of "
                        "the sum by then, so rows add up to less than 1; mask the scores, before."},
    [RENORMALISED] = {"renormalised",
                      "You clear weights after the softmax and divide by what is left. Where a "
                      "hidden score is far larger nothing is left, and 0/0 is NaN; mask before."},
    [STRICT] = {"strict", "Your mask hides one key too many: a query may look at itself too. The "
                          "first token can look at nothing else; without it its row is NaN."},
    [ONE_AHEAD] = {"one-ahead", "Your mask hides one key too few: each query sees the token after "
                                "it, which it is to guess."},
    [INVERTED] = {"inverted", "Your mask is the wrong way round: it hides what may be seen and "
                              "shows what is to be hidden."},
    [TRANSPOSED] = {"transposed", "Your queries see themselves and what comes after them, and not "
                                  "what came before; you have i and j exchanged."},
    [TOP_LEFT] = {"top-left", "You compare j with i. The queries are the last Tq of Tk tokens: "
                              "query i is token Tk - Tq + i, and sees as far as that."},
    [BACKWARDS] = {"backwards", "You count the queries from the wrong end: query i is token "
                                "Tk - Tq + i, you take Tq - Tk + i."},
    [FIRST_HEAD] = {"first-head",
                    "Only the first head of the first sequence is masked. Do you compare j with "
                    "the number of the row in all of scores? It is the i within a head."},
    [OVER_QUERIES] = {"over-queries", "Your weights add up to 1 over the queries of each key; the "
                                      "softmax goes over the keys of each query."},
    [NO_SOFTMAX] = {"no-softmax", "You leave the masked scores in weights; weights are what "
                                  "softmax makes of them."},
    [FINITE] = {"finite",
                "You hide with a finite number (-100?), and scores may be far below it: then "
                "all the weight goes to what was hidden. Nothing is below -INFINITY."},
};

/* May query i of sequence and head bh look at key j? */
static bool seen(int bh, int i, int j, int Tq, int Tk, Mistakes m)
{
    int first = made(m, TOP_LEFT) ? 0 : made(m, BACKWARDS) ? Tq - Tk : Tk - Tq;
    int row = made(m, FIRST_HEAD) ? bh * Tq + i : i;
    int last = first + row + made(m, ONE_AHEAD) - made(m, STRICT);
    return made(m, UNMASKED)     ? true
           : made(m, INVERTED)   ? j > last
           : made(m, TRANSPOSED) ? j >= last
                                 : j <= last;
}

/* w (Tq,Tk), from masked scores to weights. */
static void normalise(double *w, int Tq, int Tk, Mistakes m)
{
    for (int i = 0; i < Tq && !made(m, OVER_QUERIES); i++) {
        softmax_in_double(w + i * Tk, Tk, 1);
    }
    for (int j = 0; j < Tk && made(m, OVER_QUERIES); j++) {
        softmax_in_double(w + j, Tq, Tk);
    }
}

static void divide_by_sum(double *row, int n)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++) {
        sum += row[j];
    }
    for (int j = 0; j < n; j++) {
        row[j] /= sum;
    }
}

static void one_head_of(double *w, const float *scores, int bh, int Tq, int Tk, Mistakes m)
{
    bool after = made(m, AFTER) || made(m, RENORMALISED);
    for (int ij = 0; ij < Tq * Tk; ij++) {
        bool hide = !after && !seen(bh, ij / Tk, ij % Tk, Tq, Tk, m);
        w[ij] = !hide ? scores[ij] : made(m, ZERO) ? 0.0 : made(m, FINITE) ? -100.0 : -INFINITY;
    }
    if (!made(m, NO_SOFTMAX)) {
        normalise(w, Tq, Tk, m);
    }
    for (int ij = 0; ij < Tq * Tk && after; ij++) {
        w[ij] = seen(bh, ij / Tk, ij % Tk, Tq, Tk, m) ? w[ij] : 0.0;
    }
    for (int i = 0; i < Tq && made(m, RENORMALISED); i++) {
        divide_by_sum(w + i * Tk, Tk);
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int Tq = size(c, "Tq"), Tk = size(c, "Tk");
    for (int bh = 0; bh < size(c, "B") * size(c, "H"); bh++) {
        one_head_of(wanted(want, c, "weights") + bh * Tq * Tk, floats(c, "scores") + bh * Tq * Tk,
                    bh, Tq, Tk, m);
    }
}

const struct Exercise exercise_causal_mask = {
    .name = "03-causal-mask",
    .lesson = "lesson 03",
    .function = "causal_weights",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
