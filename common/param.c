/* One list of names, any number of arrays behind it. */
#include "param.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base.h"
#include "matmul.h"

static struct Param *append(struct ParamList *list)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity > 0 ? 2 * list->capacity : 32;
        list->items = realloc(list->items, (size_t)list->capacity * sizeof *list->items);
        if (list->items == NULL) {
            die("out of memory for the names of %d tensors", list->capacity);
        }
    }
    return &list->items[list->count++];
}

float *param(struct ParamWalk *walk, const char *prefix, const char *name, int rows, int cols,
             enum ParamInit init, int fan_in)
{
    size_t size = (size_t)rows * (size_t)(cols > 0 ? cols : 1);
    size_t offset = walk->at;
    walk->at += size;
    if (walk->base != NULL) {
        return walk->base + offset;
    }
    struct Param *p = append(walk->list);
    *p = (struct Param){
        .rows = rows, .cols = cols, .init = init, .fan_in = fan_in, .offset = offset, .size = size};
    snprintf(p->name, sizeof p->name, "%s%s", prefix, name);
    walk->list->size = walk->at;
    return NULL;
}

struct Linear param_linear(struct ParamWalk *walk, const char *prefix, const char *name, int n,
                           int k)
{
    char weight[32], bias[32];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    struct Linear linear = {.weight = param(walk, prefix, weight, n, k, INIT_UNIFORM, k)};
    if (walk->base == NULL) {
        struct Param *p = &walk->list->items[walk->list->count - 1];
        p->packed = true;
        p->packed_at = walk->packed_at;
        walk->list->packed_size = walk->packed_at + 2 * packed_size(n, k);
    }
    if (walk->packed != NULL) {
        linear.packed_y = walk->packed + walk->packed_at;
        linear.packed_dx = linear.packed_y + packed_size(n, k);
    }
    walk->packed_at += 2 * packed_size(n, k);
    linear.bias = param(walk, prefix, bias, n, 0, INIT_UNIFORM, k);
    return linear;
}

void param_pack(const struct Param *p, float *packed, const float *weights)
{
    if (p->packed) {
        float *forward = packed + p->packed_at, *backward = forward + packed_size(p->rows, p->cols);
        pack_forward(forward, weights + p->offset, p->rows, p->cols);
        pack_backward(backward, weights + p->offset, p->rows, p->cols);
    }
}

void params_init(const struct ParamList *list, float *array, struct Rng *rng)
{
    for (const struct Param *p = list->items; p < list->items + list->count; p++) {
        float *x = array + p->offset;
        switch (p->init) {
        case INIT_NORMAL:
            rng_normal(rng, x, (int)p->size);
            break;
        case INIT_UNIFORM:
            rng_uniform(rng, x, (int)p->size, 1.0f / sqrtf((float)p->fan_in));
            break;
        case INIT_ONES:
        case INIT_ZEROS:
            for (size_t i = 0; i < p->size; i++) {
                x[i] = p->init == INIT_ONES ? 1.0f : 0.0f;
            }
            break;
        }
    }
}

void params_free(struct ParamList *list)
{
    free(list->items);
    *list = (struct ParamList){0};
}
