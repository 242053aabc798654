/* Matrix products. First the loops that say what is meant; then the same sums, each in the same
   order, from registers. What each step between them buys, in Gflop/s for 88 rows and W (256,64),
   and for W (2048,512), by `make bench SECTIONS=ladder` on a core that reaches 117 with fused
   multiply-adds alone:

     2.7    2.0   the naive loop: every multiply-add waits four cycles for the one before it
      29     11   a register of 16 sums at a time, down the columns of W transposed
      47     15   two registers: two chains, and what is loaded from x serves both
      70     43   three rows as well: six chains, and a row of W is loaded once for all three
     105     86   twelve rows (tile.h): 24 chains, a row of W for 24 multiply-adds
     107    109   W cut into panels, 32 columns wide, that lie in memory as they are read

   The last step is nothing for a W that stays in the cache anyway, and a quarter for a large one. */
#include "matmul.h"

#include <math.h>
#include <string.h>

#include "tile.h"

void linear_forward_ref(float *y, const float *x, const float *w, const float *bias, int rows,
                        int k, int n)
{
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            float sum = bias[j];
            for (int i = 0; i < k; i++) {
                sum = fmaf(x[r * k + i], w[j * k + i], sum);
            }
            y[r * n + j] = sum;
        }
    }
}

void linear_backward_ref(float *d_x, float *d_w, float *d_bias, const float *d_y, const float *x,
                         const float *w, int rows, int k, int n)
{
    memset(d_x, 0, (size_t)rows * (size_t)k * sizeof *d_x);
    memset(d_w, 0, (size_t)n * (size_t)k * sizeof *d_w);
    memset(d_bias, 0, (size_t)n * sizeof *d_bias);
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            float d = d_y[r * n + j];
            d_bias[j] += d;
            for (int i = 0; i < k; i++) {
                d_x[r * k + i] = fmaf(d, w[j * k + i], d_x[r * k + i]);
                d_w[j * k + i] = fmaf(d, x[r * k + i], d_w[j * k + i]);
            }
        }
    }
}

static size_t panels(int columns)
{
    return (size_t)((columns + TILE_COLUMNS - 1) / TILE_COLUMNS);
}

size_t packed_size(int n, int k)
{
    size_t forward = panels(n) * (size_t)k, backward = panels(k) * (size_t)n;
    return (forward > backward ? forward : backward) * TILE_COLUMNS;
}

void pack_forward(float *packed, const float *w, int n, int k)
{
    for (int first = 0; first < n; first += TILE_COLUMNS, packed += (size_t)k * TILE_COLUMNS) {
        transpose(packed, TILE_COLUMNS, w + (ptrdiff_t)first * k, k, tile_width(n - first), k);
    }
}

void pack_backward(float *packed, const float *w, int n, int k)
{
    for (int first = 0; first < k; first += TILE_COLUMNS) {
        size_t columns = (size_t)tile_width(k - first);
        for (int j = 0; j < n; j++, packed += TILE_COLUMNS) {
            memcpy(packed, w + (size_t)j * k + first, columns * sizeof *packed);
        }
    }
}

void linear_forward(float *y, const float *x, const float *packed, const float *bias, int rows,
                    int k, int n)
{
    for (int j = 0; j < n; j += TILE_COLUMNS, packed += (size_t)k * TILE_COLUMNS) {
        product((struct Product){.c = y + j,
                                 .c_row = n,
                                 .a = x,
                                 .a_row = k,
                                 .a_step = 1,
                                 .b = packed,
                                 .b_row = TILE_COLUMNS,
                                 .depth = k,
                                 .bias = bias + j},
                rows, tile_width(n - j));
    }
}

/* y = x·Wᵀ  so  d_x = d_y·W */
void linear_backward_input(float *d_x, const float *d_y, const float *packed, int rows, int k,
                           int n)
{
    for (int i = 0; i < k; i += TILE_COLUMNS, packed += (size_t)n * TILE_COLUMNS) {
        product((struct Product){.c = d_x + i,
                                 .c_row = k,
                                 .a = d_y,
                                 .a_row = n,
                                 .a_step = 1,
                                 .b = packed,
                                 .b_row = TILE_COLUMNS,
                                 .depth = n},
                rows, tile_width(k - i));
    }
}

/* sum (n) = the rows of x (rows,n) added up, two registers of columns at a time. */
static void sum_rows(float *sum, const float *x, int rows, int n)
{
    for (int j = 0; j < n; j += 2 * LANES) {
        int left = n - j, right = left - LANES > 0 ? left - LANES : 0;
        vf a = vset(0.0f), b = a;
        for (const float *row = x + j; row < x + (ptrdiff_t)rows * n; row += n) {
            a += vload_n(row, left);
            b += vload_n(row + LANES, right);
        }
        vstore_n(sum + j, a, left);
        vstore_n(sum + j + LANES, b, right);
    }
}

/* y = x·Wᵀ + b  so  d_W = d_yᵀ·x  and  d_b = the sum of the rows of d_y */
void linear_backward_weight(float *d_w, float *d_bias, const float *d_y, const float *x, int rows,
                            int k, int n)
{
    sum_rows(d_bias, d_y, rows, n);
    for (int i = 0; i < k; i += TILE_COLUMNS) {
        product((struct Product){.c = d_w + i,
                                 .c_row = k,
                                 .a = d_y,
                                 .a_row = 1,
                                 .a_step = n,
                                 .b = x + i,
                                 .b_row = k,
                                 .depth = rows},
                n, tile_width(k - i));
    }
}
