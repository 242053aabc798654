#include "tests/graders/exercise.h"

#include <math.h>

/* Steps t, t + 1, ... with gradients of size of_g. Rate and decay are far above the usual ones, so
   that the order of things shows. And 1 - beta1 is not the root of 1 - beta2, as it would be with
   0.99: two wrong corrections would cancel. */
static void make(struct Case *c, struct Rng *rng, int n, int steps, int t, double of_g, double lr,
                 double eps, double decay)
{
    case_size(c, "n", n);
    case_size(c, "steps", steps);
    case_size(c, "t", t);
    case_size(c, "lr", lr);
    case_size(c, "beta1", 0.9);
    case_size(c, "beta2", 0.98);
    case_size(c, "eps", eps);
    case_size(c, "decay", decay);
    float *g = case_floats(c, IN, "g", "si", steps, n);
    float *p = case_floats(c, IN, "p_start", "i", n);
    float *m = case_floats(c, IN, "m_start", "i", n);
    float *v = case_floats(c, IN, "v_start", "i", n);
    case_floats(c, OUT, "m", "si", steps, n);
    case_floats(c, OUT, "v", "si", steps, n);
    case_floats(c, OUT, "p", "si", steps, n);
    draw(rng, g, steps * n);
    draw(rng, p, n);
    draw(rng, m, n);
    draw(rng, v, n);
    for (int i = 0; i < steps * n; i++) {
        g[i] *= (float)of_g;
    }
    for (int i = 0; i < n; i++) {
        p[i] += copysignf(1.0f, p[i]);
        m[i] = t > 1 ? 0.3f * m[i] : 0.0f;
        v[i] = t > 1 ? 0.5f + v[i] * v[i] : 0.0f;
    }
}

static void first(struct Case *c, struct Rng *rng)
{
    make(c, rng, 7, 1, 1, 1.0, 0.1, 1e-8, 0.5);
}

static void five(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 5, 1, 1.0, 0.2, 1e-8, 0.3);
}

static void later(struct Case *c, struct Rng *rng)
{
    make(c, rng, 6, 3, 10, 2.0, 0.1, 1e-8, 0.4);
}

static void tiny(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, 3, 1, 1e-7, 0.1, 1e-8, 0.25);
}

static void large_eps(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, 4, 1, 1.0, 0.1, 0.5, 0.5);
}

static void zeros(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, 2, 1, 10.0, 0.3, 1e-6, 0.2);
    for (int i = 0; i < 10; i++) {
        floats(c, "g")[i] *= i % 5 % 2 == 0; /* parameters 1 and 3 never have a gradient */
    }
}

static void no_decay(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 4, 2, 1.0, 0.1, 1e-8, 0.0);
}

static const struct Check checks[] = {
    {"the first step", first},  {"five steps", five},
    {"steps 10 to 12", later},  {"tiny gradients, not far above eps", tiny},
    {"a large eps", large_eps}, {"some gradients are zero", zeros},
    {"no decay", no_decay},
};

enum {
    L2,
    NO_DECAY,
    DECAY_AFTER,
    DECAY_WITHOUT_LR,
    DECAY_GROWS,
    DECAY_IN_M_HAT,
    NO_CORRECTION,
    M_UNCORRECTED,
    V_UNCORRECTED,
    CORRECTION_KEPT,
    T_FROM_ZERO,
    NO_POWER,
    TIMES_T,
    BARE_POWER,
    MULTIPLIED,
    EPS_INSIDE,
    EPS_EARLY,
    NO_EPS,
    NO_ROOT,
    SWAPPED,
    ONE_BETA,
    TURNED,
    M_SUM,
    V_SUM,
    NOT_SQUARED,
    M_SQUARED,
    OLD_MOMENTS,
    FORGOTTEN,
    NO_LR,
    UPHILL,
    T_LATE,
    ONE_CORRECTION
};

