/* Every backward function against central differences of the double-precision model in
   reference.c, (f(x+h) - f(x-h)) / 2h, which knows nothing of derivatives. A layer is tried on
   f = the sum of d_y·y for random d_y; its gradients start from random numbers, since backward
   functions add. No norm weight is 1 and no bias 0, so that no factor can be forgotten unseen. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/activation.h"
#include "common/base.h"
#include "common/loss.h"
#include "common/matmul.h"
#include "common/model.h"
#include "common/norm.h"
#include "common/rng.h"
#include "common/softmax.h"
#include "tests/core/reference.h"
#include "tests/core/suites.h"

static char trial[160];
static uint64_t seed;
static struct Rng rng;

#define TRY(...) snprintf(trial, sizeof trial, __VA_ARGS__)

/* Arrays of one trial, freed together. */
static void *owned[64];
static int n_owned;

static void *own(void *memory)
{
    ck_assert_int_lt(n_owned, (int)(sizeof owned / sizeof *owned));
    return owned[n_owned++] = memory;
}

static void free_all(void)
{
    while (n_owned > 0) {
        free(owned[--n_owned]);
    }
}

static void seed_trials(void)
{
    const char *text = getenv("TEST_SEED");
    seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    rng = rng_stream(seed, "gradients");
    TRY("first trial");
}

static float *floats(size_t count) /* all NaN */
{
    return own(array_new(count));
}

static float *random_floats(size_t count)
{
    float *x = floats(count);
    rng_normal(&rng, x, (int)count);
    return x;
}

static float *copy_of(const float *x, size_t count)
{
    return memcpy(floats(count), x, count * sizeof *x);
}

static double *doubles(size_t count)
{
    return own(zeros_new(count, sizeof(double)));
}

static double *doubles_of(const float *x, size_t count)
{
    double *y = doubles(count);
    for (size_t i = 0; i < count; i++) {
        y[i] = (double)x[i];
    }
    return y;
}

