/* The fast kernels against plain loops. Where a header promises an order of additions, the loop
   here adds in that order and the bits must be equal; elsewhere double is the judge. Every array
   ends where the readable memory ends and begins behind guards, inputs must stay as they are, and
   what a kernel has to overwrite is NaN beforehand. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/activation.h"
#include "common/attention.h"
#include "common/loss.h"
#include "common/matmul.h"
#include "common/model.h"
#include "common/norm.h"
#include "common/param.h"
#include "common/rng.h"
#include "common/shard.h"
#include "common/softmax.h"
#include "common/tile.h"
#include "common/vmath.h"
#include "tests/core/suites.h"

/* What is being tried, for the messages. */
static char trial[160];
static uint64_t seed;
static struct Rng rng;

#define TRY(...) snprintf(trial, sizeof trial, __VA_ARGS__)

static void seed_trials(void)
{
    const char *text = getenv("TEST_SEED");
    seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    rng = rng_stream(seed, "kernels");
    TRY("first trial");
}

/* Arrays. */

struct Array {
    const char *name;
    char *memory;
    size_t guards, mapped; /* bytes in front of x, and in all */
    float *x, *before;     /* before: what an input must still be */
    size_t count;
};

static struct Array arrays[32];
static int n_arrays;

/* count floats that end at a page which nobody may touch; all bits ones, so every float is NaN,
   and so are the guards in front of it. */
static float *array_of(const char *name, size_t count)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = count * sizeof(float);
    size_t readable = (size + 64 + page - 1) / page * page;
    ck_assert_int_lt(n_arrays, (int)(sizeof arrays / sizeof *arrays));
    char *memory =
        mmap(NULL, readable + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(memory != MAP_FAILED);
    ck_assert_int_eq(mprotect(memory + readable, page, PROT_NONE), 0);
    memset(memory, 0xff, readable);
    struct Array *a = &arrays[n_arrays++];
    *a = (struct Array){.name = name,
                        .memory = memory,
                        .guards = readable - size,
                        .mapped = readable + page,
                        .x = (float *)(void *)(memory + readable - size),
                        .count = count};
    return a->x;
}

/* From now on x is an input: it must stay as it is. */
static const float *input(const float *x)
{
    for (struct Array *a = arrays; a < arrays + n_arrays; a++) {
        if (a->x == x) {
            a->before = malloc(a->count * sizeof *x + 1);
            ck_assert_ptr_nonnull(a->before);
            memcpy(a->before, x, a->count * sizeof *x);
        }
    }
    return x;
}

static float *random_array(const char *name, size_t count)
{
    float *x = array_of(name, count);
    rng_normal(&rng, x, (int)count);
    return x;
}

static const float *random_input(const char *name, size_t count)
{
    return input(random_array(name, count));
}

static float *copy_of(const char *name, const float *x, size_t count)
{
    return memcpy(array_of(name, count), x, count * sizeof *x);
}

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void same_bits(const char *name, const float *got, const float *want, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!same(got[i], want[i])) {
            ck_abort_msg("%s[%zu]: got %.9g (%a), wanted %.9g (%a); %s, TEST_SEED=%llu", name, i,
                         (double)got[i], (double)got[i], (double)want[i], (double)want[i], trial,
                         (unsigned long long)seed);
        }
    }
}

/* |got - wanted| <= bound, which NaN does not pass. */
static void near(const char *name, size_t i, double got, double want, double bound)
{
    if (!(fabs(got - want) <= bound)) {
        ck_abort_msg("%s[%zu]: got %.9g, wanted %.9g within %g; %s, TEST_SEED=%llu", name, i, got,
                     want, bound, trial, (unsigned long long)seed);
    }
}

/* Guards untouched, inputs unchanged; then all arrays are given back. */
static void arrays_done(void)
{
    for (struct Array *a = arrays; a < arrays + n_arrays; a++) {
        for (size_t i = 0; i < a->guards; i++) {
            if ((unsigned char)a->memory[i] != 0xff) {
                ck_abort_msg("%s: byte %zu before its start was written; %s, TEST_SEED=%llu",
                             a->name, a->guards - i, trial, (unsigned long long)seed);
            }
        }
        if (a->before != NULL) {
            char name[48];
            snprintf(name, sizeof name, "input %s", a->name);
            same_bits(name, a->x, a->before, a->count);
        }
        free(a->before);
        ck_assert_int_eq(munmap(a->memory, a->mapped), 0);
    }
    n_arrays = 0;
}

/* The linear layer. */

static void check_linear_forward(int rows, int k, int n)
{
    size_t R = (size_t)rows, K = (size_t)k, N = (size_t)n;
    const float *x = random_input("x", R * K), *w = random_input("w", N * K);
    const float *bias = random_input("bias", N);
    float *packed = array_of("packed", packed_size(n, k));
    float *y = array_of("y", R * N), *y_ref = array_of("y_ref", R * N);
    pack_forward(packed, w, n, k);
    linear_forward(y, x, input(packed), bias, rows, k, n);
    linear_forward_ref(y_ref, x, w, bias, rows, k, n);
    same_bits("y", y, y_ref, R * N);
    arrays_done();
}

static void check_linear_backward(int rows, int k, int n)
{
    size_t R = (size_t)rows, K = (size_t)k, N = (size_t)n;
    const float *x = random_input("x", R * K), *w = random_input("w", N * K);
    const float *d_y = random_input("d_y", R * N);
    float *d_x = random_array("d_x", R * K), *d_x_ref = copy_of("d_x_ref", d_x, R * K);
    float *d_w = random_array("d_w", N * K), *d_w_ref = copy_of("d_w_ref", d_w, N * K);
    float *d_bias = random_array("d_bias", N), *d_bias_ref = copy_of("d_bias_ref", d_bias, N);
    float *packed = array_of("packed", packed_size(n, k));
    float *scratch = array_of("scratch", linear_scratch_size(rows));
    pack_backward(packed, w, n, k);
    linear_backward_input(d_x, d_y, input(packed), rows, k, n);
    linear_backward_weight(d_w, d_bias, d_y, x, scratch, rows, k, n);
    linear_backward_ref(d_x_ref, d_w_ref, d_bias_ref, d_y, x, w, rows, k, n);
    same_bits("d_x", d_x, d_x_ref, R * K);
    same_bits("d_w", d_w, d_w_ref, N * K);
    same_bits("d_bias", d_bias, d_bias_ref, N);
    arrays_done();
}

