#include "tests/graders/exercise.h"

#include <math.h>

#include "tests/graders/double.h"

/* How many of the T keys query i sees: the causal mask, none, or one that hides the last two. */
enum Mask { CAUSAL, NONE, PADS };
static int seen(enum Mask mask, int i, int T)
{
    return mask == CAUSAL ? i + 1 : mask == PADS ? T - 2 : T;
}

static double dot(const float *a, const float *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += (double)a[i] * b[i];
    }
    return sum;
}

/* One row of the forward pass: the weights of n keys, and zeros up to T. */
static void attend(float *weights, const float *q, const float *k, int n, int T, int d)
{
    double row[T];
    for (int j = 0; j < n; j++) {
        row[j] = dot(q, k + j * d, d) / sqrt(d);
    }
    softmax_in_double(row, n, 1);
    for (int j = 0; j < T; j++) {
        weights[j] = j < n ? (float)row[j] : 0.0f;
    }
}

static float *drawn(struct Case *c, struct Rng *rng, const char *name, const char *axes, int B,
                    int H, int T, int d, float spread)
{
    float *x = case_floats(c, IN, name, axes, B, H, T, d);
    draw(rng, x, B * H * T * d);
    for (int i = 0; i < B * H * T * d; i++) {
        x[i] *= spread;
    }
    return x;
}

static void make(struct Case *c, struct Rng *rng, int B, int H, int T, int d, enum Mask mask,
                 float of_q, float of_d_out)
{
    case_size(c, "B", B);
    case_size(c, "H", H);
    case_size(c, "T", T);
    case_size(c, "d_head", d);
    drawn(c, rng, "d_out", "bhqc", B, H, T, d, of_d_out);
    float *q = drawn(c, rng, "q", "bhqc", B, H, T, d, of_q);
    float *k = drawn(c, rng, "k", "bhkc", B, H, T, d, 1.0f);
    drawn(c, rng, "v", "bhkc", B, H, T, d, 1.0f);
    float *weights = case_floats(c, IN, "weights", "bhqk", B, H, T, T);
    for (int row = 0; row < B * H * T; row++) {
        attend(weights + row * T, q + row * d, k + row / T * T * d, seen(mask, row % T, T), T, d);
    }
    case_floats(c, OUT, "d_v", "bhkc", B, H, T, d);
    case_floats(c, OUT, "d_q", "bhqc", B, H, T, d);
    case_floats(c, OUT, "d_k", "bhkc", B, H, T, d);
}

static void causal(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 3, 5, 4, CAUSAL, 1.0f, 1.0f);
}

static void unmasked(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 2, 7, 3, NONE, 1.0f, 1.0f);
}

static void pads(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 1, 6, 5, PADS, 1.0f, 1.0f);
}

/* Its weights are 1, and no score can change them. Quarters, so that every sum is exact and the
   difference of two is 0 in any order. */
static void one_token(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 2, 1, 3, CAUSAL, 1.0f, 1.0f);
    static const char *const names[] = {"d_out", "v"};
    for (int n = 0; n < 2; n++) {
        for (int i = 0; i < 12; i++) {
            floats(c, names[n])[i] = rintf(4.0f * floats(c, names[n])[i]) / 4.0f;
        }
    }
}

static void one_number(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 4, 4, 1, CAUSAL, 1.0f, 1.0f);
}

static void even(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 3, 4, 2, NONE, 0.0f, 1.0f);
}

static void large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 2, 3, 6, CAUSAL, 1.0f, 1e6f);
}

static const struct Check checks[] = {
    {"2 sequences, 3 heads, 5 tokens, causal", causal},
    {"no mask, 7 tokens", unmasked},
    {"the last two keys are pads", pads},
    {"a single token: nothing to choose", one_token},
    {"heads of one number: the scale is 1", one_number},
    {"queries of zero: even weights", even},
    {"a d_out in the millions", large},
};

enum {
    UNSCALED,
    UNSCALED_Q,
    UNSCALED_K,
    BY_D,
    MULTIPLIED,
    DIAGONAL,
    NO_MEAN,
    PLAIN_MEAN,
    BARE_MEAN,
    OVER_QUERIES,
    RUNNING_MEAN,
    KEPT_MEAN,
    NO_SOFTMAX,
    SIGN,
    W_FROM_K,
    Q_FROM_OWN_Q,
    Q_FROM_Q,
    K_FROM_OWN_K,
    K_FROM_K,
    V_NOT_TRANSPOSED,
    K_NOT_TRANSPOSED,
    V_LAST,
    K_LAST,
    CAUSAL_ONLY,
    D_MODEL,
    NO_WEIGHT
};

