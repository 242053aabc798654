/* The list of parameters says what a file must hold; nothing is copied before all of it was
   checked. */
#include "checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "file.h"
#include "safetensors.h"

void checkpoint_save(const struct Model *model, const char *path)
{
    const struct ModelConfig *c = &model->config;
    int count = model->params.count;
    struct Tensor *tensors = zeros_new((size_t)count, sizeof *tensors);
    for (int i = 0; i < count; i++) {
        const struct Param *p = &model->params.items[i];
        tensors[i] = (struct Tensor){.name = p->name,
                                     .dtype = DTYPE_F32,
                                     .n_dims = p->cols > 0 ? 2 : 1,
                                     .shape = {(size_t)p->rows, (size_t)p->cols},
                                     .count = p->size,
                                     .data = model->weights + p->offset};
    }
    char width[12], heads[12], kv_heads[12], layers[12];
    snprintf(width, sizeof width, "%d", c->d_model);
    snprintf(heads, sizeof heads, "%d", c->attention.n_heads);
    snprintf(kv_heads, sizeof kv_heads, "%d", c->attention.n_kv_heads);
    snprintf(layers, sizeof layers, "%d", c->n_layers);
    const char *const metadata[][2] = {{"width", width},
                                       {"heads", heads},
                                       {"kv_heads", kv_heads},
                                       {"layers", layers},
                                       {"position", position_name(c->position)}};
    safetensors_write(path, tensors, count, metadata, sizeof metadata / sizeof *metadata);
    free(tensors);
}

static void shape_text(char text[64], const struct Tensor *t)
{
    int at = snprintf(text, 64, "(");
    for (int i = 0; i < t->n_dims && at < 48; i++) {
        at += snprintf(text + at, 64 - (size_t)at, "%s%zu", i > 0 ? "," : "", t->shape[i]);
    }
    snprintf(text + at, 64 - (size_t)at, ")");
}

static void check_tensor(const char *path, const struct Param *p, const struct Tensor *t)
{
    if (t->dtype != DTYPE_F32) {
        die("%s: %s is %s; weights must be F32", path, p->name, dtype_name(t->dtype));
    }
    bool fits = t->n_dims == (p->cols > 0 ? 2 : 1) && t->shape[0] == (size_t)p->rows &&
                (p->cols == 0 || t->shape[1] == (size_t)p->cols);
    if (!fits) {
        char text[64];
        shape_text(text, t);
        if (p->cols > 0) {
            die("%s: %s has the shape %s, and this model needs (%d,%d): the width or the number of "
                "layers is another",
                path, p->name, text, p->rows, p->cols);
        }
        die("%s: %s has the shape %s, and this model needs (%d)", path, p->name, text, p->rows);
    }
    if (!tensor_all_finite(t)) {
        die("%s: %s holds a NaN or an infinity; weights must be finite", path, p->name);
    }
}

static const struct Tensor *find(const struct TensorFile *file, const char *prefix,
                                 const struct Param *p)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", prefix, p->name);
    return safetensors_find(file, name);
}

/* Every tensor of the file that begins with prefix must be one of the model's. */
static void check_nothing_else(const char *path, const struct TensorFile *file, const char *prefix,
                               const struct ParamList *params)
{
    for (int i = 0; i < file->count; i++) {
        const char *name = file->tensors[i].name;
        bool known = strncmp(name, prefix, strlen(prefix)) != 0;
        for (int j = 0; j < params->count && !known; j++) {
            known = strcmp(name + strlen(prefix), params->items[j].name) == 0;
        }
        if (!known) {
            die("%s: this model has no tensor %s: its number of layers or its kind is another",
                path, printable(name).text);
        }
    }
}

/* What the shapes of the tensors do not show, the metadata may; and it has better words for what
   they show, so it is asked first. */
static void check_metadata(const char *path, const struct TensorFile *file,
                           const struct ModelConfig *config)
{
    const struct AttentionConfig *attention = &config->attention;
    bool scaled = attention->scale != 1.0f || attention->n_heads == config->d_model;
    char heads[12], kv_heads[12];
    snprintf(heads, sizeof heads, "%d", attention->n_heads);
    snprintf(kv_heads, sizeof kv_heads, "%d", attention->n_kv_heads);
    const struct {
        const char *key, *needed, *said, *has;
    } facts[] = {
        {"heads", heads, "heads", "(--heads)"},
        {"kv_heads", kv_heads, "heads with keys and values of their own", "for them"},
        {"position", position_name(config->position), "for positions", "for them"},
        {"causal", attention->mask.causal ? "1" : "0", "for causal (the mask)", "for it"},
        {"scaled", scaled ? "1" : "0", "for scaled (the scores)", "for it"},
        {"softmax_axis", attention->axis == OVER_KEYS ? "key" : "query", "for the softmax axis",
         "for it"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *told = safetensors_metadata(file, facts[i].key);
        if (told != NULL && strcmp(told, facts[i].needed) != 0) {
            die("%s: its metadata says %s %s, and this model has %s %s", path, printable(told).text,
                facts[i].said, facts[i].needed, facts[i].has);
        }
    }
}

void checkpoint_load(struct Model *model, const char *path)
{
    struct TensorFile file;
    char error[TENSOR_ERROR_SIZE];
    if (!safetensors_read(path, &file, error)) {
        die("%s", error);
    }
    struct Printable shown = printable(path);
    const struct ParamList *params = &model->params;
    bool golden = safetensors_find(&file, "init.tok.weight") != NULL;
    const char *prefix = golden ? "init." : "";
    check_metadata(shown.text, &file, &model->config);
    for (int i = 0; i < params->count; i++) {
        const struct Tensor *t = find(&file, prefix, &params->items[i]);
        if (t == NULL) {
            die("%s: the tensor %s%s is missing", shown.text, prefix, params->items[i].name);
        }
        check_tensor(shown.text, &params->items[i], t);
    }
    check_nothing_else(shown.text, &file, prefix, params);
    for (int i = 0; i < params->count; i++) {
        const struct Param *p = &params->items[i];
        memcpy(model->weights + p->offset, find(&file, prefix, p)->data, p->size * sizeof(float));
    }
    safetensors_free(&file);
    model_pack(model);
}
