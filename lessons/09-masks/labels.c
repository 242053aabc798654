/* What no mask can mend: labels in the wrong place. A query may see its own token, so if that token
   is what it is asked for, there is nothing to learn but to copy. Trained on a task whose best
   possible loss is known: a clock of eight hours, which goes one hour on or two, as a coin falls.
     BOS, a first hour, six more, EOS */
#include <stdio.h>
#include <stdlib.h>

#include "common/base.h"
#include "common/decode.h"
#include "common/loss.h"
#include "common/page.h"
#include "common/progress.h"
#include "common/vmath.h"
#include "sections.h"

enum { HOURS = 8, BOS = HOURS, EOS, VOCAB, LETTERS = 7, TEXT = LETTERS + 2, READ = TEXT - 1 };
enum { TEXTS = HOURS << (LETTERS - 1), SHIFTS = 3, WIDTH = 32, HEADS = 2, BATCH = 32 };
enum { ENOUGH = 400 }; /* steps, from which on something is claimed of what was learned */
static const char *const shift_names[SHIFTS] = {"not shifted", "shifted once", "shifted twice"};

/* text (TEXT): the n-th of all texts, which are equally likely. n holds the first hour, and a bit
   for each step. */
static void write_text(int32_t *text, int n)
{
    text[0] = BOS;
    text[1] = n % HOURS;
    for (int t = 2; t <= LETTERS; t++) {
        text[t] = (text[t - 1] + 1 + (n / HOURS >> (t - 2)) % 2) % HOURS;
    }
    text[TEXT - 1] = EOS;
}

/* The model reads all but EOS. The one thing that differs: how far ahead a row's label stands. */
static void add_example(struct Batch *batch, int n, int shift)
{
    int32_t text[TEXT], labels[READ];
    write_text(text, n);
    for (int t = 0; t < READ; t++) {
        labels[t] = t + shift < TEXT ? text[t + shift] : IGNORE;
    }
    batch_add(batch, text, labels, READ);
}

/* What the best of all models pays for a label, on the average: the entropy of each label for who
   knows the token where it stands, counted over all texts. The tokens before tell no more. */
static double best_loss(int shift)
{
    double sum = 0.0;
    int rows = TEXT - shift < READ ? TEXT - shift : READ;
    for (int t = 0; t < rows; t++) {
        int pairs[VOCAB][VOCAB] = {{0}}, alone[VOCAB] = {0};
        for (int n = 0; n < TEXTS; n++) {
            int32_t text[TEXT];
            write_text(text, n);
            pairs[text[t]][text[t + shift]]++;
            alone[text[t]]++;
        }
        for (int i = 0; i < VOCAB * VOCAB; i++) {
            int pair = pairs[i / VOCAB][i % VOCAB], token = alone[i / VOCAB];
            if (pair > 0) {
                sum += (double)pair / TEXTS * (double)log_f32((float)token / (float)pair);
            }
        }
    }
    return sum / rows;
}

struct Run {
    double *losses;       /* (steps) */
    double best, reached; /* over all texts: the least there can be, and the model's */
    bool masked;          /* no later token got any weight */
    int32_t written[HOURS][TEXT];
};

/* Over all texts: the model's loss, and whether its mask held. */
static void look_at_all(struct Run *run, struct Model *model, int shift)
{
    struct Batch batch;
    batch_new(&batch, TEXTS, READ);
    for (int n = 0; n < TEXTS; n++) {
        add_example(&batch, n, shift);
    }
    run->best = best_loss(shift);
    run->reached = model_forward(model, &batch);
    run->masked = true;
    for (int i = 0; i < TEXTS * HEADS * READ * READ; i++) {
        int query = i / READ % READ, key = i % READ, head = i / (READ * READ) % HEADS;
        float weight = model_attention(model, 0, head, i / (READ * READ * HEADS), query, key);
        run->masked &= (weight == 0.0f) == (key > query);
    }
    batch_free(&batch);
}

/* BOS and an hour: the rest is up to the model. */
static void let_it_write(struct Run *run, struct Model *model, struct Batch *batch)
{
    int length[HOURS], wanted[HOURS];
    for (int s = 0; s < HOURS; s++) {
        run->written[s][0] = BOS;
        run->written[s][1] = s;
        length[s] = 2, wanted[s] = TEXT - 2;
    }
    decode_greedy(model, batch, run->written[0], TEXT, length, wanted, HOURS);
}

static void train(struct Run *run, int shift, int steps, struct Progress *progress, uint64_t seed)
{
    struct Model *model = model_new(model_config(VOCAB, READ, WIDTH, HEADS, 1), TEXTS);
    struct Rng rng = rng_stream(seed, "clock");
    struct AdamW adamw;
    struct Batch batch;
    model_init(model, seed);
    adamw_new(&adamw, model->params.size, 0.003, 0.01);
    batch_new(&batch, BATCH, READ);
    run->losses = zeros_new((size_t)steps + 1, sizeof *run->losses);
    for (int step = 0; step < steps; step++) {
        batch_clear(&batch);
        for (int s = 0; s < BATCH; s++) {
            add_example(&batch, rng_below(&rng, TEXTS), shift);
        }
        run->losses[step] = model_gradient(model, &batch);
        adamw.lr = 0.003 * (steps - step) / steps; /* so that the noise of the batches settles */
        model_update(model, &adamw);
        progress_step(progress, shift * steps + step + 1, run->losses[step]);
    }
    look_at_all(run, model, shift);
    let_it_write(run, model, &batch);
    adamw_free(&adamw);
    batch_free(&batch);
    model_free(model);
}

