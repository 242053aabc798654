/* What the page says. Beside each figure stands the chapter's own, where the run is the chapter's:
   its random numbers were others, so the figures differ, and should differ little. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/checkpoint.h"
#include "common/file.h"
#include "common/loss.h"
#include "common/page.h"
#include "common/table.h"
#include "wiring.h"

enum { BLOCK = 250, WINDOW = 25, N_FRESH = 500, N_LONGER = 200, FIRST_LONGER = 9 };
static const double LEARNED = 0.01;

/* What the chapter reports of its own run. */
static const struct {
    int parameters, first_learned, distinct, unseen;
    const char *block_means[6], *abcdefghij;
} chapter = {.parameters = 103244,
             .first_learned = 362,
             .distinct = 71610,
             .unseen = 335,
             .block_means = {"0.48", "0.0090", "0.0004", "0.0002", "0.0001", "0.0001"},
             .abcdefghij = "fedabadbad"};

/* The chapter's model and learning rate, on batches that are drawn. */
static bool chapters_model(const struct Options *o)
{
    return o->width == 64 && o->heads == 2 && o->layers == 2;
}

static bool chapters_run(const struct Options *o, int steps, int first, int last)
{
    return chapters_model(o) && o->steps == steps && o->batch == 64 && o->lr == 0.003 &&
           o->init == NULL && o->batches == NULL && o->lengths.first == first &&
           o->lengths.last == last;
}

void run_new(struct Run *run, const struct Options *options, struct ModelConfig config,
             uint64_t seed)
{
    int most = options->batch > 64 ? options->batch : 64; /* the tests decode 64 at a time */
    size_t padded = (size_t)options->batch * CONTEXT;
    size_t table = (size_t)CONTEXT * (size_t)options->width;
    *run = (struct Run){.options = options,
                        .model = model_new(config, most),
                        .tokens = zeros_new(padded, sizeof *run->tokens),
                        .targets = zeros_new(padded, sizeof *run->targets),
                        .losses = zeros_new((size_t)options->steps, sizeof *run->losses),
                        .position_start = array_new(table)};
    batch_new(&run->batch, most, CONTEXT);
    if (options->init != NULL) {
        checkpoint_load(run->model, options->init);
    } else {
        model_init(run->model, seed);
    }
    memcpy(run->position_start, run->model->w.position, table * sizeof(float));
}

void run_free(struct Run *run)
{
    model_free(run->model);
    batch_free(&run->batch);
    free(run->tokens);
    free(run->targets);
    free(run->losses);
    free(run->position_start);
    seen_free(&run->seen);
}

static void print_row(const char *name, const int32_t *tokens)
{
    printf("%s", name);
    for (int t = 0; t < CONTEXT; t++) {
        printf(" %c", tokens[t] == IGNORE ? '_' : token_letter(tokens[t]));
    }
    putchar('\n');
}

static void first_batch(struct Run *run, struct Source *source)
{
    source_next(source, run->tokens, run->targets);
    batch_from_padded(&run->batch, run->tokens, run->targets, run->options->batch, CONTEXT, true);
}

void report_examples(struct Run *run, struct Source source)
{
    first_batch(run, &source);
    page_heading("Examples as the model sees them");
    for (int i = 0; i < 2 && i < run->options->batch; i++) {
        print_row("  input ", run->tokens + i * CONTEXT);
        print_row("  target", run->targets + i * CONTEXT);
    }
    printf("  | separates, . is a pad, _ is no target: no loss is taken there.\n"
           "  Of the %s positions of the first batch, %s come no later than a target of\n"
           "  their string. Only these are computed; no loss can see the others.\n",
           grouped(run->options->batch * CONTEXT).text, grouped(run->batch.rows).text);
}

