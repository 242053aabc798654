/* Our attend, our reader and our bytes against those of common/, and both against whole sequences. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/cache.h"
#include "common/page.h"
#include "lesson.h"

enum { VOCAB = 11, LAYERS = 3, LONG = 33 };

/* Shapes: tokens, width, query heads, heads of keys and values. */
static const int shapes[][4] = {{1, 3, 1, 1},   {2, 12, 3, 3},  {5, 32, 4, 2},  {17, 12, 6, 3},
                                {17, 48, 8, 2}, {33, 30, 6, 1}, {33, 66, 2, 2}, {LONG, 36, 9, 3}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static struct ModelConfig config_of(const int *shape)
{
    struct ModelConfig config = model_config(VOCAB, LONG, shape[1], shape[2], LAYERS);
    config.attention.n_kv_heads = shape[3];
    return config;
}

static bool same(const float *a, const float *b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* Does attend give the bits of attention_forward for a whole sequence? */
static bool attention_is_ours(const int *shape, struct Rng *rng)
{
    int T = shape[0], D = shape[1], d = D / shape[2], kv = shape[3] * d, row = D + 2 * kv;
    struct Heads heads = {shape[2], shape[3], d};
    struct AttentionConfig config = config_of(shape).attention;
    const int32_t start[] = {0, T};
    struct Sequences one = {.start = start, .count = 1};
    float *qkv = array_new((size_t)(T * row)), *q = array_new((size_t)(T * D));
    float *out = array_new((size_t)(T * D)), *ours = array_new((size_t)(T * D));
    float *weights = array_new(attention_weights_size(one, heads.query));
    float *scratch = array_new(attention_scratch_size(T, d));
    struct Store store;
    store_new(&store, T, &heads);
    rng_normal(rng, qkv, T * row);
    attention_forward(out, weights, scratch, qkv, NULL, one, D, &config);
    for (int t = 0; t < T; t++) {
        memcpy(q + t * D, qkv + t * row, (size_t)D * sizeof *q);
        store_append(&store, qkv + t * row + D, qkv + t * row + D + kv, 1, &heads);
    }
    attend(ours, q, &store, T, &heads, BY_POSITION);
    bool equal = same(out, ours, T * D);
    store_free(&store);
    free(qkv), free(q), free(out), free(ours), free(weights), free(scratch);
    return equal;
}

/* How many of the two readers, ours and cache_read, give every bit of the whole sequence, read in
   pieces of 1 to 5 tokens. */
static int readers_are_whole(const int *shape, uint64_t seed, struct Rng *rng)
{
    int T = shape[0];
    int32_t tokens[LONG], places[LONG];
    float ours[LONG * VOCAB], theirs[LONG * VOCAB];
    struct Model *model = model_new(config_of(shape), 1);
    struct Batch batch;
    struct Reader reader;
    struct Cache cache;
    model_init(model, seed);
    batch_new(&batch, 1, T);
    reader_new(&reader, model, T);
    cache_new(&cache, model, T);
    for (int t = 0; t < T; t++) {
        tokens[t] = rng_below(rng, VOCAB), places[t] = t;
    }
    for (int t = 0, n; t < T; t += n) {
        n = 1 + rng_below(rng, 5);
        n = n < T - t ? n : T - t;
        reader_read(ours + t * VOCAB, &reader, tokens + t, places + t, n, BY_POSITION);
        cache_read(theirs + t * VOCAB, &cache, model, tokens + t, NULL, n);
    }
    batch_add(&batch, tokens, NULL, T);
    model_forward(model, &batch);
    int equal = same(ours, model_logits(model, 0), T * VOCAB);
    equal += same(theirs, model_logits(model, 0), T * VOCAB);
    cache_free(&cache);
    reader_free(&reader);
    batch_free(&batch);
    model_free(model);
    return equal;
}

/* Do models lose as many parameters as we count when query heads share: for each head less, a key
   and a value of d numbers from D inputs and a bias? */
static bool parameters_are_counted(const int *shape)
{
    struct ModelConfig shared = config_of(shape), own = shared;
    own.attention.n_kv_heads = shape[2];
    struct Model *few = model_new(shared, 1), *many = model_new(own, 1);
    size_t less = (size_t)(LAYERS * 2 * (shape[2] - shape[3]) * (shape[1] / shape[2]));
    bool right = many->params.size - few->params.size == less * (size_t)(shape[1] + 1);
    model_free(few);
    model_free(many);
    return right;
}

void report_against(uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "against");
    int attention = 0, whole = 0, counted = 0;
    page_heading("Held against common/");
    for (int i = 0; i < SHAPES; i++) {
        attention += attention_is_ours(shapes[i], &rng);
        whole += readers_are_whole(shapes[i], seed, &rng);
        counted += parameters_are_counted(shapes[i]);
    }
    printf("  %d shapes of 1 to %d tokens, width 3 to 66, 1 to 9 query heads on 1 to 3 heads\n"
           "  of keys and values; for whole models %d layers, read 1 to 5 tokens at a time.\n"
           "  attend      attention_forward's very bits in %d of %d shapes\n"
           "  reading     our reader and cache_read: the bits of the whole text in %d of %d\n"
           "  parameters  as many less as counted when heads share, in %d of %d\n",
           SHAPES, LONG, LAYERS, attention, SHAPES, whole, 2 * SHAPES, counted, SHAPES);
    page_claim(attention == SHAPES, "our attention is the one of common/, to the bit");
    page_claim(whole == 2 * SHAPES, "from either cache come the bits of the whole sequence");
    page_claim(counted == SHAPES, "fewer heads of keys and values are fewer parameters");
}
