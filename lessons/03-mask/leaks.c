/* What a later token does to an earlier one. A leak need not show in the weights that are printed:
   it may come through a value, or through what a weight is divided by. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/vmath.h"
#include "sections.h"

/* Over queries, the weight that moves most: what stands above its fraction line, and what below. */
static void report_denominator(const struct Text *before, const struct Text *after, int j)
{
    const struct Text *texts[] = {before, after};
    const struct Look looks[] = {look(before, &ways[QUERIES]), look(after, &ways[QUERIES])};
    int T = before->length, row = j - 1, key = 0;
    float scores[LONGEST * LONGEST], e[2][LONGEST];
    bool same = true;
    for (int n = 0; n < T; n++) {
        const float *a = looks[0].weights + row * T, *b = looks[1].weights + row * T;
        key = fabsf(b[n] - a[n]) > fabsf(b[key] - a[key]) ? n : key;
    }
    printf("\n  Over queries, a weight for %c is e^score over the sum of these:\n  query ",
           'a' + key);
    print_letters(before);
    for (int i = 0; i < 2; i++) {
        text_scores(scores, texts[i]);
        for (int t = 0; t < T; t++) {
            e[i][t] = t < key ? 0.0f : exp_f32(scores[t * T + key]); /* those that may see it */
            same &= (e[i][t] == e[0][t]) == (i == 0 || t != j);
        }
        printf("\n  %s", i == 0 ? "before" : "after ");
        print_row(e[i], T, 1);
    }
    for (int i = 0; i < 2; i++) {
        float sum = sum_of(e[i], T, 1), weight = looks[i].weights[row * T + key];
        printf("\n  the weight of %c for %c, %s: %.3f / %.3f = %.3f", 'a' + row, 'a' + key,
               i == 0 ? "before" : "after", (double)e[i][row], (double)sum, (double)weight);
        same &= near(weight, e[i][row] / sum);
    }
    printf("\n");
    page_claim(same, "the numerator has not moved, in the denominator one later query has");
}

/* In three digits, or, so that little does not look like nothing, as 4e-05. */
struct DistanceText {
    char text[16];
};
static struct DistanceText distance_text(float x)
{
    struct DistanceText t;
    snprintf(t.text, sizeof t.text, x > 0.0f && x < 0.0005f ? "%.0e" : "%.3f", (double)x);
    return t;
}

void report_change(const struct Text *text, int j)
{
    struct Text changed = text_with(text, j);
    struct Look before[WAYS], after[WAYS];
    int T = text->length, row = j - 1;
    float moved[WAYS], weights_moved[WAYS];
    page_heading("Change a later token, and watch an earlier row");
    printf("  Token %d, %c, becomes %c. The weights of %c, before it, and its output:\n", j,
           'a' + j, 'a' + changed.letters[j], 'a' + row);
    for (int w = 0; w < WAYS; w++) {
        before[w] = look(text, &ways[w]), after[w] = look(&changed, &ways[w]);
        const float *b = before[w].weights + row * T, *a = after[w].weights + row * T;
        weights_moved[w] = distance(b, a, T);
        moved[w] = distance(before[w].out + row * D, after[w].out + row * D, D);
        printf("\n  %-12s  weights move by %s, the output by %s%s\n  before", ways[w].name,
               distance_text(weights_moved[w]).text, distance_text(moved[w]).text,
               moved[w] == 0.0f ? ": not one bit" : "");
        print_row(b, T, 1);
        printf("\n  after ");
        print_row(a, T, 1);
        printf("\n");
    }
    report_denominator(text, &changed, j);
    page_claim(weights_moved[RIGHT] == 0.0f && moved[RIGHT] == 0.0f, "right: not one bit moves");
    page_claim(weights_moved[ZERO] == 0.0f && moved[ZERO] > 0.0f,
               "score 0: the weights stay, the hidden value comes through");
    page_claim(weights_moved[AFTER] > 0.0f && weights_moved[QUERIES] > 0.0f &&
                   before[AFTER].weights[row * T + j] == 0.0f &&
                   before[QUERIES].weights[row * T + j] == 0.0f,
               "the others: no weight on what is hidden, and yet the weights move");
}