void report_parameters(const struct Run *run)
{
    page_heading("The parameters");
    long long total = 0;
    for (int i = 0; i < run->model->params.count; i++) {
        const struct Param *p = &run->model->params.items[i];
        char shape[32];
        snprintf(shape, sizeof shape, p->cols > 0 ? "%d x %d" : "%d", p->rows, p->cols);
        printf("  %-28s %12s %10s\n", p->name, shape, grouped((long long)p->size).text);
        total += (long long)p->size;
    }
    printf("  %-28s %12s %10s\n", "all", "", grouped(total).text);
    if (chapters_model(run->options)) {
        page_claim(total == chapter.parameters, "the chapter counts %s",
                   grouped(chapter.parameters).text);
    }
}

/* The largest difference between a and b, as a share of the largest entry of b. */
static double difference(const float *a, const float *b, size_t n)
{
    double most = 0.0, scale = 0.0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs((double)a[i] - (double)b[i]);
        most = d > most || isnan(d) ? d : most;
        scale = fmax(scale, fabs((double)b[i]));
    }
    return scale > 0.0 ? most / scale : most;
}

void report_wiring(struct Run *run, struct Source source)
{
    if (run->options->steps == 0) {
        return;
    }
    struct Model *model = run->model;
    size_t n = model->params.size;
    float *gradient = array_new(n), *weights = array_new(n);
    first_batch(run, &source);
    double written_out = wiring_gradient(gradient, model, &run->batch);
    double loss = model_gradient(model, &run->batch);
    model_sum_gradients(model);
    double gradients = difference(model->gradient, gradient, n);

    struct AdamW adamw;
    adamw_new(&adamw, n, run->options->lr, run->options->decay);
    memcpy(weights, model->weights, n * sizeof *weights);
    adamw_begin_step(&adamw);
    adamw_update(&adamw, weights, model->gradient, 0, n);
    for (size_t i = 0; i < n; i++) {
        float m = 0.0f, v = 0.0f;
        gradient[i] = wiring_adamw(model->weights[i], model->gradient[i], &m, &v, 1,
                                   run->options->lr, run->options->decay);
    }
    double updates = difference(weights, gradient, n);

    page_heading("The first step, written out in wiring.c and taken by common/");
    printf("  loss      %.6f  and  %.6f      ln 12 = %.6f: guessing evenly\n", written_out, loss,
           log(VOCAB));
    printf("  gradient  largest difference %.1e of its largest entry\n", gradients);
    printf("  AdamW     largest difference %.1e of the largest weight\n", updates);
    page_claim(fabs(loss - written_out) <= 1e-5 * loss && gradients <= 1e-5 && updates <= 1e-6,
               "both take the same step");
    adamw_free(&adamw);
    free(gradient);
    free(weights);
}

static double mean(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum / n;
}

/* The first step at which the mean of the last 25 losses is below 0.01; 0 if there is none. */
static int first_learned(const double *losses, int steps)
{
    for (int step = WINDOW; step <= steps; step++) {
        if (mean(losses + step - WINDOW, WINDOW) < LEARNED) {
            return step;
        }
    }
    return 0;
}

void report_training(const struct Run *run)
{
    const struct Options *o = run->options;
    bool beside = chapters_run(o, 1500, 3, 8);
    if (o->steps == 0) {
        return;
    }
    page_heading("Training");
    printf("  %s steps of %d strings, AdamW with lr %g and weight decay %g\n\n",
           grouped(o->steps).text, o->batch, o->lr, o->decay);
    printf("  steps            mean loss%s\n", beside ? "    chapter" : "");
    for (int from = 0; from < o->steps; from += BLOCK) {
        int to = from + BLOCK < o->steps ? from + BLOCK : o->steps;
        printf("  %5d to %-5d %12.6f%s%s\n", from + 1, to, mean(run->losses + from, to - from),
               beside ? "    " : "", beside ? chapter.block_means[from / BLOCK] : "");
    }
    int learned = first_learned(run->losses, o->steps);
    printf("\n  first loss %.4f, last %.6f\n", run->losses[0], run->losses[o->steps - 1]);
    if (learned > 0) {
        printf("  mean of 25 steps first below %g: at step %d", LEARNED, learned);
    } else {
        printf("  mean of 25 steps first below %g: not in these steps", LEARNED);
    }
    printf(beside ? " (chapter: %d)\n" : "\n", chapter.first_learned);
    printf("  distinct strings among the %s seen: %s", grouped((long long)o->steps * o->batch).text,
           grouped((long long)run->seen.count).text);
    printf(beside ? " (chapter: %s)\n" : "\n", grouped(chapter.distinct).text);
    if (beside) {
        page_claim(fabs(run->losses[0] - log(VOCAB)) < 0.5, "training starts near an even guess");
        page_claim(learned > 0, "training gets the mean of 25 steps below %g", LEARNED);
    }
}

