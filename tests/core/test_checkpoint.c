/* Weights saved and loaded: the same bits, the same results, and every file that does not fit the
   model refused with its own words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/checkpoint.h"
#include "common/reversal.h"
#include "common/safetensors.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

static struct Model *new_model(int width, int heads, int layers, uint64_t model_seed)
{
    struct Model *model = model_new(model_config(VOCAB, CONTEXT, width, heads, layers), 1);
    model_init(model, model_seed);
    return model;
}

static struct TensorFile read_file(const char *path)
{
    struct TensorFile file;
    char error[TENSOR_ERROR_SIZE];
    ck_assert_msg(safetensors_read(path, &file, error), "%s", error);
    return file;
}

START_TEST(saved_weights_load_with_the_same_bits)
{
    struct Model *a = new_model(16, 2, 3, 1), *b = new_model(16, 2, 3, 2);
    a->weights[0] = -0.0f;
    a->weights[1] = 0x1p-149f; /* the smallest there is */
    checkpoint_save(a, "a");
    checkpoint_load(b, "a");
    checkpoint_save(b, "b");
    assert_same("a", "b");
    struct TensorFile file = read_file("a");
    ck_assert_int_eq(file.count, a->params.count);
    for (int i = 0; i < file.count; i++) {
        const struct Param *p = &a->params.items[i];
        const struct Tensor *t = safetensors_find(&file, p->name);
        ck_assert_msg(t != NULL && t->count == p->size, "no tensor %s", p->name);
        ck_assert(t->n_dims == (p->cols > 0 ? 2 : 1) && t->shape[0] == (size_t)p->rows);
        same_bits(p->name, t->data, a->weights + p->offset, p->size);
    }
    same_bits("loaded", b->weights, a->weights, a->params.size);
    ck_assert_str_eq(safetensors_metadata(&file, "width"), "16");
    ck_assert_str_eq(safetensors_metadata(&file, "heads"), "2");
    ck_assert_str_eq(safetensors_metadata(&file, "layers"), "3");
    ck_assert_str_eq(names_in("."), "a b");
}
END_TEST

/* The kernels read a packed copy of the weights: loading must renew that too. */
START_TEST(a_loaded_model_computes_as_the_saved_one)
{
    struct Model *a = new_model(16, 2, 2, 1), *b = new_model(16, 2, 2, 2);
    const int32_t tokens[] = {5, 6, 2, SEPARATOR}, targets[] = {1, 2, 3, 4};
    struct Batch batch;
    batch_new(&batch, 1, CONTEXT);
    batch_add(&batch, tokens, targets, 4);
    double loss = model_forward(a, &batch);
    ck_assert(model_forward(b, &batch) != loss);
    checkpoint_save(a, "a");
    checkpoint_load(b, "a");
    ck_assert(model_forward(b, &batch) == loss);
}
END_TEST

/* Refusals. */

static struct Model *other; /* what is loaded into */

static void load(const void *path)
{
    checkpoint_load(other, path);
}

/* What is done to a good file: a tensor gets another name, is left out, gets a shape (of one or two
   numbers), a type, or its last number; or one more is added. */
