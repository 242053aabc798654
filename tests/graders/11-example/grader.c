#include "exercises/11-example/answer.h"
#include "tests/graders/exercise.h"

enum { LETTERS = 10 };

/* Letters in random order, each once in ten: a string that reads the same backwards would hide that
   it was not reversed. */
static int32_t *make(struct Case *c, struct Rng *rng, int n, int context)
{
    int32_t order[LETTERS];
    case_size(c, "n", n);
    case_size(c, "context", context);
    int32_t *letters = case_integers(c, IN, "letters", "i", n);
    case_integers(c, OUT, "tokens", "t", context);
    case_integers(c, OUT, "targets", "t", context);
    for (int i = 0; i < LETTERS; i++) {
        int j = rng_below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < n; i++) {
        letters[i] = order[i % LETTERS];
    }
    return letters;
}

static void three(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 9);
}

static void full(struct Case *c, struct Rng *rng)
{
    make(c, rng, 5, 11);
}

static void single(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 6);
}

static void longest(struct Case *c, struct Rng *rng)
{
    make(c, rng, 12, 25);
}

static void mostly_pads(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 40);
}

static void same(struct Case *c, struct Rng *rng)
{
    int32_t *letters = make(c, rng, 4, 13);
    for (int i = 1; i < 4; i++) {
        letters[i] = letters[0];
    }
}

static const struct Check checks[] = {
    {"3 letters in 9 places", three},
    {"5 letters in 11 places: no pads", full},
    {"a single letter", single},
    {"12 letters in 25 places, as in lesson 07", longest},
    {"2 letters in 40 places: mostly pads", mostly_pads},
    {"the same letter 4 times", same},
};

enum {
    NOT_SHIFTED,
    UNSHIFTED_LETTERS,
    UNSHIFTED_ALL,
    SHIFTED_BACK,
    EVERY_POSITION,
    EARLY,
    LATE,
    SHORT,
    STOP,
    PADS_TO_COME,
    PADS_BEHIND,
    PADS_EVERYWHERE,
    ZEROS,
    MINUS_ONES,
    AT_FRONT,
    FORWARD_TARGETS,
    HIDDEN,
    COPIED,
    TURNED_FIRST,
    NO_SEPARATOR,
    FIRST_MISSING,
    ZERO_PADS,
    PADS_IN_FRONT,
    STOP_ALWAYS,
    ONE_PLACE_EARLY
};

static const char not_shifted[] = "Your targets are the tokens at the same positions; a target is "
                                  "the token that comes next, tokens[t + 1].";

static const char stop[] = "The last letter of the answer gets PAD as its target. Nothing is to be "
                           "predicted there: it should be IGNORE.";

static const struct Mistake mistakes[] = {
    [NOT_SHIFTED] = {"not-shifted", not_shifted},
    [UNSHIFTED_LETTERS] = {"unshifted-letters", not_shifted},
    [UNSHIFTED_ALL] = {"unshifted-all", not_shifted},
    [SHIFTED_BACK] = {"shifted-back",
                      "Your targets are shifted the wrong way: a target is the token "
                      "that comes next, tokens[t + 1], not the one before."},
    [EVERY_POSITION] = {"every-position",
                        "You set targets before the separator too. Nobody can predict a random "
                        "letter: they should be IGNORE."},
    [EARLY] = {"early", "Your targets begin one position too early: the last letter of the string "
                        "should not predict the separator. They begin at the separator."},
    [LATE] = {"late", "Your targets begin one position too late: the separator itself has one, the "
                      "first letter of the answer."},
    [SHORT] = {"short", "The last letter of the answer is nobody's target: the position before it "
                        "should predict it."},
    [STOP] = {"stop", stop},
    [STOP_ALWAYS] = {"stop-always", stop},
    [PADS_TO_COME] = {"pads-to-come", "Behind the answer your targets are the pads to come. A pad "
                                      "should be no target: IGNORE."},
    [PADS_BEHIND] = {"pads-behind", "Your targets are filled up with PAD behind the answer. A pad "
                                    "should be no target: IGNORE."},
    [PADS_EVERYWHERE] = {"pads-everywhere",
                         "Where nothing is to be predicted your targets hold PAD, and the model "
                         "would learn to write pads: it should be IGNORE."},
    [ZEROS] = {"zeros", "Where nothing is to be predicted your targets hold 0, which is the letter "
                        "a: it should be IGNORE."},
    [MINUS_ONES] = {"minus-ones", "Where nothing is to be predicted your targets hold -1; write "
                                  "IGNORE, which is another number here."},
    [FORWARD_TARGETS] = {"forward-targets", "Your targets are the string as it was; they should be "
                                            "what tokens hold next, from the last letter on."},
    [AT_FRONT] = {"at-front", "Your targets begin at position 0; a target stands at the position "
                              "that predicts it, the first at the separator."},
    [HIDDEN] = {"hidden",
                "Your tokens hold no answer. In training the model reads the right answer; "
                "the mask keeps each position from seeing what comes next."},
    [COPIED] = {"copied",
                "The answer in your tokens is the string as it was; it should run from the "
                "last letter to the first."},
    [TURNED_FIRST] = {"turned-first", "You turn round the string before the separator; the string "
                                      "comes first as it is, then its reversal."},
    [NO_SEPARATOR] = {"no-separator",
                      "Your tokens lack the separator: without it nothing says where "
                      "the string ends and the answer begins."},
    [FIRST_MISSING] = {"first-missing",
                       "The answer lacks the first letter of the string, which should "
                       "stand at its end, at place 2*n."},
    [ZERO_PADS] = {"zero-pads", "You fill up tokens with 0, which is the letter a: it should be "
                                "PAD."},
    [PADS_IN_FRONT] = {"pads-in-front",
                       "Your pads stand in front of the string; they should fill up "
                       "the end."},
    [ONE_PLACE_EARLY] = {"one-place-early",
                         "All your targets stand one place too early: at each position "
                         "is what comes after the next token. It is tokens[t + 1]."},
};

