#include "tests/graders/exercise.h"

#include <math.h>

#include "tests/graders/double.h"

/* Three texts, two heads: a text's mask taken by the number of the head is then another one's. */
enum { TEXTS = 3, HEADS = 2 };

/* Where a text lies in its row: what is before begin, and from end on, is pads. */
struct Text {
    int begin, end;
};

static bool may_see(struct Text text, int i, int j, bool causal)
{
    return j >= text.begin && j < text.end && !(causal && j > i);
}

/* Scores that may be seen lie around seen, those to be hidden around hidden. */
static void make(struct Case *c, struct Rng *rng, int T, bool causal,
                 const struct Text texts[TEXTS], float seen, float hidden)
{
    case_size(c, "B", TEXTS);
    case_size(c, "H", HEADS);
    case_size(c, "T", T);
    case_size(c, "causal", causal);
    int32_t *first = case_integers(c, IN, "first", "b", TEXTS);
    int32_t *length = case_integers(c, IN, "length", "b", TEXTS);
    float *scores = case_floats(c, IN, "scores", "bhqk", TEXTS, HEADS, T, T);
    case_floats(c, OUT, "weights", "bhqk", TEXTS, HEADS, T, T);
    for (int b = 0; b < TEXTS; b++) {
        first[b] = texts[b].begin;
        length[b] = texts[b].end - texts[b].begin;
    }
    draw(rng, scores, TEXTS * HEADS * T * T);
    for (int n = 0; n < TEXTS * HEADS * T * T; n++) {
        struct Text text = texts[n / (HEADS * T * T)];
        scores[n] += may_see(text, n / T % T, n % T, causal) ? seen : hidden;
    }
}

static const struct Text behind[] = {{0, 6}, {0, 3}, {0, 1}};
static const struct Text front[] = {{0, 6}, {2, 6}, {5, 6}};
static const struct Text around[] = {{1, 5}, {0, 3}, {3, 6}};

static void pads_behind(struct Case *c, struct Rng *rng)
{
    make(c, rng, 6, false, behind, 0.0f, 0.0f);
}

static void pads_behind_causal(struct Case *c, struct Rng *rng)
{
    make(c, rng, 6, true, behind, 0.0f, 0.0f);
}

static void pads_in_front(struct Case *c, struct Rng *rng)
{
    make(c, rng, 6, false, front, 0.0f, 0.0f);
}

static void pads_in_front_causal(struct Case *c, struct Rng *rng)
{
    make(c, rng, 6, true, front, 0.0f, 0.0f);
}

static void pads_around(struct Case *c, struct Rng *rng)
{
    make(c, rng, 7, true, around, 0.0f, 0.0f);
}

static void only_pads(struct Case *c, struct Rng *rng)
{
    static const struct Text texts[] = {{0, 4}, {2, 2}, {0, 2}};
    make(c, rng, 4, false, texts, 0.0f, 0.0f);
}

static void only_pads_causal(struct Case *c, struct Rng *rng)
{
    static const struct Text texts[] = {{1, 5}, {0, 3}, {4, 4}};
    make(c, rng, 5, true, texts, 0.0f, 0.0f);
}

static void hidden_large(struct Case *c, struct Rng *rng)
{
    make(c, rng, 7, false, around, 0.0f, 1000.0f);
}

static void hidden_large_causal(struct Case *c, struct Rng *rng)
{
    make(c, rng, 6, true, behind, 0.0f, 1000.0f);
}

/* What is to be hidden is 0, so that a finite number hides it evenly, put there or added. */
static void make_low(struct Case *c, struct Rng *rng, int T, bool causal,
                     const struct Text texts[TEXTS])
{
    make(c, rng, T, causal, texts, -1e5f, 0.0f);
    for (int n = 0; n < TEXTS * HEADS * T * T; n++) {
        if (!may_see(texts[n / (HEADS * T * T)], n / T % T, n % T, causal)) {
            floats(c, "scores")[n] = 0.0f;
        }
    }
}

static void seen_low(struct Case *c, struct Rng *rng)
{
    make_low(c, rng, 6, false, behind);
}

static void seen_low_causal(struct Case *c, struct Rng *rng)
{
    make_low(c, rng, 6, true, behind);
}

static const struct Check checks[] = {
    {"pads behind", pads_behind},
    {"pads behind, causal", pads_behind_causal},
    {"pads in front", pads_in_front},
    {"pads in front, causal: queries without a key", pads_in_front_causal},
    {"pads in front and behind, causal", pads_around},
    {"a text of nothing but pads", only_pads},
    {"a text of nothing but pads, causal", only_pads_causal},
    {"scores of pads near 1000", hidden_large},
    {"hidden scores near 1000, causal", hidden_large_causal},
    {"scores near -100000, those of pads 0", seen_low},
    {"the same, causal", seen_low_causal},
};

