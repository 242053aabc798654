/* What the masks of the page have in common, and what common/mask.h is built on: each query sees
   one run of keys without gaps, so two numbers a row say it all, and a loop over keys asks nothing.
   Tried on all masks that can be made of a few values for each field. */
#include <stdio.h>

#include "common/page.h"
#include "sections.h"

/* How many runs of keys query i sees. */
static int runs_of(bool (*may)(const struct Mask *, int, int), const struct Mask *mask, int i,
                   int T)
{
    int runs = 0;
    for (int j = 0; j < T; j++) {
        runs += may(mask, i, j) && (j == 0 || !may(mask, i, j - 1));
    }
    return runs;
}

/* No mask of common/: causal, and only every other key. Child et al. (2019) have such a one. */
static bool every_other(const struct Mask *mask, int i, int j)
{
    return allowed(mask, i, j) && (i - j) % 2 == 0;
}

/* What was found of all masks that were tried. */
struct Tried {
    long long masks, queries, empty;
    bool one_run; /* no query sees two runs */
    bool allows;  /* mask_allows says what allowed says */
    bool keys;    /* and so does mask_keys, for the whole row at once */
};

static void try_mask(struct Tried *tried, const struct Mask *mask, int T)
{
    tried->masks++;
    for (int i = 0; i < T; i++) {
        struct Keys keys = mask_keys(mask, i, T);
        int runs = runs_of(allowed, mask, i, T);
        tried->queries++;
        tried->empty += runs == 0;
        tried->one_run &= runs <= 1;
        for (int j = 0; j < T; j++) {
            bool may = allowed(mask, i, j);
            tried->allows &= may == mask_allows(mask, i, j);
            tried->keys &= may == (keys.first <= j && j < keys.end);
        }
    }
}

/* Texts of 1 to 7 tokens, as one document or cut into two or three. */
static struct Tried try_all(void)
{
    enum { LONG = 7 };
    static const int32_t documents[][LONG] = {
        {0, 1, 1, 1, 1, 1, 1}, {4, 4, 4, 2, 2, 2, 2}, {0, 0, 1, 1, 1, 7, 7}};
    struct Tried tried = {.one_run = true, .allows = true, .keys = true};
    for (int T = 1; T <= LONG; T++) {
        for (int n = 0; n < 4 * 4 * 4 * 4 * 5; n++) {
            static const int prefixes[] = {0, 0, 1, 4}, ends[] = {0, 1, 3, 5};
            int document = n % 4, causal = n / 4 % 4, window = n / 16 % 4, end = n / 64 % 4;
            struct Mask mask = {.causal = causal > 0,
                                .prefix = prefixes[causal],
                                .window = window,
                                .first_key = n / 256,
                                .end_key = ends[end],
                                .document = document > 0 ? documents[document - 1] : NULL};
            try_mask(&tried, &mask, T);
        }
    }
    return tried;
}

/* A row of numbers, one a query: 0: its own; 1: the first key it sees; 2: the first behind them. */
static void print_row(const struct Mask *mask, int T, int what)
{
    static const char *const names[] = {"query", "first key", "end"};
    printf("  %-10s", names[what]);
    for (int i = 0; i < T; i++) {
        struct Keys keys = mask_keys(mask, i, T);
        if (what > 0 && keys.first == keys.end) {
            printf("   -");
        } else {
            printf("%4d", what == 0 ? i : what == 1 ? keys.first : keys.end);
        }
    }
    printf("\n");
}

void report_runs(const struct Gallery *g)
{
    const struct Mask *causal = &g->masks[CAUSAL], *together = &g->masks[TOGETHER];
    bool seen[1][MOST][MOST];
    int T = g->T, most = 0;
    page_heading("Each query sees one run of keys");
    printf("  Under each of the masks above, what a query sees has no gaps. So two numbers\n"
           "  a row hold a mask, and not T: the first key, and the first behind the last.\n"
           "  together\n");
    print_row(together, T, 0);
    print_row(together, T, 1);
    print_row(together, T, 2);
    printf("\n  A mask of another kind: causal, and only every other key.\n");
    for (int i = 0; i < T; i++) {
        int runs = runs_of(every_other, causal, i, T);
        most = runs > most ? runs : most;
        for (int j = 0; j < T; j++) {
            seen[0][i][j] = every_other(causal, i, j);
        }
    }
    print_grids((const char *const[]){"every other"}, seen, 1, T);
    struct Tried tried = try_all();
    printf("  Its last queries see up to %d runs: it has no such form.\n\n"
           "  Of masks like those above, %s were tried on texts of 1 to 7 tokens: %s\n"
           "  queries, of which %s had no key at all.\n",
           most, grouped(tried.masks).text, grouped(tried.queries).text, grouped(tried.empty).text);
    page_claim(tried.one_run, "no query of any of them sees two runs");
    page_claim(tried.allows, "mask_allows of common/ says what allowed says");
    page_claim(tried.keys, "mask_keys of common/ says it for a whole row, in two numbers");
    page_claim(most == (T + 1) / 2, "every other key: half as many runs as tokens");
}
