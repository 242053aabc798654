/* Sections 1 and 2: attention is blind to order. The same tokens in another order give the same outputs
   in that order, F(PX) = P F(X), if what they may see moves with them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/mask.h"
#include "common/page.h"
#include "common/rng.h"
#include "sections.h"
#include "toy.h"

enum { T = 9, ORDERS = 20 };

static const int from_zero[T] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

/* order (T) overwritten: any order of the first count, evenly (Fisher & Yates); the rest stay. */
static void shuffle(int *order, int count, struct Rng *rng)
{
    for (int i = 0; i < T; i++) {
        int j = i < count ? rng_below(rng, i + 1) : i;
        order[i] = i;
        order[i] = order[j];
        order[j] = i;
    }
}

/* moved (T,D) overwritten: row i is row order[i] of x. */
static void move_rows(float *moved, const float *x, const int *order)
{
    for (int i = 0; i < T; i++) {
        memcpy(moved + i * D, x + order[i] * D, D * sizeof *x);
    }
}

/* sees (T,T) overwritten: the mask M, or P M Pᵀ for tokens in this order. */
static void set_mask(bool *sees, const struct Mask *mask, const int *order)
{
    for (int i = 0; i < T * T; i++) {
        int query = i / T, key = i % T;
        sees[i] = order != NULL ? mask_allows(mask, order[query], order[key])
                                : mask_allows(mask, query, key);
    }
}

/* The largest difference of two arrays, or most if that is larger. */
static float farther(float most, const float *a, const float *b, int count)
{
    for (int i = 0; i < count; i++) {
        most = worst(most, fabsf(a[i] - b[i]));
    }
    return most;
}

/* The largest difference between F(PX) and P F(X) over some orders P. */
static float off(const float *x, const struct Mask *mask, bool mask_moves, struct Rng *rng)
{
    float y[T * D], moved[T * D], moved_x[T * D], y_moved[T * D], most = 0.0f;
    bool sees[T * T];
    int order[T];
    for (int i = 0; i < ORDERS; i++) {
        shuffle(order, T, rng);
        set_mask(sees, mask, NULL);
        toy_run(y, x, from_zero, T, sees, 2, POSITION_NONE);
        move_rows(moved, y, order);
        set_mask(sees, mask, mask_moves ? order : NULL);
        move_rows(moved_x, x, order);
        toy_run(y_moved, moved_x, from_zero, T, sees, 2, POSITION_NONE);
        most = farther(most, moved, y_moved, T * D);
    }
    return most;
}

void report_equivariance(uint64_t seed)
{
    static const struct {
        const char *name;
        struct Mask mask;
    } masks[] = {{"none", {0}},
                 {"causal", {.causal = true}},
                 {"the nearest 3 only", {.causal = true, .window = 3}},
                 {"the first 2 are padding", {.first_key = 2}}};
    float x[LONG * D], stays[4], moves[4];
    struct Rng rng = rng_stream(seed, "orders");
    toy_draw(x, seed);
    page_heading("Without places: another order in, the same order out");
    printf("  F is two layers of attention without any places, X is %d tokens, P puts them\n"
           "  in another order. How far is F(PX) from P F(X) at most, over %d orders?\n\n"
           "  the mask M                 M stays as it is     it moves too, P M P^T\n",
           T, ORDERS);
    bool none_follow = true, all_follow = true;
    for (int i = 0; i < 4; i++) {
        stays[i] = off(x, &masks[i].mask, false, &rng);
        moves[i] = off(x, &masks[i].mask, true, &rng);
        printf("  %-26s %16.1e %25.1e\n", masks[i].name, (double)stays[i], (double)moves[i]);
        all_follow &= moves[i] < ROUNDING;
        none_follow &= i == 0 || stays[i] > 0.1f;
    }
    page_claim(stays[0] < ROUNDING && all_follow, "each output moves with its token: only rounding "
                                                  "is left");
    page_claim(none_follow, "a mask that stays says something of order");
}

/* How far the output of the last token moves, at most, when those before it are shuffled. */
static float last_moves(const float *x, int n_layers, enum PositionKind kind, struct Rng *rng)
{
    float y[T * D], moved_x[T * D], y_moved[T * D], most = 0.0f;
    int order[T];
    toy_run(y, x, from_zero, T, NULL, n_layers, kind);
    for (int i = 0; i < ORDERS; i++) {
        shuffle(order, T - 1, rng);
        move_rows(moved_x, x, order);
        toy_run(y_moved, moved_x, from_zero, T, NULL, n_layers, kind);
        most = farther(most, y + (T - 1) * D, y_moved + (T - 1) * D, D);
    }
    return most;
}

void report_past(uint64_t seed)
{
    float x[LONG * D], moved[POSITION_KINDS][DEEPEST];
    struct Rng rng = rng_stream(seed, "pasts");
    bool blind = true, told = true;
    toy_draw(x, seed);
    page_heading("Shuffle the past: does the last token notice?");
    printf("  A causal mask; the last token stays where it is, those before it change\n"
           "  places. How far its output moves at most:\n\n"
           "  places                    1 layer      2 layers      3 layers\n");
    for (int kind = 0; kind < POSITION_KINDS; kind++) {
        printf("  %-20s", position_name(kind));
        for (int layers = 1; layers <= DEEPEST; layers++) {
            float far = last_moves(x, layers, kind, &rng);
            moved[kind][layers - 1] = far;
            printf("%13.1e", (double)far);
        }
        printf("\n");
        blind &= kind != POSITION_NONE || moved[kind][0] < ROUNDING;
        told &= kind == POSITION_NONE || moved[kind][0] > 1e-3f;
    }
    printf("\n  With one layer and no places it is a bag of tokens. In a second layer the mask\n"
           "  tells: what a token gave in the first depends on how many it could see.\n");
    page_claim(blind, "no places, one layer: nothing moves but the last bits");
    page_claim(moved[POSITION_NONE][1] > 0.01f && moved[POSITION_NONE][2] > 0.01f,
               "no places, two layers or three: it notices");
    page_claim(told, "with places of any kind one layer is enough");
}
