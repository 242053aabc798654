/* The whole model, values and gradients, against the double-precision model in reference.c and its
   slopes. No norm weight is 1 and no bias 0, so that no factor can be forgotten unseen. And its
   parameters: without gaps, started as in PyTorch; names and shapes are for test_golden. */
#include <string.h>

#include "common/loss.h"
#include "common/model.h"
#include "tests/core/reference.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

static struct Model *model;
static struct Batch batch;

static const struct Trial {
    const char *name;
    int vocab, context, d_model, n_heads, n_layers, way, lengths[8];
    int kv_heads, d_ff; /* 0: as model_config has it */
    enum PositionKind position;
    enum Activation activation;
    struct Mask mask; /* besides causal */
} trials[] = {
    {"as the reference", 12, 9, 16, 2, 2, 1, .lengths = {5, 9, 3}},
    {"one head", 7, 6, 10, 1, 2, 1, .lengths = {6, 2, 1, 4}},
    {"three layers", 5, 7, 8, 2, 3, 1, .lengths = {7, 5}},
    {"width 36, three heads", 12, 8, 36, 3, 1, 1, .lengths = {8, 3, 4}},
    {"no mask", 12, 9, 12, 2, 2, 0, .lengths = {9, 4, 2}},
    {"softmax over queries", 12, 9, 12, 2, 2, 3, .lengths = {9, 4, 2}},
    {"softmax over queries, no mask", 12, 9, 12, 3, 2, 2, .lengths = {4, 9}},
    {"scale one", 12, 9, 12, 2, 2, 5, .lengths = {9, 4, 2}},
    {"heads stacked", 12, 9, 12, 3, 2, 9, .lengths = {9, 4, 2}},
    {"batch of one", 12, 17, 12, 3, 2, 1, .lengths = {17}},
    {"one token", 2, 3, 4, 4, 1, 1, .lengths = {1}},
    {"grouped heads", 12, 9, 24, 6, 2, 1, .lengths = {9, 4, 2}, .kv_heads = 2},
    {"one key for all", 12, 9, 12, 3, 2, 1, .lengths = {9, 4, 2}, .kv_heads = 1},
    {"narrow, ReLU", 9, 9, 12, 3, 2, 1, .lengths = {9, 1, 6}, .d_ff = 20,
     .activation = ACTIVATION_RELU},
    {"no positions", 12, 9, 12, 2, 2, 1, .lengths = {9, 4}, .position = POSITION_NONE},
    {"sinusoidal", 12, 9, 12, 2, 2, 1, .lengths = {9, 4}, .position = POSITION_SINUSOIDAL},
    {"T5", 12, 19, 12, 3, 2, 1, .lengths = {19, 4}, .position = POSITION_T5},
    {"T5, no mask", 12, 9, 12, 2, 1, 0, .lengths = {9, 4}, .position = POSITION_T5},
    {"ALiBi", 12, 9, 12, 3, 2, 1, .lengths = {9, 4}, .position = POSITION_ALIBI},
    {"RoPE", 12, 9, 24, 2, 2, 1, .lengths = {9, 4}, .position = POSITION_ROPE},
    {"RoPE, grouped", 12, 9, 24, 4, 2, 1, .lengths = {9, 4}, .kv_heads = 2,
     .position = POSITION_ROPE_HALVES},
    {"window", 12, 9, 12, 2, 2, 1, .lengths = {9, 4}, .mask = {.window = 3}},
    {"prefix", 12, 9, 12, 2, 2, 1, .lengths = {9, 5}, .mask = {.prefix = 4}}};

/* Token vocab-1 never occurs; two rows in three have a target, the first of the batch always. */
static void fill_batch(const struct Trial *t)
{
    batch_new(&batch, SHARDS, t->context);
    for (int s = 0; s < SHARDS && t->lengths[s] > 0; s++) {
        int32_t tokens[32], targets[32];
        for (int i = 0; i < t->lengths[s]; i++) {
            bool ignore = (s > 0 || i > 0) && rng_below(&rng, 3) == 0;
            tokens[i] = rng_below(&rng, t->vocab - 1);
            targets[i] = ignore ? IGNORE : rng_below(&rng, t->vocab);
        }
        batch_add(&batch, tokens, targets, t->lengths[s]);
    }
}

/* A model with fresh weights, its norms and biases stirred, and a batch. */
static void begin(const struct Trial *t)
{
    struct ModelConfig config =
        model_config(t->vocab, t->context, t->d_model, t->n_heads, t->n_layers);
    config.attention = way_to_attend(t->way, t->n_heads, t->d_model / t->n_heads);
    bool causal = config.attention.mask.causal;
    config.attention.mask = t->mask;
    config.attention.mask.causal = causal;
    config.attention.n_kv_heads = t->kv_heads > 0 ? t->kv_heads : t->n_heads;
    config.d_ff = t->d_ff > 0 ? t->d_ff : config.d_ff;
    config.position = t->position;
    config.activation = t->activation;
    TRY("%s", t->name);
    model = model_new(config, SHARDS);
    model_init(model, seed);
    float *noise = random_array("noise", model->params.size);
    for (size_t i = 0; i < model->params.size; i++) {
        model->weights[i] += 0.2f * noise[i];
    }
    model_pack(model);
    fill_batch(t);
}

static double *weights, *logits;

static double model_value(void)
{
    return ref_model(logits, weights, &batch, &model->config);
}