static int pick_width(void)
{
    static const int often[] = {12, 36, 48, 64, 108, 192};
    int i = rng_below(&rng, 12);
    return i < 6 ? often[i] : 1 + rng_below(&rng, 70);
}

static int pick_rows(void)
{
    int rows = 1 + rng_below(&rng, 31);
    return rows == 31 ? 88 : rows;
}

static const int model_shapes[][3] = {{88, 64, 192}, {88, 64, 64},  {88, 64, 256}, {88, 256, 64},
                                      {88, 64, 12},  {1, 1, 1},     {0, 64, 12},   {13, 1, 17},
                                      {7, 33, 1},    {25, 36, 108}, {6, 16, 16},   {12, 32, 32}};

static void every_linear_shape(void (*check)(int rows, int k, int n))
{
    for (size_t i = 0; i < sizeof model_shapes / sizeof *model_shapes; i++) {
        const int *s = model_shapes[i];
        TRY("rows %d, k %d, n %d", s[0], s[1], s[2]);
        check(s[0], s[1], s[2]);
    }
    for (int i = 0; i < 500; i++) {
        int rows = pick_rows(), k = pick_width(), n = pick_width();
        TRY("rows %d, k %d, n %d", rows, k, n);
        check(rows, k, n);
    }
}

START_TEST(linear_forward_has_the_bits_of_the_plain_loop)
{
    every_linear_shape(check_linear_forward);
}
END_TEST

START_TEST(linear_backward_has_the_bits_of_the_plain_loop)
{
    every_linear_shape(check_linear_backward);
}
END_TEST

/* The tile. */

static void product_ref(const struct Product *p, float *c, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < columns; j++) {
            float sum = p->start == START_C      ? c[r * p->c_row + j]
                        : p->start == START_BIAS ? p->bias[j]
                                                 : 0.0f;
            for (int k = 0; k < p->depth; k++) {
                sum = fmaf(p->a[r * p->a_row + k * p->a_step], p->b[k * p->b_row + j], sum);
            }
            c[r * p->c_row + j] = sum;
        }
    }
}

/* b (depth,b_row) with NaN in what a tile may read but must not use. */
static const float *random_b(int depth, int b_row, int columns)
{
    int readable = (columns + TILE_PAD - 1) / TILE_PAD * TILE_PAD;
    float *b = array_of("b", depth > 0 ? (size_t)((depth - 1) * b_row + readable) : 0);
    for (int k = 0; k < depth; k++) {
        rng_normal(&rng, b + k * b_row, columns);
    }
    return input(b);
}

static void check_product(void (*run)(struct Product p, int rows, int columns), int rows,
                          int columns, int depth)
{
    enum TileStart start = (enum TileStart)rng_below(&rng, 3);
    bool transposed = rng_below(&rng, 2);
    int gap = rng_below(&rng, 4), pad = TILE_PAD * (1 + columns / TILE_PAD + rng_below(&rng, 2));
    int a_row = transposed ? 1 : depth + gap, a_step = transposed ? rows + gap : 1;
    size_t a_size = depth > 0 ? (size_t)((rows - 1) * a_row + (depth - 1) * a_step + 1) : 0;
    size_t c_size = (size_t)((rows - 1) * (columns + gap) + columns);
    TRY("%d x %d, depth %d, start %d, transposed %d, gap %d", rows, columns, depth, (int)start,
        transposed, gap);

    /* What lies between the rows of c is left as it was: the whole of c is compared. */
    float *c = start == START_C ? random_array("c", c_size) : array_of("c", c_size);
    float *c_ref = copy_of("c_ref", c, c_size);
    const float *a = random_input("a", a_size), *b = random_b(depth, pad, columns);
    struct Product p = {.c = c,
                        .c_row = columns + gap,
                        .a = a,
                        .a_row = a_row,
                        .a_step = a_step,
                        .b = b,
                        .b_row = pad,
                        .depth = depth,
                        .start = start,
                        .bias = start == START_BIAS ? random_input("bias", (size_t)columns) : NULL};
    run(p, rows, columns);
    product_ref(&p, c_ref, rows, columns);
    same_bits("c", c, c_ref, c_size);
    arrays_done();
}

static void run_tile(struct Product p, int rows, int columns)
{
    tile(&p, rows, columns);
}

START_TEST(tile_of_every_size_has_the_bits_of_the_plain_loop)
{
    for (int rows = 1; rows <= TILE_ROWS; rows++) {
        for (int columns = 1; columns <= TILE_COLUMNS; columns++) {
            for (int depth = 0; depth < 6; depth++) {
                check_product(run_tile, rows, columns, depth * depth);
            }
        }
    }
}
END_TEST

START_TEST(product_has_the_bits_of_the_plain_loop)
{
    for (int i = 0; i < 1000; i++) {
        check_product(product, pick_rows(), 1 + rng_below(&rng, 100), rng_below(&rng, 70));
    }
}
END_TEST

START_TEST(tiles_cover_every_row_with_nearly_equal_heights)
{
    for (int rows = 1; rows < 200; rows++) {
        int least = TILE_ROWS, most = 1, tiles = 0;
        for (int left = rows, height; left > 0; left -= height, tiles++) {
            height = tile_height(left);
            ck_assert_msg(height >= 1 && height <= TILE_ROWS && height <= left,
                          "tile_height(%d): got %d", left, height);
            least = height < least ? height : least;
            most = height > most ? height : most;
        }
        int wanted = (rows + TILE_ROWS - 1) / TILE_ROWS;
        ck_assert_msg(tiles == wanted, "%d rows: %d tiles, wanted %d", rows, tiles, wanted);
        ck_assert_msg(most - least <= 1, "%d rows: tiles of %d and of %d", rows, least, most);
        ck_assert_int_eq(tile_width(rows), rows < TILE_COLUMNS ? rows : TILE_COLUMNS);
    }
}
END_TEST

/* Sums. */

static float fold_ref(const float *lane)
{
    float eight[8], four[4];
    for (int i = 0; i < 8; i++) {
        eight[i] = lane[i] + lane[i + 8];
    }
    for (int i = 0; i < 4; i++) {
        four[i] = eight[i] + eight[i + 4];
    }
    return (four[0] + four[2]) + (four[1] + four[3]);
}

