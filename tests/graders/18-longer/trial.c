#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base.h"
#include "common/decode.h"
#include "common/file.h"
#include "common/loss.h"
#include "common/progress.h"
#include "tests/graders/build.h"
#include "tests/graders/stub.h"

enum { TESTED = 500, LONGER = 200, FIRST_LONGER = 9, KNOWN = 15 };

/* What came of a training. */
struct Outcome {
    bool trained[CONTEXT]; /* rows of the position table that ever had a gradient */
    struct Score fresh, longer;
    int right[2][2], total[2][2]; /* letters of longer strings, told the truth: by known row and
                                     known offset, as in lesson 07's study */
};

static void note_rows(bool trained[CONTEXT], const struct Model *model)
{
    int d = model->config.d_model;
    const float *gradient = model->gradient + (model->w.position - model->weights);
    for (int i = 0; i < CONTEXT * d; i++) {
        trained[i / d] |= gradient[i] != 0.0f;
    }
}

static void train(struct Outcome *o, struct Model *model, struct Batch *batch,
                  const struct Examples *e, bool quiet)
{
    struct AdamW adamw;
    struct Progress bar;
    adamw_new(&adamw, model->params.size, 0.003, 0.01);
    progress_start(&bar, STEPS, quiet);
    for (int step = 0; step < STEPS; step++) {
        const int first = step * BATCH * CONTEXT;
        batch_from_padded(batch, e->tokens + first, e->targets + first, BATCH, CONTEXT, true);
        double loss = model_gradient(model, batch);
        model_update(model, &adamw);
        note_rows(o->trained, model);
        progress_step(&bar, step + 1, loss);
        if (!isfinite(loss)) {
            die("training diverged in step %d", step + 1);
        }
    }
    progress_end(&bar);
    adamw_free(&adamw);
}

static struct Score test(struct Model *model, struct Batch *batch, const struct String *strings,
                         int count)
{
    struct String output[TESTED];
    reversal_decode(model, batch, output, strings, count);
    return reversal_score(strings, output, count, NULL);
}

/* Every letter that is to be written of one string, told those before it. */
static void count_letters(struct Outcome *o, struct Model *model, struct Batch *batch,
                          const struct String *string)
{
    int32_t tokens[CONTEXT], targets[CONTEXT];
    reversal_example(tokens, targets, string, false);
    batch_clear(batch);
    batch_add(batch, tokens, targets, 2 * string->length + 1);
    model_forward(model, batch);
    for (int i = 0; i < string->length; i++) {
        int row = string->length + i, offset = 2 * i + 1;
        bool known_row = row <= KNOWN, known_offset = offset <= KNOWN;
        o->total[known_row][known_offset]++;
        o->right[known_row][known_offset] +=
            argmax(model_logits(model, row), VOCAB) == targets[row];
    }
}

static struct Outcome run(const struct Examples *e, uint64_t seed, bool quiet)
{
    struct Outcome o = {0};
    struct String fresh[TESTED], longer[LONGER];
    struct Batch batch;
    struct Model *model = model_new(model_config(VOCAB, CONTEXT, 64, 2, 2), BATCH);
    batch_new(&batch, BATCH, CONTEXT);
    model_init(model, seed);
    train(&o, model, &batch, e, quiet);
    strings_draw(fresh, TESTED, seed, "test", 3, 8);
    strings_draw(longer, LONGER, seed, "longer", FIRST_LONGER, LONGEST);
    o.fresh = test(model, &batch, fresh, TESTED);
    o.longer = test(model, &batch, longer, LONGER);
    for (int i = 0; i < LONGER; i++) {
        count_letters(&o, model, &batch, &longer[i]);
    }
    model_free(model);
    batch_free(&batch);
    return o;
}

static void heading(FILE *page, const char *text)
{
    fprintf(page, "\n%s\n", text);
    for (size_t i = strlen(text); i > 0; i--) {
        putc('-', page);
    }
    putc('\n', page);
}