static const struct Mistake mistakes[] = {
    [L2] = {"l2",
            "You add decay*p to the gradient. That is L2, which passes through m and v; AdamW "
            "takes the decay from p itself."},
    [NO_DECAY] = {"no-decay", "Your p does not decay: lr*decay*p should be subtracted from it."},
    [DECAY_AFTER] = {"decay-after", "You let the new p decay, after the step of Adam; what decays "
                                    "should be the p from before the step."},
    [DECAY_WITHOUT_LR] = {"decay-without-lr", "You subtract decay*p; it should be lr*decay*p."},
    [DECAY_GROWS] = {"decay-grows",
                     "You add lr*decay*p, so that p grows; it should be subtracted."},
    [DECAY_IN_M_HAT] = {"decay-divided",
                        "Your decay is divided by sqrt(v') + eps with the rest; it "
                        "should stand outside of the quotient."},
    [NO_CORRECTION] = {"no-correction",
                       "You do not correct m and v, which begin at zero and are too "
                       "small at first: divide them by 1 - beta^t."},
    [M_UNCORRECTED] = {"m-uncorrected", "You correct v but not m: m' should be m / (1 - beta1^t)."},
    [V_UNCORRECTED] = {"v-uncorrected", "You correct m but not v: v' should be v / (1 - beta2^t)."},
    [CORRECTION_KEPT] = {"correction-kept",
                         "You write the corrected m' and v' back to m and v; they "
                         "should be kept as they are, or each step corrects "
                         "again."},
    [T_FROM_ZERO] = {"t-from-zero", "You count steps from 0; t is 1 at the first, as it is given. "
                                    "With 0 the correction divides by zero."},
    [NO_POWER] = {"no-power", "You divide by 1 - beta at every step; it should be 1 - beta^t."},
    [TIMES_T] = {"times-t",
                 "You divide by 1 - beta*t; it should be 1 - beta^t, beta to the power of "
                 "t."},
    [BARE_POWER] = {"bare-power", "You divide by beta^t; it should be 1 - beta^t."},
    [MULTIPLIED] = {"multiplied",
                    "You multiply m and v by 1 - beta^t, which makes them smaller still; "
                    "they should be divided by it."},
    [EPS_INSIDE] = {"eps-inside",
                    "Your eps is inside the root; it should be added after: sqrt(v') + "
                    "eps."},
    [EPS_EARLY] = {"eps-early", "You add eps to the root of v before v is corrected; it should be "
                                "added to the root of v'."},
    [NO_EPS] = {"no-eps", "You leave out eps: where every gradient was zero this divides 0 by 0."},
    [NO_ROOT] = {"no-root", "You divide by v'; it should be its root, which has the unit of a "
                            "gradient."},
    [SWAPPED] = {"betas-swapped",
                 "You use beta2 for m and beta1 for v; it should be beta1 for m and "
                 "beta2 for v."},
    [ONE_BETA] = {"one-beta", "You use beta1 for v too; it should be beta2, in v and in its "
                              "correction."},
    [TURNED] = {"betas-turned", "You weight the old m and v by 1 - beta and the new gradient by "
                                "beta; it should be the other way round."},
    [M_SUM] = {"m-sum", "In m the gradient lacks its factor 1 - beta1."},
    [V_SUM] = {"v-sum", "In v the squared gradient lacks its factor 1 - beta2."},
    [NOT_SQUARED] = {"not-squared", "Your v is a mean of the gradients; it should be of their "
                                    "squares."},
    [M_SQUARED] = {"m-squared", "You square m for v; v should be a mean of the squared gradients, "
                                "g*g."},
    [OLD_MOMENTS] = {"old-moments", "You move p by the m and v from before the step; they should "
                                    "take in the gradient first."},
    [FORGOTTEN] = {"forgotten", "You do not write m and v back, so each step begins without the "
                                "gradients before it."},
    [NO_LR] = {"no-lr", "The step of Adam lacks its factor lr, which is not only for the decay."},
    [UPHILL] = {"uphill", "You add the step of Adam; it should be subtracted, as the gradient "
                          "points uphill."},
    [T_LATE] = {"t-late",
                "You correct with t + 1; t is 1 at the first step already, as it is given: "
                "1 - beta^t."},
    [ONE_CORRECTION] = {"one-correction",
                        "You correct v with beta1; it should be beta2, by which v "
                        "fades: v / (1 - beta2^t)."},
};

/* What a moment is divided by. */
static double correction(double beta, int t, Mistakes m)
{
    double power = made(m, NO_POWER)  ? beta
                   : made(m, TIMES_T) ? beta * t
                                      : pow(beta, t - made(m, T_FROM_ZERO) + made(m, T_LATE));
    double factor = made(m, BARE_POWER) ? power : 1.0 - power;
    return made(m, MULTIPLIED) ? 1.0 / factor : factor;
}

