/* Attention in tiles: some queries against some keys at a time. Going forward each query has a
   state m, l, u, which every block of keys moves on; what is kept of it is one number, lse = m +
   log l. Going backward that number gives each weight again: e^score / sum of e^score = e^(score -
   lse). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base.h"
#include "common/page.h"
#include "common/rng.h"
#include "common/vmath.h"
#include "tiles.h"

struct Count count;

/* A block: queries i0 <= i < i1 against keys j0 <= j < j1. */
struct Block {
    int i0, i1, j0, j1;
    float scores[LARGEST * LARGEST];
};

static float *score_at(struct Block *b, int i, int j)
{
    return &b->scores[(i - b->i0) * LARGEST + j - b->j0];
}

/* The block's scores; false if no query of it may see a key of it. */
static bool scores_of(struct Block *b, const struct Attention *a)
{
    float scale = 1.0f / sqrtf((float)a->d);
    if (a->causal && b->j0 >= b->i1) {
        count.skipped++;
        return false;
    }
    count.blocks++;
    for (int i = b->i0; i < b->i1; i++) {
        for (int j = b->j0; j < b->j1; j++) {
            float score = scale * dot(a->q + i * a->d, a->k + j * a->d, a->d);
            *score_at(b, i, j) = a->causal && j > i ? -INFINITY : score;
        }
    }
    return true;
}