static float sum_ref(const float *x, int n)
{
    float lane[16] = {0};
    for (int i = 0; i < n; i++) {
        lane[i % 16] += x[i];
    }
    return fold_ref(lane);
}

static float dot_ref(const float *x, const float *y, int n)
{
    float lane[16] = {0};
    for (int i = 0; i < n; i++) {
        lane[i % 16] = fmaf(x[i], y[i], lane[i % 16]);
    }
    return fold_ref(lane);
}

START_TEST(sums_run_in_sixteen_lanes_and_fold_by_halves)
{
    for (int n = 0; n <= 130; n++) {
        TRY("n %d", n);
        const float *x = random_input("x", (size_t)n), *y = random_input("y", (size_t)n);
        float sum = sum16(x, n), sum_wanted = sum_ref(x, n);
        float dot = dot16(x, y, n), dot_wanted = dot_ref(x, y, n);
        same_bits("sum16", &sum, &sum_wanted, 1);
        same_bits("dot16", &dot, &dot_wanted, 1);
        arrays_done();
    }
}
END_TEST

/* Softmax. */

static void softmax_ref(float *weights, const float *scores, int n)
{
    float max = -INFINITY;
    for (int i = 0; i < n; i++) {
        max = scores[i] > max ? scores[i] : max;
    }
    for (int i = 0; i < n; i++) {
        weights[i] = exp_f32(scores[i] - max);
    }
    float sum = sum_ref(weights, n);
    for (int i = 0; i < n; i++) {
        weights[i] /= sum;
    }
}

START_TEST(softmax_has_the_bits_of_the_plain_loop)
{
    for (int i = 0; i < 400; i++) {
        int n = 1 + i % 100;
        TRY("n %d", n);
        float *scores = random_array("scores", (size_t)n);
        for (int j = 0; j < n; j++) {
            scores[j] = rng_below(&rng, 5) == 0 ? -INFINITY : scores[j] * 5.0f;
        }
        scores[rng_below(&rng, n)] = 0.5f;
        float *in_place = copy_of("in_place", scores, (size_t)n);
        float *weights = array_of("weights", (size_t)n), *wanted = array_of("wanted", (size_t)n);
        softmax_row(weights, input(scores), n);
        softmax_row(in_place, in_place, n);
        softmax_ref(wanted, scores, n);
        same_bits("weights", weights, wanted, (size_t)n);
        same_bits("weights in place", in_place, wanted, (size_t)n);
        arrays_done();
    }
}
END_TEST

START_TEST(softmax_is_near_double_and_sums_to_one)
{
    for (int n = 1; n <= 100; n++) {
        TRY("n %d", n);
        const float *scores = random_input("scores", (size_t)n);
        float *weights = array_of("weights", (size_t)n);
        softmax_row(weights, scores, n);
        double sum = 0.0, sum_of_weights = 0.0;
        for (int i = 0; i < n; i++) {
            sum += exp((double)scores[i]);
            sum_of_weights += (double)weights[i];
        }
        for (int i = 0; i < n; i++) {
            double wanted = exp((double)scores[i]) / sum;
            near("weights", (size_t)i, (double)weights[i], wanted, 1e-6 * wanted);
        }
        near("sum", 0, sum_of_weights, 1.0, 2e-7 * n);
        arrays_done();
    }
}
END_TEST

/* The scores are multiples of 1/64, so that adding the shift rounds nothing. */
START_TEST(softmax_ignores_a_shift_of_all_scores)
{
    for (int n = 1; n <= 60; n++) {
        float *scores = array_of("scores", (size_t)n), *shifted = array_of("shifted", (size_t)n);
        float shift = (float)(rng_below(&rng, 2001) - 1000);
        TRY("n %d, shift %g", n, (double)shift);
        for (int i = 0; i < n; i++) {
            scores[i] = (float)(rng_below(&rng, 1024) - 512) / 64.0f;
            shifted[i] = scores[i] + shift;
        }
        softmax_row(scores, scores, n);
        softmax_row(shifted, shifted, n);
        same_bits("shifted", shifted, scores, (size_t)n);
        arrays_done();
    }
}
END_TEST

START_TEST(softmax_is_safe_at_large_scores)
{
    TRY("scores +-1000");
    float scores[] = {1000.0f, -1000.0f, 999.0f, 1000.0f}, least[] = {-1000.0f, -1001.0f};
    double e = exp(-1.0), sum = 2.0 + e;
    softmax_row(scores, scores, 4);
    near("weights", 0, (double)scores[0], 1.0 / sum, 1e-7);
    near("weights", 1, (double)scores[1], 0.0, 0.0);
    near("weights", 2, (double)scores[2], e / sum, 1e-7);
    near("weights", 3, (double)scores[3], 1.0 / sum, 1e-7);
    softmax_row(least, least, 2);
    near("weights", 0, (double)least[0], 1.0 / (1.0 + e), 1e-7);
    near("weights", 1, (double)least[1], e / (1.0 + e), 1e-7);
}
END_TEST

START_TEST(softmax_gives_exactly_nothing_to_minus_infinity)
{
    const float zero = 0.0f;
    for (int n = 2; n <= 60; n++) {
        float *x = random_array("x", (size_t)n);
        int at = rng_below(&rng, n);
        TRY("n %d, -inf at %d", n, at);
        x[at] = -INFINITY;
        softmax_row(x, x, n);
        same_bits("weight of -inf", &x[at], &zero, 1);
        for (int i = 0; i < n; i++) {
            ck_assert_msg(i == at || x[i] > 0.0f, "weights[%d]: got %g; %s", i, (double)x[i],
                          trial);
            x[i] = -INFINITY;
        }
        softmax_row(x, x, n);
        for (int i = 0; i < n; i++) {
            ck_assert_msg(isnan(x[i]), "all -inf: weights[%d]: got %g, wanted NaN; %s", i,
                          (double)x[i], trial);
        }
        arrays_done();
    }
}
END_TEST

START_TEST(softmax_of_a_padded_row_has_the_same_bits)
{
    const float zero = 0.0f;
    for (int n = 1; n <= 50; n++) {
        for (int pads = 1; pads <= 33; pads += 4) {
            TRY("n %d, pads %d", n, pads);
            float *x = random_array("x", (size_t)n);
            float *padded = array_of("padded", (size_t)(n + pads));
            memcpy(padded, x, (size_t)n * sizeof *x);
            for (int i = n; i < n + pads; i++) {
                padded[i] = -INFINITY;
            }
            softmax_row(x, x, n);
            softmax_row(padded, padded, n + pads);
            same_bits("padded", padded, x, (size_t)n);
            for (int i = n; i < n + pads; i++) {
                same_bits("pad", &padded[i], &zero, 1);
            }
            arrays_done();
        }
    }
}
END_TEST

