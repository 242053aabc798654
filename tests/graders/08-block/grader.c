#include "tests/graders/08-block/parts.h"
#include "tests/graders/exercise.h"

#include <stdlib.h>
#include <string.h>

#include "common/base.h"

static void weights(struct Case *c, struct Rng *rng, const char *name, int n, int k, float spread)
{
    float *w = case_floats(c, IN, name, "nk", n, k);
    draw(rng, w, n * k);
    for (int i = 0; i < n * k; i++) {
        w[i] *= spread;
    }
}

static void vector(struct Case *c, struct Rng *rng, const char *name, int d)
{
    draw(rng, case_floats(c, IN, name, "i", d), d);
}

/* found: how large what attention and MLP find is. */
static void make(struct Case *c, struct Rng *rng, int B, int T, int d, float spread, float found)
{
    case_size(c, "B", B);
    case_size(c, "T", T);
    case_size(c, "d", d);
    float *x = case_floats(c, IN, "x", "bti", B, T, d);
    draw(rng, x, B * T * d);
    for (int i = 0; i < B * T * d; i++) {
        x[i] *= spread;
    }
    vector(c, rng, "gamma1", d);
    vector(c, rng, "beta1", d);
    vector(c, rng, "gamma2", d);
    vector(c, rng, "beta2", d);
    weights(c, rng, "w_q", d, d, 0.5f);
    weights(c, rng, "w_k", d, d, 0.5f);
    weights(c, rng, "w_v", d, d, 0.5f);
    weights(c, rng, "w_out", d, d, 0.8f * found);
    weights(c, rng, "w_up", MLP_WIDTH * d, d, 0.5f);
    vector(c, rng, "b_up", MLP_WIDTH * d);
    weights(c, rng, "w_down", d, MLP_WIDTH * d, 0.5f * found);
    case_floats(c, OUT, "middle", "bti", B, T, d);
    case_floats(c, OUT, "y", "bti", B, T, d);
}

static void ordinary(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 5, 4, 1.0f, 1.0f);
}

static void short_ones(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, 2, 7, 1.0f, 1.0f);
}

static void one_sequence(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 6, 3, 1.0f, 1.0f);
}

static void one_token(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 1, 5, 1.0f, 1.0f);
}

static void large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 3, 4, 100.0f, 1.0f);
}

static void nothing_found(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 3, 6, 1.0f, 0.0f);
}

static const struct Check checks[] = {
    {"2 sequences of 5 tokens, 4 wide", ordinary},
    {"5 sequences of 2 tokens, 7 wide", short_ones},
    {"one sequence", one_sequence},
    {"one token", one_token},
    {"an x in the hundreds", large},
    {"attention and mlp give 0: y is x", nothing_found},
};

enum {
    NORMED_1,
    NORMED_2,
    NO_RESIDUAL_1,
    NO_RESIDUAL_2,
    POST_NORM,
    NORM_OF_FOUND,
    NO_NORM_1,
    NO_NORM_2,
    SAME_GAMMA,
    GAMMAS_SWAPPED,
    STALE_NORM,
    MLP_FROM_X,
    ADDS_X,
    ADDS_BOTH,
    MLP_FIRST,
    ONE_SEQUENCE,
    B_AND_T,
};
static const struct Mistake mistakes[] = {
    [NORMED_1] = {"normed-1", "You add the normalised x to what attention found. The residual path "
                              "carries x itself, untouched by the norm."},
    [NORMED_2] = {"normed-2", "You add the normalised middle to what mlp found. The residual path "
                              "carries middle itself, untouched by the norm."},
    [NO_RESIDUAL_1] = {"no-residual-1",
                       "You do not add x to what attention found: its half has no residual path."},
    [NO_RESIDUAL_2] = {"no-residual-2",
                       "You do not add middle to what mlp found: its half has no residual path."},
    [POST_NORM] = {"post-norm", "You normalise after each addition: that is post-norm. In pre-norm "
                                "the norm stands before attention and mlp, off the residual path."},
    [NORM_OF_FOUND] = {"norm-of-found", "You normalise what attention and mlp give; normalise what "
                                        "they are given."},
    [NO_NORM_1] = {"no-norm-1", "attention gets x without a norm; give it layernorm(x) with gamma1 "
                                "and beta1."},
    [NO_NORM_2] = {"no-norm-2", "mlp gets middle without a norm; give it layernorm(middle) with "
                                "gamma2 and beta2."},
    [SAME_GAMMA] = {"same-gamma", "Your second norm uses gamma1 and beta1; it has its own, gamma2 "
                                  "and beta2."},
    [GAMMAS_SWAPPED] = {"gammas-swapped", "You exchange the two norms: gamma1 and beta1 belong to "
                                          "attention's, gamma2 and beta2 to mlp's."},
    [STALE_NORM] = {"stale-norm", "mlp gets what attention got, the norm of x. It needs a norm of "
                                  "its own, of middle, so that it sees what attention found."},
    [MLP_FROM_X] = {"mlp-from-x", "mlp gets the norm of x; it is to see what attention found: give "
                                  "it the norm of middle."},
    [ADDS_X] = {"adds-x", "You add x to what mlp found; add middle, or what attention found is "
                          "lost."},
    [ADDS_BOTH] = {"adds-both", "You add both x and middle to what mlp found. x already is in "
                                "middle."},
    [MLP_FIRST] = {"mlp-first", "mlp comes first in your block. Attention gathers, then mlp works "
                                "on what was gathered."},
    [ONE_SEQUENCE] = {"one-sequence", "You give attention all B*T rows as one sequence: later "
                                      "sequences look into earlier ones. Pass B and T."},
    [B_AND_T] = {"b-and-t",
                 "You exchange B and T in the call of attention: it takes T sequences of "
                 "B tokens for B sequences of T."},
};