START_TEST(model_gradient_is_the_slope)
{
    begin(&trials[_i]);
    size_t vocab = (size_t)trials[_i].vocab;
    weights = doubles_of(model->weights, model->params.size);
    logits = doubles_of(NULL, (size_t)batch.rows * vocab);
    double loss = model_gradient(model, &batch);
    model_sum_gradients(model);
    near("loss", 0, loss, model_value(), 1e-5);
    near("loss without gradient", 0, model_forward(model, &batch), loss, 0.0);
    for (int r = 0; r < batch.rows; r++) {
        for (size_t i = 0; i < vocab; i++) {
            double wanted = logits[(size_t)r * vocab + i];
            near("logits", i, (double)model_logits(model, r)[i], wanted, 1e-5 * fmax(1.0, wanted));
        }
    }
    for (int i = 0; i < model->params.count; i++) {
        const struct Param *p = &model->params.items[i];
        check_gradient(p->name, model->gradient + p->offset, NULL, weights + p->offset, p->size, 30,
                       model_value);
    }
}
END_TEST

static void gradient_of(const void *large)
{
    model_gradient(model, large);
}

START_TEST(a_batch_that_does_not_fit_is_refused)
{
    const int32_t tokens[10] = {0};
    begin(&trials[0]);
    batch_new(&batch, SHARDS + 1, 9);
    for (int s = 0; s <= SHARDS; s++) {
        batch_add(&batch, tokens, tokens, 1);
    }
    assert_died(run(gradient_of, &batch), "workbook: a batch of 9 sequences of up to 9 tokens is "
                                          "too large for this model: it takes 8 of 9");
    batch_new(&batch, 1, 10);
    batch_add(&batch, tokens, tokens, 10);
    assert_died(run(gradient_of, &batch), "workbook: a batch of 1 sequences of up to 10 tokens is "
                                          "too large for this model: it takes 8 of 9");
}
END_TEST

static void make(const void *config)
{
    model_new(*(const struct ModelConfig *)config, 1);
}

START_TEST(a_config_that_cannot_be_is_refused)
{
    struct ModelConfig shared = model_config(5, 9, 12, 6, 1), odd = model_config(5, 9, 15, 3, 1);
    shared.attention.n_kv_heads = 4;
    assert_died(run(make, &shared), "workbook: 6 heads cannot share 4 of keys and values: ...");
    odd.position = POSITION_ROPE;
    assert_died(run(make, &odd), "workbook: a head of 5 numbers cannot be rotated: ...");
    odd.position = POSITION_SINUSOIDAL;
    assert_died(run(make, &odd), "workbook: sinusoidal positions need an even width, not 15: ...");
}
END_TEST

START_TEST(the_reference_has_103244_parameters_without_gaps)
{
    model = model_new(model_config(12, 25, 64, 2, 2), 1);
    const struct ParamList *list = &model->params;
    size_t at = 0;
    for (int i = 0; i < list->count; i++) {
        const struct Param *p = &list->items[i];
        ck_assert_msg(p->offset == at, "%s: begins at %zu, wanted %zu", p->name, p->offset, at);
        ck_assert_uint_eq(p->size, (size_t)p->rows * (size_t)(p->cols > 0 ? p->cols : 1));
        at += p->size;
    }
    ck_assert_uint_eq(list->size, at);
    ck_assert_uint_eq(list->size, 103244);
}
END_TEST

START_TEST(fresh_weights_start_as_in_pytorch)
{
    model = model_new(model_config(12, 25, 64, 2, 2), 1);
    model_init(model, 1);
    for (int i = 0; i < model->params.count; i++) {
        const struct Param *p = &model->params.items[i];
        const float *x = model->weights + p->offset;
        bool norm = strncmp(p->name, "ln", 2) == 0 || strstr(p->name, ".ln") != NULL;
        bool table = strncmp(p->name, "tok", 3) == 0 || strncmp(p->name, "pos", 3) == 0;
        double constant = strstr(p->name, "weight") != NULL, size = (double)p->size;
        double fan_in = strstr(p->name, "mlp.2") != NULL ? 256.0 : 64.0;
        double square = 0.0, largest = 0.0, wanted = table ? 1.0 : 1.0 / (3.0 * fan_in);
        for (size_t j = 0; j < p->size; j++) {
            near(p->name, j, (double)x[j], norm ? constant : 0.0, norm ? 0.0 : 6.0);
            square += (double)x[j] * (double)x[j] / size;
            largest = fmax(largest, fabs((double)x[j]));
        }
        if (!norm) { /* the mean square; its deviation is at most sqrt(2/size) of it */
            near(p->name, 0, square, wanted, 5.0 * wanted * sqrt(2.0 / size));
            ck_assert_msg(table || largest <= 1.0 / sqrt(fan_in), "%s: %g", p->name, largest);
        }
    }
}
END_TEST

Suite *model_suite(void)
{
    Suite *suite = suite_create("model");
    TCase *cases = new_case(suite, "model", begin_trials);
    tcase_add_loop_test(cases, model_gradient_is_the_slope, 0, COUNT(trials));
    tcase_add_test(cases, a_batch_that_does_not_fit_is_refused);
    tcase_add_test(cases, a_config_that_cannot_be_is_refused);
    tcase_add_test(cases, the_reference_has_103244_parameters_without_gaps);
    tcase_add_test(cases, fresh_weights_start_as_in_pytorch);
    return suite;
}
