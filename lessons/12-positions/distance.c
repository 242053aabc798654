/* Sections 3 to 5: what each way says of a place, what of it changes when all places are moved on, and
   what turning does to a vector. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/rng.h"
#include "sections.h"
#include "toy.h"
#include "ways.h"

/* What is left of the score of two equal vectors when one of them is turned by this many places: the
   mean of the cosines of its pairs. */
static float left_of_score(int distance)
{
    float vector[D_HEAD], sum = 0.0f;
    double frequency[PAIRS];
    frequencies(frequency, PAIRS, 10000.0);
    for (int i = 0; i < D_HEAD; i++) {
        vector[i] = (i + 1) % 2;
    }
    turn(vector, distance, frequency, PAIRS, false);
    for (int pair = 0; pair < PAIRS; pair++) {
        sum += vector[2 * pair];
    }
    return sum / PAIRS;
}

void report_ways(void)
{
    static const int distances[] = {0, 1, 2, 3, 8, 15, 16, 18, 19, 24, 64, 127, 128, 1000};
    const int n = sizeof distances / sizeof *distances;
    page_heading("What the ways say of a distance");
    printf("  ALiBi takes the distance times a slope off the score: a slope for each head,\n"
           "  none of it trained. T5 adds one of %d trained numbers a head, its bucket says\n"
           "  which. RoPE turns query and key: here is what that leaves of the score of two\n"
           "  equal vectors, %d pairs each.\n\n"
           "             ALiBi, %d heads                             T5    RoPE\n"
           "  distance   head 1    head 2    head 3    head 4   bucket    left\n",
           BUCKETS, PAIRS, HEADS);
    for (int i = 0; i < n; i++) {
        printf("  %8d", distances[i]);
        for (int head = 0; head < HEADS; head++) {
            printf(i > 0 ? "%10.3f" : "%10.0f", (double)fabsf(alibi(head, HEADS, distances[i])));
        }
        printf("%8d%9.3f\n", bucket(distances[i]), (double)left_of_score(distances[i]));
    }
    page_claim(bucket(15) == 15 && bucket(16) == 16 && bucket(18) == 16 && bucket(19) == 17,
               "buckets 0 to 15 hold one distance each, bucket 16 holds three");
    page_claim(bucket(FARTHEST - 1) == BUCKETS - 1 && bucket(1000000) == BUCKETS - 1,
               "the last bucket has no end");
}

/* How far a score moves at most, over all queries, keys before them and heads, when both places are
   moved on by this much. */
static float shifted(const float *x, int shift, enum PositionKind kind)
{
    float here[LONG * D], there[LONG * D], most = 0.0f;
    int place[LONG], later[LONG];
    for (int t = 0; t < LONG; t++) {
        place[t] = t;
        later[t] = t + shift;
    }
    memcpy(here, x, sizeof here);
    memcpy(there, x, sizeof there);
    toy_add_rows(here, place, LONG, kind);
    toy_add_rows(there, later, LONG, kind);
    for (int i = 0; i < LONG * LONG * HEADS; i++) {
        int head = i % HEADS, query = i / HEADS % LONG, key = i / HEADS / LONG;
        if (key <= query) {
            float q[2][D_HEAD], k[2][D_HEAD];
            toy_vector(q[0], 0, here + query * D, place[query], 0, head, kind);
            toy_vector(k[0], 1, here + key * D, place[key], 0, head, kind);
            toy_vector(q[1], 0, there + query * D, later[query], 0, head, kind);
            toy_vector(k[1], 1, there + key * D, later[key], 0, head, kind);
            most = worst(most, fabsf(toy_score(q[0], k[0], query - key, head, kind) -
                                     toy_score(q[1], k[1], query - key, head, kind)));
        }
    }
    return most;
}

/* A sinusoidal row times another: it depends on their distance, as cos a cos b + sin a sin b is the
   cosine of a - b. How far does it move? */
static float rows_shifted(int shift)
{
    float row[4][D], most = 0.0f;
    for (int distance = 0; distance < LONG; distance++) {
        float product[2] = {0.0f, 0.0f};
        for (int i = 0; i < 4; i++) {
            sinusoid(row[i], i % 2 * distance + i / 2 * shift, D);
        }
        for (int i = 0; i < D; i++) {
            product[0] += row[0][i] * row[1][i];
            product[1] += row[2][i] * row[3][i];
        }
        most = worst(most, fabsf(product[0] - product[1]));
    }
    return most;
}

