#include "tests/graders/exercise.h"

#include <math.h>

/* The two functions get arrays of their own: what the one does wrong, the other could undo. Counted
   from first on, so that a number says where it came from, or drawn if first is 0. */
static void fill(struct Rng *rng, float *x, int n, int first)
{
    draw(rng, x, n);
    for (int i = 0; i < n && first > 0; i++) {
        x[i] = (float)(first + i);
    }
}

static void make(struct Case *c, struct Rng *rng, int B, int T, int H, int d, bool counted)
{
    case_size(c, "B", B);
    case_size(c, "T", T);
    case_size(c, "H", H);
    case_size(c, "d_head", d);
    fill(rng, case_floats(c, IN, "x", "btm", B, T, H * d), B * T * H * d, counted ? 1 : 0);
    case_floats(c, OUT, "heads", "bhtc", B, H, T, d);
    fill(rng, case_floats(c, IN, "to_merge", "bhtc", B, H, T, d), B * T * H * d,
         counted ? 1001 : 0);
    case_floats(c, OUT, "merged", "btm", B, T, H * d);
}

static void counted(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 5, 3, 4, true);
}

static void many_heads(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 2, 5, 3, false);
}

static void one_sequence(struct Case *c, struct Rng *rng)
{
    make(c, rng, 1, 6, 2, 5, false);
}

static void one_head(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 4, 1, 3, false);
}

static void one_token(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 1, 4, 2, false);
}

static void one_number(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 3, 7, 1, false);
}

static const struct Check checks[] = {
    {"numbers counted through, 5 tokens, 3 heads of 4", counted},
    {"more heads than tokens", many_heads},
    {"a single sequence", one_sequence},
    {"a single head: nothing moves", one_head},
    {"a single token: nothing moves", one_token},
    {"heads of one number", one_number},
};

/* Those of split_heads; those of merge_heads follow in the same order. */
enum { COPY, INVERSE, INTERLEAVED, TRANSPOSED, HEADS_FIRST, FIRST_SEQUENCE, MISSING, KINDS };
static const struct Mistake mistakes[] = {
    [COPY] =
        {"split-copy",
         "split_heads leaves every number where it lies. A head needs its slice of each token, "
         "and from one token to the next x goes on by D = H*d_head."},
    [INVERSE] = {"split-inverse",
                 "split_heads goes the way of merge_heads: it reads x as (B,H,T,d_head) and writes "
                 "heads as (B,T,D). Exchange the two indices."},
    [INTERLEAVED] = {"split-every-h",
                     "split_heads gives head h every H-th number of a token, c*H + h. Its slice is "
                     "the d_head numbers side by side from h*d_head on."},
    [TRANSPOSED] = {"split-across", "split_heads leaves each head as (d_head,T), tokens side by "
                                    "side. A token's d_head numbers stay together: (T,d_head)."},
    [HEADS_FIRST] = {"split-h-first",
                     "split_heads writes (H,B,T,d_head), heads before sequences. The sequence "
                     "comes first: (B,H,T,d_head)."},
    [FIRST_SEQUENCE] = {"split-no-b",
                        "split_heads takes the numbers of sequence 0 for every sequence: the index "
                        "of x lacks b."},
    [MISSING] = {"split-missing",
                 "split_heads writes nothing, or only adds to heads, which starts as NaN."},
    [KINDS + COPY] = {"merge-copy",
                      "merge_heads leaves every number where it lies. A token needs its slice from "
                      "each head, and from one head to the next heads goes on by T*d_head."},
    [KINDS + INVERSE] = {"merge-inverse",
                         "merge_heads goes the way of split_heads: it reads heads as (B,T,D) and "
                         "writes x as (B,H,T,d_head). Exchange the two indices."},
    [KINDS + INTERLEAVED] = {"merge-every-h",
                             "merge_heads puts head h at every H-th place of a token, c*H + h. Its "
                             "slice is the d_head places side by side from h*d_head on."},
    [KINDS + TRANSPOSED] = {"merge-across",
                            "merge_heads reads each head as (d_head,T), tokens side by side. A "
                            "token's d_head numbers lie together: (T,d_head)."},
    [KINDS + HEADS_FIRST] = {"merge-h-first",
                             "merge_heads reads (H,B,T,d_head), heads before sequences. The "
                             "sequence comes first: (B,H,T,d_head)."},
    [KINDS + FIRST_SEQUENCE] = {"merge-no-b",
                                "merge_heads takes the heads of sequence 0 for every sequence: the "
                                "index of heads lacks b."},
    [KINDS + MISSING] = {"merge-missing",
                         "merge_heads writes nothing, or only adds to x, which starts as NaN."},
};

struct Place {
    int b, h, t, c;
};

static int in_x(struct Place p, int T, int H, int d, Mistakes m)
{
    int token = p.b * T + p.t;
    return made(m, INTERLEAVED) ? (token * d + p.c) * H + p.h : (token * H + p.h) * d + p.c;
}

static int in_heads(struct Place p, int B, int T, int H, int d, Mistakes m)
{
    int head = made(m, HEADS_FIRST) ? p.h * B + p.b : p.b * H + p.h;
    return made(m, TRANSPOSED) ? (head * d + p.c) * T + p.t : (head * T + p.t) * d + p.c;
}

/* The numbers of x (B,T,D) written to heads (B,H,T,d), or the other way. */
static void move(double *to, const float *from, const struct Case *sizes, bool merge, Mistakes m)
{
    int B = size(sizes, "B"), T = size(sizes, "T"), H = size(sizes, "H");
    int d = size(sizes, "d_head");
    bool to_x = merge != made(m, INVERSE);
    for (int i = 0; i < B * H * T * d; i++) {
        struct Place p = {i / d / T / H, i / d / T % H, i / d % T, i % d}, q = p;
        q.b = made(m, FIRST_SEQUENCE) ? 0 : p.b;
        int target = to_x == !made(m, COPY) ? in_x(p, T, H, d, m) : in_heads(p, B, T, H, d, m);
        int source = to_x ? in_heads(q, B, T, H, d, m) : in_x(q, T, H, d, m);
        to[target] = made(m, MISSING) ? NAN : (double)from[source];
    }
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    move(wanted(want, c, "heads"), floats(c, "x"), c, false, m);
    move(wanted(want, c, "merged"), floats(c, "to_merge"), c, true, m >> KINDS);
}

const struct Exercise exercise_heads = {
    .name = "04-heads",
    .lesson = "lesson 04",
    .function = "split_heads merge_heads",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
    .tolerance = 1e-9, /* they are copies */
};
