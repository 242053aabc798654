/* What training came to, beside what can be had without looking anything up. */
#include <stdio.h>
#include <stdlib.h>

#include "common/curve.h"
#include "common/page.h"
#include "common/vmath.h"
#include "retrieval.h"

static double logarithm(double x)
{
    return (double)log_f32((float)x);
}

/* A row for each eighth of the steps, or for each step. */
static void print_steps(const struct Training *t)
{
    int rows = t->steps < 8 ? t->steps : 8;
    printf("                        length of the gradient\n  steps            loss       mean   "
           "longest   clipped\n");
    for (int row = 0; row < rows; row++) {
        int first = t->steps * row / rows, end = t->steps * (row + 1) / rows, clipped = 0;
        double longest = 0.0;
        for (int i = first; i < end; i++) {
            longest = t->norms[i] > longest ? t->norms[i] : longest;
            clipped += t->after[i] < t->norms[i];
        }
        printf("  %4d to %-4d %9.4f %10.4f %9.4f %9d\n", first + 1, end,
               loss_mean(t->losses + first, end - first), loss_mean(t->norms + first, end - first),
               longest, clipped);
    }
}

/* How often a value stands in the rows of the context. */
static int times(const struct Example *e, int value)
{
    int count = 0;
    for (int i = 0; i < e->pairs; i++) {
        count += e->values[i] == value;
    }
    return count;
}

/* The first of the values that stand there most often. */
int commonest(const struct Example *e)
{
    int best = 0;
    for (int value = 1; value < VALUES; value++) {
        best = times(e, value) > times(e, best) ? value : best;
    }
    return best;
}

bool sources_setting(const struct Lab *lab, const struct Training *t)
{
    return lab->pairs == 4 && t->steps == 320 && t->recipe.longest == 1.0;
}

static void print_result(const char *what, double loss, int right, const char *source)
{
    printf("  %-38s %9.5f %8.1f%%%s\n", what, loss, 100.0 * right / TESTED, source);
}

/* Whoever knows the values of the context and not which is asked for: a value that stands there
   twice is twice as likely. */
static void print_values(const struct Lab *lab)
{
    double loss = 0.0;
    int right = 0;
    for (int i = 0; i < TESTED; i++) {
        const struct Example *e = &lab->test[i];
        loss -= logarithm((double)times(e, example_answer(e)) / e->pairs) / TESTED;
        right += commonest(e) == example_answer(e);
    }
    print_result("knows the values, not which is asked", loss, right, "");
}

/* The least loss on the training set, and the most answers, of whoever sees nothing but the key
   that is asked for: for each key the shares of its answers. */
static double least_loss(const struct Lab *lab, int *right)
{
    int count[LAB_KEYS][VALUES] = {{0}}, of_key[LAB_KEYS] = {0};
    double loss = 0.0;
    for (int i = 0; i < TRAINED; i++) {
        const struct Example *e = &lab->train[i];
        count[e->keys[e->pairs]][example_answer(e)]++;
        of_key[e->keys[e->pairs]]++;
    }
    *right = 0;
    for (int key = 0; key < LAB_KEYS; key++) {
        int most = 0;
        for (int value = 0; value < VALUES; value++) {
            int n = count[key][value];
            most = n > most ? n : most;
            loss -= n > 0 ? n * logarithm((double)n / of_key[key]) / TRAINED : 0.0;
        }
        *right += most;
    }
    return loss;
}

static void report_blind(const struct Lab *lab, const struct Training *t)
{
    static int answers[TRAINED];
    int most, right = 0, steps = t->steps;
    double least = least_loss(lab, &most);
    double loss = ask(t->model, lab->train, TRAINED, true, answers);
    for (int i = 0; i < TRAINED; i++) {
        right += answers[i] == example_answer(&lab->train[i]);
    }
    printf("\n  The model without context has learned its training set as far as there was\n"
           "  anything to learn: a loss of %.4f there, %.1f%% right. The least that the key\n"
           "  alone allows is %.4f, the most %.1f%%: by chance some keys have some values a\n"
           "  little more often. On the test set that is of no use.\n",
           loss, 100.0 * right / TRAINED, least, 100.0 * most / TRAINED);
    page_claim(loss >= least - 1e-4 && right <= most,
               "it does no better than the key alone allows");
    if (learned(steps)) {
        page_claim(t->test_losses[t->tests - 1] > 0.9 * logarithm(VALUES) &&
                       t->test_right[t->tests - 1] < TESTED / 4,
                   "and on the test set it is no better than guessing");
    }
}

static void save(const struct Training *t, const struct Training *blind, struct Table *loss,
                 struct Table *test)
{
    for (int i = 0; i < t->steps; i++) {
        table_row(loss, "%d\t%.9g\t%.9g\t%.9g\t%.9g", i + 1, t->losses[i], blind->losses[i],
                  t->norms[i], t->after[i]);
    }
    for (int i = 0; i < t->tests; i++) {
        int step = i < t->tests - 1 ? i * t->recipe.test_every : t->steps;
        table_row(test, "%d\t%.9g\t%.9g\t%d\t%d\t%d", step, t->test_losses[i],
                  blind->test_losses[i], t->test_right[i], blind->test_right[i], TESTED);
    }
}

static void print_test(const struct Lab *lab, const struct Training *t,
                       const struct Training *blind)
{
    int last = t->tests - 1;
    char after[40], guess[40];
    bool beside = sources_setting(lab, t);
    snprintf(after, sizeof after, "after step %d", t->steps);
    snprintf(guess, sizeof guess, "all %d values alike: ln %d", VALUES, VALUES);
    printf("\n  On the %d test examples                      loss     right\n", TESTED);
    print_result("before the first step", t->test_losses[0], t->test_right[0],
                 beside ? "  (2.22747)" : "");
    print_result(after, t->test_losses[last], t->test_right[last],
                 beside ? "  (0.00115, 100%)" : "");
    print_result(guess, logarithm(VALUES), TESTED / VALUES, "");
    print_values(lab);
    print_result("trained on the last row alone", blind->test_losses[last], blind->test_right[last],
                 "");
    if (beside) {
        printf("  In brackets what the program of the text gives that the lab is from: PyTorch,\n"
               "  and other random numbers.\n");
    }
}

void report_training(const struct Lab *lab, const struct Training *t, const struct Training *blind,
                     struct Table *loss, struct Table *test)
{
    int last = t->tests - 1;
    page_heading("Training, and a model that cannot look");
    printf("  %s steps of %d examples. Width %d, %d heads, one block with an MLP of %d and\n"
           "  ReLU; AdamW with a rate of %g. ",
           grouped(t->steps).text, BATCH, WIDTH, HEADS, INNER, LEARNING_RATE);
    if (t->recipe.longest > 0.0) {
        printf("Gradients longer than %g are clipped.\n\n", t->recipe.longest);
    } else {
        printf("No gradient is clipped.\n\n");
    }
    print_steps(t);
    print_test(lab, t, blind);
    if (learned(t->steps)) {
        page_claim(t->test_losses[last] < 0.25 * t->test_losses[0],
                   "the test loss is under a quarter of what it was");
        page_claim(t->test_right[last] > 0.9 * TESTED, "over 90%% of the answers are right");
    }
    report_blind(lab, blind);
    save(t, blind, loss, test);
}
