/* The loop of lesson 07. What is new stands in draw_places, and in one line of draw: a row of a batch
   may stand at any place. */
#include "reverser.h"

#include <math.h>
#include <string.h>

#include "common/base.h"
#include "common/decode.h"
#include "common/diverged.h"

void draw_places(int32_t *place, int rows, enum Rule rule, struct Rng *rng)
{
    int first = rule == ANYWHERE ? rng_below(rng, CONTEXT - rows + 1) : 0, taken = 0;
    for (int p = 0; p < CONTEXT && taken < rows; p++) {
        bool take = rule == SPREAD ? rng_below(rng, CONTEXT - p) < rows - taken : p >= first;
        if (take) {
            place[taken++] = p;
        }
    }
}

/* batch overwritten with BATCH strings, up to the last row that has a target. */
static void draw(struct Batch *batch, struct Rng *strings, struct Rng *places, enum Rule rule)
{
    int32_t tokens[CONTEXT], targets[CONTEXT];
    batch_clear(batch);
    for (int i = 0; i < BATCH; i++) {
        struct String s = string_draw(strings, SHORTEST, TAUGHT);
        reversal_example(tokens, targets, &s, false);
        batch_add(batch, tokens, targets, 2 * s.length);
        draw_places(batch->positions + batch->start[i], 2 * s.length, rule, places);
    }
}

struct Model *reverser_new(enum PositionKind kind)
{
    struct ModelConfig config = model_config(VOCAB, CONTEXT, WIDTH, N_HEADS, LAYERS);
    config.position = kind;
    return model_new(config, BATCH);
}

struct Model *reverser_train(enum PositionKind kind, enum Rule rule, uint64_t seed, int steps,
                             struct Progress *bar, int done)
{
    struct Model *model = reverser_new(kind);
    struct Rng strings = rng_stream(seed, "train"), places = rng_stream(seed, "places");
    struct AdamW adamw;
    struct Batch batch;
    model_init(model, seed);
    batch_new(&batch, BATCH, CONTEXT);
    adamw_new(&adamw, model->params.size, 0.003, 0.01);
    for (int step = 0; step < steps; step++) {
        draw(&batch, &strings, &places, rule);
        double loss = model_gradient(model, &batch);
        if (!isfinite(loss)) {
            struct Place place = diverged_at(model, &batch, step + 1);
            progress_end(bar);
            die("training %s diverged in step %d: the first value that is not finite is in %s",
                position_name(kind), place.step, place.text);
        }
        model_update(model, &adamw);
        progress_step(bar, done + step + 1, loss);
    }
    adamw_free(&adamw);
    batch_free(&batch);
    return model;
}

/* What the model writes behind n strings of one length and a separator, at places drawn by the rule: in
   each round all of them get their next letter. */
static void decode(struct String *output, struct Model *model, struct Batch *batch,
                   const struct String *strings, int n, enum Rule rule, struct Rng *rng)
{
    int32_t tokens[BATCH][CONTEXT], places[BATCH][CONTEXT];
    int length = strings[0].length;
    for (int i = 0; i < n; i++) {
        memcpy(tokens[i], strings[i].letters, sizeof strings[i].letters);
        tokens[i][length] = SEPARATOR;
        draw_places(places[i], 2 * length, rule, rng);
        output[i].length = length;
    }
    for (int written = 0; written < length; written++) {
        int rows = length + 1 + written;
        batch_clear(batch);
        for (int i = 0; i < n; i++) {
            batch_add(batch, tokens[i], NULL, rows);
            memcpy(batch->positions + i * rows, places[i], (size_t)rows * sizeof(int32_t));
        }
        model_forward(model, batch);
        for (int i = 0; i < n; i++) {
            tokens[i][rows] = argmax(model_logits(model, (i + 1) * rows - 1), VOCAB);
            output[i].letters[written] = tokens[i][rows];
        }
    }
}

struct Accuracy reverser_test(struct Model *model, int tested, enum Rule rule, uint64_t seed)
{
    struct Accuracy a = {.tested = tested};
    struct Rng rng = rng_stream(seed, "lengths"), places = rng_stream(seed, "test places");
    struct Batch batch;
    batch_new(&batch, BATCH, CONTEXT);
    for (int length = SHORTEST; length <= LONGEST; length++) {
        for (int done = 0, n; done < tested; done += n) {
            struct String strings[BATCH], output[BATCH];
            n = tested - done < BATCH ? tested - done : BATCH;
            for (int i = 0; i < n; i++) {
                strings[i] = string_draw(&rng, length, length);
            }
            decode(output, model, &batch, strings, n, rule, &places);
            for (int i = 0; i < n; i++) {
                a.strings[length] += reversal_right(&strings[i], &output[i]);
                for (int l = 0; l < length; l++) {
                    int32_t wanted = strings[i].letters[length - 1 - l];
                    a.letters[length] += output[i].letters[l] == wanted;
                }
            }
        }
    }
    batch_free(&batch);
    return a;
}

double strings_right(const struct Accuracy *a, int first, int last)
{
    int right = 0, all = 0;
    for (int length = first; length <= last; length++) {
        right += a->strings[length];
        all += a->tested;
    }
    return 100.0 * right / all;
}

double letters_right(const struct Accuracy *a, int first, int last)
{
    int right = 0, all = 0;
    for (int length = first; length <= last; length++) {
        right += a->letters[length];
        all += a->tested * length;
    }
    return 100.0 * right / all;
}
