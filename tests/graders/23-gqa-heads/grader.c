#include "tests/graders/exercise.h"

#include <math.h>
#include <string.h>

#include "tests/graders/double.h"

static void make(struct Case *c, struct Rng *rng, int B, int H, int Hkv, int Tq, int Tk, int d,
                 float spread)
{
    case_size(c, "B", B);
    case_size(c, "H", H);
    case_size(c, "Hkv", Hkv);
    case_size(c, "Tq", Tq);
    case_size(c, "Tk", Tk);
    case_size(c, "d_head", d);
    float *q = case_floats(c, IN, "q", "bhic", B, H, Tq, d);
    float *k = case_floats(c, IN, "k", "bgjc", B, Hkv, Tk, d);
    float *v = case_floats(c, IN, "v", "bgjc", B, Hkv, Tk, d);
    case_floats(c, OUT, "weights", "bhij", B, H, Tq, Tk);
    case_floats(c, OUT, "out", "bhic", B, H, Tq, d);
    draw(rng, q, B * H * Tq * d);
    draw(rng, k, B * Hkv * Tk * d);
    draw(rng, v, B * Hkv * Tk * d);
    for (int i = 0; i < B * H * Tq * d; i++) {
        q[i] *= spread;
    }
}

static void pairs(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 6, 3, 4, 5, 4, 1.0f);
}

static void triples(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 6, 2, 5, 3, 7, 1.0f);
}

static void fours(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 8, 2, 3, 4, 2, 1.0f);
}

static void own(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 3, 3, 2, 6, 5, 1.0f);
}

static void one_for_all(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 4, 1, 5, 3, 3, 1.0f);
}

static void large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 4, 2, 3, 6, 3, 100.0f);
}

static const struct Check checks[] = {
    {"2 sequences, 6 query heads on 3", pairs},   {"1 sequence, 6 query heads on 2", triples},
    {"3 sequences, 8 query heads on 2", fours},   {"a head of keys and values for each", own},
    {"one head of keys and values", one_for_all}, {"scores in the hundreds", large},
};

enum {
    MODULO,
    BY_HKV,
    HEAD_0,
    OWN_UP_TO,
    BACKWARDS,
    KEYS_MODULO,
    VALUES_MODULO,
    FIRST_KEYS,
    MEAN_QUERY,
    FIRST_QUERY,
    FEW_QUERIES,
    SHARED_QUERY,
    MEAN_OUT,
    ONE_SOFTMAX,
    INTERLEAVED,
    TOKEN_MAJOR,
    KEYS_TOKEN_MAJOR,
    NO_SOFTMAX,
    UNSCALED,
    BY_D,
    D_MODEL,
    BY_KV_WIDTH,
    BY_GROUP_WIDTH,
    OVER_QUERIES,
    MIXES_KEYS
};

