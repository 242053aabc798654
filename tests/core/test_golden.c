/* What PyTorch computes (tests/golden, written by make_golden.py) against what the core computes.
   Tolerances come from PyTorch's own difference between float32 and float64: see
   tests/golden/README.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/activation.h"
#include "common/base.h"
#include "common/checkpoint.h"
#include "common/loss.h"
#include "common/matmul.h"
#include "common/model.h"
#include "common/norm.h"
#include "common/safetensors.h"
#include "common/tiled.h"
#include "tests/core/suites.h"
#include "tests/helpers.h"

static char path[200];
static struct TensorFile file;

static void open_case(const char *name)
{
    char error[TENSOR_ERROR_SIZE];
    snprintf(path, sizeof path, "tests/golden/%s.safetensors", name);
    ck_assert_msg(safetensors_read(path, &file, error), "%s", error);
}

static const struct Tensor *get(const char *name)
{
    const struct Tensor *tensor = safetensors_find(&file, name);
    ck_assert_msg(tensor != NULL, "no tensor %s", name);
    return tensor;
}

static const float *floats(const char *name)
{
    ck_assert_int_eq(get(name)->dtype, DTYPE_F32);
    return get(name)->data;
}

static const int32_t *ints(const char *name)
{
    ck_assert_int_eq(get(name)->dtype, DTYPE_I32);
    return get(name)->data;
}

static int dim(const char *name, int axis)
{
    return (int)get(name)->shape[axis];
}

static int meta(const char *key)
{
    return atoi(safetensors_metadata(&file, key));
}

/* |got - want| <= relative·|want| + absolute, which NaN does not pass. */
static void compare(const char *name, const float *got, const float *want, size_t count,
                    double relative, double absolute)
{
    for (size_t i = 0; i < count; i++) {
        double bound = relative * fabs((double)want[i]) + absolute;
        if (!(fabs((double)got[i] - (double)want[i]) <= bound)) {
            ck_abort_msg("%s[%zu]: got %.9g, PyTorch %.9g", name, i, (double)got[i],
                         (double)want[i]);
        }
    }
}

static void compare_layer(const char *name, const float *got)
{
    compare(name, got, floats(name), get(name)->count, 1e-5, 1e-6);
}

static float *zeros_like(const char *name)
{
    return zeros_new(get(name)->count, sizeof(float));
}

static float *copy_of(const char *name)
{
    float *copy = array_new(get(name)->count);
    return memcpy(copy, floats(name), get(name)->count * sizeof *copy);
}

/* One layer at a time. */

START_TEST(linear_as_in_pytorch)
{
    open_case("linear");
    int rows = dim("x", 0), k = dim("x", 1), n = dim("y", 1);
    const float *x = floats("x"), *d_y = floats("dy"), *w = floats("weight");
    float *y = array_new((size_t)rows * n), *packed = array_new(packed_size(n, k));
    pack_forward(packed, w, n, k);
    linear_forward(y, x, packed, floats("bias"), rows, k, n);
    compare_layer("y", y);

    float *d_x = zeros_like("dx"), *d_w = zeros_like("dweight"), *d_b = zeros_like("dbias");
    pack_backward(packed, w, n, k);
    linear_backward_input(d_x, d_y, packed, rows, k, n);
    linear_backward_weight(d_w, d_b, d_y, x, rows, k, n);
    compare_layer("dx", d_x);
    compare_layer("dweight", d_w);
    compare_layer("dbias", d_b);
}
END_TEST

