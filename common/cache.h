/* cache: keys and values of the tokens read so far, so that a new token costs one row and not all
   of them again. Under a causal mask nothing that was computed for a token changes when others
   follow it; so the logits have the very bits of the whole sequence read at once. */
#ifndef COMMON_CACHE_H
#define COMMON_CACHE_H

#include "model.h"

struct Cache {
    int length, capacity; /* rows in it, rows there is room for */
    int n_layers;
    /* n_layers of (capacity, 2·n_kv_heads·d_head): in a row all keys, then all values; as attention
       reads them, so after RoPE */
    float **keys_values;
    int32_t *places;        /* (capacity) */
    struct CacheWork *work; /* room for the rows being read */
};

/* Empty, with room for capacity rows of this model. Dies unless its mask is causal, without a prefix
   and without documents, its softmax over keys and its heads side by side: else later tokens change
   earlier ones. */
void cache_new(struct Cache *cache, const struct Model *model, int capacity);
void cache_free(struct Cache *cache);

/* Read count more tokens, at most capacity - length: their keys and values are appended, and logits
   (count,vocab) overwritten with what the model says after each of them. place: where they stand,
   NULL: length, length+1, ... Dies if there are more tokens than room, or one stands where the
   model's table of places has no row. To take tokens back, make length smaller. */
void cache_read(float *logits, struct Cache *cache, const struct Model *model,
                const int32_t *tokens, const int32_t *place, int count);

/* Bytes of keys and values: 2 · sequences · layers · positions · kv_heads · d_head · bytes of a
   number. */
double cache_bytes(double sequences, double layers, double positions, double kv_heads,
                   double d_head, double number);

#endif
