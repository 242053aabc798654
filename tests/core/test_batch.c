/* Batches: rows or pads, one sequence or many, one thread or eight. Where no sum is cut otherwise
   the bits must be equal; where the cut into shards differs, 1e-6 of a tensor's largest entry. */
#include <string.h>

#include "common/base.h"
#include "common/loss.h"
#include "common/reversal.h"
#include "common/threads.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

enum { MOST = 32 };

/* Padded examples, and batches made of them. */
static int32_t tokens[MOST * CONTEXT], targets[MOST * CONTEXT];

static void reversal_examples(int count, int shortest, int longest)
{
    for (int s = 0; s < count; s++) {
        struct String string = string_draw(&rng, shortest, longest);
        reversal_example(tokens + s * CONTEXT, targets + s * CONTEXT, &string, false);
    }
}

/* Any tokens, any targets, ignored ones between them too; one sequence in five has none. */
static void random_examples(int count, int context)
{
    for (int i = 0, end = 0; i < count * context; i++) {
        if (i % context == 0) {
            end = rng_below(&rng, 5) == 0 ? 0 : 1 + rng_below(&rng, context);
        }
        bool target = i % context < end && rng_below(&rng, 3) > 0;
        tokens[i] = rng_below(&rng, VOCAB);
        targets[i] = target ? rng_below(&rng, VOCAB) : IGNORE;
    }
    targets[0] = 1; /* at least one in the batch */
}

static struct Batch batch_of(int count, int context, bool trim)
{
    struct Batch batch;
    batch_new(&batch, count, context);
    batch_from_padded(&batch, tokens, targets, count, context, trim);
    return batch;
}

static struct ModelConfig small(int context)
{
    return model_config(VOCAB, context, 24, 3, 2);
}

static struct Model *new_model(struct ModelConfig config, int max_count)
{
    struct Model *model = model_new(config, max_count);
    model_init(model, seed);
    return model;
}

/* What batch_add and batch_from_padded make of sequences. */

START_TEST(a_batch_holds_rows_with_starts_and_positions)
{
    const int32_t said[] = {5, 6, 7}, wanted[] = {IGNORE, 2, 3};
    const int32_t rows[] = {5, 6, 7, 5, 5, 6}, start[] = {0, 3, 4, 4, 6}, first[] = {1, 1, 0, 1};
    const int32_t row_targets[] = {IGNORE, 2, 3, IGNORE, IGNORE, 2};
    const int32_t positions[] = {0, 1, 2, 0, 0, 1};
    struct Batch batch;
    batch_new(&batch, 4, 3);
    for (int again = 0; again < 2; again++) {
        batch_clear(&batch);
        batch_add(&batch, said, wanted, 3);
        batch_add(&batch, said, NULL, 1);
        batch_add(&batch, said, wanted, 0);
        batch_add(&batch, said, wanted, 2);
        ck_assert_int_eq(batch.count, 4);
        ck_assert_int_eq(batch.rows, 6);
        ck_assert_int_eq(batch.n_targets, 3);
        ck_assert_mem_eq(batch.start, start, sizeof start);
        ck_assert_mem_eq(batch.first, first, sizeof first);
        ck_assert_mem_eq(batch.tokens, rows, sizeof rows);
        ck_assert_mem_eq(batch.targets, row_targets, sizeof row_targets);
        ck_assert_mem_eq(batch.positions, positions, sizeof positions);
    }
}
END_TEST

