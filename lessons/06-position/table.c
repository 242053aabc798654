/* What training makes of the table: which of its rows a loss has ever reached, and how alike the
   rows are before and after. */
#include <math.h>
#include <stdio.h>

#include "common/page.h"
#include "position.h"

/* Long enough, and on the strings, that what is claimed of learning must show. */
static bool standard(const struct Training *t)
{
    return t->steps >= 400 && t->lengths.first == 3 && t->lengths.last == 8;
}

static double length_of(const float *x)
{
    double square = 0.0;
    for (int i = 0; i < WIDTH; i++) {
        square += (double)x[i] * (double)x[i];
    }
    return sqrt(square);
}

/* How long a row is now, and how far it has moved; both as a share of its length at the start. */
static void compare_row(double *length, double *moved, const struct Training *t, int row)
{
    const float *from = t->before + row * WIDTH, *to = t->model->w.position + row * WIDTH;
    float way[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        way[i] = to[i] - from[i];
    }
    *length = length_of(to) / length_of(from);
    *moved = length_of(way) / length_of(from);
}

/* x as weight decay alone leaves it: adamw_update multiplies by this float, and rounds, each step. */
static float decayed(float x, int steps)
{
    float keep = (float)(1.0 - LEARNING_RATE * DECAY);
    for (int step = 0; step < steps; step++) {
        x *= keep;
    }
    return x;
}

/* The rows from first on that as many strings have reached, in one line; returns where the next
   ones begin. */
static int print_rows(const struct Training *t, int first, struct Table *table)
{
    int end = first;
    double gradients = 0.0, lengths = 0.0, moves = 0.0, length, moved;
    for (; end < CONTEXT && t->strings[end] == t->strings[first]; end++) {
        compare_row(&length, &moved, t, end);
        table_row(table, "%d\t%d\t%.9g\t%.9g\t%.9g", end, t->strings[end], t->gradient[end], moved,
                  length);
        gradients += t->gradient[end];
        lengths += length;
        moves += moved;
    }
    int n = end - first;
    printf("  %2d to %-2d %10s %13.6f %9.2f%% %8.2f%%\n", first, end - 1,
           grouped(t->strings[first]).text, gradients / n, 100.0 * moves / n, 100.0 * lengths / n);
    return end;
}

void report_rows(const struct Training *t, struct Table *table)
{
    int idle = 2 * t->lengths.last; /* the first row that no loss can see */
    bool as_counted = true, zero = true, decay_alone = true;
    page_heading("Which rows of the table are taught");
    printf("  %s steps of %d strings of %d to %d letters; model and settings of lesson 07.\n"
           "  strings   how many had a target at this position or behind it\n"
           "  gradient  its length, mean over the steps\n"
           "  moved     how far the row went, and how long it is now; at the start: 100%%\n\n",
           grouped(t->steps).text, BATCH, t->lengths.first, t->lengths.last);
    printf("  rows        strings      gradient      moved   length\n");
    for (int row = 0; row < CONTEXT;) {
        row = print_rows(t, row, table);
    }
    for (int i = 0; i < TABLE; i++) {
        bool reached = t->reached[i / WIDTH];
        as_counted &= reached == (t->strings[i / WIDTH] > 0);
        if (i / WIDTH >= idle) {
            zero &= !reached;
            decay_alone &= t->model->w.position[i] == decayed(t->before[i], t->steps);
        }
    }
    printf("\n  A string of %d letters has its last target at position %d%s.\n"
           "  Behind it weight decay multiplies by 1 - %g*%g at each step: %.2f%% less\n"
           "  after %s steps, and %.2f%% less after the 1,500 of lesson 07.\n",
           t->lengths.last, idle - 1,
           t->lengths.last == 8 ? " (chapter: no\n  gradient in rows 16 to 24)" : "", LEARNING_RATE,
           DECAY, 100.0 * (1.0 - (double)decayed(1.0f, t->steps)), grouped(t->steps).text,
           100.0 * (1.0 - (double)decayed(1.0f, 1500)));
    page_claim(as_counted, "a row had a gradient if a target stood there or behind, else none");
    page_claim(zero, "from row %d on it was exactly zero at every step", idle);
    page_claim(t->pads_get_nothing, "it is zero too if the pads of a batch are computed");
    page_claim(decay_alone, "nothing but weight decay touched these rows, to the last bit");
}

/* The mean over the last steps, at most 25. */
static double last_loss(const struct Training *t, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += t->losses[t->steps - n + i];
    }
    return sum / n;
}

