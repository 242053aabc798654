/* Batches: rows or pads, one thread or eight, one sequence or many. Where no sum is cut otherwise
   the bits must be equal; where the cut into shards differs, 1e-6 of a tensor's largest entry. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


#include "common/base.h"
#include "common/loss.h"
#include "common/model.h"
#include "common/threads.h"
#include "common/rng.h"
#include "tests/core/suites.h"

static char trial[160];
static uint64_t seed;
static struct Rng rng;

#define TRY(...) snprintf(trial, sizeof trial, __VA_ARGS__)

static void seed_trials(void)
{
    const char *text = getenv("TEST_SEED");
    seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    rng = rng_stream(seed, "batch");
    TRY("first trial");
}

static void set_threads(int threads)
{
    threads_set(threads);
}

/* Padded examples. */

enum { VOCAB = 12, CONTEXT = 25, MOST = 64, SEPARATOR = 10, PAD = 11 };

struct Examples {
    int count, context;
    int32_t tokens[MOST * CONTEXT], targets[MOST * CONTEXT]; /* (count,context) */
};

/* A string, the separator, the string reversed; targets after the separator only; then pads. */
static void reversal_examples(struct Examples *e, int count, int least, int most)
{
    e->count = count;
    e->context = CONTEXT;
    for (int s = 0; s < count; s++) {
        int n = least + rng_below(&rng, most - least + 1), whole[CONTEXT + 1];
        for (int t = 0; t < CONTEXT + 1; t++) {
            whole[t] = PAD;
        }
        for (int t = 0; t < n; t++) {
            whole[t] = whole[2 * n - t] = rng_below(&rng, SEPARATOR);
        }
        whole[n] = SEPARATOR;
        for (int t = 0; t < CONTEXT; t++) {
            e->tokens[s * CONTEXT + t] = whole[t];
            e->targets[s * CONTEXT + t] = t >= n && t < 2 * n ? whole[t + 1] : IGNORE;
        }
    }
}

/* Any tokens, any targets, ignored ones between them too; one sequence in five has none. */
static void random_examples(struct Examples *e, int count, int context)
{
    e->count = count;
    e->context = context;
    for (int s = 0; s < count; s++) {
        int end = rng_below(&rng, 5) == 0 ? 0 : 1 + rng_below(&rng, context);
        for (int t = 0; t < context; t++) {
            bool target = t < end && rng_below(&rng, 3) > 0;
            e->tokens[s * context + t] = rng_below(&rng, VOCAB);
            e->targets[s * context + t] = target ? rng_below(&rng, VOCAB) : IGNORE;
        }
    }
    e->targets[0] = 1; /* at least one target in the batch */
}

static struct Batch batch_of(const struct Examples *e, bool trim)
{
    struct Batch batch;
    batch_new(&batch, e->count, e->context);
    batch_from_padded(&batch, e->tokens, e->targets, e->count, e->context, trim);
    return batch;
}

static struct Model *new_model(struct ModelConfig config, int max_count)
{
    struct Model *model = model_new(config, max_count);
    model_init(model, seed);
    return model;
}

static struct ModelConfig small_config(int context)
{
    return model_config(VOCAB, context, 24, 3, 2);
}

/* What batch_add makes of sequences. */

