/* The new idea: keys and values of a token are computed once, when it is read, and kept. A query is
   used once and forgotten. The whole sequence at once is the case of an empty store and as many
   rows as there are tokens. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/softmax.h"
#include "lesson.h"

long long multiply_adds;

void store_new(struct Store *store, int capacity, const struct Heads *heads)
{
    size_t size = (size_t)(capacity * heads->key_value * heads->d);
    if (capacity > MOST_KEYS) {
        die("a store of %d rows: attend has room for the scores of %d", capacity, MOST_KEYS);
    }
    *store = (struct Store){.capacity = capacity, .keys = array_new(size), array_new(size)};
}

void store_free(struct Store *store)
{
    free(store->keys);
    free(store->values);
}

void store_append(struct Store *store, const float *keys, const float *values, int rows,
                  const struct Heads *heads)
{
    int row = heads->key_value * heads->d;
    size_t size = (size_t)(rows * row) * sizeof *keys;
    if (store->length + rows > store->capacity) {
        die("a store of %d rows has no room for %d more than %d", store->capacity, rows,
            store->length);
    }
    memcpy(store->keys + store->length * row, keys, size);
    memcpy(store->values + store->length * row, values, size);
    store->length += rows;
}

/* How many keys, from the first on, the query of this new row sees. */
static int keys_seen(const struct Store *store, int row, int rows, enum Sees sees)
{
    int position = store->length - rows + row;
    return sees == BY_POSITION ? position + 1 : sees == BY_ROW ? row + 1 : store->length;
}

/* out (d) overwritten: one head's query q (d) among the first seen of k and v, step floats apart. */
static void attend_one(float *out, const float *q, const float *k, const float *v, int step,
                       int seen, int d)
{
    float weights[MOST_KEYS];
    for (int j = 0; j < seen; j++) {
        weights[j] = 0.0f;
        for (int i = 0; i < d; i++) {
            weights[j] = fmaf(q[i], k[j * step + i], weights[j]);
        }
    }
    softmax_row_masked(weights, weights, 1.0f / sqrtf((float)d), seen, seen);
    for (int i = 0; i < d; i++) {
        out[i] = 0.0f;
        for (int j = 0; j < seen; j++) {
            out[i] = fmaf(weights[j], v[j * step + i], out[i]);
        }
    }
    multiply_adds += 2 * seen * d;
}

void attend(float *out, const float *queries, const struct Store *store, int rows,
            const struct Heads *heads, enum Sees sees)
{
    int d = heads->d, group = heads->query / heads->key_value, step = heads->key_value * d;
    for (int row = 0; row < rows; row++) {
        for (int h = 0; h < heads->query; h++) {
            int at = (row * heads->query + h) * d, shared = h / group * d;
            attend_one(out + at, queries + at, store->keys + shared, store->values + shared, step,
                       keys_seen(store, row, rows, sees), d);
        }
    }
}