/* Attention. */

enum { MAX_LENGTH = 25 };

/* Weights (T,T) of one sequence and head: each score adds its terms in order of the feature, is
   then scaled; the masked ones count as weights of zero. q, k: rows of 3*d_model. */
static void weights_ref(float weights[][MAX_LENGTH], const float *q, const float *k, int T,
                        int d_head, int row, const struct AttentionConfig *config)
{
    float scores[MAX_LENGTH][MAX_LENGTH];
    for (int i = 0; i < T; i++) {
        for (int j = 0; j < T; j++) {
            float sum = 0.0f;
            for (int f = 0; f < d_head; f++) {
                sum = fmaf(q[i * row + f], k[j * row + f], sum);
            }
            scores[i][j] = config->causal && j > i ? -INFINITY : sum * config->scale;
        }
    }
    for (int i = 0; i < T; i++) {
        float line[MAX_LENGTH], result[MAX_LENGTH];
        for (int j = 0; j < T; j++) {
            line[j] = config->axis == OVER_KEYS ? scores[i][j] : scores[j][i];
        }
        softmax_ref(result, line, T);
        for (int j = 0; j < T; j++) {
            *(config->axis == OVER_KEYS ? &weights[i][j] : &weights[j][i]) = result[j];
        }
    }
}

struct AttentionTrial {
    struct AttentionConfig config;
    int d_head, d_model;
    struct Sequences sequences;
    const float *qkv;
    float *out, *weights;
};

/* The weights of one head: over keys the bits of the loop; over queries its values. */
static void check_weights(const struct AttentionTrial *a, int sequence, int head)
{
    const struct AttentionConfig *config = &a->config;
    int from = a->sequences.start[sequence] - a->sequences.start[0];
    int T = a->sequences.start[sequence + 1] - a->sequences.start[sequence], row = 3 * a->d_model;
    const float *q = a->qkv + from * row + head * a->d_head;
    float wanted[MAX_LENGTH][MAX_LENGTH];
    weights_ref(wanted, q, q + a->d_model, T, a->d_head, row, config);
    for (int i = 0; i < T; i++) {
        double row_sum = 0.0, column_sum = 0.0;
        for (int j = 0; j < T; j++) {
            float got =
                attention_weight(a->weights, a->sequences, config->n_heads, sequence, head, i, j);
            float other =
                attention_weight(a->weights, a->sequences, config->n_heads, sequence, head, j, i);
            if (config->axis == OVER_KEYS || (config->causal && j > i)) {
                same_bits("weights", &got, &wanted[i][j], 1);
            } else {
                near("weights", (size_t)(i * T + j), (double)got, (double)wanted[i][j], 1e-6);
            }
            row_sum += (double)got;
            column_sum += (double)other;
        }
        near("sum of a line", (size_t)i, config->axis == OVER_KEYS ? row_sum : column_sum, 1.0,
             2e-7 * T);
    }
}

/* out = weights·v, each element's terms in order of the key; from the weights that were found. */
static void check_out(const struct AttentionTrial *a, int sequence, int head)
{
    int heads = a->config.n_heads, from = a->sequences.start[sequence] - a->sequences.start[0];
    int T = a->sequences.start[sequence + 1] - a->sequences.start[sequence];
    for (int i = 0; i < T; i++) {
        for (int f = head * a->d_head; f < (head + 1) * a->d_head; f++) {
            float wanted = 0.0f;
            for (int j = 0; j < T; j++) {
                float weight =
                    attention_weight(a->weights, a->sequences, heads, sequence, head, i, j);
                float value = a->qkv[(from + j) * 3 * a->d_model + 2 * a->d_model + f];
                wanted = fmaf(weight, value, wanted);
            }
            same_bits("out", &a->out[(from + i) * a->d_model + f], &wanted, 1);
        }
    }
}

/* In each row of the weights what follows the T keys is zero. */
static void check_pads(const struct AttentionTrial *a)
{
    const float *weight = a->weights, zero = 0.0f;
    for (int s = 0; s < a->sequences.count; s++) {
        int T = a->sequences.start[s + 1] - a->sequences.start[s];
        for (int i = 0; i < a->config.n_heads * T; i++, weight += attention_stride(T)) {
            for (int j = T; j < attention_stride(T); j++) {
                same_bits("pad of the weights", &weight[j], &zero, 1);
            }
        }
    }
    ck_assert_uint_eq((size_t)(weight - a->weights),
                      attention_weights_size(a->sequences, a->config.n_heads));
}

/* Here only that it stays within its arrays and makes numbers; which ones, test_gradients asks. */
static void run_attention_backward(const struct AttentionTrial *a, int rows, size_t scratch_size)
{
    size_t size = (size_t)rows * (size_t)a->d_model;
    const float *d_out = random_input("d_out", size);
    float *d_qkv = random_array("d_qkv", 3 * size), *scratch = array_of("scratch2", scratch_size);
    attention_backward(d_qkv, scratch, d_out, a->qkv, input(a->weights), a->sequences, a->d_model,
                       &a->config);
    for (size_t i = 0; i < 3 * size; i++) {
        near("d_qkv", i, (double)d_qkv[i], 0.0, 1e6);
    }
}

