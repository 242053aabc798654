#include "tests/graders/exercise.h"

#include <math.h>

/* Tokens at these places. The bases are smaller than the usual 10000: angles stay small enough for a
   float when somebody lets them grow from pair to pair. */
static void make(struct Case *c, struct Rng *rng, int H, int d, double base, const int *places,
                 int T)
{
    case_size(c, "T", T);
    case_size(c, "H", H);
    case_size(c, "d_head", d);
    case_size(c, "base", base);
    draw(rng, case_floats(c, BOTH, "qkv", "tshc", T, 3, H, d), T * 3 * H * d);
    int32_t *place = case_integers(c, IN, "place", "t", T);
    for (int t = 0; t < T; t++) {
        place[t] = places[t];
    }
}

static void one_pair(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 2, 10000.0, (int[]){0, 1, 2, 3, 4}, 5);
}

static void three_heads(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 8, 100.0, (int[]){0, 1, 2, 3, 4}, 5);
}

static void cached(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 6, 20.0, (int[]){17}, 1);
}

static void gaps(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 4, 80.0, (int[]){3, 7, 11, 12}, 4);
}

static void small_base(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 10, 15.0, (int[]){5, 6, 9}, 3);
}

static void packed(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 12, 100.0, (int[]){0, 1, 2, 0, 1, 2, 3}, 7);
}

static const struct Check checks[] = {
    {"a single pair: the angle is the place", one_pair},
    {"three heads of 8, places 0 to 4", three_heads},
    {"one token beside a cache, at place 17", cached},
    {"places with gaps, another base", gaps},
    {"a small base: all pairs turn fast", small_base},
    {"two texts in one: places begin anew", packed},
};

enum {
    CLOCKWISE,
    HALVES,
    RESTARTED,
    FROM_FIRST,
    NO_TWO,
    DEGREES,
    TURNS,
    VALUES_TOO,
    ONLY_QUERIES,
    ONLY_KEYS,
    ONE_HEAD,
    OVERWRITTEN,
    ONE_ANGLE,
    NO_PLACE,
    ACROSS_HEADS,
    D_MODEL,
    EXCHANGED,
    MINUS_TWICE,
    PLUS_TWICE,
    MINUS_SECOND,
    FIRST_HALF,
    ONE_PAIR,
    PLACE_LATE,
    PAIR_LATE,
    FASTER,
    ENTRY,
    BASE_FIXED,
    NO_D,
    KEYS_BACK,
    HEADS_OUTSIDE
};

static const struct Mistake mistakes[] = {
    [CLOCKWISE] = {"clockwise",
                   "You turn clockwise: the two sines have their signs exchanged. Scores then "
                   "depend on the distance with the wrong sign; no checkpoint fits."},
    [HALVES] = {"halves",
                "You pair number i with number i + d_head/2, the other layout. Here 2i and 2i + 1 "
                "are a pair; weights trained for one layout are wrong in the other."},
    [RESTARTED] = {"restarted",
                   "You turn row t by t; a token stands at place[t], which is something else "
                   "beside a cache, or where texts are packed."},
    [FROM_FIRST] = {"from-first",
                    "You turn by place[t] - place[0]; it is by place[t]. Keys that lie in a cache "
                    "were turned by their whole place, and the distance to them must stay."},
    [NO_TWO] = {"no-two",
                "Your frequency is base^(-i/d_head); it is base^(-2i/d_head), where i counts "
                "pairs. Otherwise the slow half of the frequencies is never used."},
    [DEGREES] = {"degrees", "You take the angle for degrees; it is in radians, as sinf and cosf "
                            "expect it."},
    [TURNS] = {"turns", "You multiply the angle by 2 pi, as if it were counted in whole turns; it "
                        "is in radians as it stands."},
    [VALUES_TOO] = {"values-too",
                    "You turn the values as well. Only queries and keys are turned: the values "
                    "are mixed, and nothing undoes the turn."},
    [ONLY_QUERIES] = {"only-queries",
                      "You turn the queries, and the keys stay. Both are turned, or the score "
                      "depends on the place of the query alone."},
    [ONLY_KEYS] = {"only-keys", "You turn the keys, and the queries stay. Both are turned, or the "
                                "score depends on the place of the key alone."},
    [ONE_HEAD] = {"one-head",
                  "You turn the first head only; the queries and keys of all heads should be "
                  "turned."},
    [OVERWRITTEN] = {"overwritten",
                     "You make the new b of the new a, which has taken the place of the old one. "
                     "Keep a and b in variables before you write."},
    [ONE_ANGLE] = {"one-angle",
                   "You turn all pairs by the same angle, the place. Pair i has its own frequency, "
                   "base^(-2i/d_head); mind that 2*i/d_head in whole numbers is 0."},
    [NO_PLACE] = {"no-place", "You turn every token by the frequencies alone; the angle is "
                              "place[t] times the frequency."},
    [ACROSS_HEADS] = {"across-heads",
                      "You count pairs on from head to head, as if all heads were one. Each head "
                      "begins anew with pair 0, the fastest."},
    [D_MODEL] = {"d_model", "You divide the exponent by H*d_head; a head has d_head numbers, and "
                            "its frequencies are base^(-2i/d_head)."},
    [EXCHANGED] = {"exchanged", "You have sine and cosine exchanged: at place 0 nothing may turn, "
                                "and there the cosine is 1."},
    [MINUS_TWICE] = {"minus-twice",
                     "Your second line is a sin - b cos. With a minus in both lines you mirror "
                     "the pair; to turn it, b cos is added."},
    [PLUS_TWICE] = {"plus-twice", "Your first line is a cos + b sin. With a plus in both lines "
                                  "lengths change; to turn the pair, b sin is subtracted."},
    [MINUS_SECOND] = {"minus-second",
                      "Your second line is b cos - a sin. With a minus in both lines lengths "
                      "change; to turn the pair, a sin is added."},
    [FIRST_HALF] = {"first-half", "You turn only the first d_head/4 pairs of a head, which are the "
                                  "numbers of its first half; there are d_head/2 pairs."},
    [ONE_PAIR] = {"one-pair", "You turn only the first pair of each head; there are "
                              "d_head/2 pairs in a head, each with a frequency of its own."},
    [PLACE_LATE] = {"place-late", "You count places from 1; place[t] is 0 for the first token of a "
                                  "text, which is not turned."},
    [PAIR_LATE] = {"pair-late", "You count pairs from 1 in the exponent; pair 0 has frequency 1, "
                                "one radian a place."},
    [FASTER] = {"faster", "Your exponent is positive: each pair turns faster than the one before "
                          "it. It is base^(-2i/d_head)."},
    [ENTRY] = {"entry",
               "Your exponent has the number of the entry, 2i, for the number of the pair: "
               "base^(-4i/d_head). It is base^(-2i/d_head)."},
    [BASE_FIXED] = {"base-fixed", "You always take 10000 for the base; it is given."},
    [NO_D] = {"no-d", "Your frequency is base^(-2i); the exponent is divided by d_head, or all "
                      "pairs but the first hardly turn."},
    [KEYS_BACK] = {"keys-back",
                   "You turn keys the other way than queries, so a score depends on the sum of "
                   "the two places. Both turn the same way, which leaves their difference."},
    [HEADS_OUTSIDE] = {"heads-outside",
                       "You read a row as (H,3,d_head), query, key and value of each head in turn. "
                       "It is (3,H,d_head): the queries of all heads come first."},
};

