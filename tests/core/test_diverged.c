/* Where training diverged: values that overflow are put into one place at a time, and it is that
   place which is named. */
#include <math.h>

#include "common/adamw.h"
#include "common/diverged.h"
#include "common/reversal.h"
#include "tests/core/suites.h"
#include "tests/helpers.h"

enum { WIDTH = 8, HEADS = 2, LAYERS = 2, STRINGS = 20, STEP = 7 };

static struct Batch batch;
static struct Model *model;

/* More strings than shards. */
static void prepare(void)
{
    struct Rng rng = rng_stream(1, "diverged");
    batch_new(&batch, STRINGS, CONTEXT);
    for (int i = 0; i < STRINGS; i++) {
        int32_t tokens[CONTEXT], targets[CONTEXT];
        struct String string = string_draw(&rng, 3, 8);
        reversal_example(tokens, targets, &string, false);
        batch_add(&batch, tokens, targets, 2 * string.length + 1);
    }
    model = model_new(model_config(VOCAB, CONTEXT, WIDTH, HEADS, LAYERS), STRINGS);
    model_init(model, 1);
}

/* Weights that overflow in the forward pass, and where. array: a tensor of the model, n of its
   numbers times factor, plus term. */
static void spoil(float *array, int n, float factor, float term)
{
    for (int i = 0; i < n; i++) {
        array[i] = array[i] * factor + term;
    }
}

static void assert_place(const char *text, int step)
{
    model_pack(model);
    ck_assert(!isfinite(model_gradient(model, &batch)));
    struct Place place = diverged_at(model, &batch, STEP);
    ck_assert_str_eq(place.text, text);
    ck_assert_int_eq(place.step, step);
}

START_TEST(a_stage_of_the_forward_pass_is_named)
{
    struct BlockTensors *first = &model->w.blocks[0], *second = &model->w.blocks[1];
    switch (_i) {
    case 0:
        spoil(model->w.token, VOCAB * WIDTH, 0.0f, 3e38f);
        spoil(model->w.position, CONTEXT * WIDTH, 0.0f, 3e38f);
        assert_place("token + position", STEP);
        break;
    case 1:
        spoil(first->ln1_weight, WIDTH, 3e38f, 0.0f);
        spoil(first->ln1_bias, WIDTH, 0.0f, 3e38f);
        assert_place("block 1, layer norm 1", STEP);
        break;
    case 2:
        spoil(second->ln1_weight, WIDTH, 1e20f, 0.0f);
        spoil(second->qkv.weight, 3 * WIDTH * WIDTH, 1e20f, 0.0f);
        assert_place("block 2, queries, keys and values", STEP);
        break;
    case 3:
        spoil(second->ln1_weight, WIDTH, 1e25f, 0.0f);
        assert_place("block 2, attention weights", STEP);
        break;
    case 4:
        spoil(first->out.bias, WIDTH, 0.0f, 3.2e38f);
        spoil(model->w.token, VOCAB * WIDTH, 0.0f, 4e37f);
        assert_place("block 1, x + attention", STEP);
        break;
    case 5:
        spoil(second->ln2_weight, WIDTH, 3e38f, 0.0f);
        spoil(second->ln2_bias, WIDTH, 0.0f, 3e38f);
        assert_place("block 2, layer norm 2", STEP);
        break;
    case 6:
        spoil(first->ln2_weight, WIDTH, 1e20f, 0.0f);
        spoil(first->up.weight, 4 * WIDTH * WIDTH, 1e20f, 0.0f);
        assert_place("block 1, GELU", STEP);
        break;
    case 7:
        spoil(first->up.bias, 4 * WIDTH, 0.0f, 1e30f);
        spoil(first->down.weight, 4 * WIDTH * WIDTH, 1e10f, 0.0f);
        assert_place("block 1, its output", STEP);
        break;
    case 8:
        spoil(model->w.ln_weight, WIDTH, 3e38f, 0.0f);
        spoil(model->w.ln_bias, WIDTH, 0.0f, 3e38f);
        assert_place("the head, layer norm", STEP);
        break;
    case 9:
        spoil(model->w.ln_weight, WIDTH, 1e20f, 0.0f);
        spoil(model->w.head.weight, VOCAB * WIDTH, 1e20f, 0.0f);
        assert_place("the head, logits", STEP);
        break;
    case 10:
        spoil(model->w.head.bias, LETTERS, 0.0f, -3e38f);
        spoil(model->w.head.bias + SEPARATOR, 1, 0.0f, 3e38f);
        assert_place("the loss", STEP);
        break;
    }
}
END_TEST

