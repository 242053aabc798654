/* One layer and eight tokens: what a new token needs of those before it, and several new tokens at
   once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/rng.h"
#include "lesson.h"

/* Eight tokens, a layer with four query heads on two heads of keys and values. */
enum { T = 8, SIZE = T * WIDTH };
static const struct Heads heads = {.query = 4, .key_value = 2, .d = 8};

static struct Layer layer;
static float tokens[SIZE], whole[SIZE];

static void draw(uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "layer");
    struct Store store;
    layer_draw(&layer, heads, &rng);
    rng_normal(&rng, tokens, SIZE);
    store_new(&store, T, &heads);
    layer_read(whole, &store, tokens, &layer, T, BY_POSITION);
    store_free(&store);
}

static bool same(const float *a, const float *b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* Does the last token's output keep its bits when this of all earlier tokens is not a number? */
enum Part { QUERIES, KEYS, VALUES };
static bool last_can_do_without(enum Part part)
{
    float q[SIZE], k[SIZE], v[SIZE], out[SIZE];
    struct Store store;
    layer_project(q, k, v, tokens, &layer, T);
    float *lost = part == QUERIES ? q : part == KEYS ? k : v;
    int row = (part == QUERIES ? heads.query : heads.key_value) * heads.d;
    for (int i = 0; i < (T - 1) * row; i++) {
        lost[i] = NAN;
    }
    store_new(&store, T, &heads);
    store_append(&store, k, v, T, &heads);
    attend(out, q, &store, T, &heads, BY_POSITION);
    store_free(&store);
    return same(out + (T - 1) * WIDTH, whole + (T - 1) * WIDTH, WIDTH);
}

/* Token after token: what is computed for each, with the store and without. */
static bool report_steps(void)
{
    struct Store store;
    float out[SIZE], anew[SIZE];
    bool equal = true;
    int row = heads.key_value * heads.d;
    long long sums[2] = {0};
    printf("\n"
           "          rows of q, k, v made    multiply-adds    numbers\n"
           "  token       anew      cached      anew   cached     kept\n");
    store_new(&store, T, &heads);
    for (int t = 0; t < T; t++) {
        struct Store fresh;
        long long begin = multiply_adds;
        store_new(&fresh, T, &heads);
        layer_read(anew, &fresh, tokens, &layer, t + 1, BY_POSITION);
        store_free(&fresh);
        long long middle = multiply_adds;
        layer_read(out + t * WIDTH, &store, tokens + t * WIDTH, &layer, 1, BY_POSITION);
        long long costs[] = {middle - begin, multiply_adds - middle};
        printf("  %5d %10d %11d %9s %8s %8s\n", t, t + 1, 1, grouped(costs[0]).text,
               grouped(costs[1]).text, grouped(2 * store.length * row).text);
        sums[0] += costs[0], sums[1] += costs[1];
        equal &= same(anew + t * WIDTH, out + t * WIDTH, WIDTH);
    }
    printf("  all   %10d %11d %9s %8s\n", T * (T + 1) / 2, T, grouped(sums[0]).text,
           grouped(sums[1]).text);
    store_free(&store);
    return equal && same(out, whole, SIZE);
}

void report_needs(uint64_t seed)
{
    static const char *const parts[] = {"queries", "keys", "values"};
    bool without[3];
    draw(seed);
    page_heading("What a new token needs of those before it");
    printf("  One layer, %d tokens, %d query heads, %d heads of keys and values, d_head %d.\n"
           "  Fill one kind of number of the first %d tokens with NaN, and look at the last\n"
           "  token's output.\n\n",
           T, heads.query, heads.key_value, heads.d, T - 1);
    for (int part = QUERIES; part <= VALUES; part++) {
        without[part] = last_can_do_without(part);
        printf("  %-10s %s\n", parts[part], without[part] ? "not one bit moves" : "NaN");
    }
    bool equal = report_steps();
    printf("\n  anew: the layer reads all tokens so far, to get the last one's output. cached:\n"
           "  it reads the last one, and finds the keys and values of the others kept.\n");
    page_claim(without[QUERIES], "earlier queries are never looked at again: no need to keep them");
    page_claim(!without[KEYS] && !without[VALUES],
               "earlier keys and values are looked at, so they are kept");
    page_claim(equal, "token by token from the cache: the very bits of the whole sequence");
}

static void print_masks(int cached)
{
    for (int row = 0; row < T - cached; row++) {
        printf("  %5d    ", cached + row);
        for (int sees = BY_POSITION; sees <= ALL; sees++) {
            int seen = sees == BY_POSITION ? cached + row + 1 : sees == BY_ROW ? row + 1 : T;
            for (int j = 0; j < T; j++) {
                putchar(j < seen ? 'x' : '.');
            }
            printf(sees < ALL ? "            " : "\n");
        }
    }
}

/* Of the new rows, how many are not those of the whole sequence. */
static int wrong_rows(int cached, enum Sees sees)
{
    struct Store store;
    float out[SIZE];
    int wrong = 0;
    store_new(&store, T, &heads);
    if (cached > 0) {
        layer_read(out, &store, tokens, &layer, cached, BY_POSITION);
    }
    layer_read(out + cached * WIDTH, &store, tokens + cached * WIDTH, &layer, T - cached, sees);
    for (int t = cached; t < T; t++) {
        wrong += !same(out + t * WIDTH, whole + t * WIDTH, WIDTH);
    }
    store_free(&store);
    return wrong;
}

void report_several(uint64_t seed)
{
    static const int cached[] = {0, 5, T - 1};
    int wrong[3][3];
    bool right = true;
    draw(seed);
    page_heading("Several new tokens at once: a rectangular mask");
    printf("  %d tokens are in the cache, %d are new. A row is a new token's query, a column\n"
           "  a key, x: it may look there. The right mask is the last rows of the square\n"
           "  causal mask; its first rows have the same shape.\n\n"
           "  position last rows           first rows          no mask\n",
           cached[1], T - cached[1]);
    print_masks(cached[1]);
    printf("\n  New rows whose output is not that of the whole sequence:\n\n"
           "  cached  new    last rows  first rows  no mask\n");
    for (int i = 0; i < 3; i++) {
        for (int sees = BY_POSITION; sees <= ALL; sees++) {
            wrong[i][sees] = wrong_rows(cached[i], sees);
        }
        printf("  %6d %4d    %9d  %10d  %7d\n", cached[i], T - cached[i], wrong[i][BY_POSITION],
               wrong[i][BY_ROW], wrong[i][ALL]);
    }
    for (int L = 0; L < T; L++) {
        right &= wrong_rows(L, BY_POSITION) == 0;
    }
    printf("\n  An empty cache does not show a mask cut at the wrong corner, a single new\n"
           "  token does not show a mask that is missing. Test with several of each.\n");
    page_claim(right, "wherever it is cut, the last rows give the bits of the whole sequence");
    page_claim(wrong[0][BY_ROW] == 0 && wrong[1][BY_ROW] == T - cached[1] && wrong[2][BY_ROW] == 1,
               "the first rows are right for an empty cache only");
    page_claim(wrong[0][ALL] == T - 1 && wrong[1][ALL] == T - cached[1] - 1 && wrong[2][ALL] == 0,
               "no mask is right for the last of the new tokens only");
}