static double dot(const double *x, const double *y, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* Comparing. */

/* scale: the size of the numbers that got and wanted stand among. */
static bool close_enough(double got, double wanted, double scale)
{
    return fabs(got - wanted) <= 1e-5 * scale + 1e-6;
}

static void compare(const char *name, size_t i, double got, double wanted, double scale)
{
    if (!close_enough(got, wanted, scale)) {
        ck_abort_msg("%s[%zu]: got %.9g, wanted %.9g (scale %.3g); %s, TEST_SEED=%llu", name, i,
                     got, wanted, scale, trial, (unsigned long long)seed);
    }
}

static void compare_values(const char *name, const float *got, const double *wanted, size_t count)
{
    double scale = 0.0;
    for (size_t i = 0; i < count; i++) {
        scale = fmax(scale, fabs(wanted[i]));
    }
    for (size_t i = 0; i < count; i++) {
        compare(name, i, (double)got[i], wanted[i], scale);
    }
}

START_TEST(comparing_refuses_nan_and_what_is_off)
{
    ck_assert(close_enough(1.0, 1.0 + 9e-6, 1.0));
    ck_assert(!close_enough(1.0, 1.0 + 2e-5, 1.0));
    ck_assert(!close_enough(0.0, 2e-6, 0.0));
    ck_assert(!close_enough(NAN, 1.0, 1.0));
    ck_assert(!close_enough(1.0, NAN, 1.0));
    ck_assert(!close_enough(NAN, NAN, 1.0));
    ck_assert(!close_enough(1.0, 2.0, NAN));
    ck_assert(!close_enough(INFINITY, 1.0, 1.0));
}
END_TEST

/* A function of the arrays in its context. */
struct Function {
    double (*value)(const void *context);
    const void *context;
};

static double slope(const struct Function *f, double *x)
{
    const double h = 1e-6, middle = *x;
    *x = middle + h;
    double above = f->value(f->context);
    *x = middle - h;
    double below = f->value(f->context);
    *x = middle;
    return (above - below) / (2.0 * h);
}

/* d[i] - before[i], the gradient by x[i], for all i < count, or for most of them taken at random.
   before NULL: zeros. */
static void check_gradient(const char *name, const float *d, const float *before, double *x,
                           size_t count, size_t most, const struct Function *f)
{
    size_t n = count < most ? count : most;
    size_t *at = zeros_new(n, sizeof *at);
    double *wanted = zeros_new(n, sizeof *wanted), scale = 0.0;
    for (size_t i = 0; i < n; i++) {
        at[i] = count <= most ? i : (size_t)rng_below(&rng, (int)count);
        wanted[i] = slope(f, &x[at[i]]);
        scale = fmax(scale, fabs(wanted[i]));
    }
    for (size_t i = 0; i < n; i++) {
        double got = (double)d[at[i]] - (before != NULL ? (double)before[at[i]] : 0.0);
        compare(name, at[i], got, wanted[i], scale);
    }
    free(at);
    free(wanted);
}

/* An argument of a layer: its values, and its gradient, which begins as random numbers. */
struct Argument {
    const char *name;
    size_t count;
    float *x;       /* what common reads */
    double *exact;  /* the same numbers, what the reference reads */
    float *d;       /* what common adds to */
    float *d_start; /* what it adds to at first */
};

static struct Argument argument(const char *name, size_t count)
{
    struct Argument a = {.name = name, .count = count};
    a.x = random_floats(count);
    a.exact = doubles_of(a.x, count);
    a.d = random_floats(count);
    a.d_start = copy_of(a.d, count);
    return a;
}

static void check_argument(const struct Argument *a, const struct Function *f)
{
    check_gradient(a->name, a->d, a->d_start, a->exact, a->count, a->count, f);
}

/* The result of a layer and the factors d_y of f = d_y·y. */
struct Result {
    size_t count;
    float *y, *d_y;
    double *exact, *d_exact;
};

static struct Result result(size_t count)
{
    struct Result r = {.count = count, .y = floats(count), .d_y = random_floats(count)};
    r.exact = doubles(count);
    r.d_exact = doubles_of(r.d_y, count);
    return r;
}

static double weigh(const struct Result *r)
{
    return dot(r->exact, r->d_exact, r->count);
}

/* Layers. */

struct LinearTrial {
    int rows, k, n;
    struct Argument x, w, bias;
    struct Result y;
};

static double linear_value(const void *context)
{
    const struct LinearTrial *t = context;
    ref_linear(t->y.exact, t->x.exact, t->w.exact, t->bias.exact, t->rows, t->k, t->n);
    return weigh(&t->y);
}

static void check_linear(int rows, int k, int n)
{
    TRY("rows %d, k %d, n %d", rows, k, n);
    struct LinearTrial t = {.rows = rows, .k = k, .n = n};
    t.x = argument("d_x", (size_t)(rows * k));
    t.w = argument("d_w", (size_t)(n * k));
    t.bias = argument("d_bias", (size_t)n);
    t.y = result((size_t)(rows * n));
    const struct Function f = {linear_value, &t};
    float *packed = floats(packed_size(n, k)), *scratch = floats(linear_scratch_size(rows));
    pack_forward(packed, t.w.x, n, k);
    linear_forward(t.y.y, t.x.x, packed, t.bias.x, rows, k, n);
    linear_value(&t);
    compare_values("y", t.y.y, t.y.exact, t.y.count);

    pack_backward(packed, t.w.x, n, k);
    linear_backward_input(t.x.d, t.y.d_y, packed, rows, k, n);
    linear_backward_weight(t.w.d, t.bias.d, t.y.d_y, t.x.x, scratch, rows, k, n);
    check_argument(&t.x, &f);
    check_argument(&t.w, &f);
    check_argument(&t.bias, &f);
    free_all();
}

START_TEST(linear_gradient_is_the_slope)
{
    check_linear(1, 1, 1);
    check_linear(5, 3, 7);
    check_linear(13, 17, 2);
    check_linear(2, 9, 33);
    check_linear(7, 1, 18);
}
END_TEST

struct SoftmaxTrial {
    int n;
    struct Argument scores;
    struct Result weights;
};

static double softmax_value(const void *context)
{
    const struct SoftmaxTrial *t = context;
    ref_softmax(t->weights.exact, t->scores.exact, t->n);
    return weigh(&t->weights);
}

START_TEST(softmax_gradient_is_the_slope)
{
    for (int n = 1; n <= 40; n++) {
        TRY("n %d", n);
        struct SoftmaxTrial t = {.n = n};
        t.scores = argument("d_scores", (size_t)n);
        t.weights = result((size_t)n);
        const struct Function f = {softmax_value, &t};
        softmax_row(t.weights.y, t.scores.x, n);
        softmax_value(&t);
        compare_values("weights", t.weights.y, t.weights.exact, t.weights.count);
        softmax_row_backward(t.scores.d, t.weights.d_y, t.weights.y, n);
        check_argument(&t.scores, &f);
        free_all();
    }
}
END_TEST

struct NormTrial {
    int rows, d;
    struct Argument x, gamma, beta;
    struct Result y;
};

static double norm_value(const void *context)
{
    const struct NormTrial *t = context;
    ref_layernorm(t->y.exact, t->x.exact, t->gamma.exact, t->beta.exact, t->rows, t->d);
    return weigh(&t->y);
}

static void check_layernorm(int rows, int d)
{
    TRY("rows %d, d %d", rows, d);
    size_t R = (size_t)rows, D = (size_t)d;
    struct NormTrial t = {.rows = rows, .d = d};
    t.x = argument("d_x", R * D);
    t.gamma = argument("d_gamma", D);
    t.beta = argument("d_beta", D);
    t.y = result(R * D);
    const struct Function f = {norm_value, &t};
    float *mean = floats(R), *rstd = floats(R);
    layernorm_forward(t.y.y, mean, rstd, t.x.x, t.gamma.x, t.beta.x, rows, d);
    norm_value(&t);
    compare_values("y", t.y.y, t.y.exact, t.y.count);
    layernorm_backward(t.x.d, t.gamma.d, t.beta.d, t.y.d_y, t.x.x, mean, rstd, t.gamma.x, rows, d);
    check_argument(&t.x, &f);
    check_argument(&t.gamma, &f);
    check_argument(&t.beta, &f);
    free_all();
}

START_TEST(layernorm_gradient_is_the_slope)
{
    static const int widths[] = {3, 5, 12, 16, 17, 31, 33, 36, 64, 70};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        check_layernorm(1 + (int)i % 4, widths[i]);
    }
}
END_TEST

