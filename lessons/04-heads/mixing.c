/* Sections 4 to 7: attention of three heads over five random tokens: by hand, with the exchange
   left out, counted, and with queries that are keys. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "common/rng.h"
#include "common/tensors.h"
#include "common/vmath.h"
#include "report.h"

enum { T = 5, C = 12, H = 3, D_HEAD = C / H };
static const struct Shape shape = {T, H, D_HEAD};
static float x[T * C], w_qkv[3 * C * C], q[T * C], k[T * C], v[T * C];
static float out[T * C], weights[H * T * T];

static void draw(uint64_t seed)
{
    struct Rng rng = rng_stream(seed, "heads");
    rng_normal(&rng, x, T * C);
    rng_normal(&rng, w_qkv, 3 * C * C);
    for (int i = 0; i < 3 * C * C; i++) {
        w_qkv[i] /= sqrtf(C);
    }
}

static void project_qkv(const float *from)
{
    project(q, from, w_qkv, T, C, C);
    project(k, from, w_qkv + C * C, T, C, C);
    project(v, from, w_qkv + 2 * C * C, T, C, C);
}

/* The weights of one query in one head, without a split: head h is the numbers from h*d on. */
static void by_hand(float *row, int query, int head)
{
    float sum = 0.0f;
    for (int key = 0; key <= query; key++) {
        float score = 0.0f;
        for (int i = head * D_HEAD; i < (head + 1) * D_HEAD; i++) {
            score += q[query * C + i] * k[key * C + i];
        }
        row[key] = exp_f32(score / sqrtf(D_HEAD));
        sum += row[key];
    }
    for (int key = 0; key <= query; key++) {
        row[key] /= sum;
    }
}

static void print_weights(const char *words, const float *row, int n)
{
    printf("%s", words);
    for (int key = 0; key < n; key++) {
        printf("%7.4f", (double)row[key]);
    }
}

/* Every row of weights against the one by hand: the largest difference. Prints those of one
   query. */
static float compare_by_hand(int printed_query)
{
    float hand[T], largest = 0.0f;
    const float *row = weights;
    for (int head = 0; head < H; head++) {
        for (int query = 0; query < T; query++, row += T) {
            by_hand(hand, query, head);
            for (int key = 0; key <= query; key++) {
                float apart = fabsf(row[key] - hand[key]);
                largest = apart > largest ? apart : largest;
            }
            if (query == printed_query) {
                printf("  head %d", head);
                print_weights(" ", row, query + 1);
                print_weights("    by hand", hand, query + 1);
                putchar('\n');
            }
        }
    }
    return largest;
}

/* Does x times all of w_qkv hold, in each row, the numbers of q, k and v? */
static bool one_product_is_three(void)
{
    static float all[T * 3 * C];
    int same = 0;
    project(all, x, w_qkv, T, C, 3 * C);
    for (int t = 0; t < T; t++) {
        same += same_bits(all + 3 * t * C, q + t * C, C) +
                same_bits(all + (3 * t + 1) * C, k + t * C, C) +
                same_bits(all + (3 * t + 2) * C, v + t * C, C);
    }
    return same == 3 * T * C;
}

static void section_attention(struct Table *table)
{
    page_heading("Attention of all heads, and one token by hand");
    printf("  %d tokens of %d numbers, %d heads of %d, a causal mask. Each head has weights of\n"
           "  its own. Head 0 (a row for each query, a column for each key):\n",
           T, C, H, D_HEAD);
    project_qkv(x);
    attend(out, weights, q, k, v, shape, (struct Fault){false, false});
    for (int i = 0; i < T * T; i++) {
        printf("%8.2f%s", (double)weights[i], i % T == T - 1 ? "\n" : "");
    }
    printf("\n  Token 3, from heads.c and by hand. By hand needs no split: head h begins at\n"
           "  number %dh of a row.\n",
           D_HEAD);
    float apart = compare_by_hand(3);
    printf("  largest difference, all tokens and heads: %.1e\n", (double)apart);
    page_claim(apart < 1e-6f, "by hand is the matrix form, for every token and head");
    page_claim(one_product_is_three(), "one product for q, k, v is three products, to the bit");
    for (int i = 0; i < H * T * T; i++) {
        if (i % T <= i / T % T) {
            table_row(table, "1\t%d\t%d\t%d\t%.6f", i / (T * T) + 1, i / T % T, i % T,
                      (double)weights[i]);
        }
    }
}

/* Which tokens reach which rows of the output: change one, and see which rows are other numbers. */
static void find_reach(bool reached[T][T], struct Fault fault)
{
    static float changed[T * C], before[T * C];
    project_qkv(x);
    attend(before, weights, q, k, v, shape, fault);
    for (int token = 0; token < T; token++) {
        memcpy(changed, x, sizeof x);
        for (int i = 0; i < C; i++) {
            changed[token * C + i] += 1.0f;
        }
        project_qkv(changed);
        attend(out, weights, q, k, v, shape, fault);
        for (int row = 0; row < T; row++) {
            reached[row][token] = same_bits(out + row * C, before + row * C, C) < C;
        }
    }
}

/* How many (row, token) differ from a causal mask: later tokens that reach a row, earlier ones that
   do not. */
struct Wrong {
    int leaks, misses;
};

static struct Wrong compare_with_mask(bool reached[T][T])
{
    struct Wrong wrong = {0, 0};
    for (int row = 0; row < T; row++) {
        for (int token = 0; token < T; token++) {
            wrong.leaks += reached[row][token] && token > row;
            wrong.misses += !reached[row][token] && token <= row;
        }
    }
    return wrong;
}

