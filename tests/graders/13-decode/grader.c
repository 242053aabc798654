#include "tests/graders/exercise.h"

#include <math.h>
#include <string.h>

#include "model.h"

/* The two tokens that end something elsewhere, and nothing here: with all twelve, those of exercise
   11. In a smaller vocabulary the last two stand in their places, and nobody takes them for it. */
enum { SEPARATOR = 10, PAD = 11 };
static int separator(int vocab)
{
    return vocab - 2;
}
static int pad(int vocab)
{
    return vocab - 1;
}

/* n letters, the last of them replaced by a separator, then pads. */
static void draw_tokens(struct Case *c, struct Rng *rng, int n, int context, int vocab)
{
    int32_t *tokens = case_integers(c, BOTH, "tokens", "t", context);
    for (int t = 0; t < context; t++) {
        tokens[t] = t < n - 1 ? rng_below(rng, vocab - 2) : t < n ? separator(vocab) : pad(vocab);
    }
}

/* A model (model.h) whose numbers are whole, up to spread on either side of level. */
static void draw_model(struct Case *c, struct Rng *rng, int context, int vocab, int spread,
                       float level)
{
    float *likes = case_floats(c, IN, "likes", "ab", vocab, vocab);
    float *places = case_floats(c, IN, "places", "tb", context, vocab);
    for (int i = 0; i < vocab * vocab; i++) {
        likes[i] = (float)(rng_below(rng, 2 * spread + 1) - spread);
    }
    for (int i = 0; i < context * vocab; i++) {
        places[i] = level + (float)(rng_below(rng, 2 * spread + 1) - spread);
    }
}

static void make(struct Case *c, struct Rng *rng, int n, int wanted, int context, int vocab,
                 int spread, float level)
{
    case_size(c, "n", n);
    case_size(c, "wanted", wanted);
    case_size(c, "context", context);
    case_size(c, "vocab", vocab);
    draw_model(c, rng, context, vocab, spread, level);
    draw_tokens(c, rng, n, context, vocab);
    case_integers(c, OUT, "length", "");
}

/* Whatever the tokens, after position t comes this one. */
static void decide(struct Case *c, int t, int token)
{
    floats(c, "places")[t * size(c, "vocab") + token] += 1e5f;
}

static void ordinary(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 5, 11, 12, 9, 0.0f);
}

static void just_fits(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 7, 9, 5, 9, 0.0f);
}

static void negative(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 4, 8, 9, 9, -2e5f);
    decide(c, 3, 6);
}

/* No token is likelier than two others, at any position. */
static void ties(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 6, 10, 8, 0, 0.0f);
    for (int t = 0; t < 10; t++) {
        int first = rng_below(rng, 6);
        floats(c, "places")[t * 8 + first] = floats(c, "places")[t * 8 + first + 1] = 1.0f;
        floats(c, "places")[t * 8 + 7] = 1.0f;
    }
}

static void all_equal(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 3, 7, 6, 0, -5.0f);
}

static void separators(struct Case *c, struct Rng *rng)
{
    make(c, rng, 4, 6, 12, 12, 9, 0.0f);
    decide(c, 3, rng_below(rng, 10));
    decide(c, 4, separator(12));
    decide(c, 6, pad(12));
}

static void short_context(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, 10, 10, 12, 9, -2e5f);
    decide(c, 4, rng_below(rng, 10));
    decide(c, 5, pad(12));
    decide(c, 7, separator(12));
}

static void full(struct Case *c, struct Rng *rng)
{
    make(c, rng, 6, 2, 6, 7, 9, 0.0f);
}

static void nothing(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 0, 5, 10, 9, 0.0f);
}

static const struct Check checks[] = {
    {"3 letters, a separator, 5 new tokens", ordinary},
    {"7 new tokens that just fit", just_fits},
    {"every logit is negative", negative},
    {"three tokens are equally likely", ties},
    {"all tokens are equally likely", all_equal},
    {"a separator and a pad are the likeliest", separators},
    {"the context is full before enough is written", short_context},
    {"the context is full from the start", full},
    {"nothing is wanted", nothing},
};

