/* One line for each way: rows are added in toy_add_rows, pairs turned in toy_vector, numbers added to
   scores in toy_score. */
#include "toy.h"

#include <math.h>
#include <string.h>

#include "common/rng.h"
#include "common/vmath.h"
#include "ways.h"

static struct {
    float w[DEEPEST][3][D * D]; /* queries, keys, values */
    float learned[PLACES * D], t5[BUCKETS * HEADS];
} toy;

float worst(float most, float apart)
{
    return apart <= most ? most : isfinite(apart) ? apart : INFINITY;
}

void toy_draw(float *x, uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "toy");
    rng_normal(&rng, x, LONG * D);
    rng_uniform(&rng, &toy.w[0][0][0], DEEPEST * 3 * D * D, sqrtf(3.0f / D));
    rng_normal(&rng, toy.learned, PLACES * D);
    rng_normal(&rng, toy.t5, BUCKETS * HEADS);
}

const float *toy_t5(void)
{
    return toy.t5;
}

void toy_add_rows(float *x, const int *place, int length, enum PositionKind kind)
{
    float sine_row[D];
    for (int t = 0; t < length; t++) {
        const float *row = &toy.learned[place[t] * D];
        if (kind == POSITION_SINUSOIDAL) {
            sinusoid(sine_row, place[t], D);
            row = sine_row;
        }
        for (int i = 0; i < D && (kind == POSITION_LEARNED || kind == POSITION_SINUSOIDAL); i++) {
            x[t * D + i] += row[i];
        }
    }
}

void toy_vector(float *vector, int which, const float *x, int place, int layer, int head,
                enum PositionKind kind)
{
    const float *w = &toy.w[layer][which][head * D_HEAD * D];
    for (int i = 0; i < D_HEAD; i++) {
        vector[i] = 0.0f;
        for (int j = 0; j < D; j++) {
            vector[i] += w[i * D + j] * x[j];
        }
    }
    if (which < 2 && (kind == POSITION_ROPE || kind == POSITION_ROPE_HALVES)) {
        double frequency[PAIRS];
        frequencies(frequency, PAIRS, 10000.0);
        turn(vector, place, frequency, PAIRS, kind == POSITION_ROPE_HALVES);
    }
}

float toy_score(const float *query, const float *key, int distance, int head,
                enum PositionKind kind)
{
    float score = 0.0f;
    for (int i = 0; i < D_HEAD; i++) {
        score += query[i] * key[i];
    }
    score /= sqrtf(D_HEAD);
    score += kind == POSITION_ALIBI ? alibi(head, HEADS, distance) : 0.0f;
    score += kind == POSITION_T5 ? toy.t5[bucket(distance) * HEADS + head] : 0.0f;
    return score;
}

static bool may_look(const bool *sees, int query, int key, int length)
{
    return sees != NULL ? sees[query * length + key] : key <= query;
}

/* out (length,D_HEAD) overwritten: what one head gives, each value mixed in by its weight. */
static void attend(float *out, const float *x, const int *place, int length, const bool *sees,
                   int layer, int head, enum PositionKind kind)
{
    float q[LONG][D_HEAD], k[LONG][D_HEAD], v[LONG][D_HEAD];
    for (int t = 0; t < length; t++) {
        toy_vector(q[t], 0, x + t * D, place[t], layer, head, kind);
        toy_vector(k[t], 1, x + t * D, place[t], layer, head, kind);
        toy_vector(v[t], 2, x + t * D, place[t], layer, head, kind);
    }
    for (int t = 0; t < length; t++, out += D_HEAD) {
        float sum = 0.0f;
        memset(out, 0, D_HEAD * sizeof *out);
        for (int s = 0; s < length; s++) {
            float score = toy_score(q[t], k[s], place[t] - place[s], head, kind);
            /* scores this small need no largest one taken off first */
            float weight = may_look(sees, t, s, length) ? exp_f32(score) : 0.0f;
            sum += weight;
            for (int i = 0; i < D_HEAD; i++) {
                out[i] += weight * v[s][i];
            }
        }
        for (int i = 0; i < D_HEAD; i++) {
            out[i] /= sum;
        }
    }
}

void toy_run(float *y, const float *x, const int *place, int length, const bool *sees, int n_layers,
             enum PositionKind kind)
{
    float given[HEADS][LONG * D_HEAD];
    memcpy(y, x, (size_t)(length * D) * sizeof *y);
    toy_add_rows(y, place, length, kind);
    for (int layer = 0; layer < n_layers; layer++) {
        for (int head = 0; head < HEADS; head++) {
            attend(given[head], y, place, length, sees, layer, head, kind);
        }
        for (int i = 0; i < length * D; i++) {
            y[i] += given[i % D / D_HEAD][i / D * D_HEAD + i % D_HEAD];
        }
    }
}