static const struct Change {
    const char *refusal; /* behind "workbook: x: " */
    const char *tensor, *name;
    bool left_out;
    size_t shape[2];
    enum Dtype dtype;
    float last;
    const char *added;
} changes[] = {
    {"the tensor tok.weight is missing", "tok.weight", .left_out = true},
    {"the tensor blocks.1.ln2.bias is missing", "blocks.1.ln2.bias", .left_out = true},
    {"the tensor head.bias is missing", "head.bias", .left_out = true},
    {"the tensor head.bias is missing", "head.bias", .name = "head.bia"},
    {"this model has no tensor tok.bias: its number of layers or its kind is another",
     .added = "tok.bias"},
    {"this model has no tensor \\x1b[2Jx\\x0a: ...", .added = "\033[2Jx\n"},
    {"blocks.0.attn.qkv.weight has the shape (16,48), and this model needs (48,16): the width or "
     "the number of layers is another",
     "blocks.0.attn.qkv.weight", .shape = {16, 48}},
    {"blocks.1.attn.out.weight has the shape (256), and this model needs (16,16): ...",
     "blocks.1.attn.out.weight", .shape = {256}},
    {"ln.bias has the shape (16,1), and this model needs (16)", "ln.bias", .shape = {16, 1}},
    {"pos.weight has the shape (24,16), and this model needs (25,16): ...", "pos.weight",
     .shape = {24, 16}},
    {"head.weight is I32; weights must be F32", "head.weight", .dtype = DTYPE_I32},
    {"pos.weight is F64; weights must be F32", "pos.weight", .dtype = DTYPE_F64},
    {"head.bias is BF16; weights must be F32", "head.bias", .dtype = DTYPE_BF16},
    {"tok.weight holds a NaN or an infinity; weights must be finite", "tok.weight", .last = NAN},
    {"head.bias holds a NaN or an infinity; ...", "head.bias", .last = INFINITY},
    {NULL, .tensor = "head.bias"}, /* unchanged, it loads */
};

static void apply(const struct Change *c, struct Tensor *t)
{
    static float zeros[2000];
    if (c->name != NULL) {
        t->name = c->name;
    }
    if (c->shape[0] > 0) {
        t->n_dims = c->shape[1] > 0 ? 2 : 1;
        memcpy(t->shape, c->shape, sizeof c->shape);
        t->count = c->shape[0] * (c->shape[1] > 0 ? c->shape[1] : 1);
    }
    if (c->dtype != DTYPE_F32 || c->last != 0.0f) {
        zeros[t->count - 1] = c->last;
        t->data = zeros;
        t->dtype = c->dtype;
    }
}

/* x := the tensors of a with this change, their names behind prefix. */
static void write_changed(const struct Change *c, const char *prefix)
{
    struct TensorFile file = read_file("a");
    struct Tensor *tensors = zeros_new((size_t)file.count + 1, sizeof *tensors);
    int count = 0;
    for (int i = 0; i < file.count; i++) {
        struct Tensor t = file.tensors[i];
        bool meant = c->tensor != NULL && strcmp(t.name, c->tensor) == 0;
        if (meant) {
            apply(c, &t);
        }
        if (!meant || !c->left_out) {
            tensors[count++] = t;
        }
    }
    if (c->added != NULL) {
        tensors[count] = tensors[0];
        tensors[count++].name = c->added;
    }
    for (int i = 0; i < count; i++) {
        char *name;
        ck_assert(asprintf(&name, "%s%s", prefix, tensors[i].name) > 0);
        tensors[i].name = name;
    }
    safetensors_write("x", tensors, count, NULL, 0);
}

START_TEST(a_file_that_does_not_fit_is_refused)
{
    char line[300];
    other = new_model(16, 2, 2, 1);
    checkpoint_save(other, "a");
    write_changed(&changes[_i], "");
    struct Ran ran = run(load, "x");
    if (changes[_i].refusal == NULL) {
        ck_assert_int_eq(ran.status, 0);
    } else {
        snprintf(line, sizeof line, "workbook: x: %s", changes[_i].refusal);
        assert_died(ran, line);
    }
}
END_TEST

START_TEST(names_behind_init_are_held_to_the_same)
{
    const struct Change without = {NULL, "ln.bias", .left_out = true}, with = {.added = "speed"};
    other = new_model(16, 2, 2, 1);
    checkpoint_save(other, "a");
    write_changed(&without, "init.");
    assert_died(run(load, "x"), "workbook: x: the tensor init.ln.bias is missing");
    write_changed(&with, "init.");
    assert_died(run(load, "x"), "workbook: x: this model has no tensor init.speed: ...");
}
END_TEST

