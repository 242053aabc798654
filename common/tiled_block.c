/* A mask is asked once for each query of a block, and then only where a block of keys lies across
   what one of them sees. */
#include "tiled_block.h"

#include "base.h"
#include "tile.h"

struct Head head_of(const float *qkv, struct Sequences sequences, int s, int head, int d_model,
                    const struct AttentionConfig *config)
{
    ptrdiff_t row = attention_row(d_model, config);
    const float *rows = qkv + (sequences.start[s] - sequences.start[0]) * row;
    int d = d_model / config->n_heads, first = sequences_first_query(sequences, s);
    const float *k = rows + d_model + head / (config->n_heads / config->n_kv_heads) * d;
    return (struct Head){.q = rows + first * row + head * d,
                         .k = k,
                         .v = k + config->n_kv_heads * d,
                         .row = row,
                         .out_row = d_model,
                         .length = sequences.start[s + 1] - sequences.start[s],
                         .first = first,
                         .d = d,
                         .scale = config->scale,
                         .mask = &config->mask};
}

int queries_before(struct Sequences sequences, int s)
{
    sequences.count = s;
    return sequences_queries(sequences);
}

int query_blocks(const struct Head *h)
{
    return (h->length - h->first + QUERIES - 1) / QUERIES;
}

int key_blocks(const struct Head *h)
{
    return (h->length + KEYS - 1) / KEYS;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static void note_seen(struct Queries *queries, int n, struct Keys seen)
{
    queries->first[n] = seen.first;
    queries->end[n] = seen.end;
    queries->all.first = most(queries->all.first, seen.first);
    queries->all.end = least(queries->all.end, seen.end);
    if (seen.first < seen.end) {
        queries->any.first = least(queries->any.first, seen.first);
        queries->any.end = most(queries->any.end, seen.end);
    }
}

void queries_take(struct Queries *queries, float *q, const struct Head *h, int i)
{
    int at = i * QUERIES, count = least(h->length - h->first - at, QUERIES);
    *queries = (struct Queries){
        .at = at, .count = count, .q = q, .any = {h->length, 0}, .all = {0, h->length}};
    for (int n = 0; n < count; n++) {
        note_seen(queries, n, mask_keys(h->mask, h->first + at + n, h->length));
    }
    transpose(q, QUERIES, h->q + at * h->row, h->row, count, h->d);
    for (int f = 0; f < h->d; f++) {
        for (int n = 0; n < count; n += LANES) {
            vstore(q + f * QUERIES + n, vload(q + f * QUERIES + n) * h->scale);
        }
    }
}

struct Keys keys_of_block(const struct Head *h, int i)
{
    return (struct Keys){i * KEYS, least((i + 1) * KEYS, h->length)};
}

/* -inf to each score of a key that its query does not see. */
static void hide(float *scores, const struct Queries *queries, struct Keys keys)
{
    for (int n = 0; n < queries->count; n += LANES) {
        vi first, end;
        memcpy(&first, queries->first + n, sizeof first);
        memcpy(&end, queries->end + n, sizeof end);
        float *score = scores + n;
        for (int key = keys.first; key < keys.end; key++, score += QUERIES) {
            vi seen = (first <= key) & (end > key);
            vstore(score, vselect(seen, vload(score), vset(-INFINITY)));
        }
    }
}

bool scores_of_block(float *scores, const struct Queries *queries, const struct Head *h,
                     struct Keys keys)
{
    if (keys.end <= queries->any.first || keys.first >= queries->any.end) {
        return false;
    }
    product((struct Product){.c = scores,
                             .c_row = QUERIES,
                             .a = h->k + keys.first * h->row,
                             .a_row = h->row,
                             .a_step = 1,
                             .b = queries->q,
                             .b_row = QUERIES,
                             .depth = h->d},
            keys.end - keys.first, queries->count);
    if (keys.first < queries->all.first || keys.end > queries->all.end) {
        hide(scores, queries, keys);
    }
    return true;
}