START_TEST(batch_holds_rows_with_starts_and_positions)
{
    const int32_t tokens[] = {5, 6, 7}, targets[] = {IGNORE, 2, 3};
    const int32_t want_tokens[] = {5, 6, 7, 5, 5, 6};
    const int32_t want_targets[] = {IGNORE, 2, 3, IGNORE, IGNORE, 2};
    const int32_t want_positions[] = {0, 1, 2, 0, 0, 1}, want_start[] = {0, 3, 4, 4, 6};
    struct Batch batch;
    batch_new(&batch, 4, 3);
    for (int again = 0; again < 2; again++) {
        batch_clear(&batch);
        ck_assert_int_eq(batch.count + batch.rows + batch.n_targets, 0);
        batch_add(&batch, tokens, targets, 3);
        batch_add(&batch, tokens, NULL, 1);
        batch_add(&batch, tokens, targets, 0);
        batch_add(&batch, tokens, targets, 2);
        ck_assert_int_eq(batch.count, 4);
        ck_assert_int_eq(batch.rows, 6);
        ck_assert_int_eq(batch.n_targets, 3);
        ck_assert_mem_eq(batch.start, want_start, sizeof want_start);
        ck_assert_mem_eq(batch.tokens, want_tokens, sizeof want_tokens);
        ck_assert_mem_eq(batch.targets, want_targets, sizeof want_targets);
        ck_assert_mem_eq(batch.positions, want_positions, sizeof want_positions);
    }
    batch_free(&batch);
}
END_TEST

START_TEST(trimming_ends_each_sequence_with_its_last_target)
{
    const int32_t tokens[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const int32_t targets[] = {IGNORE, 2, IGNORE, IGNORE, IGNORE, IGNORE, 7, IGNORE, 9};
    const int32_t trimmed[] = {0, 2, 2, 5}, padded[] = {0, 3, 6, 9};
    const int32_t want_tokens[] = {1, 2, 7, 8, 9}, want_targets[] = {IGNORE, 2, 7, IGNORE, 9};
    struct Batch batch;
    batch_new(&batch, 3, 3);
    batch_from_padded(&batch, tokens, targets, 3, 3, false);
    ck_assert_mem_eq(batch.start, padded, sizeof padded);
    ck_assert_mem_eq(batch.tokens, tokens, sizeof tokens);
    ck_assert_mem_eq(batch.targets, targets, sizeof targets);
    batch_from_padded(&batch, tokens, targets, 3, 3, true);
    ck_assert_mem_eq(batch.start, trimmed, sizeof trimmed);
    ck_assert_mem_eq(batch.tokens, want_tokens, sizeof want_tokens);
    ck_assert_mem_eq(batch.targets, want_targets, sizeof want_targets);
    ck_assert_int_eq(batch.n_targets, 3);
    batch_free(&batch);
}
END_TEST

static void overfill(int count, int length)
{
    const int32_t tokens[16] = {0};
    static struct Batch batch; /* still reachable when the program dies */
    batch_new(&batch, 2, 4);
    for (int s = 0; s < count; s++) {
        batch_add(&batch, tokens, NULL, length);
    }
}

START_TEST(batch_with_a_sequence_too_many_dies)
{
    overfill(3, 1);
}
END_TEST

START_TEST(batch_with_a_row_too_many_dies)
{
    overfill(1, 9);
}
END_TEST

/* Rows, not pads. */

struct Outcome {
    double loss;
    float *gradient;
};

static struct Outcome outcome_of(struct Model *model, const struct Batch *batch)
{
    size_t size = model->params.size;
    struct Outcome o = {model_gradient(model, batch), array_new(size)};
    model_sum_gradients(model);
    memcpy(o.gradient, model->gradient, size * sizeof *o.gradient);
    return o;
}

/* The largest |got - wanted| of each tensor over its largest entry; the worst of these. */
static double worst_difference(const struct Model *model, const float *got, const float *wanted,
                               const char **where)
{
    double worst = 0.0;
    for (int i = 0; i < model->params.count; i++) {
        const struct Param *p = &model->params.items[i];
        double largest = 0.0, difference = 0.0;
        for (size_t j = p->offset; j < p->offset + p->size; j++) {
            if (!isfinite(got[j]) || !isfinite(wanted[j])) {
                ck_abort_msg("%s[%zu]: got %g, wanted %g; %s", p->name, j - p->offset,
                             (double)got[j], (double)wanted[j], trial);
            }
            difference = fmax(difference, fabs((double)got[j] - (double)wanted[j]));
            largest = fmax(largest, fabs((double)wanted[j]));
        }
        ck_assert_msg(largest > 0.0, "%s: no gradient at all; %s", p->name, trial);
        if (difference > worst * largest) {
            worst = difference / largest;
            *where = p->name;
        }
    }
    return worst;
}

static void compare_trimmed(struct ModelConfig config, const struct Examples *e)
{
    struct Model *model = new_model(config, e->count);
    struct Batch rows = batch_of(e, true), pads = batch_of(e, false);
    ck_assert_int_eq(rows.n_targets, pads.n_targets);
    ck_assert_int_le(rows.rows, pads.rows);
    struct Outcome got = outcome_of(model, &rows), wanted = outcome_of(model, &pads);
    ck_assert_msg(fabs(got.loss - wanted.loss) <= 1e-6 * wanted.loss,
                  "loss: %.9g trimmed, %.9g padded; %s, TEST_SEED=%llu", got.loss, wanted.loss,
                  trial, (unsigned long long)seed);
    const char *where = "";
    double worst = worst_difference(model, got.gradient, wanted.gradient, &where);
    ck_assert_msg(worst <= 1e-6, "%s: trimmed and padded differ by %.3g; %s, TEST_SEED=%llu", where,
                  worst, trial, (unsigned long long)seed);
    free(got.gradient);
    free(wanted.gradient);
    batch_free(&rows);
    batch_free(&pads);
    model_free(model);
}

START_TEST(trimmed_rows_give_the_loss_and_gradients_of_padded_ones)
{
    static const struct {
        const char *name;
        int d_model, n_heads, n_layers, count, least, most;
    } trials[] = {{"reference", 64, 2, 2, 24, 1, 12},      {"one sequence", 24, 3, 2, 1, 4, 4},
                  {"three sequences", 24, 3, 2, 3, 1, 12}, {"one token each", 24, 1, 3, 20, 1, 1},
                  {"width 36", 36, 3, 2, 17, 2, 12},       {"one layer", 16, 4, 1, 9, 5, 9}};
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        static struct Examples e;
        TRY("%s", trials[i].name);
        reversal_examples(&e, trials[i].count, trials[i].least, trials[i].most);
        compare_trimmed(
            model_config(VOCAB, CONTEXT, trials[i].d_model, trials[i].n_heads, trials[i].n_layers),
            &e);
    }
}
END_TEST

