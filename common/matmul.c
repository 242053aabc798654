/* Matrix products. First the loops that say what is meant; then the same sums, in the same order,
   from registers (tile.h). */
#include "matmul.h"

#include <math.h>
#include <string.h>

#include "tile.h"

/* From so many outputs on a copy of the columns of x, read again for each tile, pays. */
enum { MANY = 512 };

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

/* The columns first, first+1, ... of x (rows,k) as one panel; zeros where x has no more columns. */
static void pack_columns(float *panel, const float *x, int first, int rows, int k)
{
    int columns = tile_width(k - first);
    for (int r = 0; r < rows; r++) {
        const float *from = x + (size_t)r * k + first;
        vstore(panel, vload_n(from, columns));
        vf rest = columns > LANES ? vload_n(from + LANES, columns - LANES) : vset(0.0f);
        vstore(panel + LANES, rest);
        panel += TILE_COLUMNS;
    }
}

void pack_backward(float *packed, const float *w, int n, int k)
{
    for (int first = 0; first < k; first += TILE_COLUMNS) {
        pack_columns(packed, w, first, n, k);
        packed += (size_t)n * TILE_COLUMNS;
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

/* y = x·Wᵀ + b  so  d_W = d_yᵀ·x  and  d_b = the sum of the rows of d_y */
void linear_backward_weight(float *d_w, float *d_bias, const float *d_y, const float *x,
                            float *scratch, int rows, int k, int n)
{
    memset(d_bias, 0, (size_t)n * sizeof *d_bias);
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            d_bias[j] += d_y[(size_t)r * n + j];
        }
    }
    for (int i = 0; i < k; i += TILE_COLUMNS) {
        const float *panel = x + i;
        ptrdiff_t panel_row = k;
        if (n >= MANY) {
            pack_columns(scratch, x, i, rows, k);
            panel = scratch;
            panel_row = TILE_COLUMNS;
        }
        product((struct Product){.c = d_w + i,
                                 .c_row = k,
                                 .a = d_y,
                                 .a_row = 1,
                                 .a_step = n,
                                 .b = panel,
                                 .b_row = panel_row,
                                 .depth = rows},
                n, tile_width(k - i));
    }
}

size_t linear_scratch_size(int rows)
{
    return (size_t)rows * TILE_COLUMNS;
}
