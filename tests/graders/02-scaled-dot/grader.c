#include "tests/graders/exercise.h"

#include <math.h>

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

enum { D_MODEL, UNSCALED, MULTIPLIED, BY_D, OVER_QUERIES, SCORES_LEFT, NO_SOFTMAX };
static const struct Mistake mistakes[] = {
    [D_MODEL] = {"d-model", "You divide by sqrt(d_model); each head is d_head wide and needs "
                            "sqrt(d_head)."},
    [UNSCALED] = {"unscaled", "You do not divide the scores by sqrt(d_head)."},
    [MULTIPLIED] = {"multiplied",
                    "You multiply the scores by sqrt(d_head); they are to be divided."},
    [BY_D] = {"by-d", "You divide by d_head; it is its square root."},
    [OVER_QUERIES] = {"over-queries", "Your weights add up to 1 over the queries of each key; the "
                                      "softmax goes over the keys of each query."},
    [SCORES_LEFT] = {"scores-left", "out is right, but what you leave in weights are the scores: "
                                    "weights are what softmax makes of them."},
    [NO_SOFTMAX] = {"no-softmax",
                    "There is no softmax: you mix the values by the scores themselves."},
};

static double score(const float *q, const float *k, int H, int d, Mistakes m)
{
    double sum = 0.0;
    for (int c = 0; c < d; c++) {
        sum += (double)q[c] * k[c];
    }
    return made(m, UNSCALED)     ? sum
           : made(m, MULTIPLIED) ? sum * sqrt(d)
           : made(m, BY_D)       ? sum / d
           : made(m, D_MODEL)    ? sum / sqrt(H * d)
                                 : sum / sqrt(d);
}

/* x[0], x[step], ... n of them, made to add up to 1. */
static void normalise(double *x, int n, int step)
{
    double max = -INFINITY, sum = 0.0;
    for (int i = 0; i < n; i++) {
        max = fmax(max, x[i * step]);
    }
    for (int i = 0; i < n; i++) {
        x[i * step] = exp(x[i * step] - max);
        sum += x[i * step];
    }
    for (int i = 0; i < n; i++) {
        x[i * step] /= sum;
    }
}

static void one_head_of(double *out, double *weights, const float *q, const float *k,
                        const float *v, int H, int Tq, int Tk, int d, Mistakes m)
{
    double scores[Tq * Tk], w[Tq * Tk];
    for (int i = 0; i < Tq * Tk; i++) {
        w[i] = scores[i] = score(q + i / Tk * d, k + i % Tk * d, H, d, m);
    }
    for (int i = 0; i < Tq && !made(m, OVER_QUERIES) && !made(m, NO_SOFTMAX); i++) {
        normalise(w + i * Tk, Tk, 1);
    }
    for (int j = 0; j < Tk && made(m, OVER_QUERIES); j++) {
        normalise(w + j, Tq, Tk);
    }
    for (int i = 0; i < Tq * d; i++) {
        for (int j = 0; j < Tk; j++) {
            out[i] += w[i / d * Tk + j] * v[j * d + i % d];
        }
    }
    for (int i = 0; i < Tq * Tk; i++) {
        weights[i] = made(m, SCORES_LEFT) ? scores[i] : w[i];
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int H = size(c, "H"), Tq = size(c, "Tq"), Tk = size(c, "Tk"), d = size(c, "d_head");
    for (int bh = 0; bh < size(c, "B") * H; bh++) {
        one_head_of(wanted(want, c, "out") + bh * Tq * d, wanted(want, c, "weights") + bh * Tq * Tk,
                    floats(c, "q") + bh * Tq * d, floats(c, "k") + bh * Tk * d,
                    floats(c, "v") + bh * Tk * d, H, Tq, Tk, d, m);
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
