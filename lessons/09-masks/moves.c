/* To find out what a mask does, change a token and see who moves. What is hidden must not move a
   single bit; what may be seen must move something, or the mask hides more than it says. */
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/rng.h"
#include "sections.h"

/* moved(i,j): output i is not what it was when token j is another one. */
static void find_moves(bool moved[MOST][MOST], int T, int layers, const struct Mask *mask,
                       uint64_t seed)
{
    float x[MOST * D], other[D], before[MOST * D], after[MOST * D], kept[D];
    struct Rng rng = rng_stream(seed, "moves");
    rng_normal(&rng, x, MOST * D);
    rng_normal(&rng, other, D);
    through_layers(before, x, T, layers, mask, CONTRACT);
    for (int j = 0; j < T; j++) {
        memcpy(kept, x + j * D, sizeof kept);
        memcpy(x + j * D, other, sizeof other);
        through_layers(after, x, T, layers, mask, CONTRACT);
        memcpy(x + j * D, kept, sizeof kept);
        for (int i = 0; i < T; i++) {
            moved[i][j] = distance(before + i * D, after + i * D, D) != 0.0f;
        }
    }
}

void report_moves(const struct Gallery *g, uint64_t seed)
{
    int wrong = 0, stuck = 0;
    page_heading("Change a token, and see who moves");
    printf("  Pairs of two tokens. Each token is changed once, and all outputs are watched.\n\n"
           "                may be seen         may not be seen\n"
           "  mask          pairs   moved       pairs   moved\n");
    for (int m = 0; m < MASKS; m++) {
        bool moved[MOST][MOST];
        int pairs[2] = {0}, moves[2] = {0};
        find_moves(moved, g->T, 1, &g->masks[m], seed);
        for (int ij = 0; ij < g->T * g->T; ij++) {
            int i = ij / g->T, j = ij % g->T;
            bool hidden = !allowed(&g->masks[m], i, j);
            pairs[hidden] += i != j; /* its own token makes a query another one in any case */
            moves[hidden] += i != j && moved[i][j];
        }
        printf("  %-11s %7d %7d     %7d %7d\n", mask_names[m], pairs[0], moves[0], pairs[1],
               moves[1]);
        stuck += pairs[0] - moves[0];
        wrong += moves[1];
    }
    page_claim(wrong == 0, "what a mask hides moves no output by a single bit");
    page_claim(stuck == 0, "whatever may be seen moves the output that sees it");
}

/* Is reach(i,j) what so many steps from token to token give, each along the mask? */
static bool is_walk(bool moved[MOST][MOST], int T, int layers, const struct Mask *mask)
{
    bool reach[MOST][MOST] = {{false}}, next[MOST][MOST], same = true;
    for (int i = 0; i < T; i++) {
        reach[i][i] = true;
    }
    for (int layer = 0; layer < layers; layer++) {
        for (int ij = 0; ij < T * T; ij++) {
            int i = ij / T, j = ij % T;
            next[i][j] = false;
            for (int via = 0; via < T; via++) {
                next[i][j] |= allowed(mask, i, via) && reach[via][j];
            }
        }
        memcpy(reach, next, sizeof reach);
    }
    for (int ij = 0; ij < T * T; ij++) {
        same &= moved[ij / T][ij % T] == reach[ij / T][ij % T];
    }
    return same;
}

/* The last token of a causal text, and the mask taken away: does its output move? */
static void report_last(const struct Gallery *g, uint64_t seed)
{
    float x[MOST * D], with[MOST * D], without[MOST * D], apart[3];
    struct Mask none = {.causal = false};
    struct Rng rng = rng_stream(seed, "last");
    int last = (g->T - 1) * D;
    rng_normal(&rng, x, MOST * D);
    for (int layers = 1; layers <= 2; layers++) {
        through_layers(with, x, g->T, layers, &g->masks[CAUSAL], CONTRACT);
        through_layers(without, x, g->T, layers, &none, CONTRACT);
        apart[layers] = distance(with + last, without + last, D);
    }
    printf("\n  Why mask when a model writes, where nothing is to come? The last token sees\n"
           "  all of them with the causal mask and without. Its output moves by %.3f with\n"
           "  one layer if the mask is taken away, and by %.3f with two.\n",
           (double)apart[1], (double)apart[2]);
    page_claim(apart[1] == 0.0f && apart[2] > 0.0f,
               "the last row needs the mask of the rows below it");
}

void report_layers(const struct Gallery *g, uint64_t seed)
{
    static bool moved[3][MOST][MOST];
    static const char *const names[] = {"1 layer", "2 layers", "3 layers"};
    struct Mask mask = {.causal = true, .window = g->window};
    bool walks = true, far = true;
    page_heading("Layers reach further than a window");
    printf("  A causal window of %d; x: the output of this row moves with this token.\n",
           g->window);
    for (int layers = 1; layers <= 3; layers++) {
        bool(*m)[MOST] = moved[layers - 1];
        find_moves(m, g->T, layers, &mask, seed);
        walks &= is_walk(m, g->T, layers, &mask);
        for (int ij = 0; ij < g->T * g->T; ij++) {
            int back = ij / g->T - ij % g->T;
            far &= m[ij / g->T][ij % g->T] == (back >= 0 && back <= layers * (g->window - 1));
        }
    }
    print_grids(names, moved, 3, g->T);
    printf("\n");
    page_claim(walks, "each layer is one step further along the mask");
    page_claim(far, "n layers reach n*(%d-1) tokens back, and no further", g->window);
    report_last(g, seed);
}
