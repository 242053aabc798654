/* Why: each fault looked at from inside, in the model of the first seed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/loss.h"
#include "common/page.h"
#include "common/vmath.h"
#include "report.h"

static const char letters[] = "fgcabe";
enum { SEPARATOR_AT = 6, LAST_AT = 12 }; /* in f g c a b e | e b a c g f */

/* weights (LAYERS,HEADS,CONTEXT,CONTEXT) := those of the model for the batch in r. */
static void read_weights(struct Result *r, float *weights)
{
    int length = r->batch.start[1];
    model_forward(r->model, &r->batch);
    for (int map = 0; map < LAYERS * HEADS; map++) {
        for (int query = 0; query < length; query++) {
            for (int key = 0; key < length; key++) {
                weights[(map * CONTEXT + query) * CONTEXT + key] =
                    model_attention(r->model, map / HEADS, map % HEADS, 0, query, key);
            }
        }
    }
}

/* In which head does the row of the separator move most? */
static int most_moved(const float *before, const float *after, float *most)
{
    int found = 0;
    *most = 0.0f;
    for (int map = 0; map < LAYERS * HEADS; map++) {
        int row = (map * CONTEXT + SEPARATOR_AT) * CONTEXT;
        for (int key = 0; key <= SEPARATOR_AT; key++) {
            float moved = fabsf(after[row + key] - before[row + key]);
            if (moved > *most) {
                *most = moved;
                found = map;
            }
        }
    }
    return found;
}

static void print_row(const char *when, const float *row)
{
    printf("  %-8s", when);
    for (int key = 0; key <= SEPARATOR_AT; key++) {
        printf(" %8.4f", (double)row[key]);
    }
    putchar('\n');
}

/* Another last letter: does the row of the separator move, six places earlier? Then print it. */
static bool change_the_future(struct Result *r)
{
    enum { SIZE = LAYERS * HEADS * CONTEXT * CONTEXT };
    static float before[SIZE], after[SIZE];
    struct String string;
    float most;
    string_parse(&string, letters);
    show_string(r, &string);
    read_weights(r, before);
    r->batch.tokens[LAST_AT] = 9; /* j */
    read_weights(r, after);
    int map = most_moved(before, after, &most);
    if (most == 0.0f) {
        return false;
    }
    const int row = (map * CONTEXT + SEPARATOR_AT) * CONTEXT;
    printf("  %s, block %d, head %d: weights of the query |\n  %-8s", r->fault->name,
           map / HEADS + 1, map % HEADS + 1, "key");
    for (int key = 0; key <= SEPARATOR_AT; key++) {
        printf(" %8c", key < SEPARATOR_AT ? letters[key] : '|');
    }
    putchar('\n');
    print_row("f last", before + row);
    print_row("j last", after + row);
    return true;
}

static void explain_query_axis(struct Result *r, struct Result *reference)
{
    page_heading("The softmax over queries: how a later letter reaches an earlier row");
    printf("  %s|ebacgf, and the same with j as its last letter. No weight is put on a\n"
           "  later key; but each weight is divided by a sum over all later queries.\n",
           letters);
    page_claim(change_the_future(r), "with the softmax over queries, the row of | moves");
    if (reference != NULL) {
        page_claim(!change_the_future(reference),
                   "in the reference not a bit of it does, in any head");
    }
}

/* The mean weight that a query with a target gives to the token behind it, which is the target. */
static void explain_no_mask(struct Result *r, uint64_t seed, bool beside)
{
    struct String strings[TESTED];
    double sums[LAYERS * HEADS] = {0};
    int count = 0;
    page_heading("No mask: reading the answer");
    printf("  The mean weight that a place gives to the one behind it, which holds what it\n"
           "  shall write; an even look at all %d would give it %.2f.\n",
           CONTEXT, 1.0 / CONTEXT);
    strings_draw(strings, TESTED, seed, "test", SHORTEST, LONGEST_TRAINED);
    for (int i = 0; i < TESTED; i++) {
        show_string(r, &strings[i]);
        model_forward(r->model, &r->batch);
        for (int row = 0; row < r->batch.start[1] - 1; row++) {
            if (r->batch.targets[row] != IGNORE) {
                for (int map = 0; map < LAYERS * HEADS; map++) {
                    sums[map] += (double)model_attention(r->model, map / HEADS, map % HEADS, 0, row,
                                                         row + 1);
                }
                count++;
            }
        }
    }
    double most = 0.0;
    for (int map = 0; map < LAYERS * HEADS; map++) {
        printf("  block %d, head %d  %.3f\n", map / HEADS + 1, map % HEADS + 1, sums[map] / count);
        most = fmax(most, sums[map] / count);
    }
    if (beside) {
        page_claim(most > 2.0 / CONTEXT, "a head looks there more than twice as much as evenly");
    }
}

/* The least mean loss that any model can have when the letters before the separator are targets: a
   letter costs ln 10, and when the string ends costs ln 6 in all, for six lengths drawn evenly. */
static void explain_every_position(const struct Result *r, bool beside)
{
    double letter = (double)log_f32(10.0f), ends = (double)log_f32(6.0f), targets = 0.0, cost = 0.0;
    for (int n = SHORTEST; n <= LONGEST_TRAINED; n++) {
        targets += 2 * n;
        cost += (n - 1) * letter + ends;
    }
    page_heading("Every position: a price that nobody can avoid");
    printf("  A string of n letters has 2n targets: n-1 random letters that cost ln 10 =\n"
           "  %.4f each, the end of the string, which costs ln 6 = %.4f in all, and\n"
           "  the n letters backwards, which can be known. For 3 to 8 letters that is\n"
           "  %.4f a target. The mean of the last %d losses is %.4f.\n",
           letter, ends, cost / targets, r->steps < LAST ? r->steps : LAST, r->last);
    if (beside) {
        page_claim(fabs(r->last - cost / targets) < 0.02, "the loss has flattened at that price");
    }
}

/* Where row by row the wrong merge takes its halves from. */
static void explain_stacked(int width)
{
    int d_head = width / HEADS;
    page_heading("Stacked heads: which tokens a row holds");
    printf("  The heads give (2,T,%d). Read as (T,%d) without permuting, with T = %d:\n", d_head,
           width, CONTEXT);
    static const int rows[] = {0, 1, 6, 12, 13, 24};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("  row %2d holds", rows[i]);
        for (int half = 0; half < HEADS; half++) {
            int at = rows[i] * HEADS + half; /* the vector of one head and token */
            printf("%s head %d of token %2d", half > 0 ? " and" : "", at / CONTEXT + 1,
                   at % CONTEXT);
        }
        putchar('\n');
    }
    printf("  Rows 0 to 12 hold a token later than their own: the merge undoes the mask. And\n"
           "  it depends on T, which grows by one with every letter that is written.\n");
}

static struct Result *find(struct Result *results, int count, int seeds, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(results[i * seeds].fault->name, name) == 0) {
            return &results[i * seeds];
        }
    }
    return NULL;
}

void report_explanations(struct Result *results, int count, const struct Settings *s)
{
    struct Result *reference = find(results, count, s->seeds, "reference"), *r;
    if ((r = find(results, count, s->seeds, "query-axis")) != NULL) {
        explain_query_axis(r, reference);
    }
    if ((r = find(results, count, s->seeds, "no-mask")) != NULL) {
        explain_no_mask(r, r->seed, chapters_setting(s));
    }
    if ((r = find(results, count, s->seeds, "every-position")) != NULL) {
        explain_every_position(r, chapters_setting(s));
    }
    if (find(results, count, s->seeds, "stacked") != NULL) {
        explain_stacked(s->width);
    }
}
