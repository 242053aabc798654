/* A whole model with a cache: what common/shard.c and block.c do with all rows of a sequence, done
   with the new rows alone. Only attend looks at rows other than its own; so that is the one place
   where something must be kept. */
#include <stdlib.h>
#include <string.h>

#include "common/activation.h"
#include "common/base.h"
#include "common/matmul.h"
#include "common/norm.h"
#include "lesson.h"

void reader_new(struct Reader *r, const struct Model *model, int capacity)
{
    const struct ModelConfig *config = &model->config;
    size_t rows = (size_t)capacity, size = rows * (size_t)config->d_model;
    const struct AttentionConfig *a = &config->attention;
    *r = (struct Reader){.model = model, .capacity = capacity};
    r->heads = (struct Heads){a->n_heads, a->n_kv_heads, config->d_model / a->n_heads};
    r->stores = zeros_new((size_t)config->n_layers, sizeof *r->stores);
    for (int layer = 0; layer < config->n_layers; layer++) {
        store_new(&r->stores[layer], capacity, &r->heads);
    }
    r->x = array_new(size), r->normed = array_new(size), r->qkv = array_new(3 * size);
    r->q = array_new(size), r->k = array_new(size), r->v = array_new(size);
    r->mixed = array_new(size), r->y = array_new(size), r->inside = array_new(4 * size);
    r->mean = array_new(rows), r->rstd = array_new(rows);
}

void reader_free(struct Reader *r)
{
    float *const arrays[] = {r->x,     r->normed, r->qkv,    r->q,    r->k,   r->v,
                             r->mixed, r->y,      r->inside, r->mean, r->rstd};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
    for (int layer = 0; layer < r->model->config.n_layers; layer++) {
        store_free(&r->stores[layer]);
    }
    free(r->stores);
}

void reader_keep(struct Reader *r, int length)
{
    for (int layer = 0; layer < r->model->config.n_layers; layer++) {
        r->stores[layer].length = length;
    }
}

/* y (rows,n) = x·Wᵀ + b */
static void linear(float *y, const float *x, const struct Linear *w, int rows, int k, int n)
{
    linear_forward(y, x, w->packed_y, w->bias, rows, k, n);
    multiply_adds += (long long)rows * k * n;
}

static void add(float *x, const float *y, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] += y[i];
    }
}

/* A row of qkv is queries, keys and values: to the three arrays. */
static void split(struct Reader *r, int rows)
{
    int q = r->heads.query * r->heads.d, kv = r->heads.key_value * r->heads.d;
    for (int row = 0; row < rows; row++) {
        const float *from = r->qkv + row * (q + 2 * kv);
        memcpy(r->q + row * q, from, (size_t)q * sizeof *from);
        memcpy(r->k + row * kv, from + q, (size_t)kv * sizeof *from);
        memcpy(r->v + row * kv, from + q + kv, (size_t)kv * sizeof *from);
    }
}

/* x (rows,D) goes through a block; its keys and values are kept in the block's own store. */
static void read_block(struct Reader *r, int layer, int rows, enum Sees sees)
{
    const struct BlockTensors *w = &r->model->w.blocks[layer];
    struct Store *store = &r->stores[layer];
    int D = r->model->config.d_model, kv = r->heads.key_value * r->heads.d;
    layernorm_forward(r->normed, r->mean, r->rstd, r->x, w->ln1_weight, w->ln1_bias, rows, D);
    linear(r->qkv, r->normed, &w->qkv, rows, D, D + 2 * kv);
    split(r, rows);
    store_append(store, r->k, r->v, rows, &r->heads);
    attend(r->mixed, r->q, store, rows, &r->heads, sees);
    linear(r->y, r->mixed, &w->out, rows, D, D);
    add(r->x, r->y, rows * D);
    layernorm_forward(r->normed, r->mean, r->rstd, r->x, w->ln2_weight, w->ln2_bias, rows, D);
    linear(r->inside, r->normed, &w->up, rows, D, 4 * D);
    gelu_forward(r->inside, r->inside, (size_t)(rows * 4 * D));
    linear(r->y, r->inside, &w->down, rows, 4 * D, D);
    add(r->x, r->y, rows * D);
}

void reader_read(float *logits, struct Reader *r, const int32_t *tokens, const int32_t *places,
                 int rows, enum Sees sees)
{
    const struct ModelTensors *w = &r->model->w;
    int D = r->model->config.d_model, vocab = r->model->config.vocab;
    for (int i = 0; i < rows * D; i++) {
        r->x[i] = w->token[tokens[i / D] * D + i % D] + w->position[places[i / D] * D + i % D];
    }
    for (int layer = 0; layer < r->model->config.n_layers; layer++) {
        read_block(r, layer, rows, sees);
    }
    layernorm_forward(r->normed, r->mean, r->rstd, r->x, w->ln_weight, w->ln_bias, rows, D);
    linear(logits, r->normed, &w->head, rows, D, vocab);
}
