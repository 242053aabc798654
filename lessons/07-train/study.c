/* The reference knows rows 0 to 15 of the position table and reads back at most 15 places: the
   first letter of 8 is written 15 places behind where it stands. A string of 12 needs rows up to
   23 and 23 places. Which of the two does it lack? One training lays the string anywhere in the
   context, so that all rows are trained and no offset is new; one has strings of up to 12
   letters. */
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/cli.h"
#include "common/decode.h"
#include "common/diverged.h"
#include "common/loss.h"
#include "common/page.h"
#include "common/progress.h"
#include "common/reversal.h"
#include "common/table.h"

enum { BATCH = 64, TESTED = 200, FIRST_LONGER = 9, SEEN = 15 };

struct Trial {
    const char *name;
    struct Range lengths;
    bool anywhere; /* pads in front of the string, as many as there is room for or fewer */
    int factor;    /* of the steps */
};
static const struct Trial trials[] = {
    {"3 to 8 letters", {3, 8}, false, 1},
    {"3 to 8, anywhere", {3, 8}, true, 1},
    {"3 to 12 letters", {3, LONGEST}, false, 2},
};
enum { TRIALS = sizeof trials / sizeof *trials };

/* Letters of the longer strings, told the truth: by whether the row of the query is one of the
   first 16, and whether the letter stands at most 15 places back. */
struct Cells {
    int right[2][2], total[2][2];
};

struct Outcome {
    struct Score itself; /* strings, fed with what it wrote */
    struct Cells cells;
};

static void draw(int32_t *tokens, int32_t *targets, const struct Trial *trial, struct Rng *rng)
{
    int32_t example[CONTEXT], wanted[CONTEXT];
    struct String s = string_draw(rng, trial->lengths.first, trial->lengths.last);
    int length = 2 * s.length + 1;
    int pads = trial->anywhere ? rng_below(rng, CONTEXT - length + 1) : 0;
    reversal_example(example, wanted, &s, false);
    for (int t = 0; t < CONTEXT; t++) {
        bool inside = t >= pads && t < pads + length;
        tokens[t] = inside ? example[t - pads] : PAD;
        targets[t] = inside ? wanted[t - pads] : IGNORE;
    }
}

static void train(struct Model *model, struct Batch *batch, const struct Trial *trial, int steps,
                  uint64_t seed, struct Progress *bar, int done)
{
    struct Rng rng = rng_stream(seed, "train");
    struct AdamW adamw;
    adamw_new(&adamw, model->params.size, 0.003, 0.01);
    for (int step = 0; step < steps; step++) {
        int32_t tokens[BATCH * CONTEXT], targets[BATCH * CONTEXT];
        for (int i = 0; i < BATCH; i++) {
            draw(tokens + i * CONTEXT, targets + i * CONTEXT, trial, &rng);
        }
        batch_from_padded(batch, tokens, targets, BATCH, CONTEXT, true);
        double loss = model_gradient(model, batch);
        if (!isfinite(loss)) {
            struct Place place = diverged_at(model, batch, step + 1);
            progress_end(bar);
            die("training diverged in step %d: the first value that is not finite is in %s",
                place.step, place.text);
        }
        model_update(model, &adamw);
        progress_step(bar, done + step + 1, loss);
    }
    adamw_free(&adamw);
}

/* Every letter that is to be written of one string, told those before it. */
static void count_letters(struct Cells *cells, struct Model *model, struct Batch *batch,
                          const struct String *string)
{
    int32_t tokens[CONTEXT], targets[CONTEXT];
    reversal_example(tokens, targets, string, false);
    batch_clear(batch);
    batch_add(batch, tokens, targets, 2 * string->length + 1);
    model_forward(model, batch);
    for (int i = 0; i < string->length; i++) {
        int query = string->length + i, offset = 2 * i + 1;
        bool known_row = query <= SEEN, known_offset = offset <= SEEN;
        cells->total[known_row][known_offset]++;
        cells->right[known_row][known_offset] +=
            argmax(model_logits(model, query), VOCAB) == targets[query];
    }
}