static void check_attention(int length, int d_head, bool causal, enum SoftmaxAxis axis)
{
    int heads = 1 + rng_below(&rng, 3), others[2], first = rng_below(&rng, 40);
    others[0] = rng_below(&rng, MAX_LENGTH + 1);
    others[1] = 1 + rng_below(&rng, MAX_LENGTH);
    int32_t start[4] = {first, first + others[0], first + others[0] + length,
                        first + others[0] + length + others[1]};
    int rows = start[3] - start[0], longest = 0;
    for (int s = 0; s < 3; s++) {
        int T = start[s + 1] - start[s];
        longest = T > longest ? T : longest;
    }
    TRY("lengths %d %d %d, heads %d, d_head %d, causal %d, axis %d", others[0], length, others[1],
        heads, d_head, causal, (int)axis);
    struct AttentionTrial a = {
        .config = {.n_heads = heads, .scale = 0.37f, .causal = causal, .axis = axis},
        .d_head = d_head,
        .d_model = heads * d_head,
        .sequences = {.start = start, .count = 3}};
    size_t size = (size_t)rows * (size_t)a.d_model;
    size_t scratch_size = attention_scratch_size(longest, d_head);
    a.qkv = random_input("qkv", 3 * size);
    a.out = array_of("out", size);
    a.weights = array_of("weights", attention_weights_size(a.sequences, heads));
    float *scratch = array_of("scratch", scratch_size);
    attention_forward(a.out, a.weights, scratch, a.qkv, a.sequences, a.d_model, &a.config);
    for (int s = 0; s < 3; s++) {
        for (int h = 0; h < heads; h++) {
            check_weights(&a, s, h);
            check_out(&a, s, h);
        }
    }
    check_pads(&a);
    run_attention_backward(&a, rows, scratch_size);
    arrays_done();
}

START_TEST(attention_has_the_bits_of_the_plain_loop)
{
    static const int d_heads[] = {1, 4, 12, 16, 32, 33};
    bool causal = _i & 1;
    enum SoftmaxAxis axis = _i & 2 ? OVER_QUERIES : OVER_KEYS;
    for (int length = 1; length <= MAX_LENGTH; length++) {
        for (size_t i = 0; i < sizeof d_heads / sizeof *d_heads; i++) {
            check_attention(length, d_heads[i], causal, axis);
        }
    }
}
END_TEST

/* Layer norm, GELU, loss: double is the judge. */

START_TEST(layernorm_gives_zero_mean_and_unit_variance)
{
    for (int d = 2; d <= 70; d++) {
        TRY("d %d", d);
        size_t D = (size_t)d;
        enum { ROWS = 3 };
        float *x = random_array("x", ROWS * D), *y = array_of("y", ROWS * D);
        float *ones = array_of("ones", D), *zeros = array_of("zeros", D);
        float *mean = array_of("mean", ROWS), *rstd = array_of("rstd", ROWS);
        for (int i = 0; i < d; i++) {
            ones[i] = 1.0f;
            zeros[i] = 0.0f;
            x[i] += i % 2 == 0 ? 3.0f : -3.0f; /* so that eps is small beside the variance */
            x[D + i] = x[i] * 10.0f;
            x[2 * D + i] = x[i] + 1000.0f; /* E(x²) - E(x)² would be lost here */
        }
        layernorm_forward(y, mean, rstd, input(x), input(ones), input(zeros), ROWS, d);
        for (int r = 0; r < ROWS; r++) {
            double sum = 0.0, squares = 0.0, bound = r == 2 ? 2e-4 : 2e-5;
            for (int i = 0; i < d; i++) {
                sum += (double)y[r * d + i];
                squares += (double)y[r * d + i] * (double)y[r * d + i];
            }
            near("mean of y", (size_t)r, sum / d, 0.0, bound);
            near("variance of y", (size_t)r, squares / d, 1.0, bound);
        }
        arrays_done();
    }
}
END_TEST

START_TEST(layernorm_is_near_double)
{
    for (int d = 1; d <= 70; d++) {
        int rows = 1 + rng_below(&rng, 5);
        size_t D = (size_t)d, R = (size_t)rows;
        TRY("rows %d, d %d", rows, d);
        const float *x = random_input("x", R * D);
        const float *gamma = random_input("gamma", D), *beta = random_input("beta", D);
        float *y = array_of("y", R * D), *mean = array_of("mean", R), *rstd = array_of("rstd", R);
        layernorm_forward(y, mean, rstd, x, gamma, beta, rows, d);
        for (int r = 0; r < rows; r++) {
            double sum = 0.0, squares = 0.0;
            for (int i = 0; i < d; i++) {
                sum += (double)x[r * d + i];
            }
            for (int i = 0; i < d; i++) {
                squares += pow((double)x[r * d + i] - sum / d, 2.0);
            }
            double scale = 1.0 / sqrt(squares / d + 1e-5);
            near("mean", (size_t)r, (double)mean[r], sum / d, 1e-6);
            near("rstd", (size_t)r, (double)rstd[r], scale, 1e-6 * scale);
            for (int i = 0; i < d; i++) {
                double wanted = ((double)x[r * d + i] - sum / d) * scale * (double)gamma[i];
                near("y", (size_t)(r * d + i), (double)y[r * d + i], wanted + (double)beta[i],
                     1e-6 * scale + 2e-6);
            }
        }
        arrays_done();
    }
}
END_TEST

START_TEST(layernorm_of_equal_entries_gives_beta)
{
    TRY("d 19, all 0.75");
    enum { D = 19 };
    float x[D], gamma[D], beta[D], y[D], mean, rstd;
    for (int i = 0; i < D; i++) {
        x[i] = 0.75f;
        gamma[i] = 2.0f;
        beta[i] = (float)i;
    }
    layernorm_forward(y, &mean, &rstd, x, gamma, beta, 1, D);
    same_bits("y", y, beta, D);
    near("rstd", 0, (double)rstd, 1.0 / sqrt(1e-5), 1e-4);
}
END_TEST

START_TEST(gelu_is_near_double_and_works_in_place)
{
    for (int n = 0; n <= 70; n++) {
        TRY("n %d", n);
        float *x = random_array("x", (size_t)n);
        for (int i = 0; i < n; i++) {
            x[i] *= 3.0f;
        }
        float *in_place = copy_of("in_place", x, (size_t)n), *y = array_of("y", (size_t)n);
        gelu_forward(y, input(x), (size_t)n);
        gelu_forward(in_place, in_place, (size_t)n);
        same_bits("gelu in place", in_place, y, (size_t)n);
        for (int i = 0; i < n; i++) {
            double v = (double)x[i], wanted = 0.5 * v * (1.0 + erf(v / sqrt(2.0)));
            near("gelu", (size_t)i, (double)y[i], wanted, 1e-6);
        }
        arrays_done();
    }
}
END_TEST