/* String, separator, answer: returns how many tokens that makes. */
static int write_text(int32_t *text, const int32_t *letters, int n, Mistakes m)
{
    int length = 0;
    for (int i = 0; i < n; i++) {
        text[length++] = letters[made(m, TURNED_FIRST) ? n - 1 - i : i];
    }
    if (!made(m, NO_SEPARATOR)) {
        text[length++] = SEPARATOR;
    }
    for (int i = 0; i < n; i++) {
        bool forward = made(m, COPIED) || made(m, TURNED_FIRST);
        text[length++] = made(m, HIDDEN) ? PAD : letters[forward ? i : n - 1 - i];
    }
    if (made(m, FIRST_MISSING)) {
        text[length - 1] = PAD;
    }
    return length;
}

/* What stands in targets where nothing is to be predicted. behind: a position from the last letter
   of the answer on; first: that of the last letter. */
static int32_t no_target(bool behind, bool first, bool last, Mistakes m)
{
    bool pad = made(m, PADS_EVERYWHERE) || (made(m, PADS_BEHIND) && behind) ||
               (made(m, PADS_TO_COME) && behind && !last) || (made(m, STOP) && first && !last) ||
               (made(m, STOP_ALWAYS) && first);
    return made(m, ZEROS) ? 0 : made(m, MINUS_ONES) ? -1 : pad ? PAD : IGNORE;
}

/* The target of position t, which stands at *place. */
static int32_t target(int *place, const int32_t *text, int t, int begin, Mistakes m)
{
    bool own = made(m, UNSHIFTED_LETTERS) || made(m, UNSHIFTED_ALL);
    *place = made(m, AT_FRONT) ? t - begin : own ? t + 1 : t - made(m, ONE_PLACE_EARLY);
    int from = made(m, NOT_SHIFTED) ? t : made(m, SHIFTED_BACK) ? t - 1 : t + 1;
    return from >= 0 ? text[from] : IGNORE;
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    const int32_t *letters = integers(c, "letters");
    double *tokens = wanted(want, c, "tokens"), *targets = wanted(want, c, "targets");
    int n = size(c, "n"), context = size(c, "context");
    int32_t text[2 * n + 1], answer[2 * n + 1];
    int length = write_text(text, letters, n, m);
    write_text(answer, letters, n,
               made(m, FORWARD_TARGETS) ? m | 1u << COPIED : m & ~(1u << HIDDEN));
    int begin = made(m, NO_SEPARATOR) ? n - 1 : n, end = length - 1;
    begin = made(m, EVERY_POSITION) ? 0 : begin - made(m, EARLY) + made(m, LATE);
    int front = made(m, PADS_IN_FRONT) ? context - length : 0;
    for (int t = 0; t < context; t++) {
        tokens[t] = made(m, ZERO_PADS) ? 0 : PAD;
        targets[t] = no_target(t >= end, t == end, t == context - 1, m);
    }
    for (int t = 0; t < length; t++) {
        tokens[front + t] = text[t];
    }
    begin = begin < 0 ? 0 : begin;
    for (int t = begin; t < end - made(m, SHORT); t++) {
        int place;
        int32_t value = target(&place, answer, t, begin, m);
        if (place >= 0) {
            targets[front + place] = value;
        }
    }
    if (made(m, UNSHIFTED_ALL)) {
        targets[front + begin] = answer[begin];
    }
}

const struct Exercise exercise_example = {
    .name = "11-example",
    .lesson = "lesson 07",
    .function = "example",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
