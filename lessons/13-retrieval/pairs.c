/* More rows to look through. With 8 keys there are at most 8; so here there are 64, and the models
   see fresh examples at each step. Three ways to train: on 4 pairs, on 1 to 64, and on the very
   number that is tested, each for the same number of steps. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base.h"
#include "common/curve.h"
#include "common/page.h"
#include "retrieval.h"

enum { FEW, ANY, SAME };
enum { SOON = 400 }; /* steps; after more of them 64 pairs alone are learned too */
static const double MARK = 0.1;

/* Fresh examples with so many pairs; the same for every model that is asked. */
static struct Example *fresh(uint64_t seed, int keys, int pairs)
{
    struct Example *e = zeros_new(TESTED, sizeof *e);
    struct Rng rng = rng_stream(seed, "fresh");
    for (int i = 0; i < TESTED; i++) {
        e[i] = example_draw(&rng, keys, pairs);
    }
    return e;
}

/* What the last row gives to the row that is asked for, mean over heads and examples. */
static double weight_of(struct Model *model, const struct Example *e, int count)
{
    double sum = 0.0;
    struct Batch batch;
    batch_new(&batch, 1, model->config.context);
    for (int i = 0; i < count; i++) {
        batch_clear(&batch);
        example_add(&batch, &e[i], 0);
        model_forward(model, &batch);
        for (int head = 0; head < HEADS; head++) {
            sum += (double)model_attention(model, 0, head, 0, e[i].pairs, e[i].asked);
        }
    }
    batch_free(&batch);
    return sum / HEADS / count;
}

int sizes_up_to(int most)
{
    int sizes = 1;
    while (1 << sizes <= most) {
        sizes++;
    }
    return sizes;
}

static void test(struct Pairs *p, int way, int size, struct Model *model, uint64_t seed)
{
    enum { LOOKED_AT = 64 };
    struct Example *e = fresh(seed, MOST_KEYS, 1 << size);
    p->right[way][size] = count_right(model, e, TESTED, false);
    p->weight[way][size] = weight_of(model, e, LOOKED_AT);
    free(e);
}

static struct Training train_on(int first, int last, struct Work *work)
{
    return train(
        (struct Recipe){.keys = MOST_KEYS, .pairs = {first, last}, .layers = 1, .longest = 1.0},
        work);
}

struct Pairs study_pairs(const struct Training *lab, int most, struct Work *work)
{
    struct Pairs p = {.most = most, .sizes = sizes_up_to(most)};
    struct Training few = train_on(4, 4, work), any = train_on(1, most, work);
    for (int size = 0; size < p.sizes; size++) {
        struct Training same = train_on(1 << size, 1 << size, work);
        struct Example *e = fresh(work->seed, MOST_KEYS, 1 << size);
        test(&p, FEW, size, few.model, work->seed);
        test(&p, ANY, size, any.model, work->seed);
        test(&p, SAME, size, same.model, work->seed);
        p.below[size] = loss_first_below(same.losses, same.steps, 25, MARK);
        for (int i = 0; i < TESTED; i++) {
            p.common[size] += commonest(&e[i]) == example_answer(&e[i]);
        }
        free(e);
        training_free(&same);
    }
    for (int pairs = 1; pairs <= LAB_KEYS; pairs++) {
        struct Example *e = fresh(work->seed, LAB_KEYS, pairs);
        p.lab[pairs] = count_right(lab->model, e, TESTED, false);
        free(e);
    }
    training_free(&few);
    training_free(&any);
    return p;
}

static void print_row(const char *name, const int *right, int sizes)
{
    printf("  %-24s", name);
    for (int size = 0; size < sizes; size++) {
        printf("%7.1f", 100.0 * right[size] / TESTED);
    }
    putchar('\n');
}

static void print_weights(const char *name, const double *weight, int sizes)
{
    printf("  %-24s", name);
    for (int size = 0; size < sizes; size++) {
        printf("%7.2f", weight[size]);
    }
    putchar('\n');
}

static void save(const struct Pairs *p, struct Table *table)
{
    for (int size = 0; size < p->sizes; size++) {
        table_row(table, "%d\t%d\t%d\t%d\t%d\t%d", 1 << size, p->right[FEW][size],
                  p->right[ANY][size], p->right[SAME][size], p->common[size], TESTED);
    }
}

/* A line for each way to train. */
static void print_ways(const struct Pairs *p)
{
    char any[32];
    snprintf(any, sizeof any, "trained on 1 to %d", p->most);
    print_row("trained on 4", p->right[FEW], p->sizes);
    print_row(any, p->right[ANY], p->sizes);
    print_row("trained on that number", p->right[SAME], p->sizes);
    print_row("names the commonest", p->common, p->sizes);
    printf("\n  Weight of the row that is asked for, mean over the heads:\n");
    print_weights("trained on 4", p->weight[FEW], p->sizes);
    print_weights(any, p->weight[ANY], p->sizes);
    print_weights("trained on that number", p->weight[SAME], p->sizes);
    printf("\n  The mean of 25 losses is first below %g, when trained on that number, in step\n"
           "  %-24s",
           MARK, "");
    for (int size = 0; size < p->sizes; size++) {
        p->below[size] > 0 ? printf("%7d", p->below[size]) : printf("  never");
    }
    putchar('\n');
}

/* Of those who trained for long enough, with all sizes. */
static void claim(const struct Pairs *p, int steps)
{
    int fewest = TESTED, worst = TESTED;
    for (int pairs = 1; pairs <= LAB_KEYS; pairs++) {
        fewest = p->lab[pairs] < fewest ? p->lab[pairs] : fewest;
    }
    for (int size = 0; size < SIZES; size++) {
        worst = p->right[ANY][size] < worst ? p->right[ANY][size] : worst;
    }
    page_claim(fewest > 0.9 * TESTED, "8 keys: right with fewer pairs and with more");
    page_claim(p->right[FEW][2] > p->right[FEW][SIZES - 1] + TESTED / 20,
               "64 keys, trained on 4 pairs: worse with 64 of them");
    page_claim(worst > 0.9 * TESTED, "trained on 1 to 64: over 90%% right with any number");
    if (steps < SOON) {
        page_claim(p->right[SAME][SIZES - 1] < p->right[ANY][SIZES - 1],
                   "trained on 64 alone for as many steps: worse, even with 64");
    }
}

void report_pairs(const struct Pairs *p, int steps, struct Table *table)
{
    page_heading("More pairs");
    printf("  The model of section 3, with its 8 keys, was trained on examples of one size.\n"
           "  Right, in percent, of %d fresh examples with 1 to %d pairs:\n\n  ",
           TESTED, LAB_KEYS);
    for (int pairs = 1; pairs <= LAB_KEYS; pairs++) {
        printf("%7.1f", 100.0 * p->lab[pairs] / TESTED);
    }
    printf("\n\n  With %d keys there is room for more. Right, in percent:\n\n  %-24s", MOST_KEYS,
           "pairs");
    for (int size = 0; size < p->sizes; size++) {
        printf("%7d", 1 << size);
    }
    putchar('\n');
    print_ways(p);
    if (learned(steps) && p->most == MOST_KEYS) {
        claim(p, steps);
    }
    save(p, table);
}