static void print_reach(bool reached[4][T][T], const struct Wrong *wrong)
{
    printf("  left out   nowhere        in the split   in the merge   in both\n");
    for (int row = 0; row < T; row++) {
        printf("  row %d   ", row);
        for (int i = 0; i < 4 * T; i++) {
            printf("%*s", i == 0 ? 3 : i % T == 0 ? 6 : 1, "");
            putchar(reached[i / T][row][i % T] ? 'x' : '.');
        }
        putchar('\n');
    }
    printf("  leaks      %-15d%-15d%-15d%d\n", wrong[0].leaks, wrong[1].leaks, wrong[2].leaks,
           wrong[3].leaks);
    printf("  misses     %-15d%-15d%-15d%d\n", wrong[0].misses, wrong[1].misses, wrong[2].misses,
           wrong[3].misses);
}

static void section_reach(struct Table *table)
{
    static const struct Fault faults[] = {
        {false, false}, {true, false}, {false, true}, {true, true}};
    static bool reached[4][T][T];
    struct Wrong wrong[4];
    page_heading("What an exchange left out does to the mask");
    printf("  x: changing this token (across) changes this row of the output (down). The\n"
           "  mask allows the lower left triangle: a row's own token, and earlier ones.\n\n");
    for (int i = 0; i < 4; i++) {
        find_reach(reached[i], faults[i]);
        wrong[i] = compare_with_mask(reached[i]);
        for (int j = 0; j < T * T; j++) {
            table_row(table, "%d\t%d\t%d\t%d", i + 1, j / T, j % T, reached[i][j / T][j % T]);
        }
    }
    print_reach(reached, wrong);
    page_claim(wrong[0].leaks == 0 && wrong[0].misses == 0, "nothing left out: exactly the mask");
    page_claim(wrong[1].leaks > 0 && wrong[2].leaks > 0, "left out once: rows see later tokens");
    page_claim(wrong[3].leaks == 0 && wrong[3].misses > 0,
               "left out twice: no leak to be found, but rows miss earlier tokens");
}

/* The floats of W_Q, W_K, W_V and W_O in a block of common's model, as that lists them. */
static long long attention_weights_in_common(int width, int heads)
{
    struct ParamList list = {0};
    struct ParamWalk walk = {.list = &list};
    struct BlockTensors block;
    struct ModelTensors tensors = {.blocks = &block};
    struct ModelConfig config = model_config(12, 25, width, heads, 1);
    long long count = 0;
    model_params(&tensors, &walk, &config);
    for (int i = 0; i < list.count; i++) {
        const char *name = list.items[i].name;
        if (strstr(name, "attn") != NULL && strstr(name, "weight") != NULL) {
            count += (long long)list.items[i].size;
        }
    }
    params_free(&list);
    return count;
}

static void section_count(void)
{
    static const int cuts[][2] = {{64, 1},  {64, 2},  {64, 4},  {384, 1},
                                  {384, 2}, {384, 6}, {384, 12}}; /* width, heads */
    bool same = true;
    page_heading("More heads cost no weights");
    printf("  W_Q, W_K, W_V and W_O of common's model, for several ways to cut the width.\n"
           "  The chapter has 2 heads of 32. The Sprout text has 6 of 64: 589,824 weights.\n\n"
           "  width   heads         weights\n");
    for (int i = 0; i < (int)(sizeof cuts / sizeof *cuts); i++) {
        int width = cuts[i][0], heads = cuts[i][1];
        long long count = attention_weights_in_common(width, heads);
        same = same && count == 4LL * width * width;
        printf("  %5d   %2d of %-3d    %9s\n", width, heads, width / heads, grouped(count).text);
    }
    page_claim(same, "4 x width x width, whatever the number of heads");
}

/* scores (T,T) of head 0, before mask and softmax. Returns the largest difference between a score
   and the one on the other side of the diagonal. */
static float head_scores(float *scores, const float *key_of)
{
    float largest = 0.0f;
    for (int i = 0; i < T * T; i++) {
        scores[i] = 0.0f;
        for (int c = 0; c < D_HEAD; c++) {
            scores[i] = fmaf(q[i / T * C + c], key_of[i % T * C + c], scores[i]);
        }
        scores[i] /= sqrtf(D_HEAD);
    }
    for (int i = 0; i < T * T; i++) {
        float apart = fabsf(scores[i] - scores[i % T * T + i / T]);
        largest = apart > largest ? apart : largest;
    }
    return largest;
}

static void section_symmetry(void)
{
    static float own[T * T], shared[T * T];
    project_qkv(x);
    float own_apart = head_scores(own, k), shared_apart = head_scores(shared, q), least = shared[0];
    page_heading("Why keys have weights of their own");
    printf("  Scores of head 0 before the mask. If W_K is W_Q, token i asks for j exactly as\n"
           "  much as j for i: compare a number with the one across the diagonal.\n\n"
           "  %-38s%s\n",
           "W_K of its own", "W_K = W_Q");
    for (int row = 0; row < T; row++) {
        for (int i = 0; i < 2 * T; i++) {
            const float *scores = i < T ? own : shared;
            printf("%s%7.2f", i == T ? "   " : "", (double)scores[row * T + i % T]);
        }
        putchar('\n');
        least = shared[row * T + row] < least ? shared[row * T + row] : least;
    }
    printf("  largest difference across the diagonal: %.2f with its own, %g with W_Q\n",
           (double)own_apart, (double)shared_apart);
    page_claim(own_apart > 0.0f && shared_apart == 0.0f, "W_K = W_Q: symmetric, to the bit");
    page_claim(least >= 0.0f, "and no token scores itself below 0: it is a sum of squares");
}

void report_attention(struct Table *attention, struct Table *reach, uint64_t seed)
{
    draw(seed);
    section_attention(attention);
    section_reach(reach);
    section_count();
    section_symmetry();
}