START_TEST(trimmed_rows_of_random_examples_as_well)
{
    for (int i = 0; i < 20; i++) {
        static struct Examples e;
        int context = 2 + rng_below(&rng, CONTEXT - 1), count = 2 + rng_below(&rng, 30);
        TRY("trial %d, context %d, count %d", i, context, count);
        random_examples(&e, count, context);
        compare_trimmed(small_config(context), &e);
    }
}
END_TEST

/* The trap that trimming must not fall into: these two look at what follows. */
START_TEST(trimming_changes_what_looks_ahead)
{
    static struct Examples e;
    reversal_examples(&e, 16, 1, 11);
    struct Batch rows = batch_of(&e, true), pads = batch_of(&e, false);
    for (int fault = 0; fault < 2; fault++) {
        struct ModelConfig config = small_config(CONTEXT);
        TRY("%s", fault == 0 ? "no mask" : "softmax over queries");
        if (fault == 0) {
            config.attention.causal = false;
        } else {
            config.attention.axis = OVER_QUERIES;
        }
        struct Model *model = new_model(config, e.count);
        struct Outcome trimmed = outcome_of(model, &rows), padded = outcome_of(model, &pads);
        const char *where = "";
        double worst = worst_difference(model, trimmed.gradient, padded.gradient, &where);
        ck_assert_msg(fabs(trimmed.loss - padded.loss) > 1e-5, "loss: %.9g both trimmed and padded",
                      padded.loss);
        ck_assert_msg(worst > 0.05, "%s: gradients differ by no more than %.3g", trial, worst);
        free(trimmed.gradient);
        free(padded.gradient);
        model_free(model);
    }
    batch_free(&rows);
    batch_free(&pads);
}
END_TEST

