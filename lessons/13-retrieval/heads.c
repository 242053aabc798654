/* Where the heads look, and what becomes of the answers without them. A weight is a pattern; what
   it is worth shows when it is taken away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/page.h"
#include "retrieval.h"

enum { D_HEAD = WIDTH / HEADS };

/* What the last row gives to the row that is asked for, to itself, and to the others together. */
struct Look {
    double asked, itself, others;
};

static void look(struct Look looks[HEADS], struct Model *model, const struct Example *e, int count)
{
    struct Batch batch;
    batch_new(&batch, BATCH, model->config.context);
    memset(looks, 0, HEADS * sizeof *looks);
    for (int i = 0; i < count; i++) {
        batch_clear(&batch);
        example_add(&batch, &e[i], 0);
        model_forward(model, &batch);
        for (int head = 0; head < HEADS; head++) {
            for (int key = 0; key <= e[i].pairs; key++) {
                double weight = (double)model_attention(model, 0, head, 0, e[i].pairs, key) / count;
                *(key == e[i].asked   ? &looks[head].asked
                  : key == e[i].pairs ? &looks[head].itself
                                      : &looks[head].others) += weight;
            }
        }
    }
    batch_free(&batch);
}

/* How many answers are right when only the heads with a bit in `kept` give anything. */
static int right_with(struct Model *model, const struct Example *e, int count, unsigned kept)
{
    float *out = model->w.blocks[0].out.weight, original[WIDTH * WIDTH];
    memcpy(original, out, sizeof original);
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        out[i] = kept >> i % WIDTH / D_HEAD & 1 ? out[i] : 0.0f; /* column i % WIDTH */
    }
    model_pack(model);
    int right = count_right(model, e, count, false);
    memcpy(out, original, sizeof original);
    model_pack(model);
    return right;
}

void report_heads(const struct Lab *lab, const struct Training *t)
{
    const unsigned all = (1u << HEADS) - 1;
    struct Look looks[HEADS];
    double asked = 0.0;
    int fewest = TESTED, most = 0;
    look(looks, t->model, lab->test, TESTED);
    page_heading("Which head does it?");
    printf("  What the last row gives to a row, mean over %d test examples; an even look\n"
           "  would give %.2f to each of %d rows. Then the answers without this head, and\n"
           "  with no other.\n\n"
           "          weight of the row asked for   itself   others     without it   alone\n",
           TESTED, 1.0 / (lab->pairs + 1), lab->pairs + 1);
    for (int head = 0; head < HEADS; head++) {
        int without = right_with(t->model, lab->test, TESTED, all & ~(1u << head));
        int alone = right_with(t->model, lab->test, TESTED, 1u << head);
        printf("  head %d %28.3f %8.3f %8.3f %12.1f%% %7.1f%%\n", head + 1, looks[head].asked,
               looks[head].itself, looks[head].others, 100.0 * without / TESTED,
               100.0 * alone / TESTED);
        asked += looks[head].asked / HEADS;
        fewest = without < fewest ? without : fewest;
        most = alone > most ? alone : most;
    }
    int none = right_with(t->model, lab->test, TESTED, 0);
    printf("  no head %62.1f%%\n", 100.0 * none / TESTED);
    if (learned(t->steps)) {
        page_claim(asked > 0.5, "the row asked for gets more than half of the weight");
        page_claim(none < 0.25 * TESTED, "without any head nothing is found");
        page_claim(fewest > 0.8 * TESTED && most < TESTED,
                   "but no head is needed, and none is as good alone");
    }
}
