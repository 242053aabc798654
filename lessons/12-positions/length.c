/* Sections 9 to 11: the reverser of lesson 07, trained with each way on strings of 3 to 8 letters. What
   can it do with longer ones, with the same ones standing later, and, where RoPE tells it places, with
   other frequencies? */
#include <math.h>
#include <stdio.h>

#include "checkpoint.h"
#include "common/page.h"
#include "results.h"
#include "sections.h"
#include "stretch.h"

enum { MOVED = CONTEXT - TRAINED - 1 };

/* In the order in which they are printed. */
static const enum PositionKind kinds[] = {
    POSITION_NONE,  POSITION_LEARNED, POSITION_SINUSOIDAL, POSITION_T5,
    POSITION_ALIBI, POSITION_ROPE,    POSITION_ROPE_HALVES};

static void report_longer(const struct Result results[POSITION_KINDS], int steps, int tested)
{
    bool taught_best = true, none_half = true;
    page_heading("Taught 3 to 8 letters, asked for 9 to 12");
    printf("  The model and the rates of lesson 07, %s steps, with each way; %d strings of\n"
           "  each length. Rows stand at places 0, 1, 2, ...; from place %d on training had\n"
           "  none.\n\n",
           grouped(steps).text, tested, TRAINED);
    print_results(results, POSITION_KINDS);
    printf("\n");
    print_by_length(results, POSITION_KINDS);
    for (int i = 0; i < POSITION_KINDS; i++) {
        double taught = mean_strings(&results[i], SHORTEST, TAUGHT);
        double longer = mean_strings(&results[i], LONGER, LONGEST);
        taught_best &= taught > longer;
        none_half &= longer < 50.0;
    }
    if (steps >= 300) {
        page_claim(taught_best, "every way does better on the lengths it was taught");
        page_claim(none_half, "none of them writes half of the longer strings");
    }
}

/* The loss of a batch of strings, its rows moved on by so many places. */
static double loss_moved(struct Model *model, struct Batch *batch, uint64_t seed, int places)
{
    struct Rng rng = rng_stream(seed, "moved");
    int32_t tokens[CONTEXT], targets[CONTEXT];
    batch_clear(batch);
    for (int i = 0; i < BATCH; i++) {
        struct String s = string_draw(&rng, SHORTEST, TAUGHT);
        reversal_example(tokens, targets, &s, false);
        batch_add(batch, tokens, targets, 2 * s.length);
    }
    for (int row = 0; row < batch->rows; row++) {
        batch->positions[row] += places;
    }
    return model_forward(model, batch);
}

static void report_moved(struct Model *models[POSITION_KINDS], uint64_t seed, int steps)
{
    struct Batch batch;
    bool exact = true, nearly = true, lost = true;
    batch_new(&batch, BATCH, CONTEXT);
    page_heading("The same strings, standing later");
    printf("  The loss of %d fresh strings of 3 to 8 letters, and of the same strings with\n"
           "  every row %d places later.\n\n"
           "  places        from 0    from %d\n",
           BATCH, MOVED, MOVED);
    for (int i = 0; i < POSITION_KINDS; i++) {
        enum PositionKind kind = kinds[i];
        double here = loss_moved(models[i], &batch, seed, 0);
        double later = loss_moved(models[i], &batch, seed, MOVED);
        printf("  %-12s %7.4f   %7.4f\n", position_name(kind), here, later);
        if (kind == POSITION_LEARNED || kind == POSITION_SINUSOIDAL) {
            lost &= later > here + 0.5;
        } else if (kind == POSITION_ROPE || kind == POSITION_ROPE_HALVES) {
            nearly &= fabs(later - here) < 1e-4 * (1.0 + here);
        } else {
            exact &= later == here;
        }
    }
    page_claim(exact, "no places, T5, ALiBi: the loss keeps every bit");
    page_claim(nearly, "RoPE: nothing but rounding");
    if (steps >= 300) {
        page_claim(lost, "learned and sinusoidal: what was learned is lost");
    }
    batch_free(&batch);
}

static void report_stretched(struct Model *rope, uint64_t seed, int tested)
{
    struct Result results[STRETCHES];
    page_heading("RoPE, read with other frequencies");
    printf("  The model trained with RoPE, adjacent pairs, as section 8 would read it on to\n"
           "  strings of %d letters, 1.5 times as far. It is not trained again.\n\n",
           LONGEST);
    for (int how = 0; how < STRETCHES; how++) {
        stretch_reverser(rope, how);
        results[how] =
            (struct Result){.kind = POSITION_ROPE, .rows = stretch_names[how], .seeds = 1};
        results[how].of[0] = reverser_test(rope, tested, FROM_ZERO, seed);
    }
    stretch_reverser(rope, UNCHANGED);
    print_results(results, STRETCHES);
}

void report_lengths(uint64_t seed, int steps, int tested, struct Table *table, bool quiet)
{
    struct Result results[POSITION_KINDS];
    struct Model *models[POSITION_KINDS], *rope = NULL;
    struct Progress bar;
    progress_start(&bar, POSITION_KINDS * steps, quiet);
    for (int i = 0; i < POSITION_KINDS; i++) {
        models[i] = reverser_train(kinds[i], FROM_ZERO, seed, steps, &bar, i * steps);
        results[i] = (struct Result){.kind = kinds[i], .rows = "from 0", .seeds = 1};
        results[i].of[0] = reverser_test(models[i], tested, FROM_ZERO, seed);
        rope = kinds[i] == POSITION_ROPE ? models[i] : rope;
    }
    progress_end(&bar);
    report_longer(results, steps, tested);
    report_moved(models, seed, steps);
    report_stretched(rope, seed, tested);
    report_checkpoint(rope, seed, steps, tested);
    add_results(table, results, POSITION_KINDS, seed);
    for (int i = 0; i < POSITION_KINDS; i++) {
        model_free(models[i]);
    }
}
