/* The page after training: the loss, and the positions that no loss has ever reached. */
#include <math.h>
#include <stdio.h>

#include "common/curve.h"
#include "common/page.h"
#include "report.h"

enum { BLOCK = 250, WINDOW = 25 };
static const double LEARNED = 0.01;

/* How far the losses are from those that the file of batches says PyTorch had. */
static void compare_losses(const double *losses, const float *others, int steps)
{
    double most = 0.0;
    for (int i = 0; i < steps; i++) {
        double apart = fabs(losses[i] / (double)others[i] - 1.0);
        most = apart > most ? apart : most; /* fmax stops gcc 12 at -O3 for AArch64 */
    }
    printf("  the losses in the file: %.6f at first, %.6f at last; ours differ by %.1e\n",
           (double)others[0], (double)others[steps - 1], most);
}

void report_training(const struct Run *run, struct Source source)
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
        printf("  %5d to %-5d %12.6f%s%s\n", from + 1, to, loss_mean(run->losses + from, to - from),
               beside ? "    " : "", beside ? chapter.block_means[from / BLOCK] : "");
    }
    int learned = loss_first_below(run->losses, o->steps, WINDOW, LEARNED);
    printf("\n  first loss %.4f, last %.6f\n", run->losses[0], run->losses[o->steps - 1]);
    if (source.losses != NULL) {
        compare_losses(run->losses, source.losses, o->steps);
    }
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
        page_claim(fabs(run->losses[0] - LN_VOCAB) < 0.5, "training starts near an even guess");
        page_claim(learned > 0, "training gets the mean of 25 steps below %g", LEARNED);
    }
}

/* x as weight decay alone leaves it: each step multiplies by the same float and rounds. */
static float decayed(float x, const struct Options *o)
{
    float keep = (float)(1.0 - o->lr * o->decay);
    for (int step = 0; step < o->steps; step++) {
        x *= keep;
    }
    return x;
}

/* The rows whose flag is off, as " 3 16-24"; returns how many there are. */
static int print_idle(const bool *trained)
{
    int idle = 0;
    for (int t = 0, end; t < CONTEXT; t = end + 1) {
        end = t;
        while (end < CONTEXT && !trained[end]) {
            end++;
        }
        idle += end - t;
        if (end > t + 1) {
            printf(" %d-%d", t, end - 1);
        } else if (end > t) {
            printf(" %d", t);
        }
    }
    printf(idle > 0 ? "\n" : " none\n");
    return idle;
}

void report_positions(const struct Run *run)
{
    const struct Options *o = run->options;
    size_t d = (size_t)o->width;
    if (o->steps == 0) {
        return;
    }
    page_heading("Positions that were never trained");
    printf("  rows of pos.weight whose gradient was zero at every step:");
    if (print_idle(run->trained) > 0) {
        double before = 0.0, after = 0.0;
        bool decay_alone = true;
        for (size_t i = 0; i < CONTEXT * d; i++) {
            if (!run->trained[i / d]) {
                float from = run->position_start[i], to = run->model->w.position[i];
                before += fabs((double)from);
                after += fabs((double)to);
                decay_alone &= to == decayed(from, o);
            }
        }
        printf("  they shrank by %.2f%% in %s steps that each multiply by 1 - %g*%g\n",
               before > 0.0 ? 100.0 * (1.0 - after / before) : 0.0, grouped(o->steps).text, o->lr,
               o->decay);
        page_claim(decay_alone, "nothing but weight decay touched them, to the last bit");
    }
    if (o->batches == NULL) {
        bool as_expected = true;
        for (int t = 2 * o->lengths.last; t < CONTEXT; t++) {
            as_expected &= !run->trained[t];
        }
        page_claim(as_expected, "a string of %d letters has its last target at position %d",
                   o->lengths.last, 2 * o->lengths.last - 1);
    }
}
