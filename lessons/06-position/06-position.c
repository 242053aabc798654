/* Lesson 06: where a token stands.

   Attention takes its keys and values as a set: nothing in it knows which came first. So order is
   put in from outside, as a row of a second table that is added to the row of the token (embed,
   below). First we see that attention is blind, then that the table ends it; then we train such a
   table and look at which of its rows were ever taught anything. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/vmath.h"
#include "position.h"

/* The toy: six letters, vectors of twelve numbers, three heads. */
enum { T = 6, D = 12, H = 3 };

void embed(float *x, const int32_t *tokens, const float *token_table, const float *position_table,
           int length, int d_model)
{
    for (int t = 0; t < length; t++) {
        for (int i = 0; i < d_model; i++) {
            float token = token_table[tokens[t] * d_model + i];
            float position = position_table != NULL ? position_table[t * d_model + i] : 0.0f;
            x[t * d_model + i] = token + position;
        }
    }
}

void attention(float *out, float *weights, const float *q, const float *k, const float *v,
               const bool *sees, int length, int d_model, int n_heads)
{
    int d = d_model / n_heads;
    for (int row = 0; row < n_heads * length; row++) {
        int head = row / length, query = row % length;
        float *w = weights + row * length, max = -INFINITY, sum = 0.0f;
        for (int key = 0; key < length; key++) {
            float score = 0.0f;
            for (int i = head * d; i < (head + 1) * d; i++) {
                score += q[query * d_model + i] * k[key * d_model + i];
            }
            w[key] = sees[query * length + key] ? score / sqrtf((float)d) : -INFINITY;
            max = w[key] > max ? w[key] : max;
        }
        for (int key = 0; key < length; key++) {
            w[key] = exp_f32(w[key] - max);
            sum += w[key];
        }
        for (int key = 0; key < length; key++) {
            w[key] /= sum;
        }
        for (int i = head * d; i < (head + 1) * d; i++) {
            float mix = 0.0f;
            for (int key = 0; key < length; key++) {
                mix += w[key] * v[key * d_model + i];
            }
            out[query * d_model + i] = mix;
        }
    }
}

void shuffle_rows(float *moved, const float *x, const int *order, int length, int d_model)
{
    for (int i = 0; i < length; i++) {
        memcpy(moved + i * d_model, x + order[i] * d_model, (size_t)d_model * sizeof *x);
    }
}

void set_mask(bool *sees, bool causal, const int *order, int length)
{
    for (int i = 0; i < length * length; i++) {
        int query = i / length, key = i % length;
        sees[i] = !causal || (order != NULL ? order[key] <= order[query] : key <= query);
    }
}

float apart(const float *moved, const float *x, const int *order, int first, int length,
            int d_model)
{
    float most = 0.0f;
    for (int i = first * d_model; i < length * d_model; i++) {
        int row = order != NULL ? order[i / d_model] : i / d_model;
        float difference = fabsf(moved[i] - x[row * d_model + i % d_model]);
        if (!isfinite(difference)) {
            return INFINITY;
        }
        most = difference > most ? difference : most;
    }
    return most;
}

/* The toy: tables of its own, and a layer of attention with weights of its own. */
static struct Toy {
    float token_table[VOCAB * D], position_table[CONTEXT * D], wq[D * D], wk[D * D], wv[D * D];
    float x[T * D], q[T * D], k[T * D], v[T * D], weights[H * T * T];
} toy;

/* It works on fgcabe, and on fgcabe with all but its last letter in another order. */
static const char word[] = "fgcabe", shuffled[] = "afbcge";
static const int order[T] = {3, 0, 4, 2, 1, 5};
static float out[T * D], out_shuffled[T * D];

static void toy_init(uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "toy");
    float bound = sqrtf(3.0f / D); /* so that scores spread by about 1 */
    rng_normal(&rng, toy.token_table, VOCAB * D);
    rng_normal(&rng, toy.position_table, CONTEXT * D);
    rng_uniform(&rng, toy.wq, D * D, bound);
    rng_uniform(&rng, toy.wk, D * D, bound);
    rng_uniform(&rng, toy.wv, D * D, bound);
}

/* y (T,D) overwritten with x·Wᵀ. */
static void project(float *y, const float *x, const float *w)
{
    for (int i = 0; i < T * D; i++) {
        y[i] = 0.0f;
        for (int j = 0; j < D; j++) {
            y[i] += x[i / D * D + j] * w[i % D * D + j];
        }
    }
}

/* y (T,D) overwritten: the toy's attention over six letters. position_table may be NULL. */
static void toy_forward(float *y, const char *text, const float *position_table, const bool *sees)
{
    struct String string;
    string_parse(&string, text);
    embed(toy.x, string.letters, toy.token_table, position_table, T, D);
    project(toy.q, toy.x, toy.wq);
    project(toy.k, toy.x, toy.wk);
    project(toy.v, toy.x, toy.wv);
    attention(y, toy.weights, toy.q, toy.k, toy.v, sees, T, D, H);
}

static void print_weights(const char *what, const char *text)
{
    printf("  %-22s", what);
    for (int i = 0; i < T; i++) {
        printf("  %c %.3f", text[i], (double)toy.weights[i]);
    }
    putchar('\n');
}

