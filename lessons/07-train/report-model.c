/* The page before training: examples, parameters, and the first step taken twice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/loss.h"
#include "common/page.h"
#include "report.h"
#include "wiring.h"

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
           "  Of the %s positions of the first batch, %s come no later than a\n"
           "  target of their string. Only these are computed; no loss can see the others.\n",
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
    float *updated = gradient; /* no longer needed */
    for (size_t i = 0; i < n; i++) {
        float m = 0.0f, v = 0.0f;
        updated[i] = wiring_adamw(model->weights[i], model->gradient[i], &m, &v, 1,
                                  run->options->lr, run->options->decay);
    }
    double updates = difference(weights, updated, n);

    page_heading("The first step, written out in wiring.c and taken by common/");
    printf("  loss      %.6f in wiring.c, %.6f in common/\n"
           "            %.6f would be an even guess among %d tokens, ln %d\n",
           written_out, loss, LN_VOCAB, VOCAB, VOCAB);
    printf("  gradient  largest difference %.1e of its largest entry\n", gradients);
    printf("  AdamW     largest difference %.1e of the largest weight\n", updates);
    page_claim(fabs(loss - written_out) <= 1e-5 * loss && gradients <= 1e-5 && updates <= 1e-6,
               "both take the same step");
    adamw_free(&adamw);
    free(gradient);
    free(weights);
}