START_TEST(cross_entropy_is_near_double_and_skips_ignored_rows)
{
    for (int vocab = 1; vocab <= 40; vocab++) {
        enum { ROWS = 7 };
        TRY("vocab %d", vocab);
        int32_t targets[ROWS];
        size_t size = (size_t)(ROWS * vocab);
        const float *logits = random_input("logits", size);
        float *probabilities = array_of("probabilities", size);
        float *d_logits = array_of("d_logits", size);
        double wanted = 0.0;
        for (int r = 0; r < ROWS; r++) {
            targets[r] = r % 3 == 1 ? IGNORE : rng_below(&rng, vocab);
        }
        double got = cross_entropy_forward(probabilities, logits, targets, ROWS, vocab);
        cross_entropy_backward(d_logits, input(probabilities), targets, ROWS, vocab, ROWS);
        for (int r = 0; r < ROWS; r++) {
            double sum = 0.0;
            for (int i = 0; i < vocab; i++) {
                sum += exp((double)logits[r * vocab + i]);
            }
            for (int i = r * vocab; i < (r + 1) * vocab; i++) {
                if (targets[r] == IGNORE) {
                    const uint32_t untouched = 0xffffffff;
                    ck_assert_mem_eq(&probabilities[i], &untouched, sizeof untouched);
                    ck_assert_mem_eq(&d_logits[i], &untouched, sizeof untouched);
                } else {
                    double p = exp((double)logits[i]) / sum;
                    near("probabilities", (size_t)i, (double)probabilities[i], p, 1e-6);
                }
            }
            if (targets[r] != IGNORE) {
                wanted += log(sum) - (double)logits[r * vocab + targets[r]];
            }
        }
        near("loss", 0, got, wanted, 1e-5);
        arrays_done();
    }
}
END_TEST

/* -log of the rounded probability would be infinite here. */
START_TEST(cross_entropy_of_a_hopeless_target_is_finite)
{
    TRY("logits 1000, -1000, 800");
    float logits[] = {1000.0f, -1000.0f, 800.0f}, probabilities[3];
    int32_t targets[] = {1, 2, 0};
    double wanted[] = {2000.0, 200.0, 0.0};
    for (int i = 0; i < 3; i++) {
        double loss = cross_entropy_forward(probabilities, logits, &targets[i], 1, 3);
        near("loss", (size_t)i, loss, wanted[i], 1e-4);
    }
}
END_TEST

/* Random numbers. */

/* SplitMix64 as its authors' C program prints it for the state 1234567; the streams' first
   numbers from an independent implementation in Python. */
START_TEST(rng_gives_the_pinned_numbers)
{
    static const uint64_t splitmix[] = {6457827717110365317u, 3203168211198807973u,
                                        9817491932198370423u, 4593380528125082431u,
                                        16408922859458223821u};
    struct Rng r = {1234567};
    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(rng_next(&r), splitmix[i]);
    }
    static const struct {
        uint64_t seed;
        const char *name;
        uint64_t first[3];
    } streams[] = {{1, "init", {0xd9dffe4d463f644d, 0x8e4adcf78979b029, 0x18b86ab7a3275ebf}},
                   {1, "train", {0x043c53bff1fcbc8d, 0x0bd8e6366084d51b, 0x90055a70d14234f0}},
                   {2, "init", {0x5e7e35a3b6d43ea4, 0xd311f6047e584143, 0x11778a3f0370321c}}};
    for (int s = 0; s < 3; s++) {
        r = rng_stream(streams[s].seed, streams[s].name);
        for (int i = 0; i < 3; i++) {
            ck_assert_uint_eq(rng_next(&r), streams[s].first[i]);
        }
    }
    uint64_t digest = 0xcbf29ce484222325; /* FNV-1a over the bytes, the lowest first */
    r = rng_stream(7, "test");
    for (int i = 0; i < 1000; i++) {
        uint64_t value = rng_next(&r);
        for (int byte = 0; byte < 8; byte++) {
            digest = (digest ^ (value >> 8 * byte & 0xff)) * 0x100000001b3;
        }
    }
    ck_assert_uint_eq(digest, 0x0ddccc19bcb2f55a);
}
END_TEST

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Not one 64-bit number twice: neither the same stream nor the same one further on. */
START_TEST(rng_streams_of_other_names_or_seeds_share_nothing)
{
    static const char *const names[] = {"init", "train", "test", ""};
    enum { EACH = 2000 };
    static uint64_t values[3 * 4 * EACH];
    int n = 0;
    for (int s = 0; s < 3; s++) {
        for (int name = 0; name < 4; name++) {
            struct Rng r = rng_stream((uint64_t)s, names[name]);
            for (int i = 0; i < EACH; i++) {
                values[n++] = rng_next(&r);
            }
        }
    }
    qsort(values, (size_t)n, sizeof *values, compare_u64);
    for (int i = 1; i < n; i++) {
        ck_assert_msg(values[i] != values[i - 1], "%llx was drawn twice",
                      (unsigned long long)values[i]);
    }
}
END_TEST

/* The sum of (count - expected)²/expected over n classes, and where it must lie: five standard
   deviations about its mean n-1. */
static void check_even(const char *name, const int *counts, int n)
{
    double total = 0.0, chi2 = 0.0, freedom = n - 1;
    for (int i = 0; i < n; i++) {
        total += counts[i];
    }
    for (int i = 0; i < n; i++) {
        chi2 += pow(counts[i] - total / n, 2.0) / (total / n);
    }
    near(name, 0, chi2, freedom, 5.0 * sqrt(2.0 * freedom));
}

START_TEST(rng_below_is_in_range_and_even)
{
    static const int limits[] = {1, 2, 3, 7, 10, 12, 64, 100};
    struct Rng r = rng_stream(3, "below");
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        int n = limits[l], counts[100] = {0};
        TRY("n %d", n);
        for (int i = 0; i < 100000; i++) {
            int value = rng_below(&r, n);
            if (value < 0 || value >= n) {
                ck_abort_msg("rng_below(%d): got %d", n, value);
            }
            counts[value]++;
        }
        check_even("chi square", counts, n);
    }
}
END_TEST

/* 2^32 is 8/3 of this n: without rejection the values v mod 3 = 0, 1, 2 come 3 : 3 : 2. */
START_TEST(rng_below_rejects_what_would_be_drawn_too_often)
{
    const int n = 3 << 29;
    struct Rng r = rng_stream(4, "below");
    int counts[3] = {0};
    TRY("n %d", n);
    for (int i = 0; i < 100000; i++) {
        counts[rng_below(&r, n) % 3]++;
    }
    check_even("chi square", counts, 3);
}
END_TEST

