/* MLA, DeepSeek-V2 (2024): keep what keys and values are made of, a short latent c, and not them.
     c = W_c·x        k_h = K_h·c        v_h = V_h·c        for all heads from the same c
   A score needs no key: q·(K c) = (Kᵀq)·c. Nor does a mean need values: Σ w·(V c) = V·(Σ w·c). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/rng.h"
#include "common/softmax.h"
#include "lesson.h"

enum { T = 24, H = 4, D = WIDTH / H, LATENT = 12 };

static float latent[T * LATENT], query[WIDTH], K[H][D * LATENT], V[H][D * LATENT];

/* What one head gives for the one query, and its scores. */
struct Result {
    float scores[T], out[D];
};

static void draw(uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "latent");
    float x[T * WIDTH], down[LATENT * WIDTH];
    rng_normal(&rng, x, T * WIDTH);
    rng_normal(&rng, query, WIDTH);
    rng_uniform(&rng, down, LATENT * WIDTH, sqrtf(3.0f / WIDTH));
    for (int h = 0; h < H; h++) {
        rng_uniform(&rng, K[h], D * LATENT, sqrtf(3.0f / LATENT));
        rng_uniform(&rng, V[h], D * LATENT, sqrtf(3.0f / LATENT));
    }
    multiply(latent, x, down, T, WIDTH, LATENT);
}

static void transpose(float *y, const float *x, int rows, int columns)
{
    for (int i = 0; i < rows * columns; i++) {
        y[i % columns * rows + i / columns] = x[i];
    }
}

static void weights_of(float *weights, const float *scores)
{
    softmax_row_masked(weights, scores, 1.0f / sqrtf((float)D), T, T);
}

/* Keys and values made again, for all tokens and each step. */
static struct Result remade(int h)
{
    struct Result r;
    float keys[T * D], values[T * D], columns[D * T], weights[T];
    multiply(keys, latent, K[h], T, LATENT, D);
    multiply(values, latent, V[h], T, LATENT, D);
    multiply(r.scores, query + h * D, keys, 1, D, T);
    weights_of(weights, r.scores);
    transpose(columns, values, T, D);
    multiply(r.out, weights, columns, 1, T, D);
    return r;
}

/* The query goes into the space of the latents, and the mean of them comes back. */
static struct Result absorbed(int h)
{
    struct Result r;
    float columns[LATENT * D], inward[LATENT], latents[LATENT * T], weights[T], mean[LATENT];
    transpose(columns, K[h], D, LATENT);
    multiply(inward, query + h * D, columns, 1, D, LATENT);
    multiply(r.scores, inward, latent, 1, LATENT, T);
    weights_of(weights, r.scores);
    transpose(latents, latent, T, LATENT);
    multiply(mean, weights, latents, 1, T, LATENT);
    multiply(r.out, mean, V[h], 1, LATENT, D);
    return r;
}

static float apart(const float *a, const float *b, int n, float most)
{
    for (int i = 0; i < n; i++) {
        float difference = fabsf(a[i] - b[i]);
        most = difference <= most ? most : difference; /* NaN too */
    }
    return most;
}

void report_latent(uint64_t seed)
{
    float scores = 0.0f, outs = 0.0f, largest = 0.0f;
    long long costs[2] = {0};
    draw(seed);
    page_heading("MLA: keep what keys and values are made of");
    for (int h = 0; h < H; h++) {
        long long begin = multiply_adds;
        struct Result a = remade(h);
        long long middle = multiply_adds;
        struct Result b = absorbed(h);
        costs[0] += middle - begin, costs[1] += multiply_adds - middle;
        scores = apart(a.scores, b.scores, T, scores);
        outs = apart(a.out, b.out, D, outs);
        for (int j = 0; j < T; j++) {
            largest = fabsf(a.scores[j]) > largest ? fabsf(a.scores[j]) : largest;
        }
    }
    printf("  %d heads of %d, %d tokens kept: a latent c of %d numbers each, where MHA keeps\n"
           "  %d. The query of the last token, in two ways:\n\n"
           "                                          numbers    multiply-adds\n"
           "                                          kept       for this token\n"
           "  keys and values made again: q.(K c)     %7d %13s\n"
           "  absorbed: (K'q).c, and V.(mean of c)    %7d %13s\n\n"
           "  Largest difference of a score %.0e, of an output %.0e; the largest score is\n"
           "  %.1f. The sums are the same, added in another order. A rotation by position\n"
           "  (RoPE, lesson 12) would stand between q and K: DeepSeek-V2 keeps a key for it,\n"
           "  beside c.\n",
           H, D, T, LATENT, 2 * WIDTH, T * LATENT, grouped(costs[0]).text, T * LATENT,
           grouped(costs[1]).text, (double)scores, (double)outs, (double)largest);
    page_claim(scores <= 1e-5f && outs <= 1e-5f, "the same but for float rounding");
    page_claim(costs[1] < costs[0], "without making keys and values there is less to do");
}