enum {
    NO_PADS,
    QUERIES,
    QUERIES_TOO,
    QUERIES_BEHIND,
    INVERTED,
    ZERO,
    FINITE,
    AFTER,
    RENORMALISED,
    GUARDED,
    ONE_MORE,
    ONE_LESS,
    FIRST_LOST,
    FRONT_SEEN,
    FROM_ZERO,
    END_IS_LENGTH,
    FIRST_TEXT,
    LONGEST,
    BY_HEAD,
    SWAPPED,
    EMPTY_NAN,
    EMPTY_EVEN,
    EMPTY_ALL,
    EMPTY_SELF,
    EMPTY_TEXT,
    NOT_CAUSAL,
    ALWAYS_CAUSAL,
    STRICT,
    BACKWARDS,
    RELATIVE,
    EITHER,
    NO_SOFTMAX
};
static const struct Mistake mistakes[] = {
    [NO_PADS] = {"no-pads", "Your queries look at pads: nothing hides them. A key counts only if "
                            "its place belongs to the text."},
    [QUERIES] = {"queries", "You hide the rows of pads and not their columns: every query of the "
                            "text still looks at pads. It is the key j that must not be a pad."},
    [QUERIES_TOO] = {"queries-too",
                     "You hide queries at the places of pads as well. The rule is about keys: such "
                     "a query is like any other here, and its output is left out of the loss."},
    [QUERIES_BEHIND] = {"queries-behind",
                        "You hide the queries of pads behind a text as well. The rule is about "
                        "keys: such a query is like any other here, as are those in front."},
    [INVERTED] = {"inverted", "Your mask of pads is the wrong way round: queries look at pads and "
                              "at nothing else."},
    [ZERO] = {"zero", "You hide with a score of 0. That is a score like any other and gets a "
                      "weight; -INFINITY gets none."},
    [FINITE] = {"finite", "You hide with a finite number, and scores may be far below it: then all "
                          "the weight goes to what was hidden. Nothing is below -INFINITY."},
    [AFTER] = {"after", "You clear weights after the softmax. What was hidden has had its share of "
                        "the sum by then, so rows add up to less than 1; mask the scores, before."},
    [RENORMALISED] = {"renormalised",
                      "You clear weights after the softmax and divide by what is left. Where "
                      "nothing is left, 0/0 is NaN; mask the scores, before."},
    [GUARDED] = {"guarded",
                 "You clear weights after the softmax and divide by what is left. Beside "
                 "a far larger hidden score nothing is left of the others; mask before."},
    [ONE_MORE] = {"one-more", "Your queries see one pad, the first behind the text. Its last token "
                              "is at first + length - 1."},
    [ONE_LESS] = {"one-less", "The last token of each text is hidden: it is at first + length - 1, "
                              "and may be seen."},
    [FIRST_LOST] = {"first-lost", "The first token of each text is hidden: it is at place first, "
                                  "and may be seen."},
    [FRONT_SEEN] = {"front-seen", "Pads in front of a text are seen: its keys begin at first, not "
                                  "at 0."},
    [FROM_ZERO] = {"from-zero", "You take each text for the first length places of its row. It "
                                "begins at place first: its keys are first to first + length - 1."},
    [END_IS_LENGTH] = {"end-is-length",
                       "You take length for the place where a text ends. It is how many tokens the "
                       "text has: it ends before first + length."},
    [FIRST_TEXT] = {"first-text", "All texts get the mask of text 0. Each has its own first and "
                                  "length, those of its b."},
    [LONGEST] = {"longest", "Each text gets the length of the longest; then the shorter ones look "
                            "at their pads. Each has a length of its own, length[b]."},
    [BY_HEAD] = {"by-head", "You take first and length by the number of the head. Pads belong to "
                            "the text: all its heads have those of b."},
    [SWAPPED] = {"swapped", "You run through heads and texts in the wrong order: in scores text 0 "
                            "comes first with all its heads, so the index is (b*H + h)."},
    [EMPTY_NAN] = {"empty-nan", "A query that may look at no key gets NaN: its largest score is "
                                "-INFINITY, and -inf - -inf is not a number. It should get zeros."},
    [EMPTY_EVEN] = {"empty-even", "A query that may look at no key looks at all of them evenly, "
                                  "pads and later tokens included. It should get zeros."},
    [EMPTY_ALL] = {"empty-all", "A query that may look at no key looks at all of them, as if there "
                                "were no mask. It should get zeros."},
    [EMPTY_SELF] = {"empty-self", "A query that may look at no key looks at itself, which is a "
                                  "pad. It should get zeros."},
    [EMPTY_TEXT] = {"empty-text",
                    "You give zeros to the queries of a text of nothing but pads. Those "
                    "of pads in front of a text have no key either, if causal is 1."},
    [NOT_CAUSAL] = {"not-causal", "Your queries look at later tokens although causal is 1. Pads "
                                  "and later keys are to be hidden, both."},
    [ALWAYS_CAUSAL] = {"always-causal", "You hide later keys even where causal is 0. Then a query "
                                        "may look at the whole text."},
    [STRICT] = {"strict", "Your causal mask hides one key too many: a query may look at itself, so "
                          "j <= i is allowed."},
    [BACKWARDS] = {"backwards",
                   "Your causal mask is the wrong way round: it hides what came before "
                   "and shows what comes later. Key j is hidden if j > i."},
    [RELATIVE] = {"relative", "You count keys from the beginning of the text and queries from the "
                              "beginning of the row. j <= i holds for places, wherever it begins."},
    [EITHER] = {"either", "You hide a key only if it is a pad and comes later as well. One of the "
                          "two is enough."},
    [NO_SOFTMAX] = {"no-softmax", "You leave the masked scores in weights; weights are what "
                                  "softmax makes of them."},
};

