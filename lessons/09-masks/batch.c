/* A batch of two texts, five tokens and three, padded to five and under two masks at once: causal,
   and no pad as a key. What must be true of its weights and outputs is written down and looked at,
   number by number. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/rng.h"
#include "sections.h"

enum { B = 2, H = 2, T = 5, WIDE = 4 };
static const int lengths[B] = {5, 3};

/* Queries, keys and values, what comes of them, and the weights. */
static float q[B][H][T * WIDE], k[B][H][T * WIDE], v[B][H][T * WIDE];
static float out[B][H][T * WIDE], weights[B][H][T * T];

static struct Mask mask_of(int b)
{
    return (struct Mask){.causal = true, .end_key = lengths[b]};
}

static void print_short_text(void)
{
    printf("  The weights of the text of three tokens, head 0; a dot is exactly 0:\n"
           "  query      0     1     2     3     4    sum   output\n");
    for (int t = 0; t < T; t++) {
        float sum = 0.0f;
        printf("  %d %-5s", t, t < lengths[1] ? "" : "pad");
        for (int j = 0; j < T; j++) {
            float weight = weights[1][0][t * T + j];
            sum += weight;
            weight == 0.0f ? printf("     .") : printf(" %.3f", (double)weight);
        }
        printf("  %.3f   ", (double)sum);
        for (int c = 0; c < WIDE; c++) {
            printf(" %6.3f", (double)out[1][0][t * WIDE + c]);
        }
        printf("\n");
    }
}

static void claim_weights(void)
{
    bool sums = true, zeros = true, finite = true, alone = true;
    for (int bh = 0; bh < B * H; bh++) {
        int b = bh / H, h = bh % H, n = lengths[b];
        struct Mask mask = mask_of(b), causal = {.causal = true};
        float short_out[T * WIDE], short_weights[T * T];
        attend(short_out, short_weights, q[b][h], k[b][h], v[b][h], n, WIDE, &causal, CONTRACT);
        alone &= memcmp(short_out, out[b][h], (size_t)(n * WIDE) * sizeof(float)) == 0;
        for (int t = 0; t < T; t++) {
            float sum = 0.0f;
            for (int j = 0; j < T; j++) {
                sum += weights[b][h][t * T + j];
                zeros &= (weights[b][h][t * T + j] == 0.0f) == !allowed(&mask, t, j);
            }
            sums &= fabsf(sum - 1.0f) < 1e-6f;
            finite &= isfinite(out[b][h][t * WIDE]);
        }
    }
    page_claim(sums, "each row of weights adds up to 1");
    page_claim(zeros, "what is forbidden gets exactly 0, and nothing else does");
    page_claim(alone, "the tokens of both texts get the bits that they get without pads");
    page_claim(finite, "the queries of pads get numbers too: no use may be made of them");
}

/* One query after the other, over the keys so far. Of how many rows is this what the whole pass
   gives, to the bit? restarted: each query is taken for the first of its text. */
static int rows_like_whole(bool restarted)
{
    int rows = 0;
    struct Mask causal = {.causal = true};
    for (int t = 0; t < T; t++) {
        float one[WIDE], one_weights[T];
        attend_query(one, one_weights, q[0][1] + t * WIDE, k[0][1], v[0][1], restarted ? 0 : t,
                     t + 1, WIDE, &causal, CONTRACT);
        rows += memcmp(one, out[0][1] + t * WIDE, sizeof one) == 0;
    }
    return rows;
}

void report_batch(uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "batch");
    page_heading("A batch of two lengths");
    printf("  2 texts of 5 and 3 tokens, 2 heads, 5 places, 4 numbers in a vector. Causal,\n"
           "  and no pad is a key.\n");
    for (int b = 0; b < B; b++) {
        struct Mask mask = mask_of(b);
        for (int h = 0; h < H; h++) {
            rng_normal(&rng, q[b][h], T * WIDE);
            rng_normal(&rng, k[b][h], T * WIDE);
            rng_normal(&rng, v[b][h], T * WIDE);
            attend(out[b][h], weights[b][h], q[b][h], k[b][h], v[b][h], T, WIDE, &mask, CONTRACT);
        }
    }
    print_short_text();
    claim_weights();
    int kept = rows_like_whole(false), restarted = rows_like_whole(true);
    printf("\n  The long text token by token, each query over the keys so far. Rows that have\n"
           "  the bits of the whole pass: %d of %d, and %d if a query that comes alone is\n"
           "  taken for the first of its text, as a square mask of one row takes it.\n",
           kept, T, restarted);
    page_claim(kept == T, "token by token is the whole pass, if each query keeps its place");
    page_claim(restarted == 1, "with its place lost, each query sees one key only");
}
