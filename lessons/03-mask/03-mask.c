/* Lesson 03: the mask, which keeps a token from looking at those after it.

   Read attend.c first: the attention of this lesson, one right way to mask it and three wrong ones,
   a field apart. All four look at the same text, and each section of the page asks them something:
   what their weights add up to (here), what a later token does to an earlier one (leaks.c), what
   that means for training (training.c). Then the cost, and attend held against common/. */
#include <stdio.h>

#include "common/base.h"
#include "common/cli.h"
#include "common/page.h"
#include "sections.h"

static void print_weights(const float *weights, const struct Text *text)
{
    int T = text->length;
    float sums[LONGEST];
    printf("     ");
    print_letters(text);
    printf("   sum\n");
    for (int t = 0; t < T; t++) {
        printf("  %c  ", 'a' + text->letters[t]);
        sums[t] = sum_of(weights + t * T, T, 1);
        print_row(weights + t * T, T, 1);
        print_row(sums + t, 1, 1);
        printf("\n");
    }
    for (int j = 0; j < T; j++) {
        sums[j] = sum_of(weights + j, T, T);
    }
    printf("  sum");
    print_row(sums, T, 1);
    printf("\n");
}

static void claim_weights(const struct Look looks[WAYS], int T)
{
    bool right = true, zero = true, after = true, queries = true;
    for (int t = 0; t < T; t++) {
        const float *r = looks[RIGHT].weights + t * T, *z = looks[ZERO].weights + t * T,
                    *a = looks[AFTER].weights + t * T;
        float sum = sum_of(a, T, 1);
        for (int j = 0; j < T; j++) {
            right &= j > t ? r[j] == 0.0f : r[j] > 0.0f && near(r[j], a[j] / sum);
            zero &= j <= t || (z[j] > 0.0f && z[j] == z[T - 1]);
        }
        right &= near(sum_of(r, T, 1), 1.0f);
        after &= t < T - 1 ? sum < 1.0f - 2e-6f : near(sum, 1.0f);
        queries &= near(sum_of(looks[QUERIES].weights + t, T, T), 1.0f);
    }
    page_claim(right, "right: what is hidden gets exactly 0, the rest adds up to 1");
    page_claim(zero, "score 0: what is hidden gets weight, each key of a row the same");
    page_claim(after, "mask after: rows fall short of 1; divided by their sum they are right");
    page_claim(queries, "over queries: columns add up to 1");
}

static void report_weights(const struct Text *text, struct Table *table)
{
    static const char *const words[WAYS] = {
        "a hidden score is -INFINITY, which e^ makes 0; softmax over keys",
        "a hidden score is 0, and that is a score like any other",
        "softmax over all keys, and then hidden weights are cleared",
        "hidden as in the right way, but the softmax runs down a column"};
    struct Look looks[WAYS];
    page_heading("The weights: one right way to mask and three wrong ones");
    printf("  A row is a query, a column a key, a dot exactly 0. Which sums are 1?\n");
    for (int w = 0; w < WAYS; w++) {
        looks[w] = look(text, &ways[w]);
        printf("\n  %s: %s\n", ways[w].name, words[w]);
        print_weights(looks[w].weights, text);
        for (int i = 0, T = text->length; i < T * T; i++) {
            table_row(table, "%s\t%d\t%d\t%.6f", ways[w].name, i / T, i % T,
                      (double)looks[w].weights[i]);
        }
    }
    printf("\n");
    claim_weights(looks, text->length);
}

int main(int argc, char **argv)
{
    int length = 6, change = 0;
    struct Option options[] = {
        {"length", OPTION_INTEGER, &length, "T", "tokens in the text", 2, LONGEST, NULL, false},
        {"change", OPTION_INTEGER, &change, "J", "which token is changed, counted from 0", 1,
         LONGEST - 1, "the last", false}};
    struct Common common;
    cli_parse(argc, argv, "Lesson 03: the mask, which decides who may look at whom.", "03-mask",
              &common, options, 2);
    if (!options[1].given) {
        change = length - 1;
    }
    if (change >= length) {
        die("--change %d: with %d tokens it takes 1 to %d, a token with others before it", change,
            length, length - 1);
    }
    struct Table *weights = table_new(common.out, "weights", "way query key weight");
    struct Table *leaked = table_new(common.out, "leak", "way output changed moved");
    struct Table *cost = table_new(common.out, "cost", "tokens scores seen");
    struct Text text = text_of(length);
    model_draw(common.seed);

    printf("Lesson 03. The mask: who may look at whom\n");
    report_weights(&text, weights);
    report_change(&text, change);
    report_leaks(&text, leaked);
    report_layers(&text, leaked);
    report_prefixes(&text);
    report_empty(&text);
    report_cost(common.seed, cost);
    report_common(common.seed);
    table_save(weights);
    table_save(leaked);
    table_save(cost);
    return page_verdict();
}
