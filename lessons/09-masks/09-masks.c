/* Lesson 09: masks and contracts.

   Read attend.c first: the rule of who may look at whom, and attention that asks it. The page shows
   five masks and what they have in common (here and runs.c); what a query gets that may look at
   nothing (empty.c); how to find out that a mask does what it should (batch.c, moves.c); the pads
   of a batch and the documents packed into one row (pads.c, packed.c); and what no mask can mend,
   labels that stand in the wrong place (labels.c). Last, attend is held against common/. */
#include <math.h>
#include <stdio.h>

#include "common/base.h"
#include "common/page.h"
#include "sections.h"

const char *const mask_names[MASKS] = {"causal", "padding",   "window",
                                       "prefix", "documents", "together"};

void gallery_make(struct Gallery *g, int T, int window, int prefix)
{
    *g = (struct Gallery){.T = T, .window = window};
    for (int t = 0; t < T; t++) {
        g->document[t] = t >= 3 * T / 8; /* two documents of unequal length */
    }
    g->masks[CAUSAL] = (struct Mask){.causal = true};
    g->masks[PADDING] = (struct Mask){.end_key = T - 2};
    g->masks[WINDOW] = (struct Mask){.window = window};
    g->masks[PREFIX] = (struct Mask){.causal = true, .prefix = prefix};
    g->masks[DOCUMENTS] = (struct Mask){.document = g->document};
    g->masks[TOGETHER] =
        (struct Mask){.causal = true, .window = window, .first_key = 2, .document = g->document};
}

void print_grids(const char *const names[], bool (*seen)[MOST][MOST], int n, int T)
{
    for (int i = -2; i < T; i++) { /* row -2: the names; row -1: the numbers of the keys */
        for (int g = 0; g < n; g++) {
            if (i == -2) {
                printf("  %-*s", g < n - 1 ? 2 * T + 3 : 0, names[g]);
                continue;
            }
            printf(i < 0 ? "   " : "  %d", i);
            for (int j = 0; j < T; j++) {
                printf(" %c", i < 0 ? '0' + j : seen[g][i][j] ? 'x' : '.');
            }
            printf("%s", g < n - 1 ? "  " : "");
        }
        printf("\n");
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

static void claim_masks(const struct Gallery *g, bool (*seen)[MOST][MOST])
{
    int T = g->T, prefix = g->masks[PREFIX].prefix, pairs[MASKS] = {0};
    bool own = true, both = true;
    for (int ij = 0; ij < T * T; ij++) {
        int i = ij / T, j = ij % T;
        for (int m = 0; m < MASKS; m++) {
            pairs[m] += seen[m][i][j];
        }
        own &= i != j || (seen[CAUSAL][i][j] && seen[WINDOW][i][j] && seen[DOCUMENTS][i][j]);
        both &= seen[TOGETHER][i][j] ==
                (seen[CAUSAL][i][j] && seen[WINDOW][i][j] && seen[DOCUMENTS][i][j] && j >= 2);
    }
    printf("  pairs of a query and a key that it may look at, of %d:", T * T);
    for (int m = 0; m < MASKS; m++) {
        printf("%s%s %d", m == 0 ? "\n  " : ", ", mask_names[m], pairs[m]);
    }
    printf("\n");
    page_claim(pairs[CAUSAL] == T * (T + 1) / 2, "causal: half of them, and half of the diagonal");
    page_claim(pairs[PREFIX] == pairs[CAUSAL] + prefix * (prefix - 1) / 2,
               "prefix: what the first %d may see of each other comes on top", prefix);
    page_claim(own, "causal, window and documents let every token see itself");
    page_claim(both, "together: seen is what each of them alone lets through");
}

static void report_masks(const struct Gallery *g, struct Table *table)
{
    static bool seen[MASKS][MOST][MOST];
    page_heading("Five masks, and several at once");
    printf("  A row is a query, a column a key; x: the query may look at it.\n"
           "    causal     no later key\n"
           "    padding    no pad: here the last two tokens are pads\n"
           "    window     only keys at a distance of less than %d\n"
           "    prefix     causal, but all may look at the first %d\n"
           "    documents  only keys of the query's own document; the second begins at %d\n"
           "    together   causal, window, documents, and the first two tokens are pads\n",
           g->window, g->masks[PREFIX].prefix, 3 * g->T / 8);
    for (int m = 0; m < MASKS; m++) {
        for (int ij = 0; ij < g->T * g->T; ij++) {
            int i = ij / g->T, j = ij % g->T;
            seen[m][i][j] = allowed(&g->masks[m], i, j);
            table_row(table, "%s\t%d\t%d\t%d", mask_names[m], i, j, seen[m][i][j]);
        }
    }
    for (int m = 0; m < MASKS; m += 3) {
        printf("\n");
        print_grids(mask_names + m, seen + m, 3, g->T);
    }
    printf("\n");
    claim_masks(g, seen);
}

int main(int argc, char **argv)
{
    int tokens = 8, window = 3, prefix = 3, steps = 600;
    struct Option options[] = {
        {"tokens", OPTION_INTEGER, &tokens, "T", "tokens under a mask", LEAST, MOST, NULL, false},
        {"window", OPTION_INTEGER, &window, "W", "how far the window reaches, itself included", 1,
         MOST, NULL, false},
        {"prefix", OPTION_INTEGER, &prefix, "P", "tokens of the prefix", 0, MOST, NULL, false},
        {"steps", OPTION_INTEGER, &steps, "N", "training steps for each way to shift labels", 0,
         10000, NULL, false}};
    struct Common common;
    struct Gallery gallery;
    cli_parse(argc, argv, "Lesson 09: masks and contracts.", "09-masks", &common, options, 4);
    if (prefix > tokens) {
        die("--prefix %d: there are %d tokens, and it takes 0 to %d", prefix, tokens, tokens);
    }
    struct Table *masks = table_new(common.out, "masks", "mask query key seen");
    struct Table *labels = table_new(common.out, "labels", "step unshifted once twice");
    struct Table *least = table_new(common.out, "least", "unshifted once twice");
    gallery_make(&gallery, tokens, window, prefix);

    printf("Lesson 09. Masks and contracts\n");
    report_masks(&gallery, masks);
    report_runs(&gallery);
    report_empty(common.seed);
    report_batch(common.seed);
    report_moves(&gallery, common.seed);
    report_layers(&gallery, common.seed);
    report_pads(common.seed);
    report_packed(common.seed);
    report_labels(&common, steps, labels, least);
    report_common(common.seed);
    table_save(masks);
    table_save(labels);
    table_save(least);
    return page_verdict();
}