struct GeluTrial {
    int n;
    struct Argument x;
    struct Result y;
};

static double gelu_value(const void *context)
{
    const struct GeluTrial *t = context;
    ref_gelu(t->y.exact, t->x.exact, t->n);
    return weigh(&t->y);
}

START_TEST(gelu_gradient_is_the_slope)
{
    for (int n = 1; n <= 70; n++) {
        TRY("n %d", n);
        struct GeluTrial t = {.n = n};
        t.x = argument("d_x", (size_t)n);
        t.y = result((size_t)n);
        const struct Function f = {gelu_value, &t};
        for (int i = 0; i < n; i++) {
            t.x.x[i] *= i % 2 == 0 ? 1.0f : 4.0f;
            t.x.exact[i] = (double)t.x.x[i];
        }
        gelu_forward(t.y.y, t.x.x, (size_t)n);
        gelu_value(&t);
        compare_values("y", t.y.y, t.y.exact, t.y.count);
        gelu_backward(t.x.d, t.y.d_y, t.x.x, (size_t)n);
        check_argument(&t.x, &f);
        free_all();
    }
}
END_TEST

struct LossTrial {
    int rows, vocab, count;
    const int32_t *targets;
    struct Argument logits;
};

static double loss_value(const void *context)
{
    const struct LossTrial *t = context;
    return ref_cross_entropy(t->logits.exact, t->targets, t->rows, t->vocab) / t->count;
}

