#include <math.h>

#include "tests/graders/double.h"
#include "tests/graders/exercise.h"

static void make(struct Case *c, struct Rng *rng, int B, int H, int Tq, int Tk, int d, float spread)
{
    case_size(c, "B", B);
    case_size(c, "H", H);
    case_size(c, "Tq", Tq);
    case_size(c, "Tk", Tk);
    case_size(c, "d_head", d);
    float *q = case_floats(c, IN, "q", "bhqc", B, H, Tq, d);
    float *k = case_floats(c, IN, "k", "bhkc", B, H, Tk, d);
    float *v = case_floats(c, IN, "v", "bhkc", B, H, Tk, d);
    case_floats(c, OUT, "weights", "bhqk", B, H, Tq, Tk);
    case_floats(c, OUT, "out", "bhqc", B, H, Tq, d);
    draw(rng, q, B * H * Tq * d);
    draw(rng, k, B * H * Tk * d);
    draw(rng, v, B * H * Tk * d);
    for (int i = 0; i < B * H * Tq * d; i++) {
        q[i] *= spread;
    }
}

static void lopsided(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 3, 5, 7, 4, 1.0f);
}

static void few_keys(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 2, 6, 3, 5, 1.0f);
}

static void one_key(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 2, 2, 1, 3, 1.0f);
}

static void one_head(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 1, 4, 4, 9, 1.0f);
}

static void large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 4, 3, 5, 2, 100.0f);
}

static const struct Check checks[] = {
    {"2 sequences, 3 heads, 5 queries, 7 keys", lopsided},
    {"more queries than keys", few_keys},
    {"a single key", one_key},
    {"one head", one_head},
    {"scores in the hundreds", large},
};

enum {
    D_MODEL,
    UNSCALED,
    MULTIPLIED,
    BY_D,
    SCALED_AFTER,
    OVER_QUERIES,
    ONE_SOFTMAX,
    SCORES_LEFT,
    NO_SOFTMAX,
    TOKEN_MAJOR,
    KEYS_ACROSS,
    FIRST_KEYS,
    BY_TK,
    BY_H,
    CAUSAL,
    CAUSAL_LAST,
    K_AS_V
};
static const char causal[] =
    "You hide later keys from each query. Here every query sees every key; "
    "the causal mask comes in exercise 03.";

static const struct Mistake mistakes[] = {
    [D_MODEL] = {"d-model", "You divide by sqrt(d_model); each head is d_head wide and needs "
                            "sqrt(d_head)."},
    [UNSCALED] = {"unscaled", "You do not divide the scores by sqrt(d_head)."},
    [MULTIPLIED] = {"multiplied",
                    "You multiply the scores by sqrt(d_head); they are to be divided by it."},
    [BY_D] = {"by-d", "You divide the scores by d_head; it should be by its square root, once."},
    [SCALED_AFTER] = {"scaled-after",
                      "You divide the weights by sqrt(d_head), after the softmax; it is the scores "
                      "that are divided, before it. Weights add up to 1."},
    [OVER_QUERIES] = {"over-queries", "Your weights add up to 1 over the queries of each key; the "
                                      "softmax goes over the keys of each query."},
    [ONE_SOFTMAX] =
        {"one-softmax",
         "All weights of a head together add up to 1; it should be those of each query: "
         "a softmax for each row of Tk scores."},
    [SCORES_LEFT] = {"scores-left", "out is right, but what you leave in weights are the scores: "
                                    "weights are what softmax makes of them."},
    [NO_SOFTMAX] = {"no-softmax",
                    "There is no softmax: you mix the values by the scores themselves."},
    [TOKEN_MAJOR] = {"token-major",
                     "You take q, k, v and out as (B,T,H,d_head), all heads of a token side by "
                     "side. They are (B,H,T,d_head), all tokens of a head."},
    [KEYS_ACROSS] = {"keys-across",
                     "You read each head's k as if it lay transposed, (d_head,Tk). It is "
                     "(Tk,d_head): key j begins at j*d_head."},
    [FIRST_KEYS] = {"first-keys", "Every sequence looks at the keys and values of sequence 0: the "
                                  "index of k and v lacks b."},
    [BY_TK] = {"by-tk",
               "You divide by sqrt(Tk); the scale is sqrt(d_head). A score is a sum of d_head "
               "products, however many keys there are."},
    [BY_H] = {"by-h",
              "You divide by sqrt(H); the scale is sqrt(d_head). A score is a sum of d_head "
              "products, however many heads there are."},
    [CAUSAL] = {"causal", causal},
    [CAUSAL_LAST] = {"causal-last", causal},
    [K_AS_V] = {"k-as-v", "You mix the keys into out; the weights come from q and k, but what they "
                          "mix are the values, v."},
};