static const struct Mistake mistakes[] = {
    [MODULO] = {"modulo", "You take h % Hkv for the head of keys and values; neighbours share one, "
                          "so it should be h / (H/Hkv). (k repeated whole, again and again, is the "
                          "same mistake.)"},
    [BY_HKV] = {"by-hkv", "You take h / Hkv for the head of keys and values; it should be "
                          "h / (H/Hkv): there are Hkv groups, each of H/Hkv query heads."},
    [HEAD_0] = {"head-0", "All query heads read head 0 of k and v; query head h should read head "
                          "h / (H/Hkv)."},
    [OWN_UP_TO] = {"own-up-to", "You take head h of k and v as long as there is one, and then the "
                                "last; it should be h / (H/Hkv), so that each serves as many."},
    [BACKWARDS] = {"backwards", "You hand out the heads of k and v from the last one down; the "
                                "first group reads head 0: h / (H/Hkv)."},
    [KEYS_MODULO] = {"keys-modulo", "The values are of the right head, the keys of head h % Hkv. "
                                    "Both should be of head h / (H/Hkv)."},
    [VALUES_MODULO] = {"values-modulo", "The keys are of the right head, the values of head "
                                        "h % Hkv. Both should be of head h / (H/Hkv)."},
    [FIRST_KEYS] = {"first-keys", "Every sequence looks at the keys and values of sequence 0: the "
                                  "index of k and v lacks b*Hkv."},
    [MEAN_QUERY] = {"mean-query",
                    "You take the mean of the queries of a group, or of their scores. Keys "
                    "and values are shared, queries are not: each has scores of its own."},
    [FIRST_QUERY] = {"first-query",
                     "The query heads of a group all get what the first of them gets. "
                     "Each has its own query, and so weights of its own."},
    [FEW_QUERIES] = {"few-queries", "You take head b*Hkv + h/(H/Hkv) of q, as of k and v. q has H "
                                    "heads for each sequence: it is head b*H + h."},
    [SHARED_QUERY] = {"shared-query",
                      "You take head b*H + h/(H/Hkv) of q. Keys and values are shared, queries are "
                      "not: it should be head b*H + h."},
    [MEAN_OUT] = {"mean-out",
                  "weights is right; out is the mean over the group. Each query head has an "
                  "output of its own."},
    [ONE_SOFTMAX] = {"one-softmax",
                     "The weights of all query heads of a group together add up to 1; it "
                     "should be those of each query: a softmax for each row of Tk scores."},
    [INTERLEAVED] = {"interleaved", "You write head m of group g to place m*Hkv + g of weights and "
                                    "out; it is query head g*(H/Hkv) + m, and belongs there."},
    [TOKEN_MAJOR] = {"token-major",
                     "You take q and out as (B,Tq,H,d_head), all heads of a token side by "
                     "side. They are (B,H,Tq,d_head), all tokens of a head."},
    [KEYS_TOKEN_MAJOR] = {"keys-token-major",
                          "You take k and v as (B,Tk,Hkv,d_head), all heads of a token side by "
                          "side. They are (B,Hkv,Tk,d_head), all tokens of a head."},
    [NO_SOFTMAX] = {"no-softmax",
                    "There is no softmax: weights holds the scores, and they mix the values."},
    [UNSCALED] = {"unscaled", "You do not divide the scores by sqrt(d_head)."},
    [BY_D] = {"by-d", "You divide the scores by d_head; it should be by its square root, once."},
    [D_MODEL] = {"d-model", "You divide by sqrt(H*d_head), the width of all query heads; it should "
                            "be sqrt(d_head)."},
    [BY_KV_WIDTH] = {"by-kv-width",
                     "You divide by sqrt(Hkv*d_head); it should be sqrt(d_head). A "
                     "score is a sum of d_head products, however many heads there are."},
    [BY_GROUP_WIDTH] = {"by-group-width",
                        "You divide by the root of H/Hkv*d_head, what d_model/Hkv gives; it should "
                        "be sqrt(d_head). Sharing makes no head wider."},
    [OVER_QUERIES] = {"over-queries", "Your weights add up to 1 over the queries of each key; the "
                                      "softmax goes over the keys of each query."},
    [MIXES_KEYS] = {"mixes-keys", "You mix the keys into out; the weights come from q and k, but "
                                  "what they mix are the values, v."},
};

struct Sizes {
    int H, Hkv, group, Tq, Tk, d;
};

/* Row t of head h of n, sequence b, T rows each. */
static int row(int b, int h, int t, int n, int T, int d, bool token_major)
{
    return (token_major ? (b * T + t) * n + h : (b * n + h) * T + t) * d;
}

/* The head of keys and values for query head h. */
static int shared(const struct Sizes *s, int h, bool modulo, Mistakes m)
{
    return modulo || made(m, MODULO) ? h % s->Hkv
           : made(m, BY_HKV)         ? h / s->Hkv
           : made(m, HEAD_0)         ? 0
           : made(m, OWN_UP_TO)      ? (h < s->Hkv ? h : s->Hkv - 1)
           : made(m, BACKWARDS)      ? s->Hkv - 1 - h / s->group
                                     : h / s->group;
}

/* Entry i of k or v from where row j of head g begins; NaN outside of the array. */
static double entry(const struct Case *c, const char *name, const struct Sizes *s, int b, int g,
                    int j, int i, Mistakes m)
{
    int of = made(m, FIRST_KEYS) ? 0 : b;
    int at = row(of, g, j, s->Hkv, s->Tk, s->d, made(m, KEYS_TOKEN_MAJOR)) + i;
    return at < case_array(c, name)->size ? floats(c, name)[at] : NAN;
}

static double scale(const struct Sizes *s, Mistakes m)
{
    return made(m, UNSCALED)         ? 1.0
           : made(m, BY_D)           ? s->d
           : made(m, D_MODEL)        ? sqrt(s->H * s->d)
           : made(m, BY_KV_WIDTH)    ? sqrt(s->Hkv * s->d)
           : made(m, BY_GROUP_WIDTH) ? sqrt(s->group * s->d)
                                     : sqrt(s->d);
}

