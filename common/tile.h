/* tile: the inner loop of every matrix product. A tile of C stays in registers while k runs: at
   each k a column of A meets a row of B, and every element of the tile takes one fused
   multiply-add. So each element adds its terms in order of k, whatever the size of a tile, the
   width of a register or the number of threads: that is where the same bits come from. */
#ifndef COMMON_TILE_H
#define COMMON_TILE_H

#include <stddef.h>

#include "simd.h"

enum {
    TILE_COLUMNS = 2 * LANES,
    TILE_ROWS = REGISTERS == 32 ? 12 : 6, /* 24 or 12 sums, two registers of B, one of A */
};

/* C(r,j) = bias(j) + sum over k of A(r,k)·B(k,j), where
   A(r,k) is a[r*a_row + k*a_step], B(k,j) is b[k*b_row + j], C(r,j) is c[r*c_row + j]. */
struct Product {
    float *c;
    ptrdiff_t c_row;
    const float *a;
    ptrdiff_t a_row, a_step;
    const float *b;
    ptrdiff_t b_row;
    int depth;         /* 0 <= k < depth */
    const float *bias; /* one value a column; NULL: zeros */
};

/* One tile: 0 <= r < rows <= TILE_ROWS, 0 <= j < columns <= TILE_COLUMNS. */
void tile(const struct Product *p, int rows, int columns);

/* How many rows the next tile takes when so many are left: tiles of nearly the same height, so
   that none ends with one or two rows. */
int tile_height(int rows_left);

/* How many columns it takes: TILE_COLUMNS, or what is left. */
int tile_width(int columns_left);

/* to(c,r) = from(r,c) for r < rows, c < columns, where to(c,r) is to[c*to_row + r] and from(r,c) is
   from[r*from_row + c]. to_row must be at least rows rounded up to 16; up to there anything may be
   written. */
void transpose(float *to, ptrdiff_t to_row, const float *from, ptrdiff_t from_row, int rows,
               int columns);

/* The whole product, tile by tile. */
void product(struct Product p, int rows, int columns);

#endif