/* count is that of the whole batch, of which these rows may be a part. */
START_TEST(cross_entropy_gradient_is_the_slope)
{
    static const int32_t targets[] = {2, IGNORE, 0, 1, IGNORE};
    for (int vocab = 3; vocab <= 40; vocab++) {
        int rows = 5, count = vocab % 2 == 0 ? 3 : 11;
        TRY("vocab %d, count %d", vocab, count);
        struct LossTrial t = {.rows = rows, .vocab = vocab, .count = count, .targets = targets};
        t.logits = argument("d_logits", (size_t)(rows * vocab));
        const struct Function f = {loss_value, &t};
        float *probabilities = floats(t.logits.count);
        double sum = cross_entropy_forward(probabilities, t.logits.x, targets, rows, vocab);
        compare("loss", 0, sum / count, loss_value(&t), 1.0);
        cross_entropy_backward(t.logits.d, probabilities, targets, rows, vocab, count);
        check_argument(&t.logits, &f);
        free_all();
    }
}
END_TEST

/* Attention and the block. */

struct AttentionTrial {
    struct Sequences sequences;
    int d_model;
    struct AttentionConfig config;
    struct Argument qkv;
    struct Result out;
};

static double attention_value(const void *context)
{
    const struct AttentionTrial *t = context;
    ref_attention(t->out.exact, t->qkv.exact, t->sequences, t->d_model, &t->config);
    return weigh(&t->out);
}

static int longest(struct Sequences sequences)
{
    int most = 0;
    for (int s = 0; s < sequences.count; s++) {
        int length = sequences.start[s + 1] - sequences.start[s];
        most = length > most ? length : most;
    }
    return most;
}

/* The eight ways to attend: mask or none, either axis, the usual scale or one. */
static struct AttentionConfig way(int i, int n_heads, int d_head)
{
    return (struct AttentionConfig){.n_heads = n_heads,
                                    .scale = i & 4 ? 1.0f : 1.0f / sqrtf((float)d_head),
                                    .causal = i & 1,
                                    .axis = i & 2 ? OVER_QUERIES : OVER_KEYS};
}

static void try_way(const struct AttentionConfig *config, int d_head)
{
    TRY("heads %d, d_head %d, causal %d, axis %d, scale %g", config->n_heads, d_head,
        config->causal, (int)config->axis, (double)config->scale);
}

static void check_attention(struct Sequences sequences, int d_head, struct AttentionConfig config)
{
    try_way(&config, d_head);
    int heads = config.n_heads, d_model = heads * d_head, count = sequences.count;
    size_t rows = (size_t)(sequences.start[count] - sequences.start[0]), D = (size_t)d_model;
    struct AttentionTrial t = {.sequences = sequences, .d_model = d_model, .config = config};
    t.qkv = argument("d_qkv", rows * 3 * D);
    t.out = result(rows * D);
    const struct Function f = {attention_value, &t};
    float *weights = floats(attention_weights_size(sequences, heads));
    float *scratch = floats(attention_scratch_size(longest(sequences), d_head));
    attention_forward(t.out.y, weights, scratch, t.qkv.x, sequences, d_model, &config);
    attention_value(&t);
    compare_values("out", t.out.y, t.out.exact, t.out.count);
    attention_backward(t.qkv.d, scratch, t.out.d_y, t.qkv.x, weights, sequences, d_model, &config);
    check_argument(&t.qkv, &f);
    free_all();
}

START_TEST(attention_gradient_is_the_slope)
{
    static const int32_t three[] = {4, 9, 10, 13}, one[] = {0, 17}, two[] = {0, 7, 20};
    check_attention((struct Sequences){.start = three, .count = 3}, 5, way(_i, 2, 5));
    check_attention((struct Sequences){.start = three, .count = 3}, 1, way(_i, 3, 1));
    check_attention((struct Sequences){.start = one, .count = 1}, 12, way(_i, 1, 12));
    check_attention((struct Sequences){.start = two, .count = 2}, 4, way(_i, 3, 4));
    check_attention((struct Sequences){.start = three, .count = 3}, 33, way(_i, 1, 33));
}
END_TEST