/* Threads. */

/* The weights after five steps, with this many threads. */
static float *train_with(int threads, struct ModelConfig config, int count, bool trim)
{
    static struct Examples e;
    struct Model *model = new_model(config, count);
    struct AdamW adamw;
    adamw_new(&adamw, model->params.size, 3e-3, 0.01);
    rng = rng_stream(seed, "threads");
    set_threads(threads);
    for (int step = 0; step < 5; step++) {
        reversal_examples(&e, count, 1, 12);
        struct Batch batch = batch_of(&e, trim);
        double loss = model_gradient(model, &batch);
        ck_assert_msg(isfinite(loss), "step %d: loss %g", step, loss);
        model_update(model, &adamw);
        batch_free(&batch);
    }
    float *weights = array_new(model->params.size);
    memcpy(weights, model->weights, model->params.size * sizeof *weights);
    adamw_free(&adamw);
    model_free(model);
    return weights;
}

START_TEST(any_number_of_threads_gives_the_same_weights)
{
    static const int counts[] = {24, 5, 13}, threads[] = {2, 3, 8};
    struct ModelConfig configs[] = {model_config(VOCAB, CONTEXT, 64, 2, 2),
                                    model_config(VOCAB, CONTEXT, 36, 3, 1), small_config(CONTEXT)};
    configs[2].attention.axis = OVER_QUERIES;
    struct Model *shape = new_model(configs[_i], 1);
    size_t size = shape->params.size;
    bool trim = configs[_i].attention.axis == OVER_KEYS;
    float *wanted = train_with(1, configs[_i], counts[_i], trim);
    ck_assert_mem_ne(wanted, shape->weights, size * sizeof *wanted); /* it did train */
    for (int t = 0; t < 3; t++) {
        float *got = train_with(threads[t], configs[_i], counts[_i], trim);
        for (size_t i = 0; i < size; i++) {
            if (memcmp(&got[i], &wanted[i], sizeof *got) != 0) {
                ck_abort_msg("weights[%zu] with %d threads: got %.9g, wanted %.9g", i, threads[t],
                             (double)got[i], (double)wanted[i]);
            }
        }
        free(got);
    }
    free(wanted);
    model_free(shape);
}
END_TEST

/* One sequence or many. */

/* Sequence s of batch in a batch of its own. */
static struct Batch alone(const struct Batch *batch, int s)
{
    struct Batch one;
    int first = batch->start[s], length = batch->start[s + 1] - first;
    batch_new(&one, 1, length);
    batch_add(&one, batch->tokens + first, batch->targets + first, length);
    return one;
}

/* A row's logits follow in order from its own sequence, whatever else is in the batch. */
static void compare_logits(const struct Model *model, const struct Batch *batch, int s,
                           const struct Model *single)
{
    int first = batch->start[s], length = batch->start[s + 1] - first;
    for (int t = 0; t < length; t++) {
        const float *got = model_logits(model, first + t), *wanted = model_logits(single, t);
        for (int i = 0; i < VOCAB; i++) {
            if (memcmp(&got[i], &wanted[i], sizeof *got) != 0) {
                ck_abort_msg("logits[row %d][%d]: got %.9g, alone %.9g; %s, TEST_SEED=%llu",
                             first + t, i, (double)got[i], (double)wanted[i], trial,
                             (unsigned long long)seed);
            }
        }
    }
}

