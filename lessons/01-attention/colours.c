/* Section 4: four colours, from Sprout. How the length of a query sets how sharply it looks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "lesson.h"

static const struct Memory colours = {
    .tokens = {"girl", "ball", "red", "ran"},
    .n = 4,
    .d_key = 2,
    .d_value = 3,
    .keys = (const float[]){1.6f, 0.9f, -1.2f, 1.3f, -1.5f, -0.6f, 0.4f, -1.6f},
    .values = (const float[]){1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5f, 0.5f, 0.5f},
};

/* The query of "she", so many times as long. */
static struct Answer she_asks(float sharpness)
{
    const float query[2] = {1.4f * sharpness, 0.7f * sharpness};
    struct Answer answer;
    attend(&answer, query, &colours, 1.0f);
    return answer;
}

void report_sharpness(struct Table *table)
{
    static const struct Told told = {
        "Sprout", 3, {2.87, -0.77, -2.52, -0.56}, {0.941, 0.025, 0.004, 0.030}};
    static const float tried[] = {0, 0.5f, 1, 2, 4, 64};
    struct Answer a = she_asks(1.0f);
    char name[24];
    bool sharper = true, even = true;
    page_heading("How sharply a query looks");
    printf("  Four words, and \"she\" asks with (1.4, 0.7). Values are colours: red, green,\n"
           "  blue and grey. No division here. A key at more than 90 degrees scores below 0.\n\n");
    bool same = print_keys(&a, &colours, &told);
    printf("  output   (%.3f, %.3f, %.3f)        Sprout: (0.956, 0.040, 0.020)\n", (double)a.out[0],
           (double)a.out[1], (double)a.out[2]);
    page_claim(same && reads(a.out[0], 0.956, 3) && reads(a.out[1], 0.040, 3) &&
                   reads(a.out[2], 0.020, 3),
               "all of it reads like Sprout's, to three digits");
    printf("\n  The same query, shorter and longer:\n"
           "                             girl    ball     red     ran\n");
    for (int i = 0; i < 6; i++) {
        float before = a.weights[0];
        a = she_asks(tried[i]);
        snprintf(name, sizeof name, "%g times", (double)tried[i]);
        print_weights(name, a.weights);
        sharper &= i == 0 || a.weights[0] > before;
        for (int j = 0; i == 0 && j < 4; j++) {
            even &= a.weights[j] == 0.25f;
        }
    }
    page_claim(even, "a query of zero looks everywhere alike");
    page_claim(sharper, "the longer the query, the more the best key gets");
    page_claim(memcmp(a.out, colours.values, 3 * sizeof(float)) == 0,
               "at 64 it is a dictionary: the value of the best key, to the last bit");
    for (int i = 0; i <= 80; i++) {
        a = she_asks((float)i / 40.0f);
        table_row(table, "%g\t%.7g\t%.7g\t%.7g\t%.7g", i / 40.0, (double)a.weights[0],
                  (double)a.weights[1], (double)a.weights[2], (double)a.weights[3]);
    }
}