/* The score of query i of head h for key j. */
static double score(const struct Case *c, const struct Sizes *s, int b, int h, int i, int j,
                    Mistakes m)
{
    int g = shared(s, h, made(m, KEYS_MODULO), m);
    int first = made(m, MEAN_QUERY) || made(m, FIRST_QUERY) ? h / s->group * s->group : h;
    int n = made(m, MEAN_QUERY) ? s->group : 1;
    double dot = 0.0;
    for (int other = first; other < first + n; other++) {
        bool few = made(m, FEW_QUERIES), by_group = few || made(m, SHARED_QUERY);
        const float *q =
            floats(c, "q") + row(b, by_group ? other / s->group : other, i, few ? s->Hkv : s->H,
                                 s->Tq, s->d, made(m, TOKEN_MAJOR));
        for (int e = 0; e < s->d; e++) {
            dot += q[e] * entry(c, "k", s, b, g, j, e, m) / n;
        }
    }
    return dot / scale(s, m);
}

/* w (H,Tq,Tk) of one sequence, from scores to weights. */
static void normalise(double *w, const struct Sizes *s, Mistakes m)
{
    int square = s->Tq * s->Tk;
    for (int h = 0; h < s->H && !made(m, NO_SOFTMAX); h++, w += square) {
        for (int i = 0; i < s->Tq && !made(m, OVER_QUERIES) && !made(m, ONE_SOFTMAX); i++) {
            softmax_in_double(w + i * s->Tk, s->Tk, 1);
        }
        for (int j = 0; j < s->Tk && made(m, OVER_QUERIES); j++) {
            softmax_in_double(w + j, s->Tq, s->Tk);
        }
        for (int i = 0; i < s->Tq && made(m, ONE_SOFTMAX) && h % s->group == 0; i++) {
            double together[s->group * s->Tk];
            for (int n = 0; n < s->group * s->Tk; n++) {
                together[n] = w[n / s->Tk * square + i * s->Tk + n % s->Tk];
            }
            softmax_in_double(together, s->group * s->Tk, 1);
            for (int n = 0; n < s->group * s->Tk; n++) {
                w[n / s->Tk * square + i * s->Tk + n % s->Tk] = together[n];
            }
        }
    }
}

/* Number e of the output of query i of head h. */
static double mixed(const struct Case *c, const struct Sizes *s, const double *w, int b, int h,
                    int i, int e, Mistakes m)
{
    int g = shared(s, h, made(m, VALUES_MODULO), m);
    double sum = 0.0;
    for (int j = 0; j < s->Tk; j++) {
        sum += w[(h * s->Tq + i) * s->Tk + j] *
               entry(c, made(m, MIXES_KEYS) ? "k" : "v", s, b, g, j, e, m);
    }
    return sum;
}

static void one_sequence(struct Wanted *want, const struct Case *c, const struct Sizes *s, int b,
                         Mistakes m)
{
    double w[s->H * s->Tq * s->Tk];
    for (int n = 0; n < s->H * s->Tq * s->Tk; n++) {
        w[n] = score(c, s, b, n / s->Tk / s->Tq, n / s->Tk % s->Tq, n % s->Tk, m);
    }
    normalise(w, s, m);
    for (int n = 0; n < s->H * s->Tq; n++) {
        int h = n / s->Tq, i = n % s->Tq;
        int to = made(m, INTERLEAVED) ? h % s->group * s->Hkv + h / s->group : h;
        double *weights = wanted(want, c, "weights") + ((b * s->H + to) * s->Tq + i) * s->Tk;
        double *out =
            wanted(want, c, "out") + row(b, to, i, s->H, s->Tq, s->d, made(m, TOKEN_MAJOR));
        memcpy(weights, w + n * s->Tk, (size_t)s->Tk * sizeof *w);
        for (int e = 0; e < s->d; e++) {
            int first = made(m, MEAN_OUT) ? h / s->group * s->group : h;
            int of = made(m, MEAN_OUT) ? s->group : 1;
            for (int other = first; other < first + of; other++) {
                out[e] += mixed(c, s, w, b, other, i, e, m) / of;
            }
        }
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int H = size(c, "H"), Hkv = size(c, "Hkv");
    struct Sizes s = {H, Hkv, H / Hkv, size(c, "Tq"), size(c, "Tk"), size(c, "d_head")};
    for (int b = 0; b < size(c, "B"); b++) {
        one_sequence(want, c, &s, b, m);
    }
}

const struct Exercise exercise_gqa_heads = {
    .name = "23-gqa-heads",
    .lesson = "lesson 10",
    .function = "grouped_attention",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