/* Where the answer takes text and head number bh to lie. */
static struct Text text_of(const struct Case *c, int bh, Mistakes m)
{
    const int32_t *first = integers(c, "first"), *length = integers(c, "length");
    int b = made(m, FIRST_TEXT) ? 0
            : made(m, BY_HEAD)  ? bh % HEADS
            : made(m, SWAPPED)  ? bh % TEXTS
                                : bh / HEADS;
    int tokens = length[b];
    for (int other = 0; other < TEXTS && made(m, LONGEST); other++) {
        tokens = length[other] > tokens ? length[other] : tokens;
    }
    int begin = made(m, FRONT_SEEN) || made(m, FROM_ZERO) ? 0 : first[b];
    int end = made(m, END_IS_LENGTH) || made(m, FROM_ZERO) ? tokens : first[b] + tokens;
    return (struct Text){begin + made(m, FIRST_LOST), end + made(m, ONE_MORE) - made(m, ONE_LESS)};
}

/* Does the answer hide key j from query i? begin: where the text does begin. */
static bool hides(struct Text text, int begin, int i, int j, bool causal, Mistakes m)
{
    int place = made(m, QUERIES) ? i : j;
    bool pad = place < text.begin || place >= text.end;
    int key = made(m, RELATIVE) ? j - begin : j;
    bool later = (causal || made(m, ALWAYS_CAUSAL)) && !made(m, NOT_CAUSAL) &&
                 (made(m, STRICT)      ? key >= i
                  : made(m, BACKWARDS) ? key < i
                                       : key > i);
    pad = made(m, NO_PADS) ? false : made(m, INVERTED) ? !pad : pad;
    pad |= made(m, QUERIES_TOO) && (i < text.begin || i >= text.end);
    pad |= made(m, QUERIES_BEHIND) && i >= text.end;
    return made(m, EITHER) && causal ? pad && later : pad || later;
}

/* What a query without a key gets; pads: its text has no token at all. */
static void empty_row(double *w, const float *scores, bool pads, int i, int T, Mistakes m)
{
    bool nan = made(m, EMPTY_NAN) || (made(m, EMPTY_TEXT) && !pads);
    for (int j = 0; j < T; j++) {
        w[j] = nan                   ? NAN
               : made(m, EMPTY_EVEN) ? 1.0 / T
               : made(m, EMPTY_ALL)  ? (double)scores[j]
               : made(m, EMPTY_SELF) ? j == i
               : made(m, NO_SOFTMAX) ? -INFINITY
                                     : 0.0;
    }
    if (made(m, EMPTY_ALL)) {
        softmax_in_double(w, T, 1);
    }
}

/* What was hidden is cleared, and w divided by the sum of the rest. */
static void clear(double *w, const bool *hide, int T, Mistakes m)
{
    double sum = 0.0;
    for (int j = 0; j < T; j++) {
        w[j] = hide[j] ? 0.0 : (double)(float)w[j];
        sum += w[j];
    }
    for (int j = 0; j < T; j++) {
        w[j] /= made(m, RENORMALISED) || (made(m, GUARDED) && sum > 0.0) ? sum : 1.0;
    }
}

static void one_row(double *w, const float *scores, const bool *hide, bool pads, int i, int T,
                    Mistakes m)
{
    bool after = made(m, AFTER) || made(m, RENORMALISED) || made(m, GUARDED), empty = true;
    for (int j = 0; j < T; j++) {
        double hidden = made(m, ZERO) ? 0.0 : made(m, FINITE) ? -100.0 : -INFINITY;
        w[j] = !after && hide[j] ? hidden : (double)scores[j];
        empty &= hide[j];
    }
    if (empty && !after) {
        empty_row(w, scores, pads, i, T, m);
        return;
    }
    if (!made(m, NO_SOFTMAX)) {
        softmax_in_double(w, T, 1);
    }
    if (after) {
        clear(w, hide, T, m);
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int T = size(c, "T");
    bool causal = size(c, "causal"), hide[T];
    for (int row = 0; row < TEXTS * HEADS * T; row++) {
        struct Text text = text_of(c, row / T, m);
        int b = row / (HEADS * T), begin = integers(c, "first")[b];
        for (int j = 0; j < T; j++) {
            hide[j] = hides(text, begin, row % T, j, causal, m);
        }
        one_row(wanted(want, c, "weights") + row * T, floats(c, "scores") + row * T, hide,
                integers(c, "length")[b] == 0, row % T, T, m);
    }
}

const struct Exercise exercise_padding_mask = {
    .name = "19-padding-mask",
    .lesson = "lesson 09",
    .function = "padded_weights",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
