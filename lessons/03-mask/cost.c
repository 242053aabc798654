/* Scores counted while they are computed. */
#include <stdio.h>

#include "common/page.h"
#include "common/rng.h"
#include "sections.h"

void report_cost(uint64_t seed, struct Table *table)
{
    enum { FIRST = 64, LAST = 512, SPROUT_HEADS = 48 };
    static float x[LAST * D], out[LAST * D], weights[LAST * LAST];
    struct Rng rng = rng_stream(seed, "cost");
    long long before = 0;
    bool square = true, half = true;
    page_heading("What it costs: counted while it runs, for one head");
    printf("  %6s%12s%23s%11s%20s\n", "T", "scores", "let through the mask", "T*T/2",
           "times those before");
    for (int T = FIRST; T <= LAST; T *= 2) {
        rng_normal(&rng, x, T * D);
        count = (struct Count){0};
        attend(out, weights, x, x, x, T, D, &ways[RIGHT]);
        printf("  %6d%12s%23s%11s", T, grouped(count.scores).text, grouped(count.seen).text,
               grouped(T * T / 2).text);
        printf(before == 0 ? "\n" : "%20.2f\n", (double)count.scores / (double)before);
        table_row(table, "%d\t%lld\t%lld", T, count.scores, count.seen);
        square &= before == 0 || count.scores == 4 * before;
        half &= count.seen == (long long)T * (T + 1) / 2;
        before = count.scores;
    }
    printf("  At T = %d, %d heads: %s scores (Sprout: %s a head, over 12\n  million in all)\n",
           LAST, SPROUT_HEADS, grouped(SPROUT_HEADS * before).text, "262,144");
    page_claim(before == 262144 && SPROUT_HEADS * before > 12000000, "as the text on Sprout says");
    page_claim(square, "twice the tokens, four times the scores");
    page_claim(half, "half of them and T/2 more pass the mask: T*(T+1)/2");
}