enum {
    FIRST_ROW,
    PREVIOUS_ROW,
    NEW_ROW,
    ALWAYS_ZERO,
    UNSCALED_ROW,
    PAD_ROW,
    CONTEXT_ROW,
    ONCE,
    ONE_PASS,
    NOT_READ,
    LAST_TOKEN_ONLY,
    LAST_OF_EQUALS,
    FROM_ZERO,
    SMALLEST,
    VOCAB_SHORT,
    ONE_TOO_MANY,
    ONE_TOO_FEW,
    WANTED_IN_ALL,
    TO_THE_END,
    CONTEXT_SHORT,
    BEFORE_SEPARATOR,
    AFTER_SEPARATOR,
    BEFORE_PAD,
    AFTER_PAD,
    OVERWRITES,
    RETURNS_NEW,
    RETURNS_GIVEN,
    RETURNS_WISH
};

static const char stops_at_separator[] = "You stop at a separator. It is a token like any other: "
                                         "write until there are as many as are wanted.";
static const char stops_at_pad[] = "You stop at a pad. It is a token like any other: write until "
                                   "there are as many as are wanted.";

static const struct Mistake mistakes[] = {
    [FIRST_ROW] = {"first-row", "You take the first row of the logits, which says what follows the "
                                "first token; it should be the row of the last, n - 1."},
    [PREVIOUS_ROW] = {"previous-row", "You take the row before the last: it says what follows the "
                                      "last token but one. It should be row n - 1, n being all "
                                      "tokens so far."},
    [NEW_ROW] = {"new-row", "You count rows from the first new token on; the rows begin with the "
                            "first token of all, so it should be row n - 1."},
    [ALWAYS_ZERO] = {"always-zero",
                     "You always write token 0: either no logit beats what your search "
                     "begins with, or you look in row n, which is not written (NaN). It "
                     "should be row n - 1."},
    [UNSCALED_ROW] = {"unscaled-row",
                      "You look from logits + (n - 1) on; a row has vocab numbers, so it "
                      "should be logits + (n - 1) * vocab."},
    [PAD_ROW] = {"pad-row",
                 "You let the model read the pad behind the last token and take that row; "
                 "it should be the row of the last token, n - 1."},
    [CONTEXT_ROW] = {"context-row",
                     "You take the last row of the whole context, which has read the "
                     "pads; it should be the row of the last token that is there."},
    [ONCE] = {"once",
              "You write the same token again and again: what the model reads, or the row that "
              "you take, stays where it was. Both should go along with the new tokens."},
    [ONE_PASS] = {"one-pass",
                  "You take all new tokens from one pass, in which the model reads pads "
                  "where they will stand; it should read each before you ask for the "
                  "next."},
    [NOT_READ] = {"not-read", "You let the model read once and then take the rows of new tokens, "
                              "which are not written (NaN). Let it read again after each."},
    [LAST_TOKEN_ONLY] = {"last-token-only",
                         "You let the model read the last token alone, at position "
                         "0; it should read all from the beginning."},
    [LAST_OF_EQUALS] = {"last-of-equals", "Of equal logits you take the last; it should be the "
                                          "first: compare with >, not with >=."},
    [FROM_ZERO] = {"from-zero",
                   "Your search begins with a number as the largest so far, 0 perhaps, "
                   "that no negative logit beats; it should begin with the first logit."},
    [SMALLEST] = {"smallest",
                  "You take the smallest logit; the most likely token has the largest."},
    [VOCAB_SHORT] = {"vocab-short", "Your search leaves out the last token of the vocabulary; it "
                                    "should run over all of them."},
    [ONE_TOO_MANY] = {"one-too-many", "You write one token more than is wanted."},
    [ONE_TOO_FEW] = {"one-too-few", "You write one token fewer than is wanted."},
    [WANTED_IN_ALL] = {"wanted-in-all",
                       "You stop when there are wanted tokens in all; it should be "
                       "that many new ones, n + wanted in all."},
    [TO_THE_END] = {"to-the-end", "You write until the context is full; it should be no more new "
                                  "tokens than are wanted."},
    [CONTEXT_SHORT] = {"context-short",
                       "You leave the last place of the context empty; there should "
                       "be context tokens when it is full."},
    [BEFORE_SEPARATOR] = {"before-separator", stops_at_separator},
    [AFTER_SEPARATOR] = {"after-separator", stops_at_separator},
    [BEFORE_PAD] = {"before-pad", stops_at_pad},
    [AFTER_PAD] = {"after-pad", stops_at_pad},
    [OVERWRITES] = {"overwrites", "You write each new token over the last one, at n - 1; it should "
                                  "go behind it, to place n."},
    [RETURNS_NEW] = {"returns-new",
                     "You return how many tokens are new; it should be how many there "
                     "are, with those that were given."},
    [RETURNS_GIVEN] = {"returns-given", "You return how many tokens were given; it should be how "
                                        "many there are now."},
    [RETURNS_WISH] = {"returns-wish",
                      "You return n + wanted even where the context was full before; "
                      "it should be how many tokens there are."},
};