struct Stack {
    const char *name;
    const struct Way *first, *second; /* as in look_through */
};

/* moved (T,T) overwritten: how far output i goes, in its largest number, when token j changes. */
static void leak(float *moved, const struct Text *text, const struct Stack *stack)
{
    for (int j = 0, T = text->length; j < T; j++) {
        struct Text changed = text_with(text, j);
        struct Look a = look_through(text, stack->first, stack->second);
        struct Look b = look_through(&changed, stack->first, stack->second);
        for (int i = 0; i < T; i++) {
            moved[i * T + j] = distance(a.out + i * D, b.out + i * D, D);
        }
    }
}

/* How many outputs move that should not, for a later token; -1 if one stays that should move. */
static int leaks(const float *moved, int T)
{
    int count_leaks = 0;
    for (int i = 0; i < T; i++) {
        for (int j = 0; j < T; j++) {
            if (j <= i && !(moved[i * T + j] > 0.0f)) {
                return -1;
            }
            count_leaks += j > i && moved[i * T + j] != 0.0f;
        }
    }
    return count_leaks;
}

/* Matrices side by side, and how much leaks in each. */
static void report_stacks(int counts[], const struct Text *text, const struct Stack *stacks, int n,
                          struct Table *table)
{
    float moved[WAYS][LONGEST * LONGEST];
    int T = text->length;
    for (int s = 0; s < n; s++) {
        leak(moved[s], text, &stacks[s]);
        counts[s] = leaks(moved[s], T);
        printf("%*s%s", s == 0 ? 4 : 18 - (int)strlen(stacks[s - 1].name), "", stacks[s].name);
        for (int i = 0; i < T * T; i++) {
            table_row(table, "%s\t%d\t%d\t%.6f", stacks[s].name, i / T, i % T, (double)moved[s][i]);
        }
    }
    for (int i = 0; i < T; i++) {
        printf("\n");
        for (int s = 0; s < n; s++) {
            printf("%*c ", s == 0 ? 3 : 17 - T, 'a' + i);
            for (int j = 0; j < T; j++) {
                putchar(moved[s][i * T + j] == 0.0f ? '.' : j > i ? '!' : 'x');
            }
        }
    }
    printf("\n  leaks, of %d: ", T * (T - 1) / 2);
    for (int s = 0; s < n; s++) {
        printf("%s%s %d", s > 0 ? ", " : "", stacks[s].name, counts[s]);
    }
    printf("\n");
}

void report_leaks(const struct Text *text, struct Table *table)
{
    struct Stack stacks[WAYS];
    int counts[WAYS], pairs = text->length * (text->length - 1) / 2;
    page_heading("Who moves whom");
    printf("  Every token is changed once: a column each. x: the output of this row moves;\n"
           "  ! it moves, and the token comes later: a leak; . not one bit moves.\n");
    for (int w = 0; w < WAYS; w++) {
        stacks[w] = (struct Stack){ways[w].name, &ways[w], NULL};
    }
    report_stacks(counts, text, stacks, WAYS, table);
    page_claim(counts[RIGHT] == 0, "right: nothing leaks");
    page_claim(counts[ZERO] == pairs && counts[AFTER] == pairs && counts[QUERIES] == pairs,
               "each wrong way: every later token reaches every earlier one");
}

void report_layers(const struct Text *text, struct Table *table)
{
    static const struct Stack stacks[] = {{"both layers", &ways[RIGHT], &ways[RIGHT]},
                                          {"first only", &ways[RIGHT], &unmasked},
                                          {"second only", &unmasked, &ways[RIGHT]}};
    int counts[3], pairs = text->length * (text->length - 1) / 2;
    page_heading("Two layers: which of them needs the mask?");
    printf("  The same for two layers, the right mask in both or in one of them.\n");
    report_stacks(counts, text, stacks, 3, table);
    page_claim(counts[0] == 0, "a mask in both: nothing leaks");
    page_claim(counts[1] == pairs && counts[2] == pairs, "a mask in one of them hides nothing");
}