START_TEST(mlp_as_in_pytorch)
{
    open_case("mlp");
    int rows = dim("x", 0), d = dim("x", 1), wide = dim("0.weight", 0);
    const float *x = floats("x");
    float *up = array_new((size_t)rows * wide), *gelu = array_new((size_t)rows * wide);
    float *y = array_new((size_t)rows * d), *packed = array_new(packed_size(wide, d));
    pack_forward(packed, floats("0.weight"), wide, d);
    linear_forward(up, x, packed, floats("0.bias"), rows, d, wide);
    gelu_forward(gelu, up, (size_t)rows * wide);
    pack_forward(packed, floats("2.weight"), d, wide);
    linear_forward(y, gelu, packed, floats("2.bias"), rows, wide, d);
    compare_layer("y", y);

    float *d_gelu = zeros_new((size_t)rows * wide, sizeof(float));
    float *d_up = zeros_new((size_t)rows * wide, sizeof(float));
    float *d_x = zeros_like("dx"), *d_w0 = zeros_like("d0.weight"), *d_b0 = zeros_like("d0.bias");
    float *d_w2 = zeros_like("d2.weight"), *d_b2 = zeros_like("d2.bias");
    linear_backward_ref(d_gelu, d_w2, d_b2, floats("dy"), gelu, floats("2.weight"), rows, wide, d);
    gelu_backward(d_up, d_gelu, up, (size_t)rows * wide);
    linear_backward_ref(d_x, d_w0, d_b0, d_up, x, floats("0.weight"), rows, d, wide);
    compare_layer("dx", d_x);
    compare_layer("d0.weight", d_w0);
    compare_layer("d0.bias", d_b0);
    compare_layer("d2.weight", d_w2);
    compare_layer("d2.bias", d_b2);
}
END_TEST

START_TEST(layernorm_as_in_pytorch)
{
    open_case("layernorm");
    int rows = dim("x", 0), d = dim("x", 1);
    float *y = array_new((size_t)rows * d), *mean = array_new(rows), *rstd = array_new(rows);
    layernorm_forward(y, mean, rstd, floats("x"), floats("weight"), floats("bias"), rows, d);
    compare_layer("y", y);

    float *d_x = zeros_like("dx"), *d_gamma = zeros_like("dweight"), *d_beta = zeros_like("dbias");
    layernorm_backward(d_x, d_gamma, d_beta, floats("dy"), floats("x"), mean, rstd,
                       floats("weight"), rows, d);
    compare_layer("dx", d_x);
    compare_layer("dweight", d_gamma);
    compare_layer("dbias", d_beta);
}
END_TEST

START_TEST(gelu_as_in_pytorch)
{
    open_case("gelu");
    size_t n = get("x")->count;
    float *y = array_new(n), *d_x = zeros_like("dx");
    gelu_forward(y, floats("x"), n);
    gelu_backward(d_x, floats("dy"), floats("x"), n);
    compare_layer("y", y);
    compare_layer("dx", d_x);
}
END_TEST

START_TEST(cross_entropy_as_in_pytorch)
{
    open_case("cross-entropy");
    int rows = dim("logits", 0), vocab = dim("logits", 1), count = 0;
    const int32_t *targets = ints("targets");
    for (int r = 0; r < rows; r++) {
        count += targets[r] != IGNORE;
    }
    float *probabilities = array_new((size_t)rows * vocab), *d_logits = zeros_like("dlogits");
    double sum = cross_entropy_forward(probabilities, floats("logits"), targets, rows, vocab);
    float loss = (float)(sum / count);
    compare_layer("loss", &loss);
    cross_entropy_backward(d_logits, probabilities, targets, rows, vocab, count);
    compare_layer("dlogits", d_logits);
}
END_TEST

START_TEST(adamw_as_in_pytorch)
{
    open_case("adamw");
    size_t n = get("p.0")->count;
    float *p = copy_of("p.0");
    struct AdamW adamw;
    adamw_new(&adamw, n, atof(safetensors_metadata(&file, "lr")),
              atof(safetensors_metadata(&file, "weight_decay")));
    int steps = 0;
    for (char name[16];
         snprintf(name, sizeof name, "g.%d", steps + 1), safetensors_find(&file, name) != NULL;
         steps++) {
        adamw_begin_step(&adamw);
        adamw_update(&adamw, p, floats(name), 0, n / 3);
        adamw_update(&adamw, p, floats(name), n / 3, n);
        name[0] = 'p';
        compare_layer(name, p);
    }
    ck_assert_int_gt(steps, 1);
}
END_TEST

/* Attention: (B,H,T,d) in the file, for the core rows with the heads side by side. */

static void spread(float *rows, int row_size, const char *name)
{
    const float *x = floats(name);
    int H = dim(name, 1), T = dim(name, 2), d = dim(name, 3);
    for (int i = 0; i < dim(name, 0) * H * T; i++) {
        int b = i / (H * T), h = i / T % H, t = i % T;
        memcpy(rows + (b * T + t) * row_size + h * d, x + i * d, (size_t)d * sizeof *x);
    }
}