void report_shifts(uint64_t seed)
{
    static const int shifts[] = {1, 10, 100, 1000};
    float x[LONG * D];
    bool stays = true, exact = true, moves = true;
    toy_draw(x, seed);
    page_heading("Move everything on: which scores stay?");
    printf("  %d tokens at places 0, 1, 2, ... and the same tokens some places later. How\n"
           "  far does a score move, at most? Scores are about 1 in size.\n\n"
           "  places moved on           1         10        100       1000\n",
           LONG);
    for (int kind = 0; kind < POSITION_KINDS; kind++) {
        bool relative = kind != POSITION_LEARNED && kind != POSITION_SINUSOIDAL;
        bool turns = kind == POSITION_ROPE || kind == POSITION_ROPE_HALVES;
        printf("  %-16s", position_name(kind));
        for (int i = 0; i < 4; i++) {
            float far = shifted(x, shifts[i], kind);
            printf(far > 0.0f ? "%11.1e" : "%11.0f", (double)far);
            stays &= !turns || far < 2e-6f * (float)(shifts[i] + 10);
            exact &= turns || !relative || far == 0.0f;
            moves &= relative || far > 0.1f;
        }
        printf("\n");
    }
    printf("  rows alone      ");
    for (int i = 0; i < 4; i++) {
        float far = rows_shifted(shifts[i]);
        printf("%11.1e", (double)far);
        stays &= far < 4e-6f * (float)(shifts[i] + 10);
    }
    printf("\n\n  RoPE's error grows with the place, since a float holds a large angle with\n"
           "  fewer digits behind the point. Rows alone: one sinusoidal row times another.\n"
           "  It, too, knows only the distance; but in a model tokens and weights stand\n"
           "  between them.\n");
    page_claim(exact, "T5 and ALiBi: not a bit moves; nor where there are no places");
    page_claim(stays, "RoPE, and sinusoidal rows alone: nothing but rounding");
    page_claim(moves, "learned and sinusoidal rows in a model: scores move");
}

static float dot(const float *a, const float *b, int count)
{
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* How far norms move when x is turned, as a share; and how far q turned by m times k turned by n is
   from q times k turned by n - m. */
static void turn_at_random(float *norm, float *offset, bool halves, struct Rng *rng)
{
    double frequency[PAIRS];
    frequencies(frequency, PAIRS, 10000.0);
    *norm = *offset = 0.0f;
    for (int i = 0; i < 200; i++) {
        float q[D_HEAD], k[D_HEAD], turned_q[D_HEAD], turned_k[D_HEAD], only_k[D_HEAD];
        int m = rng_below(rng, LONG), n = rng_below(rng, LONG);
        rng_normal(rng, q, D_HEAD);
        rng_normal(rng, k, D_HEAD);
        memcpy(turned_q, q, sizeof q);
        memcpy(turned_k, k, sizeof k);
        memcpy(only_k, k, sizeof k);
        turn(turned_q, m, frequency, PAIRS, halves);
        turn(turned_k, n, frequency, PAIRS, halves);
        turn(only_k, n - m, frequency, PAIRS, halves);
        float longer = sqrtf(dot(turned_q, turned_q, D_HEAD) / dot(q, q, D_HEAD));
        *norm = worst(*norm, fabsf(longer - 1.0f));
        *offset = worst(*offset, fabsf(dot(turned_q, turned_k, D_HEAD) - dot(q, only_k, D_HEAD)));
    }
}

void report_turning(uint64_t seed)
{
    const double angle[] = {M_PI / 4.0};
    struct Rng rng = rng_stream(seed, "turning");
    float q[] = {1.0f, 0.0f}, norm, offset, scores[5];
    page_heading("Turning by hand");
    printf("  One pair, and pi/4 from one place to the next. q = k = (1,0), q at place 1.\n"
           "  The score by the place of k:\n\n"
           "  place of k        1       2       3       4       5\n"
           "  score      ");
    turn(q, 1, angle, 1, false);
    for (int n = 0; n < 5; n++) {
        float k[] = {1.0f, 0.0f};
        turn(k, n + 1, angle, 1, false);
        scores[n] = dot(q, k, 2);
        printf("%8.3f", (double)(roundf(scores[n] * 1000.0f) / 1000.0f + 0.0f));
    }
    printf("\n");
    page_claim(fabsf(scores[2]) < 1e-6f, "at places 1 and 3 they stand at right angles: score 0");
    for (int halves = 0; halves < 2; halves++) {
        turn_at_random(&norm, &offset, halves, &rng);
        page_claim(norm < 1e-6f, "%s: the length of a vector stays",
                   halves ? "halves  " : "adjacent");
        page_claim(offset < ROUNDING, "%s: turning q by m and k by n is turning k by n - m",
                   halves ? "halves  " : "adjacent");
    }
}
