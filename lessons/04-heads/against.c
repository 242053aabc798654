/* Section 9: heads.c against common/, which moves nothing at all: its attention walks over the rows
   of q, k and v where they lie, a head beginning h*d numbers further on. */
#include <math.h>
#include <stdio.h>

#include "common/attention.h"
#include "common/matmul.h"
#include "common/page.h"
#include "common/rng.h"
#include "report.h"

/* PADDED: the keys that a row of common's weights has room for, attention_stride(MAX_TOKENS). */
enum { MAX = MAX_TOKENS * MAX_WIDTH, PADDED = 32 };

/* ours, theirs (T,D) overwritten: from the same x and weights, through heads.c and through common.
   Returns how many of the 3TD numbers of q, k and v are the same to the bit. */
static int both_ways(float *ours, float *theirs, struct Rng *rng, struct Shape s)
{
    static float x[MAX], w[3 * MAX_WIDTH * MAX_WIDTH], q[MAX], k[MAX], v[MAX], rows[3 * MAX];
    static float packed[4 * MAX_WIDTH * (MAX_WIDTH + 64)], no_bias[3 * MAX_WIDTH];
    static float weights[MAX_WIDTH * MAX_TOKENS * PADDED],
        scratch[(2 * MAX_WIDTH + PADDED) * PADDED];
    int n = s.tokens, width = s.heads * s.d_head, same = 0;
    const int32_t start[] = {0, n};
    struct Sequences one = {.start = start, .count = 1};
    struct AttentionConfig config = {.n_heads = s.heads,
                                     .n_kv_heads = s.heads,
                                     .scale = 1.0f / sqrtf((float)s.d_head),
                                     .mask = {.causal = true}};

    rng_normal(rng, x, n * width);
    rng_uniform(rng, w, 3 * width * width, 1.0f / sqrtf((float)width));
    project(q, x, w, n, width, width);
    project(k, x, w + width * width, n, width, width);
    project(v, x, w + 2 * width * width, n, width, width);
    attend(ours, weights, q, k, v, s, (struct Fault){false, false});

    pack_forward(packed, w, 3 * width, width);
    linear_forward(rows, x, packed, no_bias, n, width, 3 * width);
    attention_forward(theirs, weights, scratch, rows, NULL, one, width, &config);
    for (int t = 0; t < n; t++) {
        same += same_bits(rows + 3 * t * width, q + t * width, width) +
                same_bits(rows + (3 * t + 1) * width, k + t * width, width) +
                same_bits(rows + (3 * t + 2) * width, v + t * width, width);
    }
    return same;
}

void report_against_common(uint64_t seed)
{
    static const int tokens[] = {1, 5, 17}, heads[] = {1, 3}, sizes[] = {3, 12, 33};
    static float ours[MAX], theirs[MAX];
    struct Rng rng = rng_stream(seed, "against common");
    bool products = true, attention = true;
    page_heading("heads.c against common/");
    printf("  Both from the same random x and weights. common makes q, k and v in one\n"
           "  product and copies no head: it walks over rows of 3D numbers with strides.\n"
           "  How many numbers of the output are the same to the bit:\n\n"
           "  tokens   heads          d = 3         d = 12         d = 33\n");
    for (int i = 0; i < 6; i++) {
        printf("  %6d   %5d", tokens[i / 2], heads[i % 2]);
        for (int j = 0; j < 3; j++) {
            struct Shape s = {tokens[i / 2], heads[i % 2], sizes[j]};
            int n = s.tokens * s.heads * s.d_head;
            products = both_ways(ours, theirs, &rng, s) == 3 * n && products;
            int same = same_bits(ours, theirs, n);
            attention = attention && same == n;
            printf("   %4d of %4d", same, n);
        }
        putchar('\n');
    }
    page_claim(products, "the same q, k and v, to the bit");
    page_claim(attention, "the same attention, to the bit");
}