static const char *const attention_cases[] = {
    "attention-causal",   "attention-full",   "attention-unscaled", "attention-query-axis",
    "attention-window",   "attention-prefix", "attention-padding",  "attention-documents",
    "attention-together", "attention-gqa",    "attention-long"};

/* The mask of a case; what its metadata does not name, as in the older cases, is not there. */
static struct Mask mask_of_case(void)
{
    bool causal_at_most = safetensors_metadata(&file, "window") == NULL;
    bool packed = safetensors_find(&file, "document") != NULL;
    if (causal_at_most) {
        return (struct Mask){.causal = meta("causal")};
    }
    return (struct Mask){.causal = meta("causal"),
                         .prefix = meta("prefix"),
                         .window = meta("window"),
                         .first_key = meta("first_key"),
                         .end_key = meta("end_key"),
                         .document = packed ? ints("document") : NULL};
}

/* The same in tiles. */
static void compare_tiled(const float *want, const float *want_d, const float *d_out,
                          const float *qkv, struct Sequences sequences, int D,
                          const struct AttentionConfig *config)
{
    size_t rows = (size_t)sequences_queries(sequences), size = rows * (size_t)D;
    size_t all = rows * (size_t)attention_row(D, config);
    float *out = array_new(size), *lse = array_new(rows * (size_t)config->n_heads);
    float *d_qkv = array_new(all);
    float *scratch = array_new(tiled_scratch_size(D / config->n_heads, 1));
    tiled_forward(out, lse, scratch, qkv, sequences, D, config);
    compare("y, tiled", out, want, size, 1e-5, 1e-6);
    tiled_backward(d_qkv, scratch, d_out, qkv, out, lse, sequences, D, config);
    compare("dq, dk, dv, tiled", d_qkv, want_d, all, 1e-5, 1e-6);
}

START_TEST(attention_as_in_pytorch)
{
    open_case(attention_cases[_i]);
    int B = dim("q", 0), H = dim("q", 1), T = dim("q", 2), d = dim("q", 3), D = H * d;
    int kv = dim("k", 1) * d, row = D + 2 * kv;
    bool over_keys = strcmp(safetensors_metadata(&file, "softmax_axis"), "key") == 0;
    struct AttentionConfig config = {.n_heads = H,
                                     .scale = meta("scaled") ? 1.0f / sqrtf((float)d) : 1.0f,
                                     .n_kv_heads = dim("k", 1),
                                     .mask = mask_of_case(),
                                     .axis = over_keys ? OVER_KEYS : OVER_QUERIES};
    int32_t *start = zeros_new((size_t)B + 1, sizeof *start);
    for (int b = 0; b <= B; b++) {
        start[b] = b * T;
    }
    struct Sequences sequences = {.start = start, .count = B};
    size_t size = (size_t)B * T * D;
    size_t all = (size_t)B * T * row;
    float *qkv = array_new(all), *out = array_new(size), *want = array_new(size);
    float *weights = array_new(attention_weights_size(sequences, H));
    float *scratch = array_new(attention_scratch_size(T, d));
    spread(qkv, row, "q");
    spread(qkv + D, row, "k");
    spread(qkv + D + kv, row, "v");
    spread(want, D, "y");
    attention_forward(out, weights, scratch, qkv, NULL, sequences, D, &config);
    compare("y", out, want, size, 1e-5, 1e-6);
    bool has_weights = safetensors_find(&file, "weights") != NULL;
    for (int i = 0; has_weights && i < B * H * T * T; i++) {
        int b = i / (H * T * T), h = i / (T * T) % H, query = i / T % T;
        float got = attention_weight(weights, sequences, H, b, h, query, i % T);
        compare("weights", &got, floats("weights") + i, 1, 1e-5, 1e-6);
    }
    float *d_out = array_new(size), *d_qkv = zeros_new(all, sizeof(float));
    float *want_d = array_new(all);
    spread(d_out, D, "dy");
    spread(want_d, row, "dq");
    spread(want_d + D, row, "dk");
    spread(want_d + D + kv, row, "dv");
    attention_backward(d_qkv, NULL, scratch, d_out, qkv, weights, sequences, D, &config);
    compare("dq, dk, dv", d_qkv, want_d, all, 1e-5, 1e-6);
    if (over_keys) {
        compare_tiled(want, want_d, d_out, qkv, sequences, D, &config);
    }
}
END_TEST