static struct Outcome test(struct Model *model, struct Batch *batch, uint64_t seed)
{
    struct String strings[TESTED], output[TESTED];
    struct Outcome o = {0};
    strings_draw(strings, TESTED, seed, "longer", FIRST_LONGER, LONGEST);
    reversal_decode(model, batch, output, strings, TESTED);
    o.itself = reversal_score(strings, output, TESTED, NULL);
    for (int i = 0; i < TESTED; i++) {
        count_letters(&o.cells, model, batch, &strings[i]);
    }
    return o;
}

static void report_strings(const struct Outcome outcomes[TRIALS], int steps, struct Table *table)
{
    page_heading("Longer strings: which training reaches them");
    printf("  %d strings of %d to %d letters, right when fed with what it wrote\n"
           "  trained on          steps   right        9       10       11       12\n",
           TESTED, FIRST_LONGER, LONGEST);
    for (int i = 0; i < TRIALS; i++) {
        const struct Score *score = &outcomes[i].itself;
        printf("  %-18s %6d %7d", trials[i].name, steps * trials[i].factor, score_right(score));
        for (int length = FIRST_LONGER; length <= LONGEST; length++) {
            printf("%6d/%d", score->right[length], score->total[length]);
            table_row(table, "%s\t%d\t%d\t%d", trials[i].name, length, score->right[length],
                      score->total[length]);
        }
        putchar('\n');
    }
    printf("  Anywhere: behind pads, so that every row of the position table is trained.\n");
    if (steps == 1500) {
        int reference = score_right(&outcomes[0].itself), rows = score_right(&outcomes[1].itself);
        page_claim(score_right(&outcomes[2].itself) >= 190,
                   "shown strings as long, the same model reverses them");
        page_claim(rows >= reference && rows < 100, "the untrained rows are not the whole story");
    }
}

static void report_letters(const struct Outcome outcomes[TRIALS])
{
    page_heading("Rows or offsets: what is it that fails");
    printf("  Letters right, in percent, when fed the truth. Known rows of the position\n"
           "  table: 0 to %d. Known offsets: at most %d places back.\n"
           "                      known rows                new rows\n"
           "  trained on          known off.  new offsets   known off.  new offsets\n",
           SEEN, SEEN);
    for (int i = 0; i < TRIALS; i++) {
        printf("  %-18s", trials[i].name);
        for (int row = 1; row >= 0; row--) {
            for (int offset = 1; offset >= 0; offset--) {
                const struct Cells *c = &outcomes[i].cells;
                int total = c->total[row][offset];
                char percent[16] = "-";
                if (total > 0) {
                    snprintf(percent, sizeof percent, "%.1f",
                             100.0 * c->right[row][offset] / total);
                }
                printf("%12s", percent);
            }
        }
        putchar('\n');
    }
}

void study_longer(uint64_t seed, int steps, const char *out, bool quiet)
{
    struct Outcome outcomes[TRIALS];
    struct Table *table = table_new(out, "longer", "trained length right total");
    struct Batch batch;
    struct Progress bar;
    int done = 0, total = 0;
    for (int i = 0; i < TRIALS; i++) {
        total += steps * trials[i].factor;
    }
    batch_new(&batch, BATCH, CONTEXT);
    progress_start(&bar, total, quiet);
    for (int i = 0; i < TRIALS; i++) {
        struct Model *model = model_new(model_config(VOCAB, CONTEXT, 64, 2, 2), BATCH);
        model_init(model, seed);
        train(model, &batch, &trials[i], steps * trials[i].factor, seed, &bar, done);
        outcomes[i] = test(model, &batch, seed);
        done += steps * trials[i].factor;
        model_free(model);
    }
    progress_end(&bar);
    batch_free(&batch);
    report_strings(outcomes, steps, table);
    report_letters(outcomes);
    table_save(table);
}
