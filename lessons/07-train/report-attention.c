/* Reading attention: where the heads look, and three reasons not to read too much into it. A
   weight says where a head looks; what travels are the values; and what matters shows only when
   it is taken away. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base.h"
#include "common/decode.h"
#include "common/page.h"
#include "common/table.h"
#include "report.h"
#include "wiring.h"

static const char letters[] = "fgcabe";
enum { N = 6, ROWS = 2 * N + 1, ABLATED = 200, MOST_HEADS = 16 };

/* The batch := the example, whose logits and attention can be read then. Returns its loss. */
static double look(struct Run *run, int32_t tokens[CONTEXT])
{
    int32_t targets[CONTEXT];
    struct String string;
    string_parse(&string, letters);
    reversal_example(tokens, targets, &string, false);
    batch_clear(&run->batch);
    batch_add(&run->batch, tokens, targets, ROWS);
    return model_forward(run->model, &run->batch);
}

/* Every weight that the mask leaves. */
static void tabulate_weights(struct Run *run, struct Table *table)
{
    int32_t tokens[CONTEXT];
    look(run, tokens);
    for (int layer = 0; layer < run->options->layers; layer++) {
        for (int head = 0; head < run->options->heads; head++) {
            for (int query = 0; query < ROWS; query++) {
                for (int key = 0; key <= query; key++) {
                    table_row(table, "%d\t%d\t%d\t%d\t%.6f", layer + 1, head + 1, query, key,
                              (double)model_attention(run->model, layer, head, 0, query, key));
                }
            }
        }
    }
}

static int strongest_key(const struct Model *model, int layer, int head, int query)
{
    float weights[ROWS];
    for (int key = 0; key <= query; key++) {
        weights[key] = model_attention(model, layer, head, 0, query, key);
    }
    return argmax(weights, query + 1);
}

/* The place of the letter that query, from the separator on, is to write next. */
static int wanted_key(int query)
{
    return 2 * N - 1 - query;
}

/* The row of one head; returns for how many of the queries it looks most at what is wanted. */
static int print_head(const struct Model *model, int layer, int head, const int32_t *tokens,
                      struct Table *table)
{
    int right = 0;
    printf("  block %d, head %-2d", layer + 1, head + 1);
    for (int query = N; query < 2 * N; query++) {
        int key = strongest_key(model, layer, head, query);
        float weight = model_attention(model, layer, head, 0, query, key);
        bool wanted = key == wanted_key(query);
        right += wanted;
        printf("%3c%s%.2f", token_letter(tokens[key]), wanted ? "*" : " ", (double)weight);
        table_row(table, "%d\t%d\t%d\t%c\t%d\t%c\t%.6f\t%d", layer + 1, head + 1, query,
                  token_letter(tokens[query]), key, token_letter(tokens[key]), (double)weight,
                  wanted);
    }
    printf("%5d\n", right);
    return right;
}

static void report_strongest(struct Run *run, struct Table *table)
{
    const struct Options *o = run->options;
    int32_t tokens[CONTEXT];
    int best = 0;
    look(run, tokens);
    printf("  The strongest key of each row of %s|ebacgf from the separator on, and its\n"
           "  weight; * where it is the letter to be written next.\n"
           "  query          ",
           letters);
    for (int query = N; query < 2 * N; query++) {
        printf("%s%c", query > N ? "       " : "  ", token_letter(tokens[query]));
    }
    printf("     right\n");
    for (int layer = 0; layer < o->layers; layer++) {
        for (int head = 0; head < o->heads; head++) {
            int right = print_head(run->model, layer, head, tokens, table);
            best = layer == o->layers - 1 && right > best ? right : best;
        }
    }
    if (chapters_run(o, 1500, 3, 8)) {
        page_claim(best >= N - 1, "a head of the last block looks up what to write next");
    }
}

/* The values of two letters change places in the last block; the weights stay. */
static void report_swap(struct Run *run)
{
    int32_t tokens[CONTEXT];
    look(run, tokens);
    float *logits = array_new((size_t)ROWS * VOCAB);
    const struct Model *model = run->model;
    int before = argmax(model_logits(model, N), VOCAB);
    struct Swap swap = {.layer = run->options->layers - 1, .row = N - 1, .other = N - 2};
    wiring_logits(logits, model, &run->batch, swap);
    int after = argmax(logits + N * VOCAB, VOCAB);
    printf("  What travels: the values of e and b, the last two letters, change places in\n"
           "  the last block, and no weight moves. After | the model wrote %c, and now %c.\n",
           token_letter(before), token_letter(after));
    free(logits);
    if (chapters_run(run->options, 1500, 3, 8)) {
        page_claim(before == tokens[N - 1] && after == tokens[N - 2],
                   "it writes the value that is found, not the key that is looked at");
    }
}