START_TEST(trimming_ends_each_sequence_with_its_last_target)
{
    const int32_t said[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const int32_t wanted[] = {IGNORE, 2, IGNORE, IGNORE, IGNORE, IGNORE, 7, IGNORE, 9};
    const int32_t start[] = {0, 2, 2, 5}, padded[] = {0, 3, 6, 9}, rows[] = {1, 2, 7, 8, 9};
    struct Batch batch;
    batch_new(&batch, 3, 3);
    batch_from_padded(&batch, said, wanted, 3, 3, false);
    ck_assert_mem_eq(batch.start, padded, sizeof padded);
    ck_assert_mem_eq(batch.tokens, said, sizeof said);
    ck_assert_mem_eq(batch.targets, wanted, sizeof wanted);
    batch_from_padded(&batch, said, wanted, 3, 3, true);
    ck_assert_mem_eq(batch.start, start, sizeof start);
    ck_assert_mem_eq(batch.tokens, rows, sizeof rows);
    ck_assert_int_eq(batch.n_targets, 3);
}
END_TEST

/* Add so many sequences of such a length to a batch of two of at most four tokens. */
static void overfill(const void *argument)
{
    const int *count_and_length = argument;
    struct Batch batch;
    batch_new(&batch, 2, 4);
    for (int s = 0; s < count_and_length[0]; s++) {
        batch_add(&batch, tokens, NULL, count_and_length[1]);
    }
}

START_TEST(what_a_batch_has_no_room_for_is_refused)
{
    assert_died(run(overfill, (int[]){3, 1}), "workbook: a batch of 2 sequences is full");
    assert_died(run(overfill, (int[]){1, 5}),
                "workbook: a sequence of 5 tokens is longer than the context of 4");
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

/* The largest |got - wanted| of a tensor over its largest entry; the worst of all tensors. */
static double difference(const struct Model *model, const float *got, const double *wanted)
{
    double worst = 0.0;
    for (int i = 0; i < model->params.count; i++) {
        const struct Param *p = &model->params.items[i];
        double largest = 0.0, off = 0.0;
        for (size_t j = p->offset; j < p->offset + p->size; j++) {
            double d = fabs((double)got[j] - wanted[j]);
            off = d > off || isnan(d) ? d : off;
            largest = fmax(largest, fabs(wanted[j]));
        }
        ck_assert_msg(largest > 0.0 && isfinite(off), "%s: off by %g; %s", p->name, off, trial);
        worst = fmax(worst, off / largest);
    }
    return worst;
}

/* How far loss and gradients of the examples are from those of the same padded, as shares. */
static void rows_against_pads(struct ModelConfig config, int count, double *loss, double *gradient)
{
    struct Model *model = new_model(config, count);
    struct Batch rows = batch_of(count, config.context, true);
    struct Batch pads = batch_of(count, config.context, false);
    struct Outcome got = outcome_of(model, &rows), wanted = outcome_of(model, &pads);
    *loss = fabs(got.loss - wanted.loss) / wanted.loss;
    *gradient = difference(model, got.gradient, doubles_of(wanted.gradient, model->params.size));
}

START_TEST(rows_give_the_loss_and_gradients_of_pads)
{
    static const struct {
        int d_model, n_heads, n_layers, count, shortest, longest; /* shortest 0: any tokens */
    } trials[] = {{64, 2, 2, 24, 1, 12}, {24, 3, 2, 1, 4, 4},   {24, 3, 2, 3, 1, 12},
                  {24, 1, 3, 20, 1, 1},  {36, 3, 2, 17, 2, 12}, {16, 4, 1, 9, 5, 9},
                  {24, 3, 2, 30, 0, 25}, {24, 3, 2, 17, 0, 13}, {24, 3, 2, 9, 0, 25},
                  {24, 3, 2, 2, 0, 2},   {24, 3, 3, 5, 0, 20},  {24, 3, 2, 32, 0, 7}};
    for (int i = 0; i < COUNT(trials); i++) {
        int count = trials[i].count, shortest = trials[i].shortest, longest = trials[i].longest;
        double loss, gradient;
        TRY("trial %d", i);
        if (shortest > 0) {
            reversal_examples(count, shortest, longest);
        } else {
            random_examples(count, longest);
        }
        rows_against_pads(model_config(VOCAB, shortest > 0 ? CONTEXT : longest, trials[i].d_model,
                                       trials[i].n_heads, trials[i].n_layers),
                          count, &loss, &gradient);
        near("loss", 0, loss, 0.0, 1e-6);
        near("gradient", 0, gradient, 0.0, 1e-6);
    }
}
END_TEST

/* The trap that trimming must not fall into: these two look at what follows. */
START_TEST(trimming_changes_what_looks_ahead)
{
    for (int fault = 0; fault < 2; fault++) {
        struct ModelConfig config = small(CONTEXT);
        double loss, gradient;
        config.attention.mask.causal = fault != 0;
        config.attention.axis = fault == 1 ? OVER_QUERIES : OVER_KEYS;
        reversal_examples(16, 1, 11);
        rows_against_pads(config, 16, &loss, &gradient);
        ck_assert_msg(loss > 1e-5 && gradient > 0.05, "fault %d: %g, %g", fault, loss, gradient);
    }
}
END_TEST

/* Threads. */

/* The weights after five steps. */
static float *train_with(int threads, struct ModelConfig config, int count)
{
    struct Model *model = new_model(config, count);
    struct AdamW adamw;
    adamw_new(&adamw, model->params.size, 3e-3, 0.01);
    begin_trials(); /* the same examples each time */
    threads_set(threads);
    for (int step = 0; step < 5; step++) {
        reversal_examples(count, 1, 12);
        struct Batch batch = batch_of(count, CONTEXT, config.attention.axis == OVER_KEYS);
        model_gradient(model, &batch);
        model_update(model, &adamw);
    }
    TRY("%d threads", threads);
    return model->weights;
}

START_TEST(any_number_of_threads_gives_the_same_weights)
{
    static const int counts[] = {24, 5, 13}, threads[] = {2, 3, 8};
    struct ModelConfig configs[] = {model_config(VOCAB, CONTEXT, 64, 2, 2),
                                    model_config(VOCAB, CONTEXT, 36, 3, 1), small(CONTEXT)};
    configs[2].attention.axis = OVER_QUERIES;
    const struct Model *start = new_model(configs[_i], 1);
    const float *wanted = train_with(1, configs[_i], counts[_i]);
    ck_assert_mem_ne(wanted, start->weights, start->params.size * sizeof *wanted);
    for (int t = 0; t < COUNT(threads); t++) {
        const float *got = train_with(threads[t], configs[_i], counts[_i]);
        same_bits("weights", got, wanted, start->params.size);
    }
}
END_TEST

/* One sequence or many. */

static int rows_of(const struct Batch *batch, int s)
{
    return batch->start[s + 1] - batch->start[s];
}

/* Logits and attention of sequence s have the bits that it has alone, in single. */
static void check_sequence(const struct Model *model, int s, const struct Model *single)
{
    int first = model->batch->start[s], length = rows_of(model->batch, s);
    int heads = model->config.attention.n_heads, maps = model->config.n_layers * heads;
    for (int t = 0; t < length; t++) {
        same_bits("logits", model_logits(model, first + t), model_logits(single, t), VOCAB);
    }
    for (int i = 0; i < maps * length * length; i++) {
        int map = i / (length * length), query = i / length % length, key = i % length;
        float got = model_attention(model, map / heads, map % heads, s, query, key);
        float alone = model_attention(single, map / heads, map % heads, 0, query, key);
        same_bits("attention", &got, &alone, 1);
    }
}

/* The batch against its sequences one by one: each row went through once and with its own
   neighbours; loss and gradient are the mean over the targets. */
static void check_alone(struct ModelConfig config, const struct Batch *batch)
{
    struct Model *model = new_model(config, batch->count), *single = new_model(config, 1);
    struct Outcome got = outcome_of(model, batch);
    double loss = 0.0, *sum = doubles_of(NULL, model->params.size);
    model_forward(model, batch);
    for (int s = 0; s < batch->count; s++) {
        struct Batch one;
        batch_new(&one, 1, CONTEXT);
        batch_add(&one, batch->tokens + batch->start[s], batch->targets + batch->start[s],
                  rows_of(batch, s));
        double part = (double)one.n_targets / batch->n_targets;
        double loss_alone = model_forward(single, &one);
        check_sequence(model, s, single);
        if (one.n_targets == 0) {
            ck_assert_msg(isnan(loss_alone), "no target: loss %g, wanted NaN", loss_alone);
            continue;
        }
        struct Outcome o = outcome_of(single, &one);
        loss += part * o.loss;
        for (size_t i = 0; i < model->params.size; i++) {
            sum[i] += part * (double)o.gradient[i];
        }
    }
    near("loss", 0, got.loss, loss, 1e-9);
    near("gradients", 0, difference(model, got.gradient, sum), 0.0, 2e-6);
}

/* Sequences of these lengths, 0 included; any tokens, two rows in three with a target. */
static struct Batch batch_of_lengths(const int *lengths, int count)
{
    struct Batch batch;
    batch_new(&batch, count, CONTEXT);
    for (int s = 0; s < count; s++) {
        for (int t = 0; t < lengths[s]; t++) {
            tokens[t] = rng_below(&rng, VOCAB);
            targets[t] =
                rng_below(&rng, 3) > 0 || batch.n_targets == 0 ? rng_below(&rng, VOCAB) : IGNORE;
        }
        batch_add(&batch, tokens, targets, lengths[s]);
    }
    return batch;
}

START_TEST(each_sequence_is_computed_once_and_as_if_alone)
{
    static const struct {
        const char *name;
        int count, lengths[13];
    } cuts[] = {{"one sequence", 1, {25}},
                {"one row", 1, {1}},
                {"fewer sequences than shards", 3, {7, 25, 2}},
                {"lengths of one", 11, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
                {"as many as shards", 8, {3, 3, 3, 3, 3, 3, 3, 3}},
                {"empty ones within", 8, {0, 4, 0, 0, 9, 1, 0, 2}},
                {"empty ones at the end", 4, {5, 3, 0, 0}},
                {"a long one first", 11, {25, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
                {"a long one last", 10, {1, 1, 1, 1, 1, 1, 1, 1, 1, 25}},
                {"all long", 13, {25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25}},
                {"a share and one over it", 9, {24, 25, 25, 25, 25, 25, 25, 25, 1}}};
    struct ModelConfig config = small(CONTEXT);
    config.attention.mask.causal = _i & 1;
    config.attention.axis = _i & 2 ? OVER_QUERIES : OVER_KEYS;
    for (int i = 0; i < COUNT(cuts); i++) {
        TRY("%s, causal %d, axis %d", cuts[i].name, _i & 1, _i / 2);
        struct Batch batch = batch_of_lengths(cuts[i].lengths, cuts[i].count);
        check_alone(config, &batch);
    }
}
END_TEST

START_TEST(a_batch_without_any_target_has_no_loss)
{
    struct Model *model = new_model(small(CONTEXT), 2);
    struct Batch batch = batch_of_lengths((const int[]){0}, 1);
    ck_assert(isnan(model_forward(model, &batch))); /* nor any row */
    batch_clear(&batch);
    batch_add(&batch, tokens, NULL, 3);
    ck_assert(isnan(model_forward(model, &batch)) && isfinite(model_logits(model, 2)[0]));
}
END_TEST

Suite *batch_suite(void)
{
    Suite *suite = suite_create("batch");
    TCase *cases = new_case(suite, "batch", begin_trials);
    tcase_add_test(cases, a_batch_holds_rows_with_starts_and_positions);
    tcase_add_test(cases, trimming_ends_each_sequence_with_its_last_target);
    tcase_add_test(cases, what_a_batch_has_no_room_for_is_refused);
    tcase_add_test(cases, rows_give_the_loss_and_gradients_of_pads);
    tcase_add_test(cases, trimming_changes_what_looks_ahead);
    tcase_add_loop_test(cases, any_number_of_threads_gives_the_same_weights, 0, 3);
    tcase_add_loop_test(cases, each_sequence_is_computed_once_and_as_if_alone, 0, 4);
    tcase_add_test(cases, a_batch_without_any_target_has_no_loss);
    return suite;
}
