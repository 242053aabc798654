/* Query heads that share keys and values: from a head of keys and values for each (MHA) over one for
   a few (GQA, Ainslie et al., 2023) to one for all (MQA, Shazeer, 2019). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/rng.h"
#include "lesson.h"

enum { T = 10, QUERY = 8, D_HEAD = WIDTH / QUERY, SIZE = T * WIDTH };

static float tokens[SIZE];

static void run(float *out, const struct Layer *layer)
{
    struct Store store;
    store_new(&store, T, &layer->heads);
    layer_read(out, &store, tokens, layer, T, BY_POSITION);
    store_free(&store);
}

/* The same layer with a head of keys and values for each query head: every head of weights is
   copied, for query head h from the head that map[h] names. */
static struct Layer copied(const struct Layer *layer, const int *map)
{
    struct Layer all = *layer;
    size_t head = D_HEAD * WIDTH;
    all.heads.key_value = QUERY;
    for (int h = 0; h < QUERY; h++) {
        memcpy(all.wk + (size_t)h * head, layer->wk + (size_t)map[h] * head, head * sizeof(float));
        memcpy(all.wv + (size_t)h * head, layer->wv + (size_t)map[h] * head, head * sizeof(float));
    }
    return all;
}

/* In how many query heads do any of the outputs differ? */
static int heads_apart(const float *a, const float *b)
{
    int apart = 0;
    for (int h = 0; h < QUERY; h++) {
        bool same = true;
        for (int t = 0; t < T; t++) {
            size_t at = (size_t)(t * WIDTH + h * D_HEAD);
            same &= memcmp(a + at, b + at, D_HEAD * sizeof *a) == 0;
        }
        apart += !same;
    }
    return apart;
}

static void print_map(const int *map)
{
    printf(" ");
    for (int h = 0; h < QUERY; h++) {
        printf(" %d", map[h]);
    }
}

/* One line of the table. */
struct Compared {
    bool same;  /* the shared layer and the copied one, to the bit */
    bool shows; /* some head has other numbers with the wrong map */
};
static struct Compared report_sharing(int kv, struct Rng *rng)
{
    struct Layer layer, with_copies;
    float out[SIZE], other[SIZE];
    int by_group[QUERY], by_rest[QUERY];
    for (int h = 0; h < QUERY; h++) {
        by_group[h] = h / (QUERY / kv);
        by_rest[h] = h % kv;
    }
    layer_draw(&layer, (struct Heads){QUERY, kv, D_HEAD}, rng);
    run(out, &layer);
    with_copies = copied(&layer, by_group);
    run(other, &with_copies);
    int apart = heads_apart(out, other);
    with_copies = copied(&layer, by_rest);
    run(other, &with_copies);
    int wrong = heads_apart(out, other);
    printf("  %-5s %3d ", kv == QUERY ? "MHA" : kv == 1 ? "MQA" : "GQA", kv);
    print_map(by_group);
    printf(" %8s %6d", grouped(2 * WIDTH * WIDTH + 2 * kv * D_HEAD * WIDTH).text, 2 * kv * D_HEAD);
    print_map(by_rest);
    printf(" %8d\n", wrong);
    return (struct Compared){apart == 0, wrong > 0};
}

void report_heads(uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "heads");
    bool same = true, shows = true;
    page_heading("MHA, GQA, MQA: query heads that share keys and values");
    printf("  %d query heads of %d numbers, width %d. Query head h looks at the keys and\n"
           "  values of head h / (%d / kv heads). MHA is the attention of lesson 04.\n\n"
           "           kv  head of keys and          numbers  wrong:           heads\n"
           "        heads  values for query  weights  cached   h %% kv heads     changed\n"
           "               head 0 to 7                a token\n",
           QUERY, D_HEAD, WIDTH, QUERY);
    rng_normal(&rng, tokens, SIZE);
    for (int kv = QUERY; kv >= 1; kv /= 2) {
        struct Compared compared = report_sharing(kv, &rng);
        same &= compared.same;
        shows &= compared.shows == (kv > 1 && kv < QUERY);
    }
    printf("\n  weights: of the products for queries, keys, values and output. The output has\n"
           "  the same shape whoever shares, and with the wrong map too. With 1 head or with\n"
           "  all %d the two maps are the same: a test there does not tell them apart.\n",
           QUERY);
    page_claim(same, "sharing equals MHA with copied weights of keys and values, to the bit");
    page_claim(shows, "the wrong map shows, but not with 1 head or with all %d", QUERY);
}
