/* What came out, as numbers: with one seed beside the chapter's, with several as median and
   range. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/page.h"
#include "common/table.h"

enum { MOST_SEEDS = 100, NEVER = 1000000 };

bool chapters_setting(const struct Settings *s)
{
    return s->steps == 1500 && s->width == 64 && s->lr == 0.003;
}

void report_runs(const struct Fault *const *faults, int count, const struct Settings *s,
                 uint64_t seed)
{
    page_heading("The runs: each differs from the reference in one line of 08-faults.c");
    for (int i = 0; i < count; i++) {
        printf("  %-15s %s\n", faults[i]->name, faults[i]->what);
    }
    printf("  %s steps of %d strings of %d to %d letters, width %d\n", grouped(s->steps).text,
           BATCH, SHORTEST, LONGEST_TRAINED, s->width);
    if (s->seeds == 1) {
        printf("  seed %llu", (unsigned long long)seed);
    } else {
        printf("  seeds %llu to %llu", (unsigned long long)seed,
               (unsigned long long)seed + (unsigned)s->seeds - 1);
    }
    if (s->lr != 0.003) {
        printf(", learning rate %g", s->lr);
    }
    putchar('\n');
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median (of an even number the lower middle), least and most. Sorts x. */
struct Spread {
    double median, least, most;
};
static struct Spread spread_of(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return (struct Spread){x[(n - 1) / 2], x[0], x[n - 1]};
}

static double below(const struct Result *r)
{
    return r->below > 0 ? r->below : NEVER;
}

static double last_mean(const struct Result *r)
{
    return r->last;
}

static double percent(const struct Score *score)
{
    return 100.0 * score_right(score) / score_total(score);
}

static double percent_itself(const struct Result *r)
{
    return percent(&r->itself);
}

static double percent_truth(const struct Result *r)
{
    return percent(&r->truth);
}

static struct Spread over_seeds(const struct Result *results, int seeds,
                                double (*value)(const struct Result *))
{
    double x[MOST_SEEDS];
    for (int i = 0; i < seeds; i++) {
        x[i] = value(&results[i]);
    }
    return spread_of(x, seeds);
}

static void one_seed(const struct Result *r, bool beside)
{
    char step[16] = "never", first[64], right[64];
    const struct Fault *f = r->fault;
    if (r->below > 0) {
        snprintf(step, sizeof step, "%d", r->below);
    }
    snprintf(first, sizeof first, beside && f->chapter_below ? "%s (%s)" : "%s", step,
             f->chapter_below);
    snprintf(right, sizeof right, beside && f->chapter_right ? "%.1f%% (%s%%)" : "%.1f%%",
             percent_itself(r), f->chapter_right);
    printf("  %-15s %-15s %-11.4f %-17s %.1f%%\n", f->name, first, r->last, right,
           percent_truth(r));
}

/* "median (least-most)" in this many digits; just the number where all are the same. */
struct Cell {
    char text[64];
};
static struct Cell cell(struct Spread s, int digits)
{
    struct Cell c;
    char a[16], b[16], most[16];
    snprintf(a, sizeof a, s.median == NEVER ? "never" : "%.*f", digits, s.median);
    snprintf(b, sizeof b, s.least == NEVER ? "never" : "%.*f", digits, s.least);
    snprintf(most, sizeof most, s.most == NEVER ? "never" : "%.*f", digits, s.most);
    snprintf(c.text, sizeof c.text, s.least == s.most ? "%s" : "%s (%s-%s)", a, b, most);
    return c;
}

static void many_seeds(const struct Result *results, int seeds)
{
    printf("  %-14s %-17s %-22s %-12s %s\n", results->fault->name,
           cell(over_seeds(results, seeds, below), 0).text,
           cell(over_seeds(results, seeds, last_mean), 4).text,
           cell(over_seeds(results, seeds, percent_itself), 0).text,
           cell(over_seeds(results, seeds, percent_truth), 0).text);
}

