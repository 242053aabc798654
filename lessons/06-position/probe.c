/* Add or concatenate? Here a linear probe reads token and position back from their sum: the least
   squares fit of 12 + 25 marks (1 for the right one, 0 for the others) to all 300 sums, each mark
   a weighted sum of the numbers in x and a constant. The largest mark is the probe's answer. */
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "position.h"

enum { PAIRS = VOCAB * CONTEXT, MARKS = VOCAB + CONTEXT, MOST = WIDTH + 1 };

/* Solve A·W = B by elimination (Gauss-Jordan): each row of system (n,n+MARKS) is one of A and one of
   B, and W takes the place of B. A is symmetric and positive, so that no row need be swapped. */
static void solve(double *system, int n)
{
    int width = n + MARKS;
    for (int k = 0; k < n; k++) {
        double *pivot = system + k * width, scale = 1.0 / pivot[k];
        for (int j = k; j < width; j++) {
            pivot[j] *= scale;
        }
        for (int i = 0; i < n; i++) {
            double *row = system + i * width, factor = row[k];
            for (int j = k; j < width && i != k; j++) {
                row[j] -= factor * pivot[j];
            }
        }
    }
}

/* Which of n marks is the largest? */
static int largest(const double *marks, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++) {
        best = marks[i] > marks[best] ? i : best;
    }
    return best;
}

/* right[0], right[1] overwritten: for how many of the 300 sums the probe names the token, the
   position. The ridge of 1e-3 keeps A positive where the sums span less than the whole space. */
static void probe(int right[2], const float *token_table, const float *position_table, int d)
{
    static double x[PAIRS * MOST], system[MOST * (MOST + MARKS)];
    int n = d + 1, width = n + MARKS;
    memset(system, 0, sizeof system);
    for (int p = 0; p < PAIRS; p++) {
        int token = p / CONTEXT, position = p % CONTEXT;
        double *sum = x + p * n;
        for (int i = 0; i < d; i++) {
            sum[i] = (double)(token_table[token * d + i] + position_table[position * d + i]);
        }
        sum[d] = 1.0;
        for (int i = 0; i < n; i++) {
            double *row = system + i * width;
            for (int j = 0; j < n; j++) {
                row[j] += sum[i] * sum[j];
            }
            row[n + token] += sum[i];
            row[n + VOCAB + position] += sum[i];
        }
    }
    for (int i = 0; i < n; i++) {
        system[i * width + i] += 1e-3;
    }
    solve(system, n);
    right[0] = right[1] = 0;
    for (int p = 0; p < PAIRS; p++) {
        double marks[MARKS] = {0};
        for (int i = 0; i < n * MARKS; i++) {
            marks[i % MARKS] += x[p * n + i / MARKS] * system[i / MARKS * width + n + i % MARKS];
        }
        right[0] += largest(marks, VOCAB) == p / CONTEXT;
        right[1] += largest(marks + VOCAB, CONTEXT) == p % CONTEXT;
    }
}

void report_probe(const struct Training *t, uint64_t seed)
{
    static float tables[MARKS * WIDTH];
    int right[2];
    page_heading("Add or concatenate?");
    printf("  A linear probe looks at all %d sums of a token row and a position row. In how\n"
           "  many does it name the token, and in how many the position?\n\n",
           PAIRS);
    printf("  width          token   position\n");
    for (int d = 4; d <= WIDTH; d *= 2) {
        struct Rng rng = rng_stream(seed, "probe");
        rng_normal(&rng, tables, MARKS * d);
        probe(right, tables, tables + VOCAB * d, d);
        printf("  %-12d %7d %10d\n", d, right[0], right[1]);
    }
    page_claim(right[0] == PAIRS && right[1] == PAIRS,
               "at width %d random rows are added and nothing is lost", WIDTH);
    probe(right, t->model->w.token, t->model->w.position, WIDTH);
    printf("  %d, trained  %7d %10d\n", WIDTH, right[0], right[1]);
    page_claim(right[0] == PAIRS && right[1] == PAIRS, "nor is it in the tables just trained");
}
