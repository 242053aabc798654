/* Asking a trained model. */
#include "common/decode.h"
#include "retrieval.h"

double ask(struct Model *model, const struct Example *e, int count, bool query_only, int *answers)
{
    double loss = 0.0;
    struct Batch batch;
    batch_new(&batch, BATCH, model->config.context);
    for (int first = 0; first < count; first += BATCH) {
        int n = count - first < BATCH ? count - first : BATCH;
        batch_clear(&batch);
        for (int i = 0; i < n; i++) {
            example_add(&batch, &e[first + i], query_only ? e[first + i].pairs : 0);
        }
        loss += model_forward(model, &batch) * n / count;
        for (int i = 0; i < n; i++) {
            const float *logits = model_logits(model, batch.start[i + 1] - 1);
            answers[first + i] = argmax(logits, model->config.vocab);
        }
    }
    batch_free(&batch);
    return loss;
}

int count_right(struct Model *model, const struct Example *e, int count, bool query_only)
{
    int answers[MOST_ASKED], right = 0;
    ask(model, e, count, query_only, answers);
    for (int i = 0; i < count; i++) {
        right += answers[i] == example_answer(&e[i]);
    }
    return right;
}