static void compare_attention(const struct Model *model, const struct Batch *batch, int s,
                              const struct Model *single)
{
    int length = batch->start[s + 1] - batch->start[s], heads = model->config.attention.n_heads;
    int entries = model->config.n_layers * heads * length * length;
    for (int i = 0; i < entries; i++) {
        int key = i % length, query = i / length % length;
        int head = i / (length * length) % heads, layer = i / (length * length * heads);
        float got = model_attention(model, layer, head, s, query, key);
        float wanted = model_attention(single, layer, head, 0, query, key);
        if (memcmp(&got, &wanted, sizeof got) != 0) {
            ck_abort_msg("weights[layer %d, head %d, sequence %d, query %d, key %d]: got %.9g, "
                         "alone %.9g; %s, TEST_SEED=%llu",
                         layer, head, s, query, key, (double)got, (double)wanted, trial,
                         (unsigned long long)seed);
        }
    }
}

/* The batch against its sequences one by one: logits and attention to the bit, so each row went
   through once and with its own neighbours; loss and gradient as the mean over the targets. */
static void check_against_alone(struct ModelConfig config, const struct Batch *batch, int max_count)
{
    struct Model *model = new_model(config, max_count), *single = new_model(config, 1);
    size_t size = model->params.size;
    struct Outcome got = outcome_of(model, batch);
    model_forward(model, batch);
    double loss = 0.0, *sum = zeros_new(size, sizeof *sum);
    for (int s = 0; s < batch->count; s++) {
        struct Batch one = alone(batch, s);
        double part = (double)one.n_targets / batch->n_targets;
        double loss_alone = model_forward(single, &one);
        compare_logits(model, batch, s, single);
        compare_attention(model, batch, s, single);
        if (one.n_targets > 0) {
            struct Outcome o = outcome_of(single, &one);
            ck_assert_msg(o.loss == loss_alone, "loss: %.17g with gradient, %.17g without", o.loss,
                          loss_alone);
            loss += part * o.loss;
            for (size_t i = 0; i < size; i++) {
                sum[i] += part * (double)o.gradient[i];
            }
            free(o.gradient);
        } else {
            ck_assert_msg(isnan(loss_alone), "no target: loss %g, wanted NaN", loss_alone);
        }
        batch_free(&one);
    }
    float *wanted = array_new(size);
    for (size_t i = 0; i < size; i++) {
        wanted[i] = (float)sum[i];
    }
    const char *where = "";
    double worst = worst_difference(model, got.gradient, wanted, &where);
    ck_assert_msg(fabs(got.loss - loss) <= 1e-9, "loss: got %.12g, alone %.12g; %s", got.loss, loss,
                  trial);
    ck_assert_msg(worst <= 2e-6, "%s: off by %.3g from the sequences alone; %s, TEST_SEED=%llu",
                  where, worst, trial, (unsigned long long)seed);
    free(got.gradient);
    free(wanted);
    free(sum);
    model_free(model);
    model_free(single);
}

/* A batch of these lengths, -1 ends them; tokens at random, two rows in three with a target. */
static struct Batch batch_of_lengths(const int *lengths, int max_count, int context)
{
    struct Batch batch;
    batch_new(&batch, max_count, context);
    for (int s = 0; lengths[s] >= 0; s++) {
        int32_t tokens[CONTEXT], targets[CONTEXT];
        for (int t = 0; t < lengths[s]; t++) {
            tokens[t] = rng_below(&rng, VOCAB);
            targets[t] = rng_below(&rng, 3) > 0 ? rng_below(&rng, VOCAB) : IGNORE;
        }
        if (lengths[s] > 0 && batch.n_targets == 0) {
            targets[lengths[s] - 1] = 3;
        }
        batch_add(&batch, tokens, targets, lengths[s]);
    }
    return batch;
}

static const struct {
    const char *name;
    int lengths[20];
} cuts[] = {{"one sequence", {25, -1}},
            {"one row", {1, -1}},
            {"fewer sequences than shards", {7, 25, 2, -1}},
            {"lengths of one", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1}},
            {"as many as shards", {3, 3, 3, 3, 3, 3, 3, 3, -1}},
            {"empty ones within", {0, 4, 0, 0, 9, 1, 0, 2, -1}},
            {"empty ones at the end", {5, 3, 0, 0, -1}},
            {"a long one first", {25, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1}},
            {"a long one last", {1, 1, 1, 1, 1, 1, 1, 1, 1, 25, -1}},
            {"all long", {25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, -1}},
            {"a share and one sequence over it", {24, 25, 25, 25, 25, 25, 25, 25, 1, -1}}};