void report_losses(const struct Training *with, const struct Training *without, struct Table *table)
{
    int n = with->steps < 25 ? with->steps : 25;
    page_heading("The same training without a table");
    if (n == 0) {
        printf("  No steps, no losses.\n");
        return;
    }
    for (int step = 0; step < with->steps; step++) {
        table_row(table, "%d\t%.9g\t%.9g", step + 1, with->losses[step], without->losses[step]);
    }
    double loss = last_loss(with, n), blind = last_loss(without, n);
    printf("  The same weights at the start and the same strings, but the table is kept at\n"
           "  zero: all that is left of order is the mask.\n\n"
           "                          with a table   without\n"
           "  loss in step 1          %12.4f %9.4f\n"
           "  mean of the last %2d     %12.4f %9.4f\n",
           with->losses[0], without->losses[0], n, loss, blind);
    if (standard(with)) {
        page_claim(2.0 * loss < blind, "with a table the loss is less than half");
    }
}

/* The cosine of the angle between rows a and b of a table: 1 alike, 0 unrelated, -1 opposite. */
static double cosine(const float *table, int a, int b)
{
    const float *x = table + a * WIDTH, *y = table + b * WIDTH;
    double sum = 0.0;
    for (int i = 0; i < WIDTH; i++) {
        sum += (double)x[i] * (double)y[i];
    }
    return sum / (length_of(x) * length_of(y));
}

/* Pairs of different rows, by how many of the two are taught: squares of cosines and of changes. */
struct Pairs {
    int count;
    double before, after, change;
};

/* The mean change of the cosine, over the pairs of taught rows that are so many apart. */
static double mean_change(const struct Training *t, int taught, int apart)
{
    double sum = 0.0;
    for (int a = 0; a + apart < taught; a++) {
        sum += cosine(t->model->w.position, a, a + apart) - cosine(t->before, a, a + apart);
    }
    return sum / (taught - apart);
}

static void print_changes(const struct Training *t, int taught, int most)
{
    char name[32];
    snprintf(name, sizeof name, t->lengths.first < t->lengths.last ? "%d to %d" : "%d",
             t->lengths.first, t->lengths.last);
    printf("\n  %-8s", name);
    for (int apart = 1; apart <= most; apart++) {
        printf(" %+7.3f", mean_change(t, taught, apart));
    }
}

static void report_distances(const struct Training *t, const struct Training *one_length,
                             int taught)
{
    int most = taught - 1 < 8 ? taught - 1 : 8;
    printf("\n  Mean change, both taught, by how many positions they are apart; then the same\n"
           "  when all strings have %d letters:\n\n  letters ",
           t->lengths.last);
    for (int apart = 1; apart <= most; apart++) {
        printf(" %7d", apart);
    }
    print_changes(t, taught, most);
    if (t->lengths.first < t->lengths.last) {
        print_changes(one_length, taught, most);
    }
    printf("\n\n  In a string of n letters a query at position q needs the letter at 2n-1-q: one\n"
           "  letter more, two positions further on.\n");
    if (standard(t)) {
        double two = mean_change(t, taught, 2), two_in_one = mean_change(one_length, taught, 2);
        page_claim(two > 0.0 && mean_change(t, taught, 3) < 0.0,
                   "rows 2 apart grow more alike, rows 3 apart less");
        page_claim(fabs(two_in_one) < two, "with one length rows 2 apart change by less");
    }
}

void report_similarity(const struct Training *t, const struct Training *one_length,
                       struct Table *table)
{
    static const char *const names[] = {"neither", "one of them", "both"};
    int idle = 2 * t->lengths.last;
    struct Pairs pairs[3] = {0};
    for (int i = 0; i < CONTEXT * CONTEXT; i++) {
        int a = i / CONTEXT, b = i % CONTEXT;
        double before = cosine(t->before, a, b), after = cosine(t->model->w.position, a, b);
        table_row(table, "%d\t%d\t%.6f\t%.6f", a, b, before, after);
        if (a < b) {
            struct Pairs *p = &pairs[(a < idle) + (b < idle)];
            *p = (struct Pairs){p->count + 1, p->before + before * before, p->after + after * after,
                                p->change + (after - before) * (after - before)};
        }
    }
    page_heading("How alike the rows are");
    printf("  Cosine of two rows: 1 alike, 0 unrelated. Size, as root of the mean square:\n"
           "  random rows of %d numbers have 1/sqrt(%d) = %.3f.\n\n",
           WIDTH, WIDTH, 1.0 / sqrt(WIDTH));
    printf("  taught rows      pairs   before    after   change\n");
    for (int i = 2; i >= 0; i--) {
        const struct Pairs *p = &pairs[i];
        if (p->count > 0) {
            printf("  %-12s %9d %8.3f %8.3f %8.3f\n", names[i], p->count,
                   sqrt(p->before / p->count), sqrt(p->after / p->count),
                   sqrt(p->change / p->count));
        }
    }
    page_claim(pairs[0].count == 0 || pairs[0].change < 1e-10 * pairs[0].count,
               "untaught rows keep their angles: decay shortens all by the same share");
    report_distances(t, one_length, idle);
}