/* One query's state, moved on by a block of keys. u is d numbers long, and lies in out. */
static void move_on(float *m, float *l, struct Block *b, int i, const struct Attention *a)
{
    float best = *m, *u = a->out + i * a->d;
    for (int j = b->j0; j < b->j1; j++) {
        best = fmaxf(best, *score_at(b, i, j));
    }
    if (best == -INFINITY) {
        return; /* no key yet */
    }
    float factor = exp_f32(*m - best);
    *m = best;
    *l *= factor;
    for (int c = 0; c < a->d; c++) {
        u[c] *= factor;
    }
    for (int j = b->j0; j < b->j1; j++) {
        float e = exp_f32(*score_at(b, i, j) - best);
        *l += e;
        for (int c = 0; c < a->d; c++) {
            u[c] += e * a->v[j * a->d + c];
        }
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void forward(const struct Attention *a, float *lse, int queries, int keys)
{
    static struct Block b;
    for (b.i0 = 0; b.i0 < a->T; b.i0 += queries) {
        float m[LARGEST], l[LARGEST] = {0.0f};
        b.i1 = least(b.i0 + queries, a->T);
        for (int n = 0; n < b.i1 - b.i0; n++) {
            m[n] = -INFINITY;
        }
        for (int c = b.i0 * a->d; c < b.i1 * a->d; c++) {
            a->out[c] = 0.0f;
        }
        for (b.j0 = 0; b.j0 < a->T; b.j0 += keys) {
            b.j1 = least(b.j0 + keys, a->T);
            if (scores_of(&b, a)) {
                for (int i = b.i0; i < b.i1; i++) {
                    move_on(&m[i - b.i0], &l[i - b.i0], &b, i, a);
                }
            }
        }
        for (int i = b.i0; i < b.i1; i++) {
            for (int c = 0; c < a->d; c++) {
                a->out[i * a->d + c] /= l[i - b.i0];
            }
            lse[i] = m[i - b.i0] + log_f32(l[i - b.i0]);
        }
    }
}

/* What one query and a block of keys do to each other's gradients. inner: d_out·out of the query.
   */
static void query_backward(const struct Attention *a, struct Block *b, int i, float lse,
                           float inner)
{
    float scale = 1.0f / sqrtf((float)a->d);
    for (int j = b->j0; j < b->j1; j++) {
        float w = exp_f32(*score_at(b, i, j) - lse);
        float d_w = dot(a->d_out + i * a->d, a->v + j * a->d, a->d);
        float d_score = w * (d_w - inner) * scale;
        for (int c = 0; c < a->d; c++) {
            a->d_v[j * a->d + c] += w * a->d_out[i * a->d + c];
            a->d_q[i * a->d + c] += d_score * a->k[j * a->d + c];
            a->d_k[j * a->d + c] += d_score * a->q[i * a->d + c];
        }
    }
}

static void backward(const struct Attention *a, const float *lse, int queries, int keys)
{
    static struct Block b;
    for (int i = 0; i < a->T * a->d; i++) {
        a->d_q[i] = a->d_k[i] = a->d_v[i] = 0.0f;
    }
    for (b.i0 = 0; b.i0 < a->T; b.i0 += queries) {
        b.i1 = least(b.i0 + queries, a->T);
        for (b.j0 = 0; b.j0 < a->T; b.j0 += keys) {
            b.j1 = least(b.j0 + keys, a->T);
            if (scores_of(&b, a)) {
                for (int i = b.i0; i < b.i1; i++) {
                    float inner = dot(a->d_out + i * a->d, a->out + i * a->d, a->d);
                    query_backward(a, &b, i, lse[i], inner);
                }
            }
        }
    }
}

void attend_in_tiles(const struct Attention *a, float *lse, int queries, int keys)
{
    forward(a, lse, queries, keys);
    count = (struct Count){0, 0}; /* of one pass */
    backward(a, lse, queries, keys);
}

/* The largest difference of d_out·out from the mean of d_weights, row by row. */
static float mean_of_gradients(const struct Attention *a, const float *weights,
                               const float *d_weights)
{
    float most = 0.0f;
    for (int i = 0; i < a->T; i++) {
        float mean = dot(weights + i * a->T, d_weights + i * a->T, a->T);
        float inner = dot(a->d_out + i * a->d, a->out + i * a->d, a->d);
        most = fmaxf(most, distance(&mean, &inner, 1));
    }
    return most;
}

static void print_row(const struct Attention *tiles, const struct Attention *plain, int queries,
                      int keys, float worst[2])
{
    int size = plain->T * plain->d;
    float out = distance(tiles->out, plain->out, size), d = distance(tiles->d_q, plain->d_q, size);
    d = fmaxf(d, distance(tiles->d_k, plain->d_k, size));
    d = fmaxf(d, distance(tiles->d_v, plain->d_v, size));
    printf("  %3d by %-3d%10d%9d%15d%12.1e%11.1e\n", queries, keys, count.blocks, count.skipped,
           queries * keys, (double)out, (double)d);
    worst[0] = fmaxf(worst[0], out);
    worst[1] = fmaxf(worst[1], d);
}

void report_tiles(uint64_t seed, int T)
{
    enum { D = 8 };
    int sizes[][2] = {{1, 1}, {4, 4}, {5, 3}, {1, T}, {T, 1}, {T, T}};
    static float weights[LARGEST * LARGEST], d_weights[LARGEST * LARGEST], lse[LARGEST];
    float worst[2] = {0.0f, 0.0f};
    struct Rng rng = rng_stream(seed, "tiles");
    struct Attention plain = attention_new(&rng, T, D, true), tiles = attention_again(&plain);
    page_heading("Attention in tiles, there and back");
    printf("  One head, %d tokens, d_head %d, causal. Blocks of queries by blocks of keys; in\n"
           "  some no query may see a key, and they are left out. How far are output and\n"
           "  gradients from those with all %d weights in memory?\n\n"
           "  queries     blocks of scores    scores held     output  gradients\n"
           "  by keys    computed left out      at a time     apart        apart\n",
           T, D, T * T);
    attend(&plain, weights, d_weights);
    for (int i = 0; i < 6; i++) {
        int queries = least(sizes[i][0], T), keys = least(sizes[i][1], T);
        attend_in_tiles(&tiles, lse, queries, keys);
        print_row(&tiles, &plain, queries, keys, worst);
    }
    float apart = mean_of_gradients(&plain, weights, d_weights);
    printf("\n  Going back, the softmax needs the mean of d_weights, by the weights, over all\n"
           "  keys of a query. It is d_out times the output, which is known beforehand:\n"
           "  the two differ by at most %.1e.\n",
           (double)apart);
    page_claim(worst[0] < 2e-6f && worst[1] < 2e-5f, "any blocks: the same output and gradients");
    page_claim(apart < 2e-5f, "d_out times the output is that mean");
    attention_free(&tiles, false);
    attention_free(&plain, true);
}