/* Strings of one test set and what the model makes of them. */
static struct Score test(struct Run *run, const char *stream, uint64_t seed, struct Range lengths,
                         int count, struct Score *unseen)
{
    struct String *strings = zeros_new((size_t)count, sizeof *strings);
    struct String *output = zeros_new((size_t)count, sizeof *output);
    struct Rng rng = rng_stream(seed, stream);
    for (int i = 0; i < count; i++) {
        strings[i] = string_draw(&rng, lengths.first, lengths.last);
    }
    reversal_decode(run->model, &run->batch, output, strings, count);
    struct Score score = reversal_score(strings, output, count, NULL);
    if (unseen != NULL) {
        *unseen = reversal_score(strings, output, count, &run->seen);
    }
    free(strings);
    free(output);
    return score;
}

static void print_lengths(const char *name, const struct Score *score)
{
    printf("  %-8s", name);
    for (int length = 1; length <= LONGEST; length++) {
        if (score->total[length] > 0) {
            printf("  %d: %d/%d", length, score->right[length], score->total[length]);
        }
    }
    putchar('\n');
}

static void table_scores(struct Table *table, const char *set, const struct Score *score)
{
    for (int length = 1; length <= LONGEST; length++) {
        if (score->total[length] > 0) {
            table_row(table, "%s\t%d\t%d\t%d", set, length, score->right[length],
                      score->total[length]);
        }
    }
}

static struct String reverse(struct Run *run, const char *text)
{
    struct String string, output;
    if (!string_parse(&string, text)) {
        die("%s is not 1 to %d letters from a to j", printable(text).text, LONGEST);
    }
    reversal_decode(run->model, &run->batch, &output, &string, 1);
    return output;
}

static void print_string(const struct String *string)
{
    for (int i = 0; i < string->length; i++) {
        putchar(token_letter(string->letters[i]));
    }
}

void report_tests(struct Run *run, uint64_t seed, const char *out)
{
    const struct Options *o = run->options;
    bool beside = chapters_run(o, 1500, 3, 8), second = chapters_run(o, 3000, 3, 12);
    struct Score unseen;
    struct Score fresh = test(run, "test", seed, o->lengths, N_FRESH, &unseen);
    struct Score longer =
        test(run, "longer", seed, (struct Range){FIRST_LONGER, LONGEST}, N_LONGER, NULL);

    page_heading("The test: greedy decoding, every letter must be right");
    printf("  %d fresh strings of %d to %d letters: %d right%s\n", N_FRESH, o->lengths.first,
           o->lengths.last, score_right(&fresh), beside ? " (chapter: 500)" : "");
    print_lengths("length", &fresh);
    printf("  %d of them training never saw: %d right", score_total(&unseen), score_right(&unseen));
    printf(beside ? " (chapter: %d of %d)\n" : "\n", chapter.unseen, chapter.unseen);
    printf("  %d strings of %d to %d letters: %d right%s\n", N_LONGER, FIRST_LONGER, LONGEST,
           score_right(&longer),
           beside   ? " (chapter: 0)"
           : second ? " (chapter: 500 of 500)"
                    : "");
    print_lengths("length", &longer);
    struct String output = reverse(run, "abcdefghij");
    printf("  abcdefghij becomes ");
    print_string(&output);
    printf(beside ? " (chapter: %s)\n" : "\n", chapter.abcdefghij);
    if (beside) {
        page_claim(score_right(&fresh) >= 490, "fresh strings of the lengths trained on: all, or "
                                               "nearly all");
        page_claim(score_right(&longer) <= 10, "longer strings: none, or nearly none");
    }
    if (second) {
        page_claim(score_right(&longer) >= 190, "trained on 3 to 12 letters, it reaches 9 to 12");
    }

    struct Table *table = table_new(out, "accuracy", "set length right total");
    table_scores(table, "fresh", &fresh);
    table_scores(table, "unseen", &unseen);
    table_scores(table, "longer", &longer);
    table_save(table);
}

