/* Short documents are packed into one sequence, so that no place is lost to pads. That they are
   still documents of their own takes three things: the mask, places that begin anew, and labels
   that end with the document. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/loss.h"
#include "common/page.h"
#include "outcome.h"
#include "sections.h"

enum { DOCUMENTS_PACKED = 3, ROWS = 9 };
static const int lengths[DOCUMENTS_PACKED] = {3, 4, 2};
static const int32_t tokens[ROWS] = {3, 7, 4, 5, 1, 0, 6, 8, 2};
static const int32_t document[ROWS] = {0, 0, 0, 1, 1, 1, 1, 2, 2};

/* What is right, a field each. */
struct Packing {
    const char *name;
    bool mask, places, labels;
};

/* The label of a row: the next token, and EOS behind the last one. within: of its own document. */
static int32_t label_of(int row, bool within)
{
    bool last = row + 1 == ROWS || (within && document[row + 1] != document[row]);
    return last ? EOS : tokens[row + 1];
}

/* Each document as a sequence of its own: no pads, and no mask but the causal one. */
static void apart(struct Outcome *outcome, struct Model *model, struct Batch *batch)
{
    struct Mask causal = {.causal = true};
    batch_clear(batch);
    for (int d = 0, row = 0; d < DOCUMENTS_PACKED; row += lengths[d++]) {
        int32_t targets[ROWS];
        for (int t = 0; t < lengths[d]; t++) {
            targets[t] = label_of(row + t, true);
        }
        batch_add(batch, tokens + row, targets, lengths[d]);
    }
    outcome_of(outcome, model, batch, &causal);
}

/* All of them as one sequence. */
static void together(struct Outcome *outcome, struct Model *model, struct Batch *batch,
                     const struct Packing *p)
{
    struct Mask mask = {.causal = true, .document = p->mask ? document : NULL};
    int32_t targets[ROWS];
    for (int row = 0; row < ROWS; row++) {
        targets[row] = label_of(row, p->labels);
    }
    batch_clear(batch);
    batch_add(batch, tokens, targets, ROWS);
    for (int row = 1; row < ROWS && p->places; row++) {
        bool begins = document[row] != document[row - 1];
        batch->positions[row] = begins ? 0 : batch->positions[row - 1] + 1;
    }
    outcome_of(outcome, model, batch, &mask);
}

/* Pairs of a query and a key that it sees. */
static int pairs_seen(const struct Mask *mask)
{
    int pairs = 0;
    for (int ij = 0; ij < ROWS * ROWS; ij++) {
        pairs += allowed(mask, ij / ROWS, ij % ROWS);
    }
    return pairs;
}

void report_packed(uint64_t seed)
{
    static const struct Packing packings[] = {{"all three", true, true, true},
                                              {"no mask of documents", false, true, true},
                                              {"places that run on", true, false, true},
                                              {"labels across the ends", true, true, false}};
    struct Mask causal = {.causal = true}, own = {.causal = true, .document = document};
    struct Model *model = outcome_model(seed);
    struct Outcome right, o;
    struct Batch batch;
    float moved[4];
    double loss[4], off[4];
    batch_new(&batch, DOCUMENTS_PACKED, CONTEXT);
    page_heading("Packed documents");
    apart(&right, model, &batch);
    printf("  Documents of 3, 4 and 2 tokens in one sequence of %d, against each of them as\n"
           "  a sequence of its own, whose loss is %.4f. What it takes: a mask, places\n"
           "  that begin anew with each document, and EOS as the label of its last token.\n"
           "                            logits move      loss    gradient off by\n",
           ROWS, right.loss);
    for (int i = 0; i < 4; i++) {
        together(&o, model, &batch, &packings[i]);
        moved[i] = distance(o.logits, right.logits, ROWS * VOCAB);
        loss[i] = o.loss;
        off[i] = gradient_apart(&o, &right, model);
        printf("  %-24s %13.4f %10.4f %17.1f%%\n", packings[i].name, (double)moved[i], loss[i],
               100.0 * off[i]);
        outcome_free(&o);
    }
    printf("  In a padded batch they would take %d places. Pairs of a query and a key that\n"
           "  it sees, in one sequence: %d with the mask of documents, %d without.\n",
           DOCUMENTS_PACKED * 4, pairs_seen(&own), pairs_seen(&causal));
    page_claim(moved[0] == 0.0f && fabs(loss[0] - right.loss) < 1e-6 && off[0] < 1e-6,
               "all three: the logits have the bits of the documents by themselves");
    page_claim(moved[1] > 0.0f && moved[2] > 0.0f && off[1] > 0.01 && off[2] > 0.01,
               "without the mask, or with places that run on, they have not");
    page_claim(moved[3] == 0.0f && off[3] > 0.01,
               "labels across the ends leave the logits alone, and teach what is not so");
    outcome_free(&right);
    batch_free(&batch);
    model_free(model);
}
