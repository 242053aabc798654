/* Does it matter where the row stands that is asked for? Without positions and with one block it
   cannot: the last row sees a set. A window makes it matter: it hides what is too far back, and a
   model accepts a long input all the same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base.h"
#include "common/page.h"
#include "retrieval.h"

enum { ALL, NEAR, NEAR_TWICE, ASKED = PLACES * PLACED };

static const struct {
    const char *name;
    int layers, window;
} readers[READERS] = {
    {"sees all rows", 1, 0},
    {"window of 8, one block", 1, WINDOW},
    {"window of 8, two blocks", 2, WINDOW},
};

/* Every place is asked for PLACED times. */
static void fresh(struct Example e[ASKED], uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "fresh");
    for (int i = 0; i < ASKED; i++) {
        e[i] = example_draw(&rng, MOST_KEYS, PLACES);
        example_ask(&e[i], i % PLACES);
    }
}

/* The largest change of a logit of the last row when the other rows stand the other way round. */
static double shuffled(struct Model *model, const struct Example *e, int count)
{
    struct Batch batch;
    double most = 0.0;
    float before[MOST_KEYS];
    batch_new(&batch, 1, model->config.context);
    for (int i = 0; i < 2 * count; i++) {
        struct Example x = e[i / 2];
        for (int row = 0; row < x.pairs && i % 2; row++) {
            x.keys[row] = e[i / 2].keys[x.pairs - 1 - row];
            x.values[row] = e[i / 2].values[x.pairs - 1 - row];
        }
        batch_clear(&batch);
        example_add(&batch, &x, 0);
        model_forward(model, &batch);
        const float *logits = model_logits(model, x.pairs);
        for (int j = 0; j < MOST_KEYS && i % 2; j++) {
            most = larger(most, fabs((double)logits[j] - (double)before[j]));
        }
        memcpy(before, logits, sizeof before);
    }
    batch_free(&batch);
    return most;
}

struct Places study_places(struct Work *work)
{
    static struct Example e[ASKED];
    struct Places p = {0};
    fresh(e, work->seed);
    for (int reader = 0; reader < READERS; reader++) {
        int answers[ASKED];
        struct Training t = train((struct Recipe){.keys = MOST_KEYS,
                                                  .pairs = {PLACES, PLACES},
                                                  .layers = readers[reader].layers,
                                                  .window = readers[reader].window,
                                                  .longest = 1.0},
                                  work);
        p.loss[reader] = ask(t.model, e, ASKED, false, answers);
        for (int i = 0; i < ASKED; i++) {
            p.right[reader][e[i].asked] += answers[i] == example_answer(&e[i]);
        }
        if (reader == ALL) {
            p.shuffled = shuffled(t.model, e, PLACED);
        }
        training_free(&t);
    }
    return p;
}

/* The share of right answers, in percent, for the places from first to end - 1. */
static double share(const int right[PLACES], int first, int end)
{
    int sum = 0;
    for (int place = first; place < end; place++) {
        sum += right[place];
    }
    return 100.0 * sum / ((end - first) * PLACED);
}

void report_places(const struct Places *p, int steps, struct Table *table)
{
    const int hidden = PLACES - (WINDOW - 1); /* places that the last row does not see */
    page_heading("Where the row stands that is asked for");
    printf("  %d pairs, and each place is asked for %d times. A window of %d shows a row\n"
           "  itself and the %d before it: the last row sees places %d to %d. Right, in\n"
           "  percent:\n\n"
           "  place                    ",
           PLACES, PLACED, WINDOW, WINDOW - 1, hidden + 1, PLACES);
    for (int place = 0; place < PLACES; place += 3) {
        printf("%6d", place + 1);
    }
    printf("    loss\n");
    for (int reader = 0; reader < READERS; reader++) {
        printf("  %-25s", readers[reader].name);
        for (int place = 0; place < PLACES; place += 3) {
            printf("%6.1f", share(p->right[reader], place, place + 1));
        }
        printf("  %6.4f\n", p->loss[reader]);
        for (int place = 0; place < PLACES; place++) {
            table_row(table, "%s\t%d\t%d\t%d", readers[reader].name, place + 1,
                      p->right[reader][place], PLACED);
        }
    }
    printf("\n  %25s  places 1 to %d   places %d to %d\n", "", hidden, hidden + 1, PLACES);
    for (int reader = 0; reader < READERS; reader++) {
        printf("  %-25s %14.1f %16.1f\n", readers[reader].name, share(p->right[reader], 0, hidden),
               share(p->right[reader], hidden, PLACES));
    }
    printf("\n  With all rows turned round, no logit of the first model moves by more than\n"
           "  %.1e: the same terms, added up in another order.\n",
           p->shuffled);
    page_claim(p->shuffled < 1e-4, "one block that sees all rows cannot tell where a row stands");
    if (learned(steps)) {
        page_claim(share(p->right[ALL], 0, hidden) > 90.0, "it finds what stands far back");
        page_claim(share(p->right[NEAR], hidden, PLACES) > 90.0 &&
                       share(p->right[NEAR], 0, hidden) < 25.0,
                   "behind a window nothing is found, and within it everything");
        page_claim(share(p->right[NEAR_TWICE], 0, hidden) < 50.0,
                   "a second block could carry rows further, and has not learned to");
    }
}