enum { CUTS = sizeof cuts / sizeof *cuts };

/* The model has no more room than the batch needs. */
START_TEST(each_sequence_is_computed_once_and_as_if_alone)
{
    struct ModelConfig config = small_config(CONTEXT);
    config.attention.causal = _i & 1;
    config.attention.axis = _i & 2 ? OVER_QUERIES : OVER_KEYS;
    for (int i = 0; i < CUTS; i++) {
        TRY("%s, causal %d, axis %d", cuts[i].name, config.attention.causal,
            (int)config.attention.axis);
        int count = 0;
        while (cuts[i].lengths[count] >= 0) {
            count++;
        }
        struct Batch batch = batch_of_lengths(cuts[i].lengths, count, CONTEXT);
        check_against_alone(config, &batch, count);
        batch_free(&batch);
    }
}
END_TEST

START_TEST(random_batches_as_well)
{
    for (int i = 0; i < 20; i++) {
        int lengths[20], count = 1 + rng_below(&rng, 19), spread = 1 + rng_below(&rng, CONTEXT);
        for (int s = 0; s < count; s++) {
            lengths[s] = rng_below(&rng, spread + 1);
        }
        lengths[rng_below(&rng, count)] = spread;
        lengths[count] = -1;
        TRY("trial %d, %d sequences up to %d long", i, count, spread);
        struct Batch batch = batch_of_lengths(lengths, count, spread);
        check_against_alone(small_config(spread), &batch, count);
        batch_free(&batch);
    }
}
END_TEST

START_TEST(sequence_without_a_target_has_no_rows_and_changes_nothing)
{
    static struct Examples e, others;
    reversal_examples(&e, 12, 2, 12);
    for (int s = 0; s < 12; s += 4) { /* the first is among them */
        for (int t = 0; t < CONTEXT; t++) {
            e.targets[s * CONTEXT + t] = IGNORE;
        }
    }
    others.context = CONTEXT;
    for (int s = 0; s < 12; s++) {
        if (s % 4 != 0) {
            size_t row = sizeof(int32_t) * CONTEXT;
            memcpy(others.tokens + others.count * CONTEXT, e.tokens + s * CONTEXT, row);
            memcpy(others.targets + others.count * CONTEXT, e.targets + s * CONTEXT, row);
            others.count++;
        }
    }
    struct Batch batch = batch_of(&e, true), without = batch_of(&others, true);
    ck_assert_int_eq(batch.count, 12);
    ck_assert_int_eq(batch.rows, without.rows);
    for (int s = 0; s < 12; s += 4) {
        ck_assert_int_eq(batch.start[s + 1], batch.start[s]);
    }
    struct Model *model = new_model(small_config(CONTEXT), 12);
    struct Outcome got = outcome_of(model, &batch), wanted = outcome_of(model, &without);
    ck_assert_msg(got.loss == wanted.loss, "loss: got %.17g, wanted %.17g", got.loss, wanted.loss);
    ck_assert_mem_eq(got.gradient, wanted.gradient, model->params.size * sizeof(float));
    free(got.gradient);
    free(wanted.gradient);
    batch_free(&batch);
    batch_free(&without);
    model_free(model);
}
END_TEST