/* One half of the block. All arrays are (B,T,d). */
struct Half {
    const struct Case *c;
    Mistakes m;
    int number; /* 1 or 2 */
};

static void norm(double *y, const double *x, const struct Half *h)
{
    bool first = (h->number == 1 || made(h->m, SAME_GAMMA)) != made(h->m, GAMMAS_SWAPPED);
    layernorm_in_double(y, x, floats(h->c, first ? "gamma1" : "gamma2"),
                        floats(h->c, first ? "beta1" : "beta2"), size(h->c, "B") * size(h->c, "T"),
                        size(h->c, "d"));
}

static void find(double *y, const double *x, const struct Half *h)
{
    int B = size(h->c, "B"), T = size(h->c, "T"), d = size(h->c, "d");
    if ((h->number == 1) == made(h->m, MLP_FIRST)) {
        block_mlp(y, x, h->c, B * T, d);
    } else if (made(h->m, B_AND_T)) {
        block_attention(y, x, h->c, T, B, d);
    } else if (made(h->m, ONE_SEQUENCE)) {
        block_attention(y, x, h->c, 1, B * T, d);
    } else {
        block_attention(y, x, h->c, B, T, d);
    }
}

/* What attention or mlp is given. */
static void prepare(double *normed, const double *in, int n, const struct Half *h)
{
    bool late = made(h->m, POST_NORM) || made(h->m, NORM_OF_FOUND);
    if (h->number == 2 && made(h->m, STALE_NORM)) {
        return; /* it still holds what the first half left */
    }
    if (late || made(h->m, h->number == 1 ? NO_NORM_1 : NO_NORM_2)) {
        memcpy(normed, in, (size_t)n * sizeof *in);
    } else {
        norm(normed, in, h);
    }
}

/* out = path + f(norm of in) */
static void half(double *out, double *normed, const double *in, const double *path, int n,
                 const struct Half *h)
{
    bool no_residual = made(h->m, h->number == 1 ? NO_RESIDUAL_1 : NO_RESIDUAL_2);
    bool add_normed = made(h->m, h->number == 1 ? NORMED_1 : NORMED_2);
    prepare(normed, in, n, h);
    find(out, normed, h);
    if (made(h->m, NORM_OF_FOUND)) {
        norm(out, out, h);
    }
    for (int i = 0; i < n && !no_residual; i++) {
        out[i] += add_normed ? normed[i] : path[i];
    }
    if (made(h->m, POST_NORM)) {
        norm(out, out, h);
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int n = case_array(c, "x")->size;
    double *y = wanted(want, c, "y"), *middle = wanted(want, c, "middle");
    double *x = zeros_new((size_t)n, sizeof *x), *path = zeros_new((size_t)n, sizeof *path);
    double *normed = zeros_new((size_t)n, sizeof *normed);
    for (int i = 0; i < n; i++) {
        x[i] = floats(c, "x")[i];
    }
    half(middle, normed, x, x, n, &(struct Half){c, m, 1});
    for (int i = 0; i < n; i++) {
        path[i] = (made(m, ADDS_X) ? 0.0 : middle[i]) +
                  (made(m, ADDS_X) || made(m, ADDS_BOTH) ? x[i] : 0.0);
    }
    half(y, normed, made(m, MLP_FROM_X) ? x : middle, path, n, &(struct Half){c, m, 2});
    free(x);
    free(path);
    free(normed);
}

const struct Exercise exercise_block = {
    .name = "08-block",
    .lesson = "lesson 05",
    .function = "block",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