/* Of what was written for the eight first hours: how far each step goes, a copy being a step of 0,
   and where EOS stands. */
struct Written {
    int steps[HOURS], in_place, early;
};
static struct Written count_written(const struct Run *run)
{
    struct Written w = {.early = 0};
    for (int s = 0; s < HOURS; s++) {
        const int32_t *text = run->written[s];
        for (int t = 2; t <= LETTERS; t++) {
            bool hours = text[t - 1] < HOURS && text[t] < HOURS;
            w.steps[hours ? (text[t] - text[t - 1] + HOURS) % HOURS : 0] += hours;
        }
        w.in_place += text[TEXT - 1] == EOS && text[TEXT - 2] != EOS;
        w.early += text[TEXT - 2] == EOS;
    }
    return w;
}

/* Tokens from text[from] on; hours are counted from 1, as on a clock. */
static void print_tokens(const int32_t *text, int from, int n)
{
    for (int t = from; t < from + n; t++) {
        if (t >= TEXT) {
            printf("   -");
        } else if (text[t] < HOURS) {
            printf("%4d", text[t] + 1);
        } else {
            printf(text[t] == BOS ? " BOS" : " EOS");
        }
    }
    printf("\n");
}

static void print_labels(void)
{
    int32_t text[TEXT];
    write_text(text, 2 + HOURS * 22);
    printf("  A clock of %d hours: BOS, a first hour, then six times one hour on or two, as\n"
           "  a coin falls, EOS. One of the %d texts, all as likely, and its labels:\n"
           "  read           ",
           HOURS, TEXTS);
    print_tokens(text, 0, READ);
    for (int shift = 0; shift < SHIFTS; shift++) {
        printf("  %-15s", shift_names[shift]);
        print_tokens(text, shift, READ);
    }
}

static void print_runs(const struct Run *runs, const struct Written *written)
{
    printf("\n                  loss over all texts     steps written, of %d    EOS, of %d\n"
           "                   least   the model's    0   1, 2    3   else   in place  early\n",
           HOURS * (LETTERS - 1), HOURS);
    for (int i = 0; i < SHIFTS; i++) {
        const struct Written *w = &written[i];
        int some = w->steps[0] + w->steps[1] + w->steps[2] + w->steps[3];
        printf("  %-14s %7.4f %13.4f %4d %6d %4d %6d %10d %6d\n", shift_names[i], runs[i].best,
               runs[i].reached, w->steps[0], w->steps[1] + w->steps[2], w->steps[3],
               HOURS * (LETTERS - 1) - some, w->in_place, w->early);
    }
    printf("\n  What each of them writes behind BOS and an hour:\n");
    for (int i = 0; i < SHIFTS; i++) {
        printf("  %-15s", shift_names[i]);
        print_tokens(runs[i].written[2], 0, TEXT);
    }
    printf("  The first of eight hours costs ln 8, each of six more ln 2, and EOS nothing,\n"
           "  as its place is known: together, over %d labels, %.4f. Two steps on, the\n"
           "  clock stands 2, 3 or 4 hours further, and 3 is the likeliest: so that is what\n"
           "  a model writes that is asked for the token after the next.\n",
           READ, runs[1].best);
}

static void claim_runs(const struct Run *runs, const struct Written *written, int steps)
{
    const struct Run *copy = &runs[0], *once = &runs[1], *twice = &runs[2];
    int all = HOURS * (LETTERS - 1);
    page_claim(copy->masked && once->masked && twice->masked,
               "in all three the mask is right: no weight for any later token");
    page_claim(copy->reached > 0.0 && once->reached > once->best - 1e-6 &&
                   twice->reached > twice->best - 1e-6,
               "no model gets below what the data allow");
    if (steps < ENOUGH) {
        printf("  After fewer than %d steps nothing is claimed of what was learned.\n", ENOUGH);
        return;
    }
    page_claim(copy->reached < 0.01 * once->best, "not shifted: the loss goes to nothing");
    page_claim(once->reached < 1.02 * once->best && twice->reached < 1.02 * twice->best,
               "shifted: it stops within 2%% of the least there can be");
    page_claim(written[0].steps[0] == all,
               "not shifted: the model writes its last token again and again");
    page_claim(written[1].steps[1] + written[1].steps[2] == all && written[1].in_place == HOURS,
               "shifted once: all steps are the clock's, and EOS stands in its place");
    page_claim(written[2].steps[3] > all / 2 && written[2].early == HOURS,
               "shifted twice: steps of 3, which no text has, and EOS comes too early");
}

void report_labels(const struct Common *common, int steps, struct Table *losses,
                   struct Table *least)
{
    struct Run runs[SHIFTS];
    struct Written written[SHIFTS];
    struct Progress progress;
    progress_start(&progress, SHIFTS * steps, common->quiet);
    for (int shift = 0; shift < SHIFTS; shift++) {
        train(&runs[shift], shift, steps, &progress, common->seed);
        written[shift] = count_written(&runs[shift]);
    }
    progress_end(&progress);
    page_heading("Labels are shifted once");
    print_labels();
    print_runs(runs, written);
    claim_runs(runs, written, steps);
    table_row(least, "%.6f\t%.6f\t%.6f", runs[0].best, runs[1].best, runs[2].best);
    for (int step = 0; step < steps; step++) {
        table_row(losses, "%d\t%.6f\t%.6f\t%.6f", step + 1, runs[0].losses[step],
                  runs[1].losses[step], runs[2].losses[step]);
    }
    for (int shift = 0; shift < SHIFTS; shift++) {
        free(runs[shift].losses);
    }
}
