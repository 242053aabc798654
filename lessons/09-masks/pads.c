/* Pads call for two masks, and they do two jobs. One hides pads from the queries of the text, so
   that its outputs are what they are without pads. The other takes the labels of pads out of the
   loss, so that nothing is learned from them. Neither does the other's job. */
#include <stdio.h>
#include <string.h>

#include "common/loss.h"
#include "common/page.h"
#include "outcome.h"
#include "sections.h"

enum { TEXT = 3, PLACES = 5, PADS = PLACES - TEXT };
static const int32_t text[TEXT] = {3, 7, 4}, labels[TEXT] = {7, 4, EOS};

/* Where the pads stand, and under which mask. */
static const struct Layout {
    const char *name;
    bool causal, front;
} layouts[] = {{"causal, pads behind", true, false},
               {"causal, pads in front", true, true},
               {"not causal, pads behind", false, false}};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* The text and its pads as one sequence of the batch. The places of its tokens are counted from its
   own beginning, wherever that is. loss_mask: pads have no labels; else their next token is it. */
static void lay_out(struct Batch *batch, const struct Layout *layout, bool loss_mask)
{
    int32_t tokens[PLACES], targets[PLACES];
    int begin = layout->front ? PADS : 0;
    for (int t = 0; t < PLACES; t++) {
        bool pad = t < begin || t >= begin + TEXT;
        tokens[t] = pad ? PAD : text[t - begin];
        targets[t] = !pad ? labels[t - begin] : loss_mask ? IGNORE : PAD;
    }
    if (begin > 0 && !loss_mask) {
        targets[begin - 1] = text[0];
    }
    batch_clear(batch);
    batch_add(batch, tokens, targets, PLACES);
    for (int t = 0; t < PLACES; t++) {
        batch->positions[t] = t < begin ? 0 : t - begin;
    }
}

/* The text alone: no pads, no masks for them. */
static void alone(struct Outcome *outcome, struct Model *model, struct Batch *batch, bool causal)
{
    struct Mask mask = {.causal = causal};
    batch_clear(batch);
    batch_add(batch, text, labels, TEXT);
    outcome_of(outcome, model, batch, &mask);
}

/* What is to be seen of one way to mask the pads. */
struct Seen {
    float moved; /* how far the text's logits are from those without pads */
    double loss, pad, off;
};

static struct Seen look(struct Model *model, struct Batch *batch, const struct Outcome *right,
                        const struct Layout *layout, bool key_mask, bool loss_mask)
{
    struct Mask mask = {.causal = layout->causal};
    struct Outcome o;
    int begin = layout->front ? PADS : 0;
    if (key_mask) {
        mask.first_key = begin;
        mask.end_key = begin + TEXT;
    }
    lay_out(batch, layout, loss_mask);
    outcome_of(&o, model, batch, &mask);
    struct Seen seen = {.moved = distance(o.logits + begin * VOCAB, right->logits, TEXT * VOCAB),
                        .loss = o.loss,
                        .pad = token_gradient(&o, model, PAD),
                        .off = gradient_apart(&o, right, model)};
    printf("    %-10s %-10s %11.4f %10.4f %12.4f %13.1f%%\n", key_mask ? "yes" : "-",
           loss_mask ? "yes" : "-", (double)seen.moved, seen.loss, seen.pad, 100.0 * seen.off);
    outcome_free(&o);
    return seen;
}

static void report_jobs(struct Model *model, struct Batch *batch)
{
    struct Seen both[LAYOUTS], keys[LAYOUTS], loss[LAYOUTS];
    bool whole = true, learned = true, moves = true;
    printf("                            logits               length of    gradient of\n"
           "    mask of    mask of      of the               the pad's    all weights\n"
           "    keys       the loss     text move    loss    gradient     off by\n");
    for (int i = 0; i < LAYOUTS; i++) {
        struct Outcome right;
        alone(&right, model, batch, layouts[i].causal);
        printf("  %s; without pads the loss is %.4f\n", layouts[i].name, right.loss);
        both[i] = look(model, batch, &right, &layouts[i], true, true);
        keys[i] = look(model, batch, &right, &layouts[i], true, false);
        loss[i] = look(model, batch, &right, &layouts[i], false, true);
        look(model, batch, &right, &layouts[i], false, false);
        whole &= both[i].moved == 0.0f && both[i].loss == right.loss && both[i].pad == 0.0 &&
                 both[i].off < 1e-6;
        learned &= keys[i].moved == 0.0f && keys[i].pad > 0.0 && keys[i].off > 0.01;
        moves &= i == 0 || (loss[i].moved > 0.0f && loss[i].pad > 0.0 && loss[i].off > 0.01);
        outcome_free(&right);
    }
    page_claim(whole, "both masks: all is as if there were no pads");
    page_claim(learned, "keys only: outputs are right, and the model learns from pads");
    page_claim(moves, "loss only: no pad has a label, and the text looks at pads");
    page_claim(loss[0].moved == 0.0f && loss[0].pad == 0.0 && loss[0].off < 1e-6,
               "causal, pads behind: there the causal mask hides them already");
}

/* A text of five tokens more: what is the mean of the loss over both? */
static void report_mean(struct Model *model, struct Batch *batch)
{
    static const int32_t longer[PLACES] = {5, 1, 0, 6, 2}, its_labels[PLACES] = {1, 0, 6, 2, EOS};
    struct Mask mask = {.causal = true};
    struct Outcome first, second, both;
    alone(&first, model, batch, true);
    batch_clear(batch);
    batch_add(batch, longer, its_labels, PLACES);
    outcome_of(&second, model, batch, &mask);
    batch_add(batch, text, labels, TEXT);
    outcome_of(&both, model, batch, &mask);
    double sum = TEXT * first.loss + PLACES * second.loss;
    double labelled = sum / (TEXT + PLACES), places = sum / (2 * PLACES);
    double texts = (first.loss + second.loss) / 2.0;
    printf("\n  The mean, with a second text of %d tokens whose loss is %.4f: over %d labels\n"
           "  %.4f, over all %d places %.4f, over the means of both texts %.4f.\n",
           PLACES, second.loss, TEXT + PLACES, labelled, 2 * PLACES, places, texts);
    page_claim(both.loss - labelled < 1e-6 && labelled - both.loss < 1e-6 && places < labelled,
               "common/ divides by the labels; pads in the divisor flatter every loss");
    outcome_free(&first), outcome_free(&second), outcome_free(&both);
}

void report_pads(uint64_t seed)
{
    struct Model *model = outcome_model(seed);
    struct Batch batch;
    batch_new(&batch, 2, PLACES);
    page_heading("Pads: a mask of keys and a mask of the loss");
    printf("  A text of %d tokens in %d places; two layers, fresh weights. Without a mask of\n"
           "  the loss each pad is asked for the token behind it. The logits of the text and\n"
           "  the gradients are held against those of the text alone.\n",
           TEXT, PLACES);
    report_jobs(model, &batch);
    report_mean(model, &batch);
    batch_free(&batch);
    model_free(model);
}
