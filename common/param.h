/* param: every tensor of a model, named once. All of them lie in one array, in the order in which
   they are named, without gaps; a gradient, an optimiser's moment or a file is another array of the
   same layout. The first walk over the names (base NULL) makes the list; each later walk over an
   array of list->size floats gives the pointers into it. */
#ifndef COMMON_PARAM_H
#define COMMON_PARAM_H

#include <stdbool.h>
#include <stddef.h>

#include "rng.h"

/* How a tensor starts (PyTorch's defaults): N(0,1), even over +-1/sqrt(fan_in), ones, zeros. */
enum ParamInit { INIT_NORMAL, INIT_UNIFORM, INIT_ONES, INIT_ZEROS };

struct Param {
    char name[40];  /* PyTorch's name for it */
    int rows, cols; /* shape (rows, cols), or (rows) when cols is 0 */
    enum ParamInit init;
    int fan_in;          /* for INIT_UNIFORM */
    size_t offset, size; /* in floats */
    bool packed;         /* the weight of a linear layer: kept packed for the kernels as well */
    size_t packed_at;    /* where, in floats */
};

struct ParamList {
    struct Param *items;
    int count, capacity;
    size_t size;        /* floats in all */
    size_t packed_size; /* floats of all packed copies */
};

struct ParamWalk {
    struct ParamList *list; /* filled when base is NULL */
    float *base;            /* the array to point into */
    float *packed;          /* list->packed_size floats to point into, or NULL */
    size_t at, packed_at;
};

/* A linear layer y = x·Wᵀ + b. In a walk over gradients the packed copies are NULL. */
struct Linear {
    float *weight, *bias;        /* (n,k), (n) */
    float *packed_y, *packed_dx; /* W packed for y and for d_x, see matmul.h */
};

/* The next tensor of the walk, called prefix+name: where it begins in base, or NULL on the first
   walk. */
float *param(struct ParamWalk *walk, const char *prefix, const char *name, int rows, int cols,
             enum ParamInit init, int fan_in);

/* The next two tensors: prefix+name+".weight" (n,k) and prefix+name+".bias" (n). */
struct Linear param_linear(struct ParamWalk *walk, const char *prefix, const char *name, int n,
                           int k);

/* The packed copies of tensor p overwritten from the weights; nothing if it has none. */
void param_pack(const struct Param *p, float *packed, const float *weights);

/* array (list->size floats) overwritten with fresh weights. */
void params_init(const struct ParamList *list, float *array, struct Rng *rng);

void params_free(struct ParamList *list);

#endif
