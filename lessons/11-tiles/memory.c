/* What attention keeps from its forward pass for its backward pass, and what it needs to work with:
   counted as the floats that common/ asks for. */
#include <stdio.h>

#include "common/page.h"
#include "common/tiled.h"
#include "tiles.h"

enum { D = 64, SHORTEST = 64, LONGEST = 8192 };

struct Bytes {
    long long plain, tiled, qkv;
};

/* One head, one sequence, one thread. */
static struct Bytes bytes_of(int T)
{
    const int32_t start[] = {0, T};
    struct Sequences one = {.start = start, .count = 1};
    size_t plain = attention_weights_size(one, 1) + attention_scratch_size(T, D);
    size_t tiled = (size_t)T + tiled_scratch_size(D, 1); /* lse, and blocks */
    size_t qkv = (size_t)T * 3 * D;
    return (struct Bytes){.plain = (long long)(plain * sizeof(float)),
                          .tiled = (long long)(tiled * sizeof(float)),
                          .qkv = (long long)(qkv * sizeof(float))};
}

void report_memory(struct Table *table)
{
    struct Bytes before = bytes_of(SHORTEST), last = bytes_of(LONGEST);
    bool linear = true, square = true;
    page_heading("What has to be stored");
    printf("  Bytes for one head with d_head %d, beside queries, keys, values and output:\n"
           "  plain, the weights of attention_forward and what both passes work with; in\n"
           "  tiles, one number a query and the blocks that are being worked on.\n\n"
           "       T    queries, keys, values           plain     in tiles\n",
           D);
    for (int T = SHORTEST; T <= LONGEST; T *= 2) {
        struct Bytes b = bytes_of(T);
        printf("  %6s%26s%16s%13s\n", grouped(T).text, grouped(b.qkv).text, grouped(b.plain).text,
               grouped(b.tiled).text);
        table_row(table, "%d\t%lld\t%lld\t%lld", T, b.plain, b.tiled, b.qkv);
        linear &= b.tiled - before.tiled == (T > SHORTEST ? T / 2 : 0) * (long long)sizeof(float);
        square &= T == SHORTEST ||
                  (b.plain > 3 * before.plain - before.plain / 2 && b.plain <= 4 * before.plain);
        before = b;
    }
    printf("\n  At T = %s a head has %s weights, and the plain pass takes %s\n"
           "  times as much. With 32 heads in each of 32 layers they would be %.0f GB.\n",
           grouped(LONGEST).text, grouped((long long)LONGEST * LONGEST).text,
           grouped(last.plain / last.tiled).text,
           1e-9 * 32 * 32 * sizeof(float) * LONGEST * LONGEST);
    page_claim(linear, "in tiles a token more is one float more: 4 bytes");
    page_claim(square, "plain, twice the tokens are up to four times the bytes");
}
