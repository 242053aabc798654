/* Products and sums against plain loops. The headers promise an order of additions; the loops here
   add in that order, and the bits must be equal. */
#include "common/matmul.h"
#include "common/tile.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

static int pick_rows(void)
{
    int rows = 1 + rng_below(&rng, 31);
    return rows == 31 ? 88 : rows;
}

static int pick_width(void)
{
    static const int often[] = {12, 36, 48, 64, 108, 192};
    int i = rng_below(&rng, 2 * COUNT(often));
    return i < COUNT(often) ? often[i] : 1 + rng_below(&rng, 70);
}

/* The linear layer. */

static void check_linear(int rows, int k, int n)
{
    TRY("rows %d, k %d, n %d", rows, k, n);
    size_t R = (size_t)rows, K = (size_t)k, N = (size_t)n;
    const float *x = random_input("x", R * K), *w = random_input("w", N * K);
    const float *bias = random_input("bias", N), *d_y = random_input("d_y", R * N);
    float *forward = array_of("packed", packed_size(n, k)), *y = array_of("y", R * N);
    float *y_ref = array_of("y_ref", R * N);
    pack_forward(forward, w, n, k);
    linear_forward(y, x, input(forward), bias, rows, k, n);
    linear_forward_ref(y_ref, x, w, bias, rows, k, n);
    same_bits("y", y, y_ref, R * N);

    float *d_x = array_of("d_x", R * K), *d_x_ref = array_of("d_x_ref", R * K);
    float *d_w = array_of("d_w", N * K), *d_w_ref = array_of("d_w_ref", N * K);
    float *d_bias = array_of("d_bias", N), *d_bias_ref = array_of("d_bias_ref", N);
    float *backward = array_of("packed", packed_size(n, k));
    pack_backward(backward, w, n, k);
    linear_backward_input(d_x, d_y, input(backward), rows, k, n);
    linear_backward_weight(d_w, d_bias, d_y, x, rows, k, n);
    linear_backward_ref(d_x_ref, d_w_ref, d_bias_ref, d_y, x, w, rows, k, n);
    same_bits("d_x", d_x, d_x_ref, R * K);
    same_bits("d_w", d_w, d_w_ref, N * K);
    same_bits("d_bias", d_bias, d_bias_ref, N);
    arrays_done();
}

START_TEST(linear_has_the_bits_of_the_plain_loop)
{
    static const int shapes[][3] = {{88, 64, 192}, {88, 64, 256}, {88, 256, 64}, {88, 64, 12},
                                    {1, 1, 1},     {0, 64, 12},   {13, 1, 17},   {7, 33, 1}};
    for (int i = 0; i < COUNT(shapes); i++) {
        check_linear(shapes[i][0], shapes[i][1], shapes[i][2]);
    }
    for (int i = 0; i < 300; i++) {
        check_linear(pick_rows(), pick_width(), pick_width());
    }
}
END_TEST

/* The tile, and the product made of tiles. */

static void product_ref(const struct Product *p, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < columns; j++) {
            float *c = &p->c[r * p->c_row + j];
            float sum = p->bias != NULL ? p->bias[j] : 0.0f;
            for (int k = 0; k < p->depth; k++) {
                sum = fmaf(p->a[r * p->a_row + k * p->a_step], p->b[k * p->b_row + j], sum);
            }
            *c = sum;
        }
    }
}

/* b (depth,b_row) with NaN behind its columns; nothing is readable behind the last. */
static const float *random_b(int depth, int b_row, int columns)
{
    float *b = array_of("b", depth > 0 ? (size_t)((depth - 1) * b_row + columns) : 0);
    for (int k = 0; k < depth; k++) {
        rng_normal(&rng, b + k * b_row, columns);
    }
    return input(b);
}

static void run_tile(struct Product p, int rows, int columns)
{
    tile(&p, rows, columns);
}

