/* The layers are those of block.c; attention alone is told that its keys lie elsewhere. Many new
   tokens are read in pieces, so that there need be room for the weights of a piece only. */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "matmul.h"
#include "norm.h"
#include "shard.h"

enum { PIECE = 64 };

/* Room for the rows of a piece. A block at a time: nothing is kept for a backward pass. */
struct CacheWork {
    struct BlockSaved saved;
    float *x, *y; /* what goes into a block, what it gives */
    float *scratch;
};

static struct CacheWork *work_new(const struct ModelConfig *config, int capacity)
{
    size_t rows = capacity < PIECE ? (size_t)capacity : PIECE;
    size_t d = (size_t)config->d_model, d_ff = (size_t)config->d_ff;
    size_t heads = (size_t)config->attention.n_heads, stride = (size_t)attention_stride(capacity);
    struct CacheWork *work = zeros_new(1, sizeof *work);
    work->x = array_new(rows * d);
    work->y = array_new(rows * d);
    work->scratch = array_new(d / heads * stride);
    struct BlockSaved *s = &work->saved;
    s->mean1 = s->mean2 = array_new(rows);
    s->rstd1 = s->rstd2 = array_new(rows);
    s->normed1 = s->normed2 = array_new(rows * d);
    s->qkv = array_new(rows * (size_t)attention_row(config->d_model, &config->attention));
    s->weights = array_new(heads * rows * stride);
    s->heads = array_new(rows * d);
    s->middle = array_new(rows * d);
    s->slope = array_new(rows * d_ff);
    s->gelu = array_new(rows * d_ff);
    return work;
}

static void work_free(struct CacheWork *work)
{
    const struct BlockSaved *s = &work->saved;
    float *all[] = {work->x, work->y,    work->scratch, s->mean1,  s->rstd1, s->normed1,
                    s->qkv,  s->weights, s->heads,      s->middle, s->slope, s->gelu};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    free(work);
}

/* Floats of a row: the keys and values of all heads. */
static size_t cache_row(const struct ModelConfig *config)
{
    return (size_t)(attention_row(config->d_model, &config->attention) - config->d_model);
}

/* Where a later token changes what was computed for those before it, nothing can be kept. */
static void check_attention(const struct AttentionConfig *a)
{
    const struct Mask *mask = &a->mask;
    if (!mask->causal || mask->prefix > 0 || mask->document != NULL || a->axis != OVER_KEYS ||
        a->stacked) {
        die("a cache needs a causal mask without prefix and documents, a softmax over keys, and "
            "heads side by side");
    }
}

void cache_new(struct Cache *cache, const struct Model *model, int capacity)
{
    const struct ModelConfig *config = &model->config;
    check_attention(&config->attention);
    *cache = (struct Cache){.capacity = capacity,
                            .n_layers = config->n_layers,
                            .keys_values = zeros_new((size_t)config->n_layers, sizeof(float *)),
                            .places = zeros_new((size_t)capacity, sizeof(int32_t)),
                            .work = work_new(config, capacity)};
    for (int layer = 0; layer < config->n_layers; layer++) {
        cache->keys_values[layer] = array_new((size_t)capacity * cache_row(config));
    }
}

void cache_free(struct Cache *cache)
{
    for (int layer = 0; layer < cache->n_layers; layer++) {
        free(cache->keys_values[layer]);
    }
    free(cache->keys_values);
    free(cache->places);
    work_free(cache->work);
}

/* saved->heads: the new rows look at all that is in the cache, themselves included. */
static void attend(struct Cache *cache, int layer, const struct Model *model, int count)
{
    const struct ModelConfig *config = &model->config;
    struct Positions positions = model_positions(model);
    struct AttentionConfig attention = block_attention(positions.rope, config);
    struct CacheWork *work = cache->work;
    int d = config->d_model, row = attention_row(d, &attention), kv_row = row - d;
    float *keys = cache->keys_values[layer], *values = keys + kv_row / 2;
    for (int r = 0; r < count; r++) {
        memcpy(keys + (ptrdiff_t)(cache->length + r) * kv_row, work->saved.qkv + r * row + d,
               (size_t)kv_row * sizeof(float));
    }
    attention_of_last(work->saved.heads, work->saved.weights, work->scratch, work->saved.qkv, row,
                      keys, values, kv_row, positions.bias, cache->places, count,
                      cache->length + count, d, &attention);
}

/* count: at most PIECE. */
static void read_piece(float *logits, struct Cache *cache, const struct Model *model,
                       const int32_t *tokens, int count)
{
    const struct ModelConfig *config = &model->config;
    const struct ModelTensors *w = &model->w;
    struct Positions positions = model_positions(model);
    struct BlockSaved *saved = &cache->work->saved;
    float *x = cache->work->x, *y = cache->work->y;
    const int32_t *place = cache->places + cache->length, start[] = {0, count};
    const struct Sequences rows = {.start = start, .count = 1};

    embed_rows(x, w->token, positions.added, tokens, place, count, config->d_model);
    for (int layer = 0; layer < config->n_layers; layer++) {
        block_qkv(saved, x, &w->blocks[layer], positions.rope, place, count, config);
        attend(cache, layer, model, count);
        block_rest(y, saved, x, &w->blocks[layer], rows, config);
        float *given = y;
        y = x;
        x = given;
    }
    layernorm_forward(saved->normed1, saved->mean1, saved->rstd1, x, w->ln_weight, w->ln_bias,
                      count, config->d_model);
    linear_forward(logits, saved->normed1, w->head.packed_y, w->head.bias, count, config->d_model,
                   config->vocab);
    cache->length += count;
}

/* Is there a row for this place, or a rotation, where the model has a table of them? */
static void check_place(int place, const struct Model *model)
{
    struct Positions positions = model_positions(model);
    int places = positions.rope != NULL ? positions.rope->places : model->config.context;
    if ((positions.rope != NULL || positions.added != NULL) && (place < 0 || place >= places)) {
        die("a token at place %d: this model has places 0 to %d", place, places - 1);
    }
}

void cache_read(float *logits, struct Cache *cache, const struct Model *model,
                const int32_t *tokens, const int32_t *place, int count)
{
    if (count > cache->capacity - cache->length) {
        die("a cache of %d tokens that holds %d has no room for %d more", cache->capacity,
            cache->length, count);
    }
    for (int i = 0, n; i < count; i += n) {
        n = count - i < PIECE ? count - i : PIECE;
        for (int r = 0; r < n; r++) {
            int at = cache->length + r;
            cache->places[at] = place != NULL ? place[i + r] : at;
            check_place(cache->places[at], model);
        }
        read_piece(logits + (ptrdiff_t)i * model->config.vocab, cache, model, tokens + i, n);
    }
}

double cache_bytes(double sequences, double layers, double positions, double kv_heads,
                   double d_head, double number)
{
    return 2.0 * sequences * layers * positions * kv_heads * d_head * number;
}
