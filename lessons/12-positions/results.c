/* Means are over all strings of all seeds; beside them, the least and the most that a seed gave. */
#include "results.h"

#include <math.h>
#include <stdio.h>

typedef double Share(const struct Accuracy *accuracy, int first, int last);

static double mean(const struct Result *r, Share *share, int first, int last)
{
    double sum = 0.0;
    for (int i = 0; i < r->seeds; i++) {
        sum += share(&r->of[i], first, last);
    }
    return sum / r->seeds;
}

double mean_strings(const struct Result *r, int first, int last)
{
    return mean(r, strings_right, first, last);
}

double mean_letters(const struct Result *r, int first, int last)
{
    return mean(r, letters_right, first, last);
}

static void print_cell(const struct Result *r, Share *share, int first, int last)
{
    char text[48];
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < r->seeds; i++) {
        double x = share(&r->of[i], first, last);
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    snprintf(text, sizeof text, r->seeds > 1 ? "%.1f (%.0f-%.0f)" : "%.1f",
             mean(r, share, first, last), least, most);
    printf(" %15s", text);
}

void print_results(const struct Result *results, int n)
{
    printf("                                  strings right, %%          letters right, %%\n"
           "  places       rows                     %d to %d        %d to %d        %d to %d\n",
           SHORTEST, TAUGHT, LONGER, LONGEST, LONGER, LONGEST);
    for (int i = 0; i < n; i++) {
        const struct Result *r = &results[i];
        printf("  %-12s %-16s", position_name(r->kind), r->rows);
        print_cell(r, strings_right, SHORTEST, TAUGHT);
        print_cell(r, strings_right, LONGER, LONGEST);
        print_cell(r, letters_right, LONGER, LONGEST);
        printf("\n");
    }
}

static void print_lengths(const struct Result *results, int n, Share *share, const char *what)
{
    printf("  %-28s", what);
    for (int length = SHORTEST; length <= LONGEST; length++) {
        printf("%5d", length);
    }
    printf("\n");
    for (int i = 0; i < n; i++) {
        printf("  %-12s %-15s", position_name(results[i].kind), results[i].rows);
        for (int length = SHORTEST; length <= LONGEST; length++) {
            printf("%5.0f", mean(&results[i], share, length, length));
        }
        printf("\n");
    }
}

void print_by_length(const struct Result *results, int n)
{
    print_lengths(results, n, strings_right, "strings right, %");
    printf("\n");
    print_lengths(results, n, letters_right, "letters right, %");
}

void add_results(struct Table *table, const struct Result *results, int n, uint64_t first_seed)
{
    for (int i = 0; i < n; i++) {
        const struct Result *r = &results[i];
        for (int seed = 0; seed < r->seeds; seed++) {
            for (int length = SHORTEST; length <= LONGEST; length++) {
                const struct Accuracy *a = &r->of[seed];
                table_row(table, "%s\t%s\t%llu\t%d\t%d\t%d\t%d", position_name(r->kind), r->rows,
                          (unsigned long long)(first_seed + (uint64_t)seed), length,
                          a->strings[length], a->letters[length], a->tested);
            }
        }
    }
}