static const char q_from_q[] = "d_q is d_scores times k, since a score is q times k; you multiply "
                               "by q.";
static const char k_from_k[] = "d_k is d_scores transposed times q, since a score is q times k; "
                               "you multiply by k.";

static const struct Mistake mistakes[] = {
    [UNSCALED] = {"unscaled", "d_q and d_k lack the factor 1/sqrt(d_head): the scores were divided "
                              "by it, so what comes back is too."},
    [UNSCALED_Q] = {"unscaled-q", "d_q lacks the factor 1/sqrt(d_head), which d_k has: the scale "
                                  "belongs to both."},
    [UNSCALED_K] = {"unscaled-k", "d_k lacks the factor 1/sqrt(d_head), which d_q has: the scale "
                                  "belongs to both."},
    [BY_D] = {"by-d", "In d_q and d_k you divide by d_head, or twice by its root; it should be "
                      "once by sqrt(d_head)."},
    [MULTIPLIED] = {"multiplied",
                    "In d_q and d_k you multiply by sqrt(d_head); the scores were divided "
                    "by it, so what comes back is too."},
    [DIAGONAL] = {"diagonal",
                  "You use the diagonal of the softmax's Jacobian alone, w*(1 - w). Each score "
                  "moves all weights of its row: the other entries, -w*w, count too."},
    [NO_MEAN] = {"no-mean", "In d_scores you leave out the -weights[i][j]: from each d_weight the "
                            "mean of its row, taken under the weights, must go."},
    [PLAIN_MEAN] = {"plain-mean", "You subtract the plain mean of d_weights; it should be the mean "
                                  "under the weights, the sum of weights * d_weights."},
    [BARE_MEAN] = {"bare-mean",
                   "You subtract the mean as it is; it is weights * (d_weights - mean), so "
                   "the mean is times the weight as well."},
    [OVER_QUERIES] = {"over-queries", "The mean that you subtract runs over the queries of a key; "
                                      "the softmax ran over the keys of a query."},
    [RUNNING_MEAN] = {"running-mean", "You subtract the sum of weights * d_weights before it is "
                                      "complete: it needs a loop over all keys of its own first."},
    [KEPT_MEAN] = {"kept-mean", "Your sum of weights * d_weights goes on from query to query; it "
                                "must begin at 0 for each."},
    [NO_SOFTMAX] = {"no-softmax", "You take d_weights for d_scores: the way back through the "
                                  "softmax is missing."},
    [SIGN] = {"sign", "d_q and d_k have the wrong sign: it is d_weights minus their mean, not the "
                      "other way round."},
    [W_FROM_K] = {"weights-from-k", "You make d_weights of d_out and k; weights were multiplied by "
                                    "v, so it should be d_out times v."},
    [Q_FROM_OWN_Q] = {"q-from-own-q", q_from_q},
    [Q_FROM_Q] = {"q-from-q", q_from_q},
    [K_FROM_OWN_K] = {"k-from-own-k", k_from_k},
    [K_FROM_K] = {"k-from-k", k_from_k},
    [V_NOT_TRANSPOSED] = {"v-not-transposed",
                          "d_v is made with weights; it should be with weights transposed: value j "
                          "collects from every query i that looked at it."},
    [K_NOT_TRANSPOSED] = {"k-not-transposed",
                          "d_k is made with d_scores; it should be with d_scores transposed: key j "
                          "collects from every query i that looked at it."},
    [V_LAST] = {"v-last", "Each query overwrites d_v, so that only the last one counts; what comes "
                          "from all queries adds up."},
    [K_LAST] = {"k-last", "Each query overwrites d_k, so that only the last one counts; what comes "
                          "from all queries adds up."},
    [CAUSAL_ONLY] = {"causal-only", "You leave out the keys behind the query; without a mask they "
                                    "have weights too. The weights say which keys count."},
    [D_MODEL] = {"d-model",
                 "In d_q and d_k you divide by sqrt(d_model), the width of all heads; the "
                 "scores were divided by sqrt(d_head)."},
    [NO_WEIGHT] = {"no-weight",
                   "Your d_scores are d_weights minus their mean, without the weight in "
                   "front: it is weights * (d_weights - mean)."},
};

/* One head. */
struct Head {
    int H, T, d;
    const float *d_out, *q, *k, *v, *weights;
    double *d_q, *d_k, *d_v;
    double kept; /* the sum of all means before */
};

/* The entry of d_weights for query i and key j. */
static double d_weight(const struct Head *h, int i, int j, Mistakes m)
{
    return dot(h->d_out + i * h->d, (made(m, W_FROM_K) ? h->k : h->v) + j * h->d, h->d);
}