/* The bound is a power of two, so that a float is on the grid or is not. */
START_TEST(rng_uniform_is_even_over_its_grid)
{
    enum { N = 100000, CLASSES = 50 };
    static float x[N];
    struct Rng r = rng_stream(5, "uniform");
    int counts[CLASSES] = {0}, odd = 0;
    TRY("bound 1/8");
    rng_uniform(&r, x, N, 0.125f);
    for (int i = 0; i < N; i++) {
        double step = (double)x[i] * 0x1p26; /* 2^23 steps to 1/8 */
        if (!(step >= -0x1p23 && step < 0x1p23 && step == rint(step))) {
            ck_abort_msg("x[%d]: got %.9g, wanted a multiple of 2^-26 in [-1/8, 1/8)", i,
                         (double)x[i]);
        }
        counts[(int)((step + 0x1p23) / 0x1p24 * CLASSES)]++;
        odd += (int)step & 1;
    }
    check_even("chi square", counts, CLASSES);
    near("odd multiples", 0, odd, N / 2, 4.0 * sqrt(N / 4));
}
END_TEST

START_TEST(rng_normal_has_the_moments_of_a_standard_normal)
{
    enum { N = 200001 }; /* odd: the last pair is cut */
    struct Rng r = rng_stream(6, "normal");
    float *x = array_of("x", N);
    double mean = 0.0, square = 0.0, third = 0.0, fourth = 0.0, pairs = 0.0;
    int within_one = 0;
    TRY("%d numbers", N);
    rng_normal(&r, x, N);
    for (int i = 0; i < N; i++) {
        double v = (double)x[i];
        if (!(fabs(v) < 5.9)) {
            ck_abort_msg("x[%d]: got %g, wanted |x| < 5.9", i, v);
        }
        mean += v / N;
        square += v * v / N;
        third += v * v * v / N;
        fourth += v * v * v * v / N;
        pairs += i % 2 == 1 ? v * (double)x[i - 1] / (N / 2) : 0.0;
        within_one += fabs(v) < 1.0;
    }
    /* Bounds: about four standard deviations of each. */
    near("mean", 0, mean, 0.0, 0.01);
    near("mean square", 0, square, 1.0, 0.013);
    near("mean cube", 0, third, 0.0, 0.035);
    near("mean fourth power", 0, fourth, 3.0, 0.09);
    near("mean product of a pair", 0, pairs, 0.0, 0.013);
    near("share within one", 0, (double)within_one / N, erf(1.0 / sqrt(2.0)), 0.0042);
    arrays_done();
}
END_TEST

/* Parameters. */

START_TEST(reference_model_has_103244_parameters_without_gaps)
{
    struct Model *model = model_new(model_config(12, 25, 64, 2, 2), 1);
    const struct ParamList *list = &model->params;
    size_t at = 0;
    for (int i = 0; i < list->count; i++) {
        const struct Param *p = &list->items[i];
        ck_assert_msg(p->offset == at, "%s: begins at %zu, wanted %zu", p->name, p->offset, at);
        ck_assert_msg(p->size == (size_t)p->rows * (size_t)(p->cols > 0 ? p->cols : 1),
                      "%s: size %zu for (%d,%d)", p->name, p->size, p->rows, p->cols);
        at += p->size;
        for (int j = 0; j < i; j++) {
            ck_assert_str_ne(p->name, list->items[j].name);
        }
    }
    ck_assert_uint_eq(list->size, at);
    ck_assert_uint_eq(list->size, 103244);
    model_free(model);
}
END_TEST

static const struct Param *find_param(const struct ParamList *list, const char *name)
{
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) == 0) {
            return &list->items[i];
        }
    }
    ck_abort_msg("no tensor %s", name);
    return NULL;
}

START_TEST(each_walk_points_to_the_place_in_the_list)
{
    struct Model *m = model_new(model_config(12, 25, 24, 3, 3), 1);
    const struct ModelTensors *w = &m->w;
    const struct BlockTensors *last = &w->blocks[2];
    const struct {
        const char *name;
        const float *at;
        int rows, cols;
    } places[] = {{"tok.weight", w->token, 12, 24},
                  {"pos.weight", w->position, 25, 24},
                  {"blocks.0.attn.qkv.bias", w->blocks[0].qkv.bias, 72, 0},
                  {"blocks.1.ln1.bias", w->blocks[1].ln1_bias, 24, 0},
                  {"blocks.2.ln1.weight", last->ln1_weight, 24, 0},
                  {"blocks.2.attn.qkv.weight", last->qkv.weight, 72, 24},
                  {"blocks.2.attn.out.weight", last->out.weight, 24, 24},
                  {"blocks.2.ln2.weight", last->ln2_weight, 24, 0},
                  {"blocks.2.mlp.0.weight", last->up.weight, 96, 24},
                  {"blocks.2.mlp.2.weight", last->down.weight, 24, 96},
                  {"blocks.2.mlp.2.bias", last->down.bias, 24, 0},
                  {"ln.bias", w->ln_bias, 24, 0},
                  {"head.weight", w->head.weight, 12, 24},
                  {"head.bias", w->head.bias, 12, 0}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct Param *p = find_param(&m->params, places[i].name);
        ck_assert_msg(places[i].at == m->weights + p->offset, "%s is not where the list says",
                      p->name);
        ck_assert_msg(p->rows == places[i].rows && p->cols == places[i].cols,
                      "%s: shape (%d,%d), wanted (%d,%d)", p->name, p->rows, p->cols,
                      places[i].rows, places[i].cols);
        const struct Shard *shard = &m->shards[SHARDS - 1];
        ck_assert_ptr_eq(shard->d.head.bias, shard->gradient + (w->head.bias - m->weights));
    }
    ck_assert_int_eq(m->params.count, 2 + 3 * 12 + 4);
    model_free(m);
}
END_TEST