/* Rows above the separator: nobody's business. */
static void report_unseen_rows(struct Run *run)
{
    int32_t tokens[CONTEXT];
    double all = look(run, tokens);
    double without = model_gradient(run->model, &run->batch);
    printf("  The %d rows above the separator have no target. Without their queries in the\n"
           "  last block the loss is %.9f, with them %.9f.\n",
           N, without, all);
    page_claim(all == without, "what these rows look at changes no bit of the loss");
}

/* Columns first to first+count-1 of a weight (n,k) become zeros. */
static void clear_columns(struct Linear *w, int n, int k, int first, int count)
{
    for (int row = 0; row < n; row++) {
        memset(w->weight + (size_t)row * (size_t)k + first, 0, (size_t)count * sizeof(float));
    }
}

/* What is taken away: one head of a block, or (head < 0) its attention, its MLP, or both. */
struct Part {
    int layer, head;
    bool attention, mlp;
};

static void take_away(struct Model *model, struct Part part)
{
    int d = model->config.d_model, d_head = d / model->config.attention.n_heads;
    struct BlockTensors *block = &model->w.blocks[part.layer];
    if (part.head >= 0) {
        clear_columns(&block->out, d, d, part.head * d_head, d_head);
    }
    if (part.attention) {
        clear_columns(&block->out, d, d, 0, d);
        memset(block->out.bias, 0, (size_t)d * sizeof(float));
    }
    if (part.mlp) {
        clear_columns(&block->down, d, 4 * d, 0, 4 * d);
        memset(block->down.bias, 0, (size_t)d * sizeof(float));
    }
    model_pack(model);
}

static void ablate(struct Run *run, const char *name, const struct Part *part,
                   const struct String *strings, struct Table *table)
{
    struct String output[ABLATED];
    size_t size = run->model->params.size * sizeof(float);
    float *kept = array_new(run->model->params.size);
    memcpy(kept, run->model->weights, size);
    if (part != NULL) {
        take_away(run->model, *part);
    }
    reversal_decode(run->model, &run->batch, output, strings, ABLATED);
    struct Score score = reversal_score(strings, output, ABLATED, NULL);
    printf("  %-26s %3d\n", name, score_right(&score));
    table_row(table, "%s\t%d\t%d", name, score_right(&score), ABLATED);
    memcpy(run->model->weights, kept, size);
    model_pack(run->model);
    free(kept);
}

static void report_ablation(struct Run *run, uint64_t seed, struct Table *table)
{
    const struct Options *o = run->options;
    struct String strings[ABLATED];
    strings_draw(strings, ABLATED, seed, "test", o->lengths.first, o->lengths.last);
    printf("  What matters: %d fresh strings, right without\n", ABLATED);
    ablate(run, "nothing", NULL, strings, table);
    for (int layer = 0; layer < o->layers && o->layers * o->heads <= MOST_HEADS; layer++) {
        char name[40];
        for (int head = 0; head < o->heads; head++) {
            snprintf(name, sizeof name, "block %d, head %d", layer + 1, head + 1);
            ablate(run, name, &(struct Part){.layer = layer, .head = head}, strings, table);
        }
        snprintf(name, sizeof name, "block %d, attention", layer + 1);
        ablate(run, name, &(struct Part){layer, -1, true, false}, strings, table);
        snprintf(name, sizeof name, "block %d, MLP", layer + 1);
        ablate(run, name, &(struct Part){layer, -1, false, true}, strings, table);
        snprintf(name, sizeof name, "block %d", layer + 1);
        ablate(run, name, &(struct Part){layer, -1, true, true}, strings, table);
    }
}

void report_attention(struct Run *run, uint64_t seed, const char *out)
{
    struct Table *attention = table_new(out, "attention", "block head query key weight");
    struct Table *strongest =
        table_new(out, "strongest", "block head query query_token key key_token weight wanted");
    struct Table *ablation = table_new(out, "ablation", "part right total");
    tabulate_weights(run, attention);
    page_heading("Reading attention");
    report_strongest(run, strongest);
    report_swap(run);
    report_unseen_rows(run);
    report_ablation(run, seed, ablation);
    table_save(attention);
    table_save(strongest);
    table_save(ablation);
}