/* By what angle pair i of head h is turned, in the token of row t. */
static double angle(const struct Case *c, int t, int h, int i, Mistakes m)
{
    int d = size(c, "d_head"), H = size(c, "H");
    double base = made(m, BASE_FIXED) ? 10000.0 : number(c, "base");
    double pair = i + (made(m, PAIR_LATE) ? 1 : 0) + (made(m, ACROSS_HEADS) ? h * (d / 2) : 0);
    double two = made(m, NO_TWO) ? 1.0 : made(m, ENTRY) ? 4.0 : 2.0;
    double part = two * pair / (made(m, D_MODEL) || made(m, ACROSS_HEADS) ? H * d : d);
    part *= made(m, NO_D) ? d : 1;
    double frequency = made(m, ONE_ANGLE) ? 1.0
                       : made(m, FASTER)  ? pow(base, part)
                                          : pow(base, -part);
    int place = made(m, RESTARTED) ? t : integers(c, "place")[t];
    place -= made(m, FROM_FIRST) ? integers(c, "place")[0] : 0;
    place = (made(m, NO_PLACE) ? 1 : place) + (made(m, PLACE_LATE) ? 1 : 0);
    double unit = made(m, DEGREES) ? M_PI / 180.0 : made(m, TURNS) ? 2.0 * M_PI : 1.0;
    return place * frequency * unit;
}

/* One query, key or value. */
static void turn(double *x, const struct Case *c, int t, int s, int h, Mistakes m)
{
    int d = size(c, "d_head");
    int pairs = made(m, ONE_PAIR) ? 1 : made(m, FIRST_HALF) ? d / 4 : d / 2;
    for (int i = 0; i < pairs; i++) {
        double *to_a = made(m, HALVES) ? &x[i] : &x[2 * i];
        double *to_b = made(m, HALVES) ? &x[i + d / 2] : &x[2 * i + 1];
        double by = angle(c, t, h, i, m), sine = sin(by), cosine = cos(by), a = *to_a, b = *to_b;
        if (made(m, EXCHANGED)) {
            sine = cos(by), cosine = sin(by);
        }
        sine = made(m, CLOCKWISE) != (made(m, KEYS_BACK) && s == 1) ? -sine : sine;
        *to_a = a * cosine + (made(m, PLUS_TWICE) ? b : -b) * sine;
        a = made(m, OVERWRITTEN) ? *to_a : a;
        *to_b = (made(m, MINUS_SECOND) ? -a : a) * sine + (made(m, MINUS_TWICE) ? -b : b) * cosine;
    }
}

static bool turned(int s, Mistakes m)
{
    return (s == 0 && !made(m, ONLY_KEYS)) || (s == 1 && !made(m, ONLY_QUERIES)) ||
           (s == 2 && made(m, VALUES_TOO));
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int T = size(c, "T"), H = size(c, "H"), d = size(c, "d_head");
    double *x = wanted(want, c, "qkv");
    for (int row = 0; row < T * 3 * H; row++, x += d) {
        int t = row / H / 3, s = row / H % 3, h = row % H;
        if (made(m, HEADS_OUTSIDE)) {
            s = row % 3, h = row / 3 % H;
        }
        if (turned(s, m) && (h == 0 || !made(m, ONE_HEAD))) {
            turn(x, c, t, s, h, m);
        }
    }
}

const struct Exercise exercise_rope = {
    .name = "22-rope",
    .lesson = "lesson 12",
    .function = "rope",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