static double norm(const float *x, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
    }
    return sqrt(sum);
}

void report_positions(const struct Run *run)
{
    const struct Options *o = run->options;
    size_t d = (size_t)o->width;
    double before = 0.0, after = 0.0;
    int idle = 0;
    if (o->steps == 0) {
        return;
    }
    page_heading("Positions that were never trained");
    printf("  rows of pos.weight whose gradient was zero at every step:");
    for (int t = 0; t < CONTEXT; t++) {
        if (!run->trained[t]) {
            printf(" %d", t);
            before += norm(run->position_start + (size_t)t * d, d);
            after += norm(run->model->w.position + (size_t)t * d, d);
            idle++;
        }
    }
    printf(idle > 0 ? "\n" : " none\n");
    if (idle > 0) {
        double shrunk = 1.0 - after / before, decay = 1.0 - pow(1.0 - o->lr * o->decay, o->steps);
        printf("  they shrank by %.2f%%; weight decay alone, 1 - (1 - %g*%g)^%d, is %.2f%%\n",
               100.0 * shrunk, o->lr, o->decay, o->steps, 100.0 * decay);
        page_claim(fabs(shrunk - decay) < 1e-4, "nothing but weight decay touched them");
    }
    if (o->batches == NULL) {
        bool as_expected = true;
        for (int t = 0; t < CONTEXT; t++) {
            as_expected &= !run->trained[t] || t < 2 * o->lengths.last;
        }
        page_claim(as_expected, "a string of %d letters has its last target at position %d",
                   o->lengths.last, 2 * o->lengths.last - 1);
    }
}

void report_string(struct Run *run, const char *text)
{
    page_heading("Your string");
    struct String string, output = reverse(run, text);
    string_parse(&string, text);
    printf("  %s becomes ", text);
    print_string(&output);
    printf(reversal_right(&string, &output) ? ": right\n" : ": wrong\n");
}

static void save_attention(struct Run *run, const char *out)
{
    int32_t tokens[CONTEXT], targets[CONTEXT];
    struct String string;
    string_parse(&string, "fgcabe");
    reversal_example(tokens, targets, &string, false);
    int length = 2 * string.length + 1;
    batch_clear(&run->batch);
    batch_add(&run->batch, tokens, NULL, length);
    model_forward(run->model, &run->batch);
    struct Table *table = table_new(out, "attention", "block head query key weight");
    for (int layer = 0; layer < run->options->layers; layer++) {
        for (int head = 0; head < run->options->heads; head++) {
            for (int query = 0; query < length; query++) {
                for (int key = 0; key <= query; key++) {
                    table_row(table, "%d\t%d\t%d\t%d\t%.6f", layer + 1, head + 1, query, key,
                              (double)model_attention(run->model, layer, head, 0, query, key));
                }
            }
        }
    }
    table_save(table);
}

void save_tables(struct Run *run, const char *out)
{
    struct Table *table = table_new(out, "loss", "step loss");
    for (int step = 0; step < run->options->steps; step++) {
        table_row(table, "%d\t%.9g", step + 1, run->losses[step]);
    }
    table_save(table);
    save_attention(run, out);
    char path[4096];
    snprintf(path, sizeof path, "%s/model.safetensors", out);
    checkpoint_save(run->model, path);
}