/* The whole model: first batch's logits, attention and gradients, then the AdamW steps. */

static const char *const model_cases[] = {
    "model-reference", "model-unscaled",       "model-query-axis",
    "model-no-mask",   "model-every-position", "model-long",
    "model-none",      "model-sinusoidal",     "model-t5",
    "model-alibi",     "model-rope",           "model-rope-halves",
    "model-kv-heads",  "model-window",         "model-prefix"};

/* What the metadata say of a variant; a word that is not there leaves the config as it is. */
static void set_variant(struct ModelConfig *config)
{
    const char *position = safetensors_metadata(&file, "position");
    ck_assert(position == NULL || position_parse(&config->position, position));
    const struct {
        const char *key;
        int *value;
    } numbers[] = {{"kv_heads", &config->attention.n_kv_heads},
                   {"window", &config->attention.mask.window},
                   {"prefix", &config->attention.mask.prefix},
                   {"d_ff", &config->d_ff}};
    for (int i = 0; i < COUNT(numbers); i++) {
        const char *text = safetensors_metadata(&file, numbers[i].key);
        *numbers[i].value = text != NULL ? atoi(text) : *numbers[i].value;
    }
    if (safetensors_metadata(&file, "activation") != NULL) {
        config->activation = ACTIVATION_RELU;
    }
}

static struct Model *model_of_case(int B)
{
    struct ModelConfig config = model_config(dim("init.tok.weight", 0), dim("tokens", 2),
                                             meta("width"), meta("heads"), meta("layers"));
    config.attention.mask.causal = meta("causal");
    config.attention.scale = meta("scaled") ? config.attention.scale : 1.0f;
    if (strcmp(safetensors_metadata(&file, "softmax_axis"), "query") == 0) {
        config.attention.axis = OVER_QUERIES;
    }
    set_variant(&config);
    struct Model *model = model_new(config, B);
    checkpoint_load(model, path); /* the tensors called init. */
    return model;
}

static void compare_tensors(const struct Model *model, const char *prefix, const float *array)
{
    for (int i = 0; i < model->params.count; i++) {
        const struct Param *p = &model->params.items[i];
        char name[64];
        snprintf(name, sizeof name, "%s.%s", prefix, p->name);
        compare(name, array + p->offset, floats(name), p->size, 1e-5, 2e-6);
    }
}

/* 1e-4 on 99 of 100 entries and 5e-3 on all: AdamW divides by the root of a tiny second moment. */
static void compare_final(const struct Model *model)
{
    size_t far = 0;
    for (int i = 0; i < model->params.count; i++) {
        const struct Param *p = &model->params.items[i];
        char name[64];
        snprintf(name, sizeof name, "final.%s", p->name);
        const float *want = floats(name), *got = model->weights + p->offset;
        compare(name, got, want, p->size, 0.0, 5e-3);
        for (size_t j = 0; j < p->size; j++) {
            far += !(fabsf(got[j] - want[j]) <= 1e-4f);
        }
    }
    ck_assert_msg(far * 100 <= model->params.size, "%zu of %zu final weights are off by over 1e-4",
                  far, model->params.size);
}

static void compare_first_batch(struct Model *model, const struct Batch *batch, int B, int T)
{
    int vocab = model->config.vocab, H = model->config.attention.n_heads;
    for (int s = 0; s < B; s++) {
        int length = batch->start[s + 1] - batch->start[s];
        for (int t = 0; t < length; t++) {
            compare("logits", model_logits(model, batch->start[s] + t),
                    floats("logits") + (s * T + t) * vocab, (size_t)vocab, 1e-5, 2e-6);
        }
        for (int i = 0; i < H * length * length; i++) {
            int h = i / (length * length), q = i / length % length, k = i % length;
            float got = model_attention(model, 0, h, s, q, k);
            compare("weights.0", &got, floats("weights.0") + ((s * H + h) * T + q) * T + k, 1, 1e-5,
                    2e-6);
        }
    }
}