START_TEST(batch_without_any_target_has_no_loss)
{
    const int32_t tokens[] = {1, 2, 3};
    struct Model *model = new_model(small_config(CONTEXT), 2);
    struct Batch batch;
    batch_new(&batch, 2, CONTEXT);
    batch_add(&batch, tokens, NULL, 3);
    double loss = model_forward(model, &batch);
    ck_assert_msg(isnan(loss), "no target: loss %g, wanted NaN", loss);
    for (int i = 0; i < 3 * VOCAB; i++) {
        float logit = model_logits(model, i / VOCAB)[i % VOCAB];
        ck_assert_msg(isfinite(logit), "logits[%d]: got %g", i, (double)logit);
    }
    batch_clear(&batch);
    loss = model_forward(model, &batch);
    ck_assert_msg(isnan(loss), "no row: loss %g, wanted NaN", loss);
    batch_free(&batch);
    model_free(model);
}
END_TEST

/* After an update the kernels read the new weights, and those are AdamW's own. */
START_TEST(update_moves_every_tensor_and_packs_it)
{
    static struct Examples e;
    reversal_examples(&e, 9, 2, 12);
    struct Batch batch = batch_of(&e, true);
    struct Model *model = new_model(small_config(CONTEXT), 9);
    struct Model *other = new_model(small_config(CONTEXT), 9);
    size_t size = model->params.size;
    struct AdamW adamw, by_hand;
    adamw_new(&adamw, size, 1e-2, 0.01);
    adamw_new(&by_hand, size, 1e-2, 0.01);
    for (int step = 0; step < 3; step++) {
        double got = model_gradient(model, &batch), wanted = model_gradient(other, &batch);
        ck_assert_msg(got == wanted, "step %d, loss: got %.17g, wanted %.17g", step, got, wanted);
        model_update(model, &adamw);
        model_sum_gradients(other);
        adamw_begin_step(&by_hand);
        adamw_update(&by_hand, other->weights, other->gradient, 0, size);
        model_pack(other);
        ck_assert_mem_eq(model->gradient, other->gradient, size * sizeof(float));
        for (size_t i = 0; i < size; i++) {
            if (memcmp(&model->weights[i], &other->weights[i], sizeof(float)) != 0) {
                ck_abort_msg("step %d, weights[%zu]: got %.9g, wanted %.9g", step, i,
                             (double)model->weights[i], (double)other->weights[i]);
            }
        }
    }
    model_init(other, seed);
    for (int i = 0; i < model->params.count; i++) {
        const struct Param *p = &model->params.items[i];
        bool moved = memcmp(model->weights + p->offset, other->weights + p->offset,
                            p->size * sizeof(float)) != 0;
        ck_assert_msg(moved, "%s did not move in three steps", p->name);
    }
    adamw_free(&adamw);
    adamw_free(&by_hand);
    batch_free(&batch);
    model_free(model);
    model_free(other);
}
END_TEST

Suite *batch_suite(void)
{
    Suite *suite = suite_create("batch");
    TCase *cases = tcase_create("batch");
    tcase_add_checked_fixture(cases, seed_trials, NULL);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, batch_holds_rows_with_starts_and_positions);
    tcase_add_test(cases, trimming_ends_each_sequence_with_its_last_target);
    tcase_add_exit_test(cases, batch_with_a_sequence_too_many_dies, 2);
    tcase_add_exit_test(cases, batch_with_a_row_too_many_dies, 2);
    tcase_add_test(cases, trimmed_rows_give_the_loss_and_gradients_of_padded_ones);
    tcase_add_test(cases, trimmed_rows_of_random_examples_as_well);
    tcase_add_test(cases, trimming_changes_what_looks_ahead);
    tcase_add_loop_test(cases, any_number_of_threads_gives_the_same_weights, 0, 3);
    tcase_add_test(cases, update_moves_every_tensor_and_packs_it);
    tcase_add_loop_test(cases, each_sequence_is_computed_once_and_as_if_alone, 0, 4);
    tcase_add_test(cases, random_batches_as_well);
    tcase_add_test(cases, sequence_without_a_target_has_no_rows_and_changes_nothing);
    tcase_add_test(cases, batch_without_any_target_has_no_loss);
    suite_add_tcase(suite, cases);
    return suite;
}
