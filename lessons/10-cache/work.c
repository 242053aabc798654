/* What one more token costs, counted while it is done; and a formula, for longer texts. */
#include <stdio.h>

#include "common/page.h"
#include "common/reversal.h"
#include "lesson.h"

/* Multiply-adds of everything that a row goes through but attention, and of attention for one key
   of one query: D for the score, D for the mean of the values, in each layer. */
static long long row_cost(const struct ModelConfig *config)
{
    long long D = config->d_model;
    return config->n_layers * (3 + 1 + 4 + 4) * D * D + D * config->vocab;
}

static long long key_cost(const struct ModelConfig *config)
{
    return 2LL * config->d_model * config->n_layers;
}

/* The n-th token, when all n are read for it, and when it is read alone. */
static long long cost_anew(const struct ModelConfig *config, long long n)
{
    return n * row_cost(config) + n * (n + 1) / 2 * key_cost(config);
}

static long long cost_cached(const struct ModelConfig *config, long long n)
{
    return row_cost(config) + n * key_cost(config);
}

static void print_costs(int n, long long anew, long long cached)
{
    printf("  %7s %20s %14s %10.1f\n", grouped(n).text, grouped(anew).text, grouped(cached).text,
           (double)anew / (double)cached);
}

/* Count both for the tokens 1 .. CONTEXT of a text. */
struct Counted {
    bool right;               /* as the formulas say */
    long long last_anew, sum; /* the last token anew; all of them cached */
};
static struct Counted count(const struct Model *model)
{
    struct Counted counted = {.right = true};
    struct Reader cached, anew;
    int32_t tokens[CONTEXT], places[CONTEXT];
    float logits[CONTEXT * VOCAB];
    reader_new(&cached, model, CONTEXT);
    reader_new(&anew, model, CONTEXT);
    for (int i = 0; i < CONTEXT; i++) {
        tokens[i] = i % VOCAB, places[i] = i;
    }
    for (int n = 1; n <= CONTEXT; n++) {
        long long begin = multiply_adds;
        reader_keep(&anew, 0);
        reader_read(logits, &anew, tokens, places, n, BY_POSITION);
        long long middle = multiply_adds;
        reader_read(logits, &cached, tokens + n - 1, places + n - 1, 1, BY_POSITION);
        long long all = middle - begin, one = multiply_adds - middle;
        counted.right &= all == cost_anew(&model->config, n);
        counted.right &= one == cost_cached(&model->config, n);
        counted.last_anew = all;
        counted.sum += one;
        if ((n & (n - 1)) == 0 || n == CONTEXT) {
            print_costs(n, all, one);
        }
    }
    reader_free(&cached);
    reader_free(&anew);
    return counted;
}

void report_work(const struct Model *model)
{
    static const int longer[] = {64, 512, 4096, 32768};
    const struct ModelConfig *config = &model->config;
    page_heading("The work for one more token");
    printf("  Multiply-adds of the same model for the n-th token, counted in the loops.\n\n"
           "        n                 anew         cached      times\n");
    struct Counted counted = count(model);
    printf("  by the formula, if the model had room for so many:\n");
    for (int i = 0; i < 4; i++) {
        print_costs(longer[i], cost_anew(config, longer[i]), cost_cached(config, longer[i]));
    }
    printf("\n  A row costs %s, and %s for each key that it sees. anew: n rows, which\n"
           "  see 1 to n keys. cached: one row, which sees n.\n",
           grouped(row_cost(config)).text, grouped(key_cost(config)).text);
    page_claim(counted.right, "counted for n = 1 to %d, and as the formula says", CONTEXT);
    page_claim(counted.sum == counted.last_anew,
               "the %dth token anew costs what all %d cost from the cache", CONTEXT, CONTEXT);
}