/* What must come out in the chapter's setting, whatever the seed. */
static void claim(const struct Result *results, int seeds)
{
    const struct Fault *f = results->fault;
    struct Spread itself = over_seeds(results, seeds, percent_itself);
    struct Spread truth = over_seeds(results, seeds, percent_truth);
    struct Spread first = over_seeds(results, seeds, below);
    if (f->axis == OVER_QUERIES || f->no_mask) {
        page_claim(first.most != NEVER && itself.most < 20.0 && truth.least > 90.0,
                   "%s: a loss below 0.01, right when fed the truth, and useless", f->name);
    } else if (f->every_position) {
        page_claim(first.least == NEVER && itself.least >= 90.0,
                   "%s: never below 0.01, and yet it has learned the task", f->name);
    } else if (f->scale == 0.0f && !f->stacked) {
        page_claim(itself.median >= 98.0, "%s: all strings right, or nearly all", f->name);
    }
}

void report_results(struct Result *results, int count, const struct Settings *s)
{
    bool beside = chapters_setting(s);
    page_heading("Loss and accuracy: do they agree?");
    int last = s->steps < LAST ? s->steps : LAST;
    if (s->seeds == 1) {
        printf("                  25-step mean    mean of     %d fresh strings right when fed\n"
               "                  below 0.01 at   last %-6d what it wrote     the truth\n",
               TESTED, last);
    } else {
        printf(
            "  Median (least-most) over %d seeds; percent of %d fresh strings right\n"
            "                 25-step mean      mean of                when fed     when fed\n"
            "                 below 0.01 at     last %-3d               itself       the truth\n",
            s->seeds, TESTED, last);
    }
    for (int i = 0; i < count; i++) {
        if (s->seeds == 1) {
            one_seed(&results[i], beside);
        } else {
            many_seeds(results + i * s->seeds, s->seeds);
        }
    }
    if (s->seeds == 1 && beside) {
        printf("  In brackets what the chapter reports, with other random numbers.\n");
    }
    for (int i = 0; i < count && beside; i++) {
        claim(results + i * s->seeds, s->seeds);
    }
}

void report_lengths(const struct Result *results, int count, const struct Settings *s)
{
    page_heading("Which lengths are right");
    printf("  Percent of the strings of each length, %s.\n  %-15s",
           s->seeds == 1 ? "fed with what it wrote" : "of all seeds together", "letters");
    for (int length = SHORTEST; length <= LONGEST_TRAINED; length++) {
        printf("%6d", length);
    }
    putchar('\n');
    for (int i = 0; i < count; i++) {
        printf("  %-15s", results[i * s->seeds].fault->name);
        for (int length = SHORTEST; length <= LONGEST_TRAINED; length++) {
            int right = 0, total = 0;
            for (int seed = 0; seed < s->seeds; seed++) {
                const struct Score *score = &results[i * s->seeds + seed].itself;
                right += score->right[length];
                total += score->total[length];
            }
            printf("%6.1f", 100.0 * right / total);
        }
        putchar('\n');
    }
}

struct Tables tables_new(const char *out)
{
    return (struct Tables){
        .loss = table_new(out, "loss", "run seed step loss"),
        .accuracy = table_new(out, "accuracy", "run seed length right total"),
        .summary = table_new(out, "summary", "run seed first_below last_mean accuracy told")};
}

void tables_add(struct Tables *t, const struct Result *r)
{
    unsigned long long seed = r->seed;
    const char *run = r->fault->name;
    for (int step = 0; step < r->steps; step++) {
        table_row(t->loss, "%s\t%llu\t%d\t%.9g", run, seed, step + 1, r->losses[step]);
    }
    for (int length = SHORTEST; length <= LONGEST_TRAINED; length++) {
        table_row(t->accuracy, "%s\t%llu\t%d\t%d\t%d", run, seed, length, r->itself.right[length],
                  r->itself.total[length]);
    }
    table_row(t->summary, "%s\t%llu\t%d\t%.9g\t%.1f\t%.1f", run, seed, r->below, r->last,
              percent_itself(r), percent_truth(r));
}

void tables_save(struct Tables *t)
{
    table_save(t->loss);
    table_save(t->accuracy);
    table_save(t->summary);
}