/* Also with gaps between the rows of a and c; those of c must be left as they were. */
static void check_product(void (*multiply)(struct Product p, int rows, int columns), int rows,
                          int columns, int depth)
{
    int biased = rng_below(&rng, 2);
    int transposed = rng_below(&rng, 2), gap = rng_below(&rng, 4);
    int a_row = transposed ? 1 : depth + gap, a_step = transposed ? rows + gap : 1;
    int b_row = columns + rng_below(&rng, 20), c_row = columns + gap;
    size_t a_size = depth > 0 ? (size_t)((rows - 1) * a_row + (depth - 1) * a_step + 1) : 0;
    size_t c_size = (size_t)((rows - 1) * c_row + columns);
    TRY("%d x %d, depth %d, biased %d, transposed %d, gap %d", rows, columns, depth, biased,
        transposed, gap);
    float *c = array_of("c", c_size);
    const float *a = random_input("a", a_size), *b = random_b(depth, b_row, columns);
    const float *bias = biased ? random_input("bias", (size_t)columns) : NULL;
    struct Product p = {c, c_row, a, a_row, a_step, b, b_row, depth, bias}, by_hand = p;
    by_hand.c = copy_of("c_ref", c, c_size);
    multiply(p, rows, columns);
    product_ref(&by_hand, rows, columns);
    same_bits("c", c, by_hand.c, c_size);
    arrays_done();
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
    for (int i = 0; i < 500; i++) {
        check_product(product, pick_rows(), 1 + rng_below(&rng, 100), rng_below(&rng, 70));
    }
}
END_TEST

/* Nothing is read behind the last row or written behind the last of those rounded up to 16. */
START_TEST(a_transposed_matrix_has_its_rows_as_columns)
{
    for (int rows = 1; rows <= 40; rows++) {
        int columns = pick_width(), from_row = columns + rng_below(&rng, 5);
        int to_row = (rows + 15) / 16 * 16 + rng_below(&rng, 5);
        TRY("%d x %d, row lengths %d and %d", rows, columns, from_row, to_row);
        size_t to_size = (size_t)((columns - 1) * to_row + (rows + 15) / 16 * 16);
        float *to = array_of("to", to_size);
        const float *from = random_input("from", (size_t)((rows - 1) * from_row + columns));
        transpose(to, to_row, from, from_row, rows, columns);
        for (int i = 0; i < rows * columns; i++) {
            int r = i / columns, c = i % columns;
            same_bits("to", &to[c * to_row + r], &from[r * from_row + c], 1);
        }
        for (int c = 0; c < columns - 1; c++) {
            for (int r = (rows + 15) / 16 * 16; r < to_row; r++) {
                ck_assert_msg(isnan(to[c * to_row + r]), "to(%d,%d) was written", c, r);
            }
        }
        arrays_done();
    }
}
END_TEST

START_TEST(tiles_cover_every_row_with_nearly_equal_heights)
{
    for (int rows = 1; rows < 200; rows++) {
        int least = TILE_ROWS, most = 1, tiles = 0;
        for (int left = rows, height; left > 0; left -= height, tiles++) {
            height = tile_height(left);
            least = height < least ? height : least;
            most = height > most ? height : most;
        }
        ck_assert_msg(least >= 1 && most <= TILE_ROWS && most - least <= 1,
                      "%d rows: tiles of %d to %d", rows, least, most);
        ck_assert_int_eq(tiles, (rows + TILE_ROWS - 1) / TILE_ROWS);
        ck_assert_int_eq(tile_width(rows), rows < TILE_COLUMNS ? rows : TILE_COLUMNS);
    }
}
END_TEST

/* Sixteen lanes, folded by halves. */
static float fold_ref(float lane[16])
{
    for (int half = 8; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            lane[i] += lane[i + half];
        }
    }
    return lane[0];
}

START_TEST(sums_run_in_sixteen_lanes_and_fold_by_halves)
{
    for (int n = 0; n <= 130; n++) {
        TRY("n %d", n);
        const float *x = random_input("x", (size_t)n), *y = random_input("y", (size_t)n);
        float sums[16] = {0}, products[16] = {0};
        for (int i = 0; i < n; i++) {
            sums[i % 16] += x[i];
            products[i % 16] = fmaf(x[i], y[i], products[i % 16]);
        }
        float got[] = {sum16(x, n), dot16(x, y, n)};
        float wanted[] = {fold_ref(sums), fold_ref(products)};
        same_bits("sum16, dot16", got, wanted, 2);
        arrays_done();
    }
}
END_TEST

Suite *matmul_suite(void)
{
    Suite *suite = suite_create("matmul");
    TCase *cases = new_case(suite, "matmul", begin_trials);
    tcase_add_test(cases, linear_has_the_bits_of_the_plain_loop);
    tcase_add_test(cases, tile_of_every_size_has_the_bits_of_the_plain_loop);
    tcase_add_test(cases, product_has_the_bits_of_the_plain_loop);
    tcase_add_test(cases, a_transposed_matrix_has_its_rows_as_columns);
    tcase_add_test(cases, tiles_cover_every_row_with_nearly_equal_heights);
    tcase_add_test(cases, sums_run_in_sixteen_lanes_and_fold_by_halves);
    return suite;
}