struct BlockTrial {
    struct Sequences sequences;
    int rows, d_model;
    struct AttentionConfig config;
    struct Argument x, w;
    struct Result y;
};

static double block_value(const void *context)
{
    const struct BlockTrial *t = context;
    const double *end = ref_block(t->y.exact, t->x.exact, t->w.exact, t->sequences, t->rows,
                                  t->d_model, &t->config);
    ck_assert_uint_eq((size_t)(end - t->w.exact), t->w.count);
    return weigh(&t->y);
}

static struct BlockSaved new_saved(struct Sequences sequences, size_t rows, size_t d, int heads)
{
    return (struct BlockSaved){.mean1 = floats(rows),
                               .rstd1 = floats(rows),
                               .normed1 = floats(rows * d),
                               .qkv = floats(rows * 3 * d),
                               .weights = floats(attention_weights_size(sequences, heads)),
                               .heads = floats(rows * d),
                               .middle = floats(rows * d),
                               .mean2 = floats(rows),
                               .rstd2 = floats(rows),
                               .normed2 = floats(rows * d),
                               .slope = floats(rows * 4 * d),
                               .gelu = floats(rows * 4 * d)};
}

static struct BlockScratch new_scratch(struct Sequences sequences, size_t rows, size_t d,
                                       int d_head)
{
    size_t attention = attention_scratch_size(longest(sequences), d_head);
    return (struct BlockScratch){.attention = floats(attention),
                                 .linear = floats(linear_scratch_size((int)rows)),
                                 .d_middle = floats(rows * d),
                                 .d_normed = floats(rows * d),
                                 .d_heads = floats(rows * d),
                                 .d_qkv = floats(rows * 3 * d),
                                 .d_gelu = floats(rows * 4 * d),
                                 .d_up = floats(rows * 4 * d)};
}

/* Each tensor of the list by itself, so that each has its own scale. */
static void check_tensors(const struct ParamList *list, const float *d, const float *before,
                          double *w, size_t most, const struct Function *f)
{
    for (const struct Param *p = list->items; p < list->items + list->count; p++) {
        check_gradient(p->name, d + p->offset, before != NULL ? before + p->offset : NULL,
                       w + p->offset, p->size, most, f);
    }
}

/* Halved, so that the scores do not leave one weight of one and zeros. */
static void soften(struct Argument *a)
{
    for (size_t i = 0; i < a->count; i++) {
        a->x[i] *= 0.5f;
        a->exact[i] = (double)a->x[i];
    }
}

static void check_block(struct Sequences sequences, int d_head, struct AttentionConfig config)
{
    try_way(&config, d_head);
    int heads = config.n_heads, d = heads * d_head;
    int rows = sequences.start[sequences.count] - sequences.start[0];
    size_t R = (size_t)rows, D = (size_t)d;
    struct ParamList list = {0};
    block_params(&(struct ParamWalk){.list = &list}, "", d);
    struct BlockTrial t = {.sequences = sequences, .rows = rows, .d_model = d, .config = config};
    t.x = argument("d_x", R * D);
    t.w = argument("d_w", list.size);
    soften(&t.w);
    t.y = result(R * D);
    const struct Function f = {block_value, &t};
    float *packed = floats(list.packed_size);
    struct BlockTensors w =
        block_params(&(struct ParamWalk){.base = t.w.x, .packed = packed}, "", d);
    struct BlockTensors d_w = block_params(&(struct ParamWalk){.base = t.w.d}, "", d);
    for (int i = 0; i < list.count; i++) {
        param_pack(&list.items[i], packed, t.w.x);
    }
    struct BlockSaved saved = new_saved(sequences, R, D, heads);
    struct BlockScratch scratch = new_scratch(sequences, R, D, d_head);
    block_forward(t.y.y, &saved, &scratch, t.x.x, &w, sequences, rows, d, &config);
    block_value(&t);
    compare_values("y", t.y.y, t.y.exact, t.y.count);
    block_backward(t.x.d, &d_w, &scratch, t.y.d_y, t.x.x, &saved, &w, sequences, rows, d, &config);
    check_argument(&t.x, &f);
    check_tensors(&list, t.w.d, t.w.d_start, t.w.exact, 200, &f);
    params_free(&list);
    free_all();
}

