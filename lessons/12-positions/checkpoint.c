/* Section 12: the weights fit, every shape is right, and what was learned is gone. The repair is an
   order: queries and keys are products of weight rows, so rows that change places let the entries of
   queries and keys change places. */
#include "checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"

enum { D_HEAD = WIDTH / N_HEADS, PAIRS = D_HEAD / 2 };

/* In each head of the queries, then of the keys: row 2i of a layer goes to i, row 2i + 1 to i + PAIRS.
   So do the entries of its bias. */
static void reorder(struct Linear *qkv, const struct Linear *from)
{
    for (int row = 0; row < 2 * WIDTH; row++) {
        int head = row / D_HEAD * D_HEAD, entry = row % D_HEAD;
        int to = head + entry / 2 + entry % 2 * PAIRS;
        memcpy(qkv->weight + to * WIDTH, from->weight + row * WIDTH, WIDTH * sizeof(float));
        qkv->bias[to] = from->bias[row];
    }
}

/* A model of halves with the weights of another: as they stand, or with rows reordered. */
static struct Model *read_as_halves(const struct Model *adjacent, bool reordered)
{
    struct Model *model = reverser_new(POSITION_ROPE_HALVES);
    memcpy(model->weights, adjacent->weights, model->params.size * sizeof(float));
    for (int layer = 0; layer < LAYERS && reordered; layer++) {
        reorder(&model->w.blocks[layer].qkv, &adjacent->w.blocks[layer].qkv);
    }
    model_pack(model);
    return model;
}

/* The largest difference between the logits of two models, over some strings. */
static float logits_apart(struct Model *a, struct Model *b, uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "logits");
    int32_t tokens[CONTEXT], targets[CONTEXT];
    struct Batch batch;
    float most = 0.0f;
    batch_new(&batch, BATCH, CONTEXT);
    for (int i = 0; i < BATCH; i++) {
        struct String s = string_draw(&rng, SHORTEST, TAUGHT);
        reversal_example(tokens, targets, &s, false);
        batch_add(&batch, tokens, targets, 2 * s.length);
    }
    model_forward(a, &batch);
    model_forward(b, &batch);
    for (int i = 0; i < batch.rows * VOCAB; i++) {
        float apart =
            fabsf(model_logits(a, i / VOCAB)[i % VOCAB] - model_logits(b, i / VOCAB)[i % VOCAB]);
        most = apart <= most ? most : isfinite(apart) ? apart : INFINITY;
    }
    batch_free(&batch);
    return most;
}

void report_checkpoint(struct Model *adjacent, uint64_t seed, int steps, int tested)
{
    static const char *const names[] = {"adjacent, as trained", "halves, the same weights",
                                        "halves, rows reordered"};
    double right[3];
    float apart[3];
    page_heading("A checkpoint, read in the other layout");
    printf("  The same model again, trained with adjacent pairs, its weights read by one\n"
           "  that pairs halves. Nothing complains: no shape is different.\n\n"
           "  read as                      strings right, %%     logits differ by\n"
           "                                      3 to 8              at most\n");
    for (int i = 0; i < 3; i++) {
        struct Model *model = i == 0 ? adjacent : read_as_halves(adjacent, i == 2);
        struct Accuracy accuracy = reverser_test(model, tested, FROM_ZERO, seed);
        right[i] = strings_right(&accuracy, SHORTEST, TAUGHT);
        apart[i] = logits_apart(adjacent, model, seed);
        printf(i > 0 ? "  %-26s %17.1f %20.1e\n" : "  %-26s %17.1f %20.0f\n", names[i], right[i],
               (double)apart[i]);
        if (i > 0) {
            model_free(model);
        }
    }
    if (steps >= 300) {
        page_claim(right[1] < 0.5 * right[0], "in the wrong layout it loses more than half");
    }
    page_claim(apart[1] > 1000.0f * apart[2] && apart[2] < 1e-3f && right[2] == right[0],
               "rows reordered, it is the same model but for rounding");
}
