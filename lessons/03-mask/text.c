/* Tables instead of embeddings and matrices: what a letter asks and shows never depends on its
   place. */
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/loss.h"
#include "common/rng.h"

static float table[3][LETTERS * D], head[LETTERS * D]; /* queries, keys, values; head */

void model_draw(uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "mask");
    rng_normal(&rng, table[0], 3 * LETTERS * D);
    rng_uniform(&rng, head, LETTERS * D, 0.5f); /* small, as when training begins */
}

struct Text text_of(int length)
{
    struct Text text = {.length = length};
    for (int t = 0; t < length; t++) {
        text.letters[t] = t;
    }
    return text;
}

struct Text text_with(const struct Text *text, int j)
{
    struct Text changed = *text;
    changed.letters[j] = LETTERS - 1;
    return changed;
}

/* x (T,D) overwritten with the rows of a table that belong to the letters. */
static void gather(float *x, const float *rows, const struct Text *text)
{
    for (int t = 0; t < text->length; t++) {
        memcpy(x + t * D, rows + text->letters[t] * D, D * sizeof *x);
    }
}

struct Look look(const struct Text *text, const struct Way *way)
{
    struct Look look;
    float q[LONGEST * D], k[LONGEST * D], v[LONGEST * D];
    gather(q, table[0], text);
    gather(k, table[1], text);
    gather(v, table[2], text);
    attend(look.out, look.weights, q, k, v, text->length, D, way);
    return look;
}

struct Look look_through(const struct Text *text, const struct Way *first, const struct Way *second)
{
    struct Look below = look(text, first), above;
    if (second == NULL) {
        return below;
    }
    attend(above.out, above.weights, below.out, below.out, below.out, text->length, D, second);
    return above;
}

void text_scores(float *scores, const struct Text *text)
{
    float q[LONGEST * D], k[LONGEST * D];
    gather(q, table[0], text);
    gather(k, table[1], text);
    score_all(scores, q, k, text->length, D);
}

void text_losses(double *losses, const struct Look *look, int length)
{
    for (int t = 0; t < length; t++) {
        float logits[LETTERS] = {0.0f}, probabilities[LETTERS];
        int32_t next = t + 1;
        for (int n = 0; n < LETTERS; n++) {
            for (int i = 0; i < D; i++) {
                logits[n] = fmaf(look->out[t * D + i], head[n * D + i], logits[n]);
            }
        }
        losses[t] = cross_entropy_forward(probabilities, logits, &next, 1, LETTERS);
    }
}

float distance(const float *a, const float *b, int n)
{
    float most = 0.0f;
    for (int i = 0; i < n; i++) {
        float difference = fabsf(a[i] - b[i]);
        most = difference > most || isnan(difference) ? difference : most;
    }
    return most;
}

bool near(float a, float b)
{
    return fabsf(a - b) <= 2e-6f;
}

float sum_of(const float *x, int n, int step)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += x[i * step];
    }
    return sum;
}

void print_row(const float *x, int n, int step)
{
    for (int i = 0; i < n; i++) {
        float size = x[i * step];
        if (size == 0.0f) {
            printf("     .");
        } else {
            printf("%6.*f", size < 9.9995f ? 3 : size < 99.995f ? 2 : 1, (double)size);
        }
    }
}

void print_letters(const struct Text *text)
{
    for (int j = 0; j < text->length; j++) {
        printf("     %c", 'a' + text->letters[j]);
    }
}
