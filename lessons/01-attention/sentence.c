/* Sections 1 and 2: "the cat sat on it", from the chapter. What is "it" looking at, and why does
   that take three vectors for each token? */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "lesson.h"

static const struct Memory sentence = {
    .tokens = {"the", "cat", "sat", "on"},
    .n = 4,
    .d_key = 2,
    .d_value = 2,
    .keys = (const float[]){0, 0, 1, 2, 1, 0, 0, 1},
    .values = (const float[]){0, 0, 2, 1, 0, 1, 1, 0},
};

/* What a reader with a pencil gets, who goes on with weights of two digits. */
static void report_rounding(const float *weights, bool chapter)
{
    float rounded[4], gain[4], out[2];
    for (int j = 0; j < 4; j++) {
        rounded[j] = floorf(weights[j] * 100.0f + 0.5f) / 100.0f;
        gain[j] = rounded[j] - weights[j];
    }
    mix(out, rounded, &sentence);
    printf("  from rounded weights  (%.2f, %.2f)%s\n", (double)out[0], (double)out[1],
           chapter ? "      chapter: (1.76, 0.88)" : "");
    printf("  Rounding gives cat %+.5f and on %+.5f. By their values the first number\n"
           "  of the output takes cat's twice and on's once: %+.5f in all.\n",
           (double)gain[1], (double)gain[3], (double)(2.0f * gain[1] + gain[3]));
    if (chapter) {
        page_claim(reads(out[0], 1.76, 2) && reads(out[1], 0.88, 2),
                   "the chapter's other output is this one");
    }
}

void report_sentence(const float *query, struct Table *keys, struct Table *query_table)
{
    static const struct Told told = {
        "chapter", 2, {0.00, 3.54, 0.71, 1.41}, {0.02, 0.83, 0.05, 0.10}};
    bool chapter = query[0] == 1.0f && query[1] == 2.0f;
    struct Answer a;
    attend(&a, query, &sentence, 1.0f / sqrtf(2.0f));
    page_heading("One query, four keys, four values");
    printf("  \"the cat sat on it\": it asks with the query (%g, %g).\n"
           "  A score is its dot product with a key over sqrt(2) = %.2f. Look at which key\n"
           "  it points along.\n\n",
           (double)query[0], (double)query[1], sqrt(2.0));
    bool same = print_keys(&a, &sentence, chapter ? &told : NULL);
    printf("\n  output                (%.4f, %.4f)%s\n", (double)a.out[0], (double)a.out[1],
           chapter ? "  chapter: (1.75, 0.88)" : "");
    page_claim(add_up_to_one(a.weights, 4), "the weights add up to one");
    if (chapter) {
        page_claim(same && reads(a.out[0], 1.75, 2) && reads(a.out[1], 0.88, 2),
                   "scores, weights and output are the chapter's, to its two digits");
    }
    report_rounding(a.weights, chapter);
    for (int j = 0; j < 4; j++) {
        const float *k = sentence.keys + 2 * j, *v = sentence.values + 2 * j;
        table_row(keys, "%s\t%g\t%g\t%g\t%g\t%.7g\t%.7g", sentence.tokens[j], (double)k[0],
                  (double)k[1], (double)v[0], (double)v[1], (double)a.scores[j],
                  (double)a.weights[j]);
    }
    table_row(query_table, "%.7g\t%.7g\t%.7g\t%.7g", (double)query[0], (double)query[1],
              (double)a.out[0], (double)a.out[1]);
}

/* Scores of all pairs of tokens there and back: the largest difference. A line for cat and on. */
static float one_sided(const char *name, const float *queries)
{
    enum { CAT = 1, ON = 3 };
    float score[4][4], most = 0.0f;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            score[i][j] = dot(queries + 2 * i, sentence.keys + 2 * j, 2) / sqrtf(2.0f);
        }
    }
    for (int i = 0; i < 16; i++) {
        most = larger(most, fabsf(score[i / 4][i % 4] - score[i % 4][i / 4]));
    }
    printf("  %-20s  %11.2f  %11.2f  %14.2f\n", name, (double)score[ON][CAT],
           (double)score[CAT][ON], (double)most);
    return most;
}

/* Why not one vector for all three? */
void report_roles(void)
{
    static const float it[2] = {1, 2}, values[8] = {0, 0, -3, 5, 0, 1, 1, 0};
    float turned[8];
    struct Memory other = sentence;
    struct Answer before, after;
    other.values = values;
    attend(&before, it, &sentence, 1.0f / sqrtf(2.0f));
    attend(&after, it, &other, 1.0f / sqrtf(2.0f));
    for (int j = 0; j < 4; j++) { /* a key through a W_Q that is a quarter turn */
        turned[2 * j] = sentence.keys[2 * j + 1];
        turned[2 * j + 1] = -sentence.keys[2 * j];
    }
    page_heading("Why a query, a key and a value");
    printf("  Let cat hand over (-3, 5): the query (1, 2) now gets (%.4f, %.4f).\n",
           (double)after.out[0], (double)after.out[1]);
    page_claim(memcmp(before.weights, after.weights, 4 * sizeof(float)) == 0 &&
                   distance(before.out, after.out, 2) > 1.0f,
               "values have no say in where to look: the same weights, to the bit");
    printf("\n  Let every token ask. If its query is its key, what looks is looked at:\n"
           "  score of              on for cat   cat for on   most apart\n");
    float tied = one_sided("query = key", sentence.keys);
    float apart = one_sided("query = key, turned", turned);
    page_claim(tied == 0.0f, "query = key: all scores are the same there and back");
    page_claim(apart > 1.0f, "with a query of its own a token can look and not be looked at");
}