START_TEST(block_gradient_is_the_slope)
{
    static const int32_t three[] = {4, 9, 10, 13}, one[] = {0, 6};
    check_block((struct Sequences){.start = three, .count = 3}, 3, way(_i, 2, 3));
    check_block((struct Sequences){.start = one, .count = 1}, 5, way(_i, 1, 5));
}
END_TEST

/* The model. */

static const struct ModelTrial {
    const char *name;
    int vocab, context, d_model, n_heads, n_layers, way, lengths[8];
} model_trials[] = {{"as the reference", 12, 9, 16, 2, 2, 1, {5, 9, 3}},
                    {"one head", 7, 6, 10, 1, 2, 1, {6, 2, 1, 4}},
                    {"three layers", 5, 7, 8, 2, 3, 1, {7, 5}},
                    {"width 36, three heads", 12, 8, 36, 3, 1, 1, {8, 3, 4}},
                    {"no mask", 12, 9, 12, 2, 2, 0, {9, 4, 2}},
                    {"softmax over queries", 12, 9, 12, 2, 2, 3, {9, 4, 2}},
                    {"softmax over queries, no mask", 12, 9, 12, 3, 2, 2, {4, 9}},
                    {"scale one", 12, 9, 12, 2, 2, 5, {9, 4, 2}},
                    {"batch of one", 12, 17, 12, 3, 2, 1, {17}},
                    {"one token", 2, 3, 4, 4, 1, 1, {1}}};

enum { MODEL_TRIALS = sizeof model_trials / sizeof *model_trials, MOST_ROWS = 64 };

/* Lopsided lengths; token vocab-1 and the last position of short batches never occur; two rows in
   three have a target, the first of the batch always. */
static void fill_batch(struct Batch *batch, const struct ModelTrial *m)
{
    batch_clear(batch);
    for (int s = 0; m->lengths[s] > 0; s++) {
        int32_t tokens[MOST_ROWS], targets[MOST_ROWS];
        for (int t = 0; t < m->lengths[s]; t++) {
            bool ignore = (s > 0 || t > 0) && rng_below(&rng, 3) == 0;
            tokens[t] = rng_below(&rng, m->vocab - 1);
            targets[t] = ignore ? IGNORE : rng_below(&rng, m->vocab);
        }
        batch_add(batch, tokens, targets, m->lengths[s]);
    }
}

struct WholeModel {
    const struct Model *model;
    const struct Batch *batch;
    double *weights, *logits;
};

static double model_value(const void *context)
{
    const struct WholeModel *w = context;
    return ref_model(w->logits, w->weights, w->batch, &w->model->config);
}

/* Fresh weights with their norms and biases stirred. */
static struct Model *stirred_model(const struct ModelTrial *m)
{
    struct ModelConfig config =
        model_config(m->vocab, m->context, m->d_model, m->n_heads, m->n_layers);
    config.attention = way(m->way, m->n_heads, m->d_model / m->n_heads);
    struct Model *model = model_new(config, 8);
    model_init(model, seed);
    float *noise = random_floats(model->params.size);
    for (size_t i = 0; i < model->params.size; i++) {
        model->weights[i] += 0.2f * noise[i];
    }
    model_pack(model);
    return model;
}

/* A token or a position that the batch does not hold has no gradient at all. */
static void check_unused_rows(const struct Model *model, const struct Batch *batch)
{
    int d = model->config.d_model, last = 0;
    for (int r = 0; r < batch->rows; r++) {
        last = batch->positions[r] > last ? batch->positions[r] : last;
    }
    const float *token = model->gradient + (model->config.vocab - 1) * d;
    const float *positions = model->gradient + model->config.vocab * d;
    for (int i = 0; i < d; i++) {
        ck_assert_msg(token[i] == 0.0f, "unused token, %d: got %g; %s", i, (double)token[i], trial);
    }
    for (int i = (last + 1) * d; i < model->config.context * d; i++) {
        ck_assert_msg(positions[i] == 0.0f, "unused position, %d: got %g; %s", i,
                      (double)positions[i], trial);
    }
}