/* x (B,H,T,d): where row t of sequence b and head h begins. */
static int row(int b, int h, int t, int H, int T, int d, Mistakes m)
{
    return (made(m, TOKEN_MAJOR) ? (b * T + t) * H + h : (b * H + h) * T + t) * d;
}

/* Does a causal mask hide key j from query i? */
static bool hidden(int i, int j, int Tq, int Tk, Mistakes m)
{
    return (made(m, CAUSAL) && j > i) || (made(m, CAUSAL_LAST) && j > Tk - Tq + i);
}

static double scaled(double x, int H, int Tk, int d, Mistakes m)
{
    return made(m, UNSCALED) || made(m, SCALED_AFTER) ? x
           : made(m, MULTIPLIED)                      ? x * sqrt(d)
           : made(m, BY_D)                            ? x / d
           : made(m, D_MODEL)                         ? x / sqrt(H * d)
           : made(m, BY_TK)                           ? x / sqrt(Tk)
           : made(m, BY_H)                            ? x / sqrt(H)
                                                      : x / sqrt(d);
}

/* w (Tq,Tk), from scores to weights. */
static void normalise(double *w, int Tq, int Tk, int d, Mistakes m)
{
    for (int i = 0; i < Tq && !made(m, OVER_QUERIES) && !made(m, ONE_SOFTMAX); i++) {
        softmax_in_double(w + i * Tk, Tk, 1);
    }
    for (int j = 0; j < Tk && made(m, OVER_QUERIES); j++) {
        softmax_in_double(w + j, Tq, Tk);
    }
    if (made(m, ONE_SOFTMAX)) {
        softmax_in_double(w, Tq * Tk, 1);
    }
    for (int i = 0; i < Tq * Tk && made(m, SCALED_AFTER); i++) {
        w[i] /= sqrt(d);
    }
}

static void one_head_of(struct Wanted *want, const struct Case *c, int b, int h, Mistakes m)
{
    int H = size(c, "H"), Tq = size(c, "Tq"), Tk = size(c, "Tk"), d = size(c, "d_head");
    int from = made(m, FIRST_KEYS) ? 0 : b; /* the sequence whose keys and values are taken */
    const float *q = floats(c, "q"), *k = floats(c, "k"), *v = floats(c, "v");
    double *weights = wanted(want, c, "weights") + (b * H + h) * Tq * Tk, w[Tq * Tk];
    double *out = wanted(want, c, "out");
    for (int ij = 0; ij < Tq * Tk; ij++) {
        int i = row(b, h, ij / Tk, H, Tq, d, m), j = row(from, h, ij % Tk, H, Tk, d, m);
        int head = row(from, h, 0, H, Tk, d, m);
        double dot = 0.0;
        for (int e = 0; e < d; e++) {
            dot += (double)q[i + e] * k[made(m, KEYS_ACROSS) ? head + e * Tk + ij % Tk : j + e];
        }
        w[ij] = hidden(ij / Tk, ij % Tk, Tq, Tk, m) ? -INFINITY : scaled(dot, H, Tk, d, m);
        weights[ij] = w[ij];
    }
    if (!made(m, NO_SOFTMAX)) {
        normalise(w, Tq, Tk, d, m);
    }
    for (int ij = 0; ij < Tq * Tk; ij++) {
        int i = row(b, h, ij / Tk, H, Tq, d, m), j = row(from, h, ij % Tk, H, Tk, d, m);
        for (int e = 0; e < d; e++) {
            out[i + e] += w[ij] * (made(m, K_AS_V) ? k : v)[j + e];
        }
        weights[ij] = made(m, SCORES_LEFT) ? weights[ij] : w[ij];
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int H = size(c, "H");
    for (int bh = 0; bh < size(c, "B") * H; bh++) {
        one_head_of(want, c, bh / H, bh % H, m);
    }
}

const struct Exercise exercise_scaled_dot = {
    .name = "02-scaled-dot",
    .lesson = "lessons 01 and 02",
    .function = "scaled_dot",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