/* The number of heads shows in no shape. */
START_TEST(the_weights_of_another_model_are_refused)
{
    static const struct {
        int width, heads, layers;
        const char *refusal;
    } models[] = {
        {16, 2, 1, "workbook: a: this model has no tensor blocks.1...: its number of layers..."},
        {16, 2, 3, "workbook: a: the tensor blocks.2... is missing"},
        {32, 2, 2,
         "workbook: a: tok.weight has the shape (12,16), and this model needs (12,32)..."},
        {16, 4, 2, "workbook: a: its metadata says 2 heads, and this model has 4 (--heads)"},
        {16, 1, 2, "workbook: a: its metadata says 2 heads, and this model has 1 (--heads)"},
    };
    checkpoint_save(new_model(16, 2, 2, 1), "a");
    for (int i = 0; i < COUNT(models); i++) {
        other = new_model(models[i].width, models[i].heads, models[i].layers, 1);
        assert_died(run(load, "a"), models[i].refusal);
    }
    assert_died(run(load, "missing"), "workbook: missing: cannot be opened: No such file...");
}
END_TEST

/* A file of before there were kinds of position, and one whose numbers are none. */
START_TEST(metadata_may_be_old_but_not_wrong)
{
    static const char *const said[][2] = {{"heads", "02"},
                                          {"kv_heads", "99999999999999999999"},
                                          {"kv_heads", ""},
                                          {"position", "roper"},
                                          {"position", "\033[2J"}};
    static const char *const old[][2] = {{"width", "0"}, {"heads", "2"}, {"colour", "red"}};
    struct Model *model = other = new_model(16, 2, 2, 1);
    checkpoint_save(model, "a");
    struct TensorFile file = read_file("a");
    safetensors_write("x", file.tensors, file.count, old, COUNT(old));
    load("x");
    for (int i = 0; i < COUNT(said); i++) {
        safetensors_write("x", file.tensors, file.count, &said[i], 1);
        assert_died(run(load, "x"), i == 4 ? "workbook: x: its metadata says \\x1b[2J for ..."
                                           : "workbook: x: its metadata says ...");
    }
}
END_TEST

/* Nor does the kind of rotation. */
START_TEST(the_weights_of_another_kind_are_refused)
{
    struct ModelConfig config = model_config(12, 25, 16, 4, 1);
    config.position = POSITION_ROPE;
    other = model_new(config, 1);
    model_init(other, 1);
    checkpoint_save(other, "a");
    load("a");
    config.position = POSITION_ROPE_HALVES;
    other = model_new(config, 1);
    assert_died(run(load, "a"), "workbook: a: its metadata says rope for positions, and this model "
                                "has rope-halves for them");
    config.position = POSITION_ROPE;
    config.attention.n_kv_heads = 2;
    other = model_new(config, 1);
    assert_died(run(load, "a"), "workbook: a: its metadata says 4 heads with keys and values of "
                                "their own, and this model has 2 for them");
    config.position = POSITION_NONE;
    config.attention.n_kv_heads = 4;
    other = model_new(config, 1);
    assert_died(run(load, "a"), "workbook: a: its metadata says rope for positions, and this model "
                                "has none for them");
}
END_TEST

Suite *checkpoint_suite(void)
{
    Suite *suite = suite_create("checkpoint");
    TCase *cases = new_case(suite, "checkpoint", enter_directory);
    tcase_add_test(cases, saved_weights_load_with_the_same_bits);
    tcase_add_test(cases, a_loaded_model_computes_as_the_saved_one);
    tcase_add_loop_test(cases, a_file_that_does_not_fit_is_refused, 0, COUNT(changes));
    tcase_add_test(cases, names_behind_init_are_held_to_the_same);
    tcase_add_test(cases, the_weights_of_another_model_are_refused);
    tcase_add_test(cases, the_weights_of_another_kind_are_refused);
    tcase_add_test(cases, metadata_may_be_old_but_not_wrong);
    return suite;
}
