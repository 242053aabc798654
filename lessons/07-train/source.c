/* A file's batches are checked when it is opened, so that training never meets a bad one. */
#include "source.h"

#include <string.h>

#include "common/base.h"
#include "common/file.h"
#include "common/loss.h"

struct Source source_drawn(uint64_t seed, int batch, struct Range lengths)
{
    return (struct Source){.batch = batch, .lengths = lengths, .rng = rng_stream(seed, "train")};
}

static const struct Tensor *find(const char *path, const struct TensorFile *file, const char *name)
{
    const struct Tensor *t = safetensors_find(file, name);
    if (t == NULL) {
        die("%s: there is no tensor called %s", path, name);
    }
    if (t->dtype != DTYPE_I32) {
        die("%s: %s is %s; it must be I32", path, name, dtype_name(t->dtype));
    }
    if (t->n_dims != 3 || t->shape[0] < 1 || t->shape[1] < 1 || t->shape[2] != CONTEXT) {
        die("%s: %s must have the shape (steps,batch,%d), with at least one step and one example",
            path, name, CONTEXT);
    }
    return t;
}

static void check_numbers(const char *path, const struct Source *source)
{
    int row = source->batch * CONTEXT;
    for (int step = 0; step < source->steps; step++) {
        bool any = false;
        for (int i = 0; i < row; i++) {
            size_t at = (size_t)step * (size_t)row + (size_t)i;
            int32_t token = source->tokens[at], target = source->targets[at];
            if (token < 0 || token >= VOCAB) {
                die("%s: tokens holds %d in batch %d; tokens go from 0 to %d", path, token,
                    step + 1, VOCAB - 1);
            }
            if (target != IGNORE && (target < 0 || target >= VOCAB)) {
                die("%s: targets holds %d in batch %d; targets go from 0 to %d, or are %d for none",
                    path, target, step + 1, VOCAB - 1, IGNORE);
            }
            any |= target != IGNORE;
        }
        if (!any) {
            die("%s: batch %d has no target; its loss would be the mean of nothing", path,
                step + 1);
        }
    }
}

struct Source source_file(const char *path, struct TensorFile *file)
{
    char error[TENSOR_ERROR_SIZE];
    if (!safetensors_read(path, file, error)) {
        die("%s", error);
    }
    struct Printable shown = printable(path);
    const struct Tensor *tokens = find(shown.text, file, "tokens");
    const struct Tensor *targets = find(shown.text, file, "targets");
    if (memcmp(tokens->shape, targets->shape, 3 * sizeof *tokens->shape) != 0) {
        die("%s: tokens and targets have different shapes", shown.text);
    }
    if (tokens->shape[0] > MAX_STEPS || tokens->shape[1] > MAX_BATCH) {
        die("%s: it holds %zu batches of %zu; at most %d of %d can be taken", shown.text,
            tokens->shape[0], tokens->shape[1], MAX_STEPS, MAX_BATCH);
    }
    struct Source source = {.batch = (int)tokens->shape[1],
                            .tokens = tokens->data,
                            .targets = targets->data,
                            .steps = (int)tokens->shape[0]};
    check_numbers(shown.text, &source);
    const struct Tensor *losses = safetensors_find(file, "losses");
    if (losses != NULL && losses->dtype == DTYPE_F32 && losses->count == tokens->shape[0]) {
        source.losses = losses->data;
    }
    return source;
}

void source_next(struct Source *source, int32_t *tokens, int32_t *targets)
{
    if (source->tokens != NULL) {
        size_t size = (size_t)source->batch * CONTEXT, at = (size_t)source->next++ * size;
        memcpy(tokens, source->tokens + at, size * sizeof *tokens);
        memcpy(targets, source->targets + at, size * sizeof *targets);
        return;
    }
    for (int i = 0; i < source->batch; i++) {
        struct String s = string_draw(&source->rng, source->lengths.first, source->lengths.last);
        reversal_example(tokens + i * CONTEXT, targets + i * CONTEXT, &s, false);
    }
}