static void report_examples(FILE *page, const struct Examples *e)
{
    heading(page, "1. Your examples");
    for (int i = 0; i < 3; i++) {
        const int32_t *tokens = e->tokens + i * CONTEXT, *targets = e->targets + i * CONTEXT;
        fprintf(page, "  input ");
        for (int t = 0; t < CONTEXT; t++) {
            fprintf(page, " %c", token_letter(tokens[t]));
        }
        fprintf(page, "\n  target");
        for (int t = 0; t < CONTEXT; t++) {
            fprintf(page, " %c", targets[t] == IGNORE ? '_' : token_letter(targets[t]));
        }
        putc('\n', page);
    }
}

static void report_rows(FILE *page, const bool trained[CONTEXT])
{
    heading(page, "2. Positions that were never trained");
    fprintf(page, "  Rows whose gradient was zero at every step:");
    for (int t = 0; t < CONTEXT; t++) {
        if (!trained[t]) {
            fprintf(page, " %d", t);
        }
    }
    fprintf(page, "\n  A string of %d letters needs rows 0 to %d.\n", LONGEST, 2 * LONGEST - 1);
}

static void report_strings(FILE *page, const struct Outcome *o)
{
    heading(page, "3. The test: every letter must be right, from position 0 on");
    fprintf(page, "  500 fresh strings of 3 to 8 letters: %d right\n", score_right(&o->fresh));
    fprintf(page, "  200 strings of 9 to 12 letters: %d right\n  length ", score_right(&o->longer));
    for (int n = FIRST_LONGER; n <= LONGEST; n++) {
        fprintf(page, "  %d: %d/%d", n, o->longer.right[n], o->longer.total[n]);
    }
    putc('\n', page);
}

static void report_letters(FILE *page, const struct Outcome *o)
{
    heading(page, "4. Letters of the longer strings, told the truth before each");
    fprintf(page, "  In percent. Known rows, known offsets: up to %d, as lesson 07 trains them.\n",
            KNOWN);
    for (int row = 1; row >= 0; row--) {
        for (int offset = 1; offset >= row; offset--) { /* no new offset falls into a known row */
            fprintf(page, "  %-5s row, %-5s offset  %5.1f\n", row ? "known" : "new",
                    offset ? "known" : "new",
                    100.0 * o->right[row][offset] / o->total[row][offset]);
        }
    }
}

static char *write_page(const struct Examples *e, const struct Outcome *o)
{
    char *text;
    size_t size;
    FILE *page = open_memstream(&text, &size);
    fprintf(page, "Exercise 18. What comes of your training examples\n");
    report_examples(page, e);
    report_rows(page, o->trained);
    report_strings(page, o);
    report_letters(page, o);
    fclose(page);
    return text;
}

/* FNV-1a, a number that other bytes hardly ever have. */
static uint64_t digest(uint64_t hash, const void *bytes, size_t n)
{
    for (const unsigned char *b = bytes; n > 0; b++, n--) {
        hash = (hash ^ *b) * 0x100000001b3u;
    }
    return hash;
}

/* One more whenever write_page writes another page. */
static const int page_form = 2;

/* The name of the page of these examples. Lesson 07's page is part of it: where the core computes
   otherwise than before, that page is another, and what was kept is not taken. */
static void page_name(char path[LINE], const struct Examples *e, uint64_t seed)
{
    size_t n = (size_t)EXAMPLES * CONTEXT * sizeof *e->tokens;
    char *lesson = page_read("07-train");
    uint64_t hash = digest(0xcbf29ce484222325u, &seed, sizeof seed);
    hash = digest(hash, &page_form, sizeof page_form);
    hash = digest(hash, lesson, strlen(lesson));
    hash = digest(hash, e->tokens, n);
    hash = digest(hash, e->targets, n);
    free(lesson);
    directory_make(build_path("trials"));
    write_line(path, "%s/trials/%016llx.txt", build_directory, (unsigned long long)hash);
}

char *trial_page(const struct Examples *e, uint64_t seed, bool quiet)
{
    char path[LINE];
    page_name(path, e, seed);
    if (access(path, R_OK) == 0) {
        return file_text(path);
    }
    struct Outcome outcome = run(e, seed, quiet);
    char *page = write_page(e, &outcome);
    file_replace(path, page, strlen(page));
    return page;
}
