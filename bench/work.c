/* The sums behind every Gflop/s of the report. */
#include "work.h"

/* The first row of a sequence that asks; how many ask in all (attention.h). */
static int first_query(struct Sequences sequences, int s)
{
    return sequences.first != NULL ? sequences.first[s] : 0;
}

static int queries(struct Sequences sequences)
{
    int count = 0;
    for (int s = 0; s < sequences.count; s++) {
        count += sequences.start[s + 1] - sequences.start[s] - first_query(sequences, s);
    }
    return count;
}

double linear_work(int rows, int k, int n)
{
    return 2.0 * rows * k * n;
}

double attention_work(struct Sequences sequences, int d_model)
{
    double pairs = 0.0;
    for (int s = 0; s < sequences.count; s++) {
        int length = sequences.start[s + 1] - sequences.start[s];
        for (int query = first_query(sequences, s); query < length; query++) {
            pairs += query + 1;
        }
    }
    return 2.0 * 2.0 * pairs * d_model;
}

double block_work(struct Sequences sequences, int rows, int d_model)
{
    int d = d_model, n_queries = queries(sequences);
    return linear_work(rows, d, 3 * d) + attention_work(sequences, d) +
           linear_work(n_queries, d, d) + linear_work(n_queries, d, 4 * d) +
           linear_work(n_queries, 4 * d, d);
}

double head_work(struct Sequences sequences, int d_model, int vocab)
{
    return linear_work(queries(sequences), d_model, vocab);
}

double step_work(const struct ModelConfig *config, const struct Batch *batch)
{
    struct Sequences all = {.start = batch->start, .count = batch->count};
    struct Sequences last = all;
    last.first = batch->first;
    double forward = (config->n_layers - 1) * block_work(all, batch->rows, config->d_model) +
                     block_work(last, batch->rows, config->d_model) +
                     head_work(last, config->d_model, config->vocab);
    return 3.0 * forward;
}