/* After packing every linear layer of the model computes with its own weight. */
START_TEST(every_linear_layer_reads_its_own_packed_weight)
{
    struct Model *m = model_new(model_config(12, 25, 24, 3, 2), 1);
    model_init(m, 9);
    const struct {
        const char *name;
        const struct Linear *layer;
    } layers[] = {{"blocks.0.attn.qkv.weight", &m->w.blocks[0].qkv},
                  {"blocks.0.attn.out.weight", &m->w.blocks[0].out},
                  {"blocks.0.mlp.0.weight", &m->w.blocks[0].up},
                  {"blocks.0.mlp.2.weight", &m->w.blocks[0].down},
                  {"blocks.1.attn.qkv.weight", &m->w.blocks[1].qkv},
                  {"blocks.1.attn.out.weight", &m->w.blocks[1].out},
                  {"blocks.1.mlp.0.weight", &m->w.blocks[1].up},
                  {"blocks.1.mlp.2.weight", &m->w.blocks[1].down},
                  {"head.weight", &m->w.head}};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const struct Linear *layer = layers[i].layer;
        const struct Param *p = find_param(&m->params, layers[i].name);
        size_t n = (size_t)p->rows, k = (size_t)p->cols;
        TRY("%s", p->name);
        const float *x = random_input("x", k), *d_y = random_input("d_y", n);
        float *y = array_of("y", n), *y_ref = array_of("y_ref", n), *d_x = random_array("d_x", k);
        float *d_x_ref = copy_of("d_x_ref", d_x, k), *d_w = random_array("d_w", n * k);
        float *d_bias = random_array("d_bias", n);
        linear_forward(y, x, layer->packed_y, layer->bias, 1, p->cols, p->rows);
        linear_forward_ref(y_ref, x, layer->weight, layer->bias, 1, p->cols, p->rows);
        same_bits("y", y, y_ref, n);
        linear_backward_input(d_x, d_y, layer->packed_dx, 1, p->cols, p->rows);
        linear_backward_ref(d_x_ref, d_w, d_bias, d_y, x, layer->weight, 1, p->cols, p->rows);
        same_bits("d_x", d_x, d_x_ref, k);
        arrays_done();
    }
    model_free(m);
}
END_TEST

START_TEST(fresh_weights_start_as_in_pytorch)
{
    struct Model *m = model_new(model_config(12, 25, 64, 2, 2), 1);
    model_init(m, 1);
    for (int i = 0; i < m->params.count; i++) {
        const struct Param *p = &m->params.items[i];
        const float *x = m->weights + p->offset;
        bool norm = strncmp(p->name, "ln", 2) == 0 || strstr(p->name, ".ln") != NULL;
        bool table = strncmp(p->name, "tok", 3) == 0 || strncmp(p->name, "pos", 3) == 0;
        double fan_in = strstr(p->name, "mlp.2") != NULL ? 256.0 : 64.0;
        double square = 0.0, largest = 0.0, constant = strstr(p->name, "weight") != NULL;
        for (size_t j = 0; j < p->size; j++) {
            if (norm) {
                near(p->name, j, (double)x[j], constant, 0.0);
            }
            square += (double)x[j] * (double)x[j] / (double)p->size;
            largest = fmax(largest, fabs((double)x[j]));
        }
        double wanted = table ? 1.0 : 1.0 / (3.0 * fan_in), size = (double)p->size;
        if (!norm) { /* the mean square; its deviation is at most sqrt(2/size) of it */
            near(p->name, 0, square, wanted, 5.0 * wanted * sqrt(2.0 / size));
        }
        if (!norm && !table) {
            ck_assert_msg(largest <= 1.0 / sqrt(fan_in), "%s: an entry of %g", p->name, largest);
        }
    }
    model_free(m);
}
END_TEST

static void add_linear(Suite *suite)
{
    TCase *cases = tcase_create("linear");
    tcase_add_checked_fixture(cases, seed_trials, NULL);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, linear_forward_has_the_bits_of_the_plain_loop);
    tcase_add_test(cases, linear_backward_has_the_bits_of_the_plain_loop);
    tcase_add_test(cases, tile_of_every_size_has_the_bits_of_the_plain_loop);
    tcase_add_test(cases, product_has_the_bits_of_the_plain_loop);
    tcase_add_test(cases, tiles_cover_every_row_with_nearly_equal_heights);
    suite_add_tcase(suite, cases);
}

static void add_layers(Suite *suite)
{
    TCase *cases = tcase_create("layers");
    tcase_add_checked_fixture(cases, seed_trials, NULL);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, sums_run_in_sixteen_lanes_and_fold_by_halves);
    tcase_add_test(cases, softmax_has_the_bits_of_the_plain_loop);
    tcase_add_test(cases, softmax_is_near_double_and_sums_to_one);
    tcase_add_test(cases, softmax_ignores_a_shift_of_all_scores);
    tcase_add_test(cases, softmax_is_safe_at_large_scores);
    tcase_add_test(cases, softmax_gives_exactly_nothing_to_minus_infinity);
    tcase_add_test(cases, softmax_of_a_padded_row_has_the_same_bits);
    tcase_add_loop_test(cases, attention_has_the_bits_of_the_plain_loop, 0, 4);
    tcase_add_test(cases, layernorm_gives_zero_mean_and_unit_variance);
    tcase_add_test(cases, layernorm_is_near_double);
    tcase_add_test(cases, layernorm_of_equal_entries_gives_beta);
    tcase_add_test(cases, gelu_is_near_double_and_works_in_place);
    tcase_add_test(cases, cross_entropy_is_near_double_and_skips_ignored_rows);
    tcase_add_test(cases, cross_entropy_of_a_hopeless_target_is_finite);
    suite_add_tcase(suite, cases);
}

static void add_numbers(Suite *suite)
{
    TCase *cases = tcase_create("random numbers and parameters");
    tcase_add_checked_fixture(cases, seed_trials, NULL);
    tcase_add_test(cases, rng_gives_the_pinned_numbers);
    tcase_add_test(cases, rng_streams_of_other_names_or_seeds_share_nothing);
    tcase_add_test(cases, rng_below_is_in_range_and_even);
    tcase_add_test(cases, rng_below_rejects_what_would_be_drawn_too_often);
    tcase_add_test(cases, rng_uniform_is_even_over_its_grid);
    tcase_add_test(cases, rng_normal_has_the_moments_of_a_standard_normal);
    tcase_add_test(cases, reference_model_has_103244_parameters_without_gaps);
    tcase_add_test(cases, each_walk_points_to_the_place_in_the_list);
    tcase_add_test(cases, every_linear_layer_reads_its_own_packed_weight);
    tcase_add_test(cases, fresh_weights_start_as_in_pytorch);
    suite_add_tcase(suite, cases);
}

Suite *kernels_suite(void)
{
    Suite *suite = suite_create("kernels");
    add_linear(suite);
    add_layers(suite);
    add_numbers(suite);
    return suite;
}