START_TEST(model_gradient_is_the_slope)
{
    const struct ModelTrial *m = &model_trials[_i];
    TRY("%s", m->name);
    struct Batch batch;
    batch_new(&batch, 8, m->context);
    fill_batch(&batch, m);
    struct Model *model = stirred_model(m);
    size_t vocab = (size_t)m->vocab;
    struct WholeModel w = {.model = model,
                           .batch = &batch,
                           .weights = doubles_of(model->weights, model->params.size),
                           .logits = doubles((size_t)batch.rows * vocab)};
    const struct Function f = {model_value, &w};

    double loss = model_gradient(model, &batch);
    model_sum_gradients(model);
    compare("loss", 0, loss, model_value(&w), 1.0);
    model_forward(model, &batch);
    for (int r = 0; r < batch.rows; r++) {
        compare_values("logits", model_logits(model, r), w.logits + (size_t)r * vocab, vocab);
    }
    check_tensors(&model->params, model->gradient, NULL, w.weights, 24, &f);
    check_unused_rows(model, &batch);
    model_free(model);
    batch_free(&batch);
    free_all();
}
END_TEST

/* Each shard's gradient is overwritten, so what stood there before does not count. */
START_TEST(model_gradient_does_not_depend_on_the_batch_before)
{
    const struct ModelTrial *m = &model_trials[0];
    TRY("%s", m->name);
    struct Batch batch, other;
    batch_new(&batch, 8, m->context);
    batch_new(&other, 8, m->context);
    fill_batch(&batch, m);
    fill_batch(&other, &(struct ModelTrial){.vocab = 12, .lengths = {9, 9, 8, 7, 1, 9, 4}});
    struct Model *model = stirred_model(m);
    double loss = model_gradient(model, &batch);
    model_sum_gradients(model);
    float *gradient = copy_of(model->gradient, model->params.size);
    model_gradient(model, &other);
    model_sum_gradients(model);
    ck_assert_mem_ne(model->gradient, gradient, model->params.size * sizeof(float));
    double again = model_gradient(model, &batch);
    model_sum_gradients(model);
    ck_assert_msg(again == loss, "loss: first %.17g, then %.17g", loss, again);
    ck_assert_mem_eq(model->gradient, gradient, model->params.size * sizeof(float));
    model_free(model);
    batch_free(&batch);
    batch_free(&other);
    free_all();
}
END_TEST

Suite *gradients_suite(void)
{
    Suite *suite = suite_create("gradients");
    TCase *layers = tcase_create("layers");
    tcase_add_checked_fixture(layers, seed_trials, NULL);
    tcase_set_timeout(layers, 60);
    tcase_add_test(layers, comparing_refuses_nan_and_what_is_off);
    tcase_add_test(layers, linear_gradient_is_the_slope);
    tcase_add_test(layers, softmax_gradient_is_the_slope);
    tcase_add_test(layers, layernorm_gradient_is_the_slope);
    tcase_add_test(layers, gelu_gradient_is_the_slope);
    tcase_add_test(layers, cross_entropy_gradient_is_the_slope);
    tcase_add_loop_test(layers, attention_gradient_is_the_slope, 0, 8);
    tcase_add_loop_test(layers, block_gradient_is_the_slope, 0, 8);
    suite_add_tcase(suite, layers);

    TCase *models = tcase_create("models");
    tcase_add_checked_fixture(models, seed_trials, NULL);
    tcase_set_timeout(models, 60);
    tcase_add_loop_test(models, model_gradient_is_the_slope, 0, MODEL_TRIALS);
    tcase_add_test(models, model_gradient_does_not_depend_on_the_batch_before);
    suite_add_tcase(suite, models);
    return suite;
}