/* Section 1: the queries stay, keys and values change places. */
static void report_set(void)
{
    bool all[T * T];
    float k[T * D], v[T * D];
    page_heading("Attention takes its keys and values as a set");
    printf("  What head 1 gives to each key for the query f. Follow one letter: its\n"
           "  weight moves with it.\n");
    set_mask(all, false, NULL, T);
    toy_forward(out, word, NULL, all);
    print_weights("as the word stands", word);
    shuffle_rows(k, toy.k, order, T, D);
    shuffle_rows(v, toy.v, order, T, D);
    attention(out_shuffled, toy.weights, toy.q, k, v, all, T, D, H);
    print_weights("shuffled", shuffled);
    float most = apart(out_shuffled, out, NULL, 0, T, D);
    printf("  The outputs of all six queries differ by at most %.1e: the same terms\n"
           "  added up in another order, each sum rounded on its way.\n",
           (double)most);
    page_claim(most < ROUNDING, "keys and values shuffled together: the outputs stay");
}

/* Section 2: whole tokens change places, and the mask does or does not. */
static void report_tokens(void)
{
    static const char *const names[] = {"no mask", "causal mask, left as it is",
                                        "causal mask, shuffled as well"};
    bool sees[T * T];
    float all[3], last[3];
    page_heading("Shuffle the tokens, and the outputs follow");
    printf("  %s becomes %s. How far is the output of a letter from what it was?\n\n", word,
           shuffled);
    printf("  %-32s of any letter   of the last, e\n", "");
    for (int i = 0; i < 3; i++) {
        set_mask(sees, i > 0, NULL, T);
        toy_forward(out, word, NULL, sees);
        set_mask(sees, i > 0, i == 2 ? order : NULL, T);
        toy_forward(out_shuffled, shuffled, NULL, sees);
        all[i] = apart(out_shuffled, out, order, 0, T, D);
        last[i] = apart(out_shuffled, out, order, T - 1, T, D);
        printf("  %-32s      %8.2g         %8.2g\n", names[i], (double)all[i], (double)last[i]);
    }
    printf("\n  A mask that stays is a trace of order: who sees whom has changed. The last\n"
           "  letter stands where it stood and sees all the others either way: it cannot\n"
           "  tell in which order they came.\n");
    page_claim(all[0] < ROUNDING && all[2] < ROUNDING,
               "each output moves with its token, if the mask moves too");
    page_claim(all[1] > 0.1f, "under a mask that stays, outputs change");
    page_claim(last[1] < ROUNDING, "but not the last one, which sees the same set");
}

/* Section 3: the same with a row for each place. */
static void report_table(void)
{
    bool sees[T * T];
    page_heading("A table of positions ends that");
    printf("  x = row of the token + row of its place. How far are these outputs apart?\n\n");
    printf("  %-40s without table   with table\n", "");
    static const char *const names[] = {"e, the last letter, the others shuffled",
                                        "the first and the last a of abccba"};
    float far[2][2];
    for (int with = 0; with < 2; with++) {
        const float *table = with ? toy.position_table : NULL;
        set_mask(sees, true, NULL, T);
        toy_forward(out, word, table, sees);
        toy_forward(out_shuffled, shuffled, table, sees);
        far[0][with] = apart(out_shuffled, out, NULL, T - 1, T, D);
        set_mask(sees, false, NULL, T);
        toy_forward(out, "abccba", table, sees);
        far[1][with] = apart(out + (T - 1) * D, out, NULL, 0, 1, D);
    }
    for (int i = 0; i < 2; i++) {
        printf("  %-40s      %8.2g     %8.2g\n", names[i], (double)far[i][0], (double)far[i][1]);
    }
    printf("\n  Without a table and without a mask the two a are one and the same: equal\n"
           "  rows go in, equal rows come out.\n");
    page_claim(far[1][0] == 0.0f, "without a table two equal letters are equal to the last bit");
    page_claim(far[0][1] > 0.1f && far[1][1] > 0.1f, "with one, both pairs are told apart");
}

int main(int argc, char **argv)
{
    static struct Training with = {.steps = 400, .lengths = {3, 8}};
    static struct Training without, one_length;
    static struct Option options[] = {
        {"steps", OPTION_INTEGER, &with.steps, "N", "training steps", 0, 10000, NULL, false},
        {"lengths", OPTION_RANGE, &with.lengths, "A-B", "letters in a training string", 1, LONGEST,
         NULL, false},
    };
    struct Common common;
    cli_parse(argc, argv, "Lesson 06: where a token stands.", "06-position", &common, options,
              sizeof options / sizeof *options);
    struct Table *rows = table_new(common.out, "rows", "position strings gradient moved length");
    struct Table *cosines = table_new(common.out, "similarity", "row column before after");
    struct Table *losses = table_new(common.out, "loss", "step with without");

    printf("Lesson 06. Where a token stands\n");
    toy_init(common.seed);
    report_set();
    report_tokens();
    report_table();
    without = one_length = with;
    one_length.lengths.first = one_length.lengths.last;
    train(&without, false, &common);
    train(&one_length, true, &common);
    train(&with, true, &common);
    report_rows(&with, rows);
    report_losses(&with, &without, losses);
    report_similarity(&with, &one_length, cosines);
    report_probe(&with, common.seed);
    report_against(common.seed);
    table_save(rows);
    table_save(cosines);
    table_save(losses);
    training_free(&with);
    training_free(&without);
    training_free(&one_length);
    return page_verdict();
}
