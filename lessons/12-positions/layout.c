/* Sections 6 and 7: two layouts of the same rotation, which do not understand each other; and where the
   token stands that is read beside a cache. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/rng.h"
#include "common/vmath.h"
#include "sections.h"
#include "toy.h"
#include "ways.h"

/* What adjacent pairs have side by side halves have at i and i + pairs. */
static void to_halves(float *moved, const float *x, int pairs)
{
    for (int i = 0; i < pairs; i++) {
        moved[i] = x[2 * i];
        moved[i + pairs] = x[2 * i + 1];
    }
}

/* q at a place, k at place 0, turned and multiplied. */
static float score_at(const float *q, const float *k, int distance, bool halves)
{
    double frequency[PAIRS];
    float turned[D_HEAD], sum = 0.0f;
    frequencies(frequency, PAIRS, 10000.0);
    memcpy(turned, q, sizeof turned);
    turn(turned, distance, frequency, PAIRS, halves);
    for (int i = 0; i < D_HEAD; i++) {
        sum += turned[i] * k[i];
    }
    return sum;
}

void report_layouts(uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "layouts");
    float q[D_HEAD], k[D_HEAD], q_moved[D_HEAD], k_moved[D_HEAD], mixed = 0.0f, repaired = 0.0f;
    rng_normal(&rng, q, D_HEAD);
    rng_normal(&rng, k, D_HEAD);
    to_halves(q_moved, q, PAIRS);
    to_halves(k_moved, k, PAIRS);
    page_heading("Two layouts of RoPE");
    printf("  Which entries of a head make a pair? 0 and 1, 2 and 3, ... (Su et al.), or\n"
           "  entry i and entry i + d/2 (GPT-NeoX, and Llama as it is mostly stored). The\n"
           "  score of one query and one key by distance; last, with their entries put in\n"
           "  the order that halves expect:\n\n"
           "  distance          0         1         2         5        20\n");
    static const int distances[] = {0, 1, 2, 5, 20};
    for (int row = 0; row < 3; row++) {
        printf("  %-10s", (const char *[]){"adjacent", "halves", "reordered"}[row]);
        for (int i = 0; i < 5; i++) {
            float adjacent = score_at(q, k, distances[i], false);
            float score = row == 0   ? adjacent
                          : row == 1 ? score_at(q, k, distances[i], true)
                                     : score_at(q_moved, k_moved, distances[i], true);
            printf("%10.4f", (double)score);
            mixed = row == 1 ? worst(mixed, fabsf(score - adjacent)) : mixed;
            repaired = row == 2 ? worst(repaired, fabsf(score - adjacent)) : repaired;
        }
        printf("\n");
    }
    printf("\n  At distance 0 nothing shows, and no shape is wrong. Section 12 does it to a\n"
           "  model that was trained.\n");
    page_claim(fabsf(score_at(q, k, 0, true) - score_at(q, k, 0, false)) == 0.0f && mixed > 0.1f,
               "equal at distance 0, different elsewhere");
    page_claim(repaired < ROUNDING, "another order of the entries, and they are the same");
}

/* The weights (T) of the last of T tokens in head 1, over keys read one by one and kept. now: the place
   that this last token is told. */
enum { T = 8 };
static void weigh(float *weights, const float *x, int now, enum PositionKind kind)
{
    float keys[T][D_HEAD], query[D_HEAD], sum = 0.0f;
    for (int t = 0; t < T; t++) {
        float row[D];
        int place = t == T - 1 ? now : t;
        memcpy(row, x + t * D, sizeof row);
        toy_add_rows(row, &place, 1, kind);
        toy_vector(keys[t], 1, row, place, 0, 0, kind);
        toy_vector(query, 0, row, place, 0, 0, kind);
    }
    for (int t = 0; t < T; t++) {
        int distance = t == T - 1 ? 0 : now - t;
        weights[t] = exp_f32(toy_score(query, keys[t], distance, 0, kind));
        sum += weights[t];
    }
    for (int t = 0; t < T; t++) {
        weights[t] /= sum;
    }
}

void report_cached(uint64_t seed)
{
    float x[LONG * D], kept[T], restarted[T];
    bool differ = true, same = true;
    toy_draw(x, seed);
    page_heading("A cached token keeps its place, and so does the next");
    printf("  %d tokens are in the cache, and one more is read alone. It stands at place %d. A\n"
           "  program that counts the rows it was given says 0. Its weights in head 1, for\n"
           "  RoPE:\n\n"
           "  key at              0     1     2     3     4     5     6   itself\n",
           T - 1, T - 1);
    for (int i = 0; i < 2; i++) {
        weigh(kept, x, i == 0 ? T - 1 : 0, POSITION_ROPE);
        printf("  query at %d    ", i == 0 ? T - 1 : 0);
        for (int t = 0; t < T; t++) {
            printf("%6.3f", (double)kept[t]);
        }
        printf("\n");
    }
    printf("\n  And for every way, how far its weights move at most:\n\n");
    for (int kind = 0; kind < POSITION_KINDS; kind++) {
        float far = 0.0f;
        weigh(kept, x, T - 1, kind);
        weigh(restarted, x, 0, kind);
        for (int t = 0; t < T; t++) {
            far = worst(far, fabsf(kept[t] - restarted[t]));
        }
        printf("  %-14s %5.3f\n", position_name(kind), (double)far);
        same &= kind != POSITION_NONE || far == 0.0f;
        differ &= kind == POSITION_NONE || far > 1e-3f;
    }
    page_claim(same && differ, "only where there are no places does a wrong one go unnoticed");
}
