/* What the mask means for training: a pass over a text is a pass over all its beginnings, if
   nothing leaks; and a query that may look at nothing spoils the run. */
#include <math.h>
#include <stdio.h>

#include "common/page.h"
#include "sections.h"

/* In how many rows does the pass over the whole text give what the text up to there gives? */
static int rows_like_prefixes(double losses[][2], const struct Text *text, const struct Way *way)
{
    struct Look whole = look(text, way);
    double all[LONGEST], last[LONGEST];
    int equal = 0, T = text->length;
    text_losses(all, &whole, T);
    for (int t = 0; t < T; t++) {
        struct Text prefix = text_of(t + 1);
        struct Look part = look(&prefix, way);
        text_losses(last, &part, t + 1);
        losses[t][0] = all[t], losses[t][1] = last[t];
        equal += distance(whole.out + t * D, part.out + t * D, D) == 0.0f && all[t] == last[t];
    }
    return equal;
}

void report_prefixes(const struct Text *text)
{
    double right[LONGEST][2], queries[LONGEST][2], ignored[LONGEST][2];
    int T = text->length, equal[WAYS];
    page_heading("Is training really parallel?");
    printf("  The loss on each next letter, from one pass over all %d tokens, and from a\n"
           "  pass over what stands before that letter and nothing else:\n"
           "                   right                   over queries\n"
           "  seen        next   one pass    prefix      one pass    prefix\n",
           T);
    count = (struct Count){0};
    look(text, &ways[RIGHT]);
    long long one = count.scores;
    equal[RIGHT] = rows_like_prefixes(right, text, &ways[RIGHT]); /* one pass more, and prefixes */
    long long parts = count.scores - 2 * one;
    equal[QUERIES] = rows_like_prefixes(queries, text, &ways[QUERIES]);
    for (int w = ZERO; w <= AFTER; w++) {
        equal[w] = rows_like_prefixes(ignored, text, &ways[w]);
    }
    for (int t = 0; t < T; t++) {
        printf("  %-10.*s  %c     %9.6f %9.6f     %9.6f %9.6f\n", t + 1, "abcdefghij", 'a' + t + 1,
               right[t][0], right[t][1], queries[t][0], queries[t][1]);
    }
    printf("  rows that agree to the last bit: right %d, score 0 %d, mask after %d,\n"
           "  over queries %d; it took %s scores in one pass, %s in all prefixes\n",
           equal[RIGHT], equal[ZERO], equal[AFTER], equal[QUERIES], grouped(one).text,
           grouped(parts).text);
    page_claim(equal[RIGHT] == T, "right: one pass trains on all prefixes at once, to the bit");
    page_claim(equal[ZERO] == 1 && equal[AFTER] == 1 && equal[QUERIES] == 1,
               "wrong: only the last row is what it will be when the rest is unknown");
}

static int rows_with_nan(const struct Look *look, int T)
{
    int rows = 0;
    for (int t = 0; t < T; t++) {
        rows += isnan(sum_of(look->out + t * D, D, 1));
    }
    return rows;
}

void report_empty(const struct Text *text)
{
    static const float hidden[] = {-INFINITY, -1e9f, INFINITY};
    static const char *const names[] = {"-INFINITY", "-1e9", "+INFINITY"};
    struct Look usual[3], strict[3];
    int T = text->length, rows[3][3];
    bool even = true;
    page_heading("A row with nothing allowed, and which value hides");
    printf("  With the slip j < t for j <= t the first query may look at nothing. Rows of\n"
           "  the output, of %d, that are not a number (NaN):\n"
           "  hidden score    j <= t    j < t    j < t, and a layer of j <= t above\n",
           T);
    for (int i = 0; i < 3; i++) {
        struct Way way = {.causal = true, .hidden = hidden[i]}, empty = way;
        empty.strict = true;
        struct Look twice = look_through(text, &empty, &way);
        usual[i] = look(text, &way), strict[i] = look(text, &empty);
        rows[i][0] = rows_with_nan(&usual[i], T), rows[i][1] = rows_with_nan(&strict[i], T);
        rows[i][2] = rows_with_nan(&twice, T);
        printf("  %-12s%10d%9d%9d\n", names[i], rows[i][0], rows[i][1], rows[i][2]);
    }
    printf("  The weights of a, where j < t:\n            ");
    print_letters(text);
    for (int i = 0; i < 2; i++) {
        printf("\n  %-9s ", names[i]);
        for (int j = 0; j < T; j++) {
            float weight = strict[i].weights[j];
            even &= i == 0 ? isnan(weight) : near(weight, 1.0f / (float)T);
            if (isnan(weight)) {
                printf("   NaN");
            } else {
                print_row(&weight, 1, 1);
            }
        }
    }
    printf("\n  The layer above cannot mend it: every query sees a, and one score that is NaN\n"
           "  makes a row of NaN. -1e9 is no cure: a then looks at all keys evenly, later\n"
           "  ones too. A causal mask lets each token see itself, so it leaves no row empty.\n"
           "  Other masks do, and for them there is a contract: lesson 09.\n");
    page_claim(rows[0][0] == 0 && rows[0][1] == 1 && rows[0][2] == T,
               "-INFINITY: one row is NaN, and in the layer above all are");
    page_claim(distance(usual[0].weights, usual[1].weights, T * T) == 0.0f &&
                   distance(strict[0].weights + T, strict[1].weights + T, T * T - T) == 0.0f,
               "-1e9 gives the bits of -INFINITY where there is something to see");
    page_claim(even, "-1e9: the row that may look at nothing looks at everything");
    page_claim(rows[2][0] == T - 1, "+INFINITY: NaN wherever anything is hidden");
}
