/* What the trained model can do: strings of the lengths it was trained on, and longer ones. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base.h"
#include "common/file.h"
#include "common/page.h"
#include "common/table.h"
#include "report.h"

enum { N_FRESH = 500, N_LONGER = 200, FIRST_LONGER = 9 };

/* Strings of one test set and what the model makes of them. */
static struct Score test(struct Run *run, const char *stream, uint64_t seed, struct Range lengths,
                         int count, struct Score *unseen)
{
    struct String *strings = zeros_new((size_t)count, sizeof *strings);
    struct String *output = zeros_new((size_t)count, sizeof *output);
    strings_draw(strings, count, seed, stream, lengths.first, lengths.last);
    reversal_decode(run->model, &run->batch, output, strings, count);
    struct Score score = reversal_score(strings, output, count, NULL);
    if (unseen != NULL) {
        *unseen = reversal_score(strings, output, count, &run->seen);
    }
    free(strings);
    free(output);
    return score;
}

static void print_lengths(const char *name, const struct Score *score)
{
    int printed = 0;
    printf("  %-8s", name);
    for (int length = 1; length <= LONGEST; length++) {
        if (score->total[length] > 0) {
            printf(printed > 0 && printed % 6 == 0 ? "\n          " : "");
            printed++;
            printf("  %d: %d/%d", length, score->right[length], score->total[length]);
        }
    }
    putchar('\n');
}

static void table_scores(struct Table *table, const char *set, const struct Score *score)
{
    for (int length = 1; length <= LONGEST; length++) {
        if (score->total[length] > 0) {
            table_row(table, "%s\t%d\t%d\t%d", set, length, score->right[length],
                      score->total[length]);
        }
    }
}

static struct String reverse(struct Run *run, const char *text)
{
    struct String string, output;
    if (!string_parse(&string, text)) {
        die("%s is not 1 to %d letters from a to j", printable(text).text, LONGEST);
    }
    reversal_decode(run->model, &run->batch, &output, &string, 1);
    return output;
}

static void print_string(const struct String *string)
{
    for (int i = 0; i < string->length; i++) {
        putchar(token_letter(string->letters[i]));
    }
}

void report_tests(struct Run *run, uint64_t seed, const char *out)
{
    const struct Options *o = run->options;
    bool beside = chapters_run(o, 1500, 3, 8), second = chapters_run(o, 3000, 3, 12);
    struct Score unseen;
    struct Score fresh = test(run, "test", seed, o->lengths, N_FRESH, &unseen);
    struct Score longer =
        test(run, "longer", seed, (struct Range){FIRST_LONGER, LONGEST}, N_LONGER, NULL);

    page_heading("The test: greedy decoding, every letter must be right");
    printf("  %d fresh strings of %d to %d letters: %d right%s\n", N_FRESH, o->lengths.first,
           o->lengths.last, score_right(&fresh), beside ? " (chapter: 500)" : "");
    print_lengths("length", &fresh);
    printf("  %d of them training never saw: %d right", score_total(&unseen), score_right(&unseen));
    printf(beside ? " (chapter: %d of %d)\n" : "\n", chapter.unseen, chapter.unseen);
    printf("  %d strings of %d to %d letters: %d right%s\n", N_LONGER, FIRST_LONGER, LONGEST,
           score_right(&longer),
           beside   ? " (chapter: 0)"
           : second ? " (chapter: 500 of 500)"
                    : "");
    print_lengths("length", &longer);
    struct String output = reverse(run, "abcdefghij");
    printf("  abcdefghij becomes ");
    print_string(&output);
    printf(beside ? " (chapter: %s)\n" : "\n", chapter.abcdefghij);
    if (beside) {
        page_claim(score_right(&fresh) >= 490, "fresh strings of the lengths trained on: all, or "
                                               "nearly all");
        page_claim(score_right(&longer) <= 10, "longer strings: none, or nearly none");
    }
    if (second) {
        page_claim(score_right(&longer) >= 190, "trained on 3 to 12 letters, it reaches 9 to 12");
    }

    struct Table *table = table_new(out, "accuracy", "set length right total");
    table_scores(table, "fresh", &fresh);
    table_scores(table, "unseen", &unseen);
    table_scores(table, "longer", &longer);
    table_save(table);
}

void report_string(struct Run *run, const char *text)
{
    page_heading("Your string");
    struct String string, output = reverse(run, text);
    string_parse(&string, text);
    printf("  %s becomes ", text);
    print_string(&output);
    printf(reversal_right(&string, &output) ? ": right\n" : ": wrong\n");
}