/* What is subtracted from it. */
static double mean(const struct Head *h, int i, int j, Mistakes m)
{
    const float *w = h->weights;
    int T = h->T, end = made(m, RUNNING_MEAN) ? j + 1 : made(m, CAUSAL_ONLY) ? i + 1 : T;
    double sum = made(m, KEPT_MEAN) ? h->kept : 0.0;
    for (int l = 0; l < end; l++) {
        sum += made(m, OVER_QUERIES) ? w[l * T + j] * d_weight(h, l, j, m)
               : made(m, PLAIN_MEAN) ? d_weight(h, i, l, m) / T
                                     : w[i * T + l] * d_weight(h, i, l, m);
    }
    return made(m, NO_MEAN) ? 0.0 : sum;
}

static double d_score(const struct Head *h, int i, int j, Mistakes m)
{
    double w = h->weights[i * h->T + j], d_w = d_weight(h, i, j, m);
    return made(m, NO_SOFTMAX)  ? d_w
           : made(m, DIAGONAL)  ? w * (1.0 - w) * d_w
           : made(m, NO_WEIGHT) ? d_w - mean(h, i, j, m)
           : made(m, BARE_MEAN) ? w * d_w - mean(h, i, j, m)
           : made(m, SIGN)      ? w * (mean(h, i, j, m) - d_w)
                                : w * (d_w - mean(h, i, j, m));
}

/* What comes back from query i through its weight for key j. */
static void add_pair(struct Head *h, int i, int j, Mistakes m)
{
    double w = h->weights[i * h->T + j], ds = d_score(h, i, j, m);
    double root = sqrt(h->d);
    double scale = made(m, BY_D)         ? 1.0 / h->d
                   : made(m, MULTIPLIED) ? root
                   : made(m, D_MODEL)    ? 1.0 / sqrt(h->H * h->d)
                                         : 1.0 / root;
    double of_q = made(m, UNSCALED) || made(m, UNSCALED_Q) ? 1.0 : scale;
    double of_k = made(m, UNSCALED) || made(m, UNSCALED_K) ? 1.0 : scale;
    const float *q_factor = made(m, Q_FROM_OWN_Q) ? h->q + i * h->d
                            : made(m, Q_FROM_Q)   ? h->q + j * h->d
                                                  : h->k + j * h->d;
    const float *k_factor = made(m, K_FROM_OWN_K)       ? h->k + j * h->d
                            : made(m, K_FROM_K)         ? h->k + i * h->d
                            : made(m, K_NOT_TRANSPOSED) ? h->q + j * h->d
                                                        : h->q + i * h->d;
    const float *v_factor = h->d_out + (made(m, V_NOT_TRANSPOSED) ? j : i) * h->d;
    double *d_q = h->d_q + i * h->d;
    double *d_k = h->d_k + (made(m, K_NOT_TRANSPOSED) ? i : j) * h->d;
    double *d_v = h->d_v + (made(m, V_NOT_TRANSPOSED) ? i : j) * h->d;
    for (int c = 0; c < h->d; c++) {
        d_q[c] += of_q * ds * q_factor[c];
        d_k[c] = (made(m, K_LAST) ? 0.0 : d_k[c]) + of_k * ds * k_factor[c];
        d_v[c] = (made(m, V_LAST) ? 0.0 : d_v[c]) + w * v_factor[c];
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int T = size(c, "T"), d = size(c, "d_head");
    struct Head h = {size(c, "H"),
                     T,
                     d,
                     floats(c, "d_out"),
                     floats(c, "q"),
                     floats(c, "k"),
                     floats(c, "v"),
                     floats(c, "weights"),
                     wanted(want, c, "d_q"),
                     wanted(want, c, "d_k"),
                     wanted(want, c, "d_v"),
                     0.0};
    for (int n = 0; n < size(c, "B") * size(c, "H"); n++) {
        for (int i = 0; i < T; i++) {
            for (int j = 0; j < (made(m, CAUSAL_ONLY) ? i + 1 : T); j++) {
                add_pair(&h, i, j, m);
            }
            h.kept += mean(&h, i, T - 1, m & ~(1u << KEPT_MEAN));
        }
        h.d_out += T * d, h.q += T * d, h.k += T * d, h.v += T * d, h.weights += T * T;
        h.d_q += T * d, h.d_k += T * d, h.d_v += T * d;
    }
}

const struct Exercise exercise_attention_backward = {
    .name = "10-attention-backward",
    .lesson = "lessons 02 and 07",
    .function = "attention_backward",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
