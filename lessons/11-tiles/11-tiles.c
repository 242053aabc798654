/* Lesson 11: a softmax in pieces, and attention in tiles.

   A softmax looks as if it needed all of its scores at once: it divides by their sum. It does not.
   Three numbers say all that has to be known of the keys so far, and merge, below, makes one such
   state of two. With it attention goes over its keys block by block, and the weights, T·T of them,
   need never be stored. The rest of the page asks what that saves, and what a transformer costs at
   all. */
#include <math.h>
#include <stdio.h>

#include "common/cli.h"
#include "common/page.h"
#include "common/vmath.h"
#include "tiles.h"

const struct State nothing = {.m = -INFINITY, .l = 0.0f, .u = 0.0f};
const struct Way right = {.name = "as it should be"};

/* What a state is worth when the largest score is m instead of its own. */
static float factor_of(struct State s, float m, const struct Way *way)
{
    if (s.m == -INFINITY && !way->bare) {
        return 0.0f; /* it has seen no key; -inf less -inf would be no number */
    }
    return exp_f32(way->turned ? m - s.m : s.m - m);
}

struct State merge(struct State a, struct State b, const struct Way *way)
{
    float m = fmaxf(a.m, b.m);
    float fa = factor_of(a, m, way), fb = factor_of(b, m, way);
    return (struct State){.m = m,
                          .l = way->l_stays ? a.l + b.l : fa * a.l + fb * b.l,
                          .u = way->u_stays ? a.u + b.u : fa * a.u + fb * b.u};
}

static const float scores[] = {1, 2, 5}, values[] = {1, 2, 3};
enum { KEYS = 3 };

/* Key after key, merged in this way; the output at the end. */
static float stream(const struct Way *way)
{
    struct State state = nothing;
    for (int j = 0; j < KEYS; j++) {
        state = merge(state, (struct State){scores[j], 1.0f, values[j]}, way);
    }
    return state.u / state.l;
}

/* The mean of the outputs of the two, where the states ought to be merged. */
static float stream_of_means(void)
{
    float out = values[0];
    for (int j = 1; j < KEYS; j++) {
        out = (out + values[j]) / 2.0f;
    }
    return out;
}

static void print_stream(void)
{
    struct State state = nothing;
    printf("\n   score  value      m    factor        l        u   u / l\n");
    for (int j = 0; j < KEYS; j++) {
        float before = state.m;
        state = merge(state, (struct State){scores[j], 1.0f, values[j]}, &right);
        printf("  %6g %6g %6g", (double)scores[j], (double)values[j], (double)state.m);
        if (j == 0) {
            printf("         -");
        } else {
            printf("%10.4f", (double)exp_f32(before - state.m));
        }
        printf("%9.4f%9.4f%8.3f\n", (double)state.l, (double)state.u, (double)(state.u / state.l));
    }
}

/* Section 1. */
static void report_merge(void)
{
    static const struct Way wrong[] = {
        {"the factor turned round, e^(new m - old m)", .turned = true},
        {"only l is made smaller, u stays", .u_stays = true},
        {"only u is made smaller, l stays", .l_stays = true}};
    float whole = output_of(scores, values, KEYS);
    page_heading("A softmax whose scores come one after the other");
    printf("  Scores 1, 2, 5 of keys with the values 1, 2, 3. All at once the output is\n"
           "  %.3f. One after the other three numbers are kept: m, the largest score;\n"
           "  l, the sum of e^(score - m); u, the same sum, each term times its value.\n"
           "  When m grows, l and u are multiplied by the factor e^(old m - new m).\n",
           (double)whole);
    print_stream();
    printf("\n  The same, one thing wrong:\n");
    for (int w = 0; w < 3; w++) {
        printf("    %-46s %.3f\n", wrong[w].name, (double)stream(&wrong[w]));
    }
    printf("    %-46s %.3f\n", "the mean of the old output and the new value",
           (double)stream_of_means());
    page_claim(fabsf(stream(&right) - whole) < 1e-6f && fabsf(whole - 2.919f) < 5e-4f,
               "one after the other gives what all at once gives: 2.919");
    page_claim(fabsf(stream(&wrong[0]) - 1.292f) < 5e-4f,
               "turned round it gives 1.292: the largest score counts least");
}

int main(int argc, char **argv)
{
    int tokens = 13, longest = 8192, n = 1024, d = 4096, layers = 32;
    struct Option options[] = {
        {"tokens", OPTION_INTEGER, &tokens, "T", "tokens of the attention in tiles", 1, LARGEST,
         NULL, false},
        {"longest", OPTION_INTEGER, &longest, "T",
         "the longest sequence that is timed; below 256: none", 0, 16384, NULL, false},
        {"n", OPTION_INTEGER, &n, "N", "tokens of a model of your own", 1, 1048576, NULL, false},
        {"d", OPTION_INTEGER, &d, "D", "its width", 1, 65536, NULL, false},
        {"layers", OPTION_INTEGER, &layers, "L", "its blocks", 1, 1000, NULL, false},
    };
    struct Common common;
    cli_parse(argc, argv, "Lesson 11: a softmax in pieces, and attention in tiles.", "11-tiles",
              &common, options, sizeof options / sizeof *options);
    struct Table *memory = table_new(common.out, "memory", "tokens plain tiled qkv");
    struct Table *times =
        table_new(common.out, "time", "tokens way pass milliseconds gflops share");
    struct Table *cost = table_new(common.out, "cost", "tokens attention ffn projections");

    printf("Lesson 11. A softmax in pieces, attention in tiles\n");
    report_merge();
    report_pieces(common.seed);
    report_overflow();
    report_tiles(common.seed, tokens);
    report_memory(memory);
    report_time(longest, &common, times);
    report_cost(common.seed, n, d, cost);
    report_models(n, d, layers);
    report_patches();
    report_against(&common);
    table_save(memory);
    table_save(times);
    table_save(cost);
    return page_verdict();
}
