/* A right answer can have a wrong reason. So the input is changed, one thing at a time, and the
   answer must change or stay as it does for whoever looks it up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/decode.h"
#include "common/page.h"
#include "common/vmath.h"
#include "retrieval.h"

/* The row that is asked for gets another value: another answer is right. */
static void change_value(struct Example *e)
{
    e->values[e->asked] = (e->values[e->asked] + 1) % VALUES;
}

/* The row behind it, around the corner, gets another value: the answer is the same. */
static void change_other_value(struct Example *e)
{
    int other = (e->asked + 1) % e->pairs;
    e->values[other] = (e->values[other] + 1) % VALUES;
}

/* Another of the keys is asked for. */
static void ask_for_another(struct Example *e)
{
    example_ask(e, (e->asked + 1) % e->pairs);
}

/* All rows but the last change places. */
static void turn_rows(struct Example *e)
{
    struct Example old = *e;
    for (int i = 0; i < e->pairs; i++) {
        e->keys[i] = old.keys[(i + 1) % e->pairs];
        e->values[i] = old.values[(i + 1) % e->pairs];
    }
    e->asked = (old.asked + e->pairs - 1) % e->pairs;
}

static void leave(struct Example *e)
{
    (void)e;
}

static const struct Control {
    const char *what;
    void (*change)(struct Example *e);
    bool no_context;
    double least, most; /* the percentage of right answers must lie between them */
    const char *source; /* what PyTorch gives for the lab as its text has it */
} controls[] = {
    {"nothing is changed", leave, false, 90, 100, "100"},
    {"no context: the last row alone", leave, true, 0, 25, "14.6"},
    {"its value is another", change_value, false, 85, 100, "100"},
    {"another row's value is another", change_other_value, false, 85, 100, NULL},
    {"another key is asked for", ask_for_another, false, 85, 100, NULL},
    {"the rows change places", turn_rows, false, 85, 100, NULL},
};

static double percent_right(const struct Control *c, const struct Lab *lab, struct Model *model)
{
    static struct Example changed[TESTED];
    memcpy(changed, lab->test, sizeof changed);
    for (int i = 0; i < TESTED; i++) {
        c->change(&changed[i]);
    }
    return 100.0 * count_right(model, changed, TESTED, c->no_context) / TESTED;
}

static void report_answers(const struct Lab *lab, const struct Training *t)
{
    bool all = true;
    printf("  %-36s right in %%   must be\n", "");
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        const struct Control *c = &controls[i];
        double right = percent_right(c, lab, t->model);
        bool low = c->most < 100.0;
        printf("  %-36s %10.1f   %s %.0f", c->what, right, low ? "under" : "over ",
               low ? c->most : c->least);
        if (c->source != NULL && sources_setting(lab, t)) {
            printf("   (%s)", c->source);
        }
        putchar('\n');
        all &= low ? right < c->most : right > c->least;
    }
    if (learned(t->steps)) {
        page_claim(all, "answers change with what they should depend on, and nothing else");
    }
}

/* The values in the second half of the rows become others: what moves in the logits of the rows
   before them, and in those behind? */
static void report_future(const struct Lab *lab, const struct Training *t)
{
    const int first = lab->pairs / 2; /* the rows before it must not move */
    struct Batch batch;
    int vocab = t->model->config.vocab, rows = lab->pairs + 1, earlier = 0, later = 0;
    size_t row_size = (size_t)vocab * sizeof(float);
    float *before = array_new((size_t)(BATCH * rows * vocab));
    batch_new(&batch, BATCH, t->model->config.context);
    for (int changed = 0; changed < 2; changed++) {
        batch_clear(&batch);
        for (int i = 0; i < BATCH; i++) {
            struct Example e = lab->test[i];
            for (int row = first; row < e.pairs && changed; row++) {
                e.values[row] = (e.values[row] + 1) % VALUES;
            }
            example_add(&batch, &e, 0);
        }
        model_forward(t->model, &batch);
        for (int row = 0; row < batch.rows; row++) {
            const float *logits = model_logits(t->model, row);
            if (!changed) {
                memcpy(before + row * vocab, logits, row_size);
            } else if (memcmp(before + row * vocab, logits, row_size) != 0) {
                *(row % rows < first ? &earlier : &later) += 1;
            }
        }
    }
    printf("\n  The future: in %d examples every value from row %d on is changed. Rows before\n"
           "  it whose logits moved, be it by a bit: %d of %d. From there on: %d of %d.\n",
           BATCH, first + 1, earlier, BATCH * first, later, BATCH * (rows - first));
    page_claim(earlier == 0 && later > 0, "no bit of an earlier row depends on a later one");
    free(before);
    batch_free(&batch);
}

/* The share of the probability that the answer gets. */
static double confidence(const float *logits, int vocab, int answer)
{
    float max = logits[answer], sum = 0.0f;
    for (int i = 0; i < vocab; i++) {
        sum += exp_f32(logits[i] - max);
    }
    return (double)(1.0f / sum);
}

/* The same question without the row that has its answer. */
static struct Example without_answer(struct Example e)
{
    size_t behind =
        (size_t)(e.pairs - e.asked) * sizeof *e.keys; /* the row that asks is one of them */
    memmove(e.keys + e.asked, e.keys + e.asked + 1, behind);
    memmove(e.values + e.asked, e.values + e.asked + 1, behind);
    e.pairs--;
    e.asked = 0;
    return e;
}

static bool has_value(const struct Example *e, int value)
{
    for (int row = 0; row < e->pairs; row++) {
        if (e->values[row] == value) {
            return true;
        }
    }
    return false;
}

static void report_missing(const struct Lab *lab, const struct Training *t)
{
    struct Batch batch;
    int right = 0, there = 0, vocab = t->model->config.vocab;
    double sure = 0.0;
    batch_new(&batch, 1, t->model->config.context);
    for (int i = 0; i < TESTED; i++) {
        struct Example without = without_answer(lab->test[i]);
        batch_clear(&batch);
        example_add(&batch, &without, 0);
        model_forward(t->model, &batch);
        const float *logits = model_logits(t->model, without.pairs);
        int answer = argmax(logits, vocab);
        right += answer == example_answer(&lab->test[i]);
        there += has_value(&without, answer);
        sure += confidence(logits, vocab, answer) / TESTED;
    }
    printf("\n  The row that is asked for is taken away: %.1f%% right. The model answers all\n"
           "  the same, with a probability of %.3f in the mean. In %.1f%% it names a value\n"
           "  of another row. In training every question had an answer.\n",
           100.0 * right / TESTED, sure, 100.0 * there / TESTED);
    if (learned(t->steps)) {
        page_claim(right < 0.35 * TESTED, "without the row it does not know");
    }
    batch_free(&batch);
}

void report_controls(const struct Lab *lab, const struct Training *t)
{
    page_heading("Does it look, or does it only seem to?");
    report_answers(lab, t);
    report_future(lab, t);
    report_missing(lab, t);
}
