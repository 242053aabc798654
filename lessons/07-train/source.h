/* source: where the batches of a training run come from: drawn at random, or read from a file. */
#ifndef LESSON_07_SOURCE_H
#define LESSON_07_SOURCE_H

#include "common/cli.h"
#include "common/reversal.h"
#include "common/safetensors.h"

enum { MAX_STEPS = 10000000, MAX_BATCH = 4096 };

/* A copy of a source goes its own way: it can look ahead without disturbing the original. */
struct Source {
    int batch;            /* examples in each */
    struct Range lengths; /* of the strings that are drawn */
    struct Rng rng;
    const int32_t *tokens, *targets; /* (steps,batch,CONTEXT), or NULL when drawn */
    const float *losses;             /* (steps) that the file says another program had, or NULL */
    int steps, next;                 /* how many batches the file holds, which comes next */
};

struct Source source_drawn(uint64_t seed, int batch, struct Range lengths);

/* The tensors tokens and targets of a safetensors file, I32 (steps,batch,CONTEXT). Dies with one
   line unless they are there, of the same shape, and hold tokens, with a target in every batch. A
   tensor losses, F32 (steps), is taken note of. file is overwritten and must stay as long as the
   source is used. */
struct Source source_file(const char *path, struct TensorFile *file);

/* tokens, targets (batch,CONTEXT) overwritten with the next batch. */
void source_next(struct Source *source, int32_t *tokens, int32_t *targets);

#endif