/* The mean of a moment, and of what is new. */
static double fade(double old, double new, double beta, bool sum, Mistakes m)
{
    return made(m, TURNED) ? (1.0 - beta) * old + beta * new
                           : beta *old + (sum ? new : (1.0 - beta) * new);
}

struct State {
    double p, m, v;
};

struct Settings {
    double lr, beta1, beta2, eps, decay;
};

/* What p becomes, from the moments that the step uses. */
static double moved(double p, double m_hat, double v_hat, double v_correction,
                    const struct Settings *s, Mistakes m)
{
    double root = made(m, EPS_INSIDE)  ? sqrt(v_hat + s->eps)
                  : made(m, EPS_EARLY) ? (sqrt(v_hat * v_correction) + s->eps) / sqrt(v_correction)
                  : made(m, NO_EPS)    ? sqrt(v_hat)
                  : made(m, NO_ROOT)   ? v_hat + s->eps
                                       : sqrt(v_hat) + s->eps;
    double top = m_hat + (made(m, DECAY_IN_M_HAT) ? s->decay * p : 0.0);
    double lr = made(m, NO_LR) ? 1.0 : s->lr, step = (made(m, UPHILL) ? -lr : lr) * top / root;
    double rate = made(m, DECAY_WITHOUT_LR) ? s->decay
                  : made(m, DECAY_GROWS)    ? -s->lr * s->decay
                                            : s->lr * s->decay;
    if (made(m, NO_DECAY) || made(m, L2) || made(m, DECAY_IN_M_HAT)) {
        rate = 0.0;
    }
    return made(m, DECAY_AFTER) ? (p - step) * (1.0 - rate) : p - rate * p - step;
}

static void take_step(struct State *x, double g, int t, const struct Settings *s, Mistakes m)
{
    double beta1 = made(m, SWAPPED) ? s->beta2 : s->beta1;
    double beta2 = made(m, SWAPPED) || made(m, ONE_BETA) ? s->beta1 : s->beta2;
    struct State before = *x;
    g += made(m, L2) ? s->decay * x->p : 0.0;
    x->m = fade(x->m, g, beta1, made(m, M_SUM), m);
    x->v = fade(x->v,
                made(m, NOT_SQUARED) ? g
                : made(m, M_SQUARED) ? x->m * x->m
                                     : g * g,
                beta2, made(m, V_SUM), m);
    bool none = made(m, NO_CORRECTION);
    double of_m = none || made(m, M_UNCORRECTED) ? 1.0 : correction(beta1, t, m);
    double of_v = none || made(m, V_UNCORRECTED)
                      ? 1.0
                      : correction(made(m, ONE_CORRECTION) ? beta1 : beta2, t, m);
    const struct State *used = made(m, OLD_MOMENTS) ? &before : x;
    x->p = moved(x->p, used->m / of_m, used->v / of_v, of_v, s, m);
    if (made(m, CORRECTION_KEPT)) {
        x->m /= of_m;
        x->v /= of_v;
    }
    if (made(m, FORGOTTEN)) {
        x->m = before.m;
        x->v = before.v;
    }
}

/* As float, in which the learner gets it. */
static double single(const struct Case *c, const char *name)
{
    return (float)number(c, name);
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    struct Settings s = {single(c, "lr"), single(c, "beta1"), single(c, "beta2"), single(c, "eps"),
                         single(c, "decay")};
    const float *g = floats(c, "g");
    double *p = wanted(want, c, "p"), *of_m = wanted(want, c, "m"), *of_v = wanted(want, c, "v");
    int n = size(c, "n");
    for (int i = 0; i < n; i++) {
        struct State x = {floats(c, "p_start")[i], floats(c, "m_start")[i],
                          floats(c, "v_start")[i]};
        for (int at = i, t = size(c, "t"); at < n * size(c, "steps"); at += n, t++) {
            take_step(&x, g[at], t, &s, m);
            p[at] = x.p, of_m[at] = x.m, of_v[at] = x.v;
        }
    }
}

const struct Exercise exercise_adamw = {
    .name = "12-adamw",
    .lesson = "lesson 07",
    .function = "adamw_step",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