/* The last sequence, in the last shard, breaks early, as it alone begins with a pad; the others break
   later on. */
START_TEST(the_earliest_of_all_shards_counts)
{
    struct BlockTensors *first = &model->w.blocks[0];
    batch.tokens[batch.start[STRINGS - 1]] = PAD;
    spoil(model->w.token + PAD * WIDTH, WIDTH, 0.0f, 3e38f);
    spoil(model->w.position, WIDTH, 0.0f, 2e38f);
    spoil(first->up.bias, 4 * WIDTH, 0.0f, 1e30f);
    spoil(first->down.weight, 4 * WIDTH * WIDTH, 1e10f, 0.0f);
    assert_place("token + position", STEP);
}
END_TEST

/* Finite gradients, and a step that is too long for a float. */
START_TEST(an_update_is_named)
{
    struct AdamW adamw;
    adamw_new(&adamw, model->params.size, 1e30, 0.0);
    model_gradient(model, &batch);
    adamw.lr = INFINITY;
    model_update(model, &adamw);
    assert_place("tok.weight, as the update left it", STEP - 1);
}
END_TEST

/* A loss that is finite, and a gradient that is not. Every row of x is zero, so no weight of the
   head or of the norm before it reaches the loss; but the way back leads through both. */
START_TEST(a_gradient_is_named)
{
    struct AdamW adamw;
    adamw_new(&adamw, model->params.size, 0.001, 0.0);
    spoil(model->w.token, VOCAB * WIDTH, 0.0f, 0.0f);
    spoil(model->w.position, CONTEXT * WIDTH, 0.0f, 0.0f);
    for (int layer = 0; layer < LAYERS; layer++) {
        struct BlockTensors *w = &model->w.blocks[layer];
        spoil(w->out.weight, WIDTH * WIDTH, 0.0f, 0.0f), spoil(w->out.bias, WIDTH, 0.0f, 0.0f);
        spoil(w->down.weight, 4 * WIDTH * WIDTH, 0.0f, 0.0f);
        spoil(w->down.bias, WIDTH, 0.0f, 0.0f);
    }
    spoil(model->w.ln_weight, WIDTH, 1e10f, 0.0f);
    spoil(model->w.head.weight, VOCAB * WIDTH, 1e35f, 0.0f);
    model_pack(model);
    ck_assert(isfinite(model_gradient(model, &batch)));
    model_update(model, &adamw);
    assert_place("the gradient of blocks.1.mlp.2.bias", STEP - 1);
}
END_TEST

START_TEST(nothing_is_named_where_all_is_finite)
{
    ck_assert(isfinite(model_gradient(model, &batch)));
    ck_assert_str_eq(diverged_at(model, &batch, STEP).text, "");
}
END_TEST

Suite *diverged_suite(void)
{
    Suite *suite = suite_create("diverged");
    TCase *cases = new_case(suite, "diverged", prepare);
    tcase_add_loop_test(cases, a_stage_of_the_forward_pass_is_named, 0, 11);
    tcase_add_test(cases, the_earliest_of_all_shards_counts);
    tcase_add_test(cases, an_update_is_named);
    tcase_add_test(cases, a_gradient_is_named);
    tcase_add_test(cases, nothing_is_named_where_all_is_finite);
    return suite;
}