/* The token to be written behind the n that are there. start: how many were given; given: as they
   were. */
static int choose(const struct Model *model, const int32_t *tokens, const int32_t *given, int n,
                  int start, int context, Mistakes m)
{
    int row = made(m, FIRST_ROW)      ? 0
              : made(m, PREVIOUS_ROW) ? n - 2
              : made(m, NEW_ROW)      ? n - start
              : made(m, PAD_ROW)      ? n
              : made(m, CONTEXT_ROW)  ? context - 1
              : made(m, ONCE)         ? start - 1
                                      : n - 1;
    const int32_t *read = made(m, ONE_PASS) ? given : tokens;
    int first = made(m, UNSCALED_ROW) ? n - 1 : row * model->vocab;
    if (made(m, LAST_TOKEN_ONLY)) {
        read = tokens + n - 1;
        first = 0;
    }
    int best = 0, end = model->vocab - made(m, VOCAB_SHORT);
    double most = made(m, FROM_ZERO) ? 0.0 : -INFINITY;
    if (made(m, ALWAYS_ZERO) || (made(m, NOT_READ) && n > start)) {
        return 0; /* NaN beats nothing */
    }
    for (int i = 0; i < end; i++) {
        int at = first + i;
        double logit = model_logit(model, read, at / model->vocab, at % model->vocab);
        logit = made(m, SMALLEST) ? -logit : logit;
        if (logit > most || (made(m, LAST_OF_EQUALS) && logit == most)) {
            best = i;
            most = logit;
        }
    }
    return best;
}

/* Returns how many tokens there are then. */
static int write_tokens(int32_t *tokens, const struct Model *model, int n, int wanted, int context,
                        Mistakes m)
{
    int32_t given[context];
    memcpy(given, tokens, sizeof given);
    int start = n, end = n + wanted + made(m, ONE_TOO_MANY) - made(m, ONE_TOO_FEW);
    end = made(m, WANTED_IN_ALL) ? wanted : made(m, TO_THE_END) ? context : end;
    while (n < end && n < context - made(m, CONTEXT_SHORT)) {
        int next = choose(model, tokens, given, n, start, context, m);
        bool is_separator = next == SEPARATOR, is_pad = next == PAD;
        if ((made(m, BEFORE_SEPARATOR) && is_separator) || (made(m, BEFORE_PAD) && is_pad)) {
            break;
        }
        tokens[made(m, OVERWRITES) ? n - 1 : n] = next;
        n++;
        if ((made(m, AFTER_SEPARATOR) && is_separator) || (made(m, AFTER_PAD) && is_pad)) {
            break;
        }
    }
    return n;
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int n = size(c, "n"), wanted_new = size(c, "wanted"), context = size(c, "context");
    struct Model model = {floats(c, "likes"), floats(c, "places"), size(c, "vocab")};
    int32_t tokens[context];
    memcpy(tokens, integers(c, "tokens"), sizeof tokens);
    int length = write_tokens(tokens, &model, n, wanted_new, context, m);
    for (int t = 0; t < context; t++) {
        wanted(want, c, "tokens")[t] = tokens[t];
    }
    *wanted(want, c, "length") = made(m, RETURNS_NEW)     ? length - n
                                 : made(m, RETURNS_GIVEN) ? n
                                 : made(m, RETURNS_WISH)  ? n + wanted_new
                                                          : length;
}

const struct Exercise exercise_decode = {
    .name = "13-decode",
    .lesson = "lesson 07",
    .function = "decode",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