START_TEST(model_as_in_pytorch)
{
    open_case(model_cases[_i]);
    int steps = dim("tokens", 0), B = dim("tokens", 1), T = dim("tokens", 2);
    struct Model *model = model_of_case(B);
    bool trim = model->config.attention.mask.causal && model->config.attention.axis == OVER_KEYS;
    struct AdamW adamw;
    adamw_new(&adamw, model->params.size, atof(safetensors_metadata(&file, "lr")),
              atof(safetensors_metadata(&file, "weight_decay")));
    struct Batch batch;
    batch_new(&batch, B, T);
    for (int step = 0; step < steps; step++) {
        size_t at = (size_t)step * B * T;
        batch_from_padded(&batch, ints("tokens") + at, ints("targets") + at, B, T, trim);
        if (step == 0) {
            model_forward(model, &batch);
            compare_first_batch(model, &batch, B, T);
        }
        float loss = (float)model_gradient(model, &batch);
        compare("losses", &loss, floats("losses") + step, 1, 1e-5, 0.0);
        model_update(model, &adamw);
        if (step == 0) {
            compare_tensors(model, "grad", model->gradient);
        }
    }
    compare_final(model);
}
END_TEST

/* PyTorch's own layer as lesson 13 uses it: rows of a key and a value, the table of values in the
   place of the one of positions, a loss at the last row, the gradient clipped. */

static struct Model *retriever_of_case(int B)
{
    struct ModelConfig config = model_config(dim("init.tok.weight", 0), dim("init.pos.weight", 0),
                                             meta("width"), meta("heads"), meta("layers"));
    config.d_ff = meta("d_ff");
    config.activation = ACTIVATION_RELU;
    struct Model *model = model_new(config, B);
    checkpoint_load(model, path);
    return model;
}

static void retrieval_batch(struct Batch *batch, int step, int B, int T)
{
    batch_clear(batch);
    for (int s = step * B; s < (step + 1) * B; s++) {
        int32_t targets[16];
        for (int t = 0; t < T; t++) {
            targets[t] = t == T - 1 ? ints("answers")[s] : IGNORE;
        }
        batch_add(batch, ints("keys") + s * T, targets, T);
    }
    memcpy(batch->positions, ints("values") + step * B * T, (size_t)(B * T) * sizeof(int32_t));
}

START_TEST(retrieval_as_in_pytorch)
{
    open_case("retrieval");
    int steps = dim("keys", 0), B = dim("keys", 1), T = dim("keys", 2), clipped = 0;
    double longest = atof(safetensors_metadata(&file, "longest"));
    struct Model *model = retriever_of_case(B);
    struct AdamW adamw;
    adamw_new(&adamw, model->params.size, atof(safetensors_metadata(&file, "lr")),
              atof(safetensors_metadata(&file, "weight_decay")));
    struct Batch batch;
    batch_new(&batch, B, model->config.context);
    for (int step = 0; step < steps; step++) {
        retrieval_batch(&batch, step, B, T);
        if (step == 0) {
            model_forward(model, &batch);
        }
        for (int row = 0; row < B * T && step == 0; row++) {
            compare("logits", model_logits(model, row),
                    floats("logits") + row * model->config.vocab, (size_t)model->config.vocab, 1e-5,
                    2e-6);
        }
        float loss = (float)model_gradient(model, &batch);
        compare("losses", &loss, floats("losses") + step, 1, 1e-5, 0.0);
        float norm = (float)model_update_clipped(model, &adamw, longest);
        compare("norms", &norm, floats("norms") + step, 1, 1e-5, 0.0);
        clipped += (double)norm > longest;
        if (step == 0) {
            compare_tensors(model, "grad", model->gradient);
        }
    }
    ck_assert(clipped > 0 && clipped < steps);
    compare_final(model);
}
END_TEST

Suite *golden_suite(void)
{
    Suite *suite = suite_create("golden");
    TCase *cases = new_case(suite, "golden", NULL);
    tcase_add_test(cases, linear_as_in_pytorch);
    tcase_add_test(cases, mlp_as_in_pytorch);
    tcase_add_test(cases, layernorm_as_in_pytorch);
    tcase_add_test(cases, gelu_as_in_pytorch);
    tcase_add_test(cases, cross_entropy_as_in_pytorch);
    tcase_add_test(cases, adamw_as_in_pytorch);
    tcase_add_loop_test(cases, attention_as_in_pytorch, 0, COUNT(attention_cases));
    tcase_add_loop_test(cases, model_as_in_pytorch, 0, COUNT(model_cases));
    tcase_add_test(cases, retrieval_as_in_pytorch);
    return suite;
}
