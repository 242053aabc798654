/* The tile is compiled once for each height, so that its sums are constants to the compiler and
   live in registers. Strides are variables: measured, that costs nothing (CONTRIBUTING.md). */
#include "tile.h"

/* vectors: how many registers a row of the tile takes; the last one may be partial. */
INLINE void run(const struct Product *p, int rows, int vectors, int last)
{
    float *c = p->c;
    const float *a = p->a, *b = p->b;
    ptrdiff_t c_row = p->c_row, a_row = p->a_row, a_step = p->a_step, b_row = p->b_row;
    vf sum[TILE_ROWS][2];
    UNROLL
    for (int v = 0; v < vectors; v++) {
        int n = v == vectors - 1 ? last : LANES;
        vf start = p->bias != NULL ? vload_n(p->bias + v * LANES, n) : vset(0.0f);
        UNROLL
        for (int r = 0; r < rows; r++) {
            sum[r][v] = start;
        }
    }
    /* One pointer for three rows: an instruction can address p, p + a_row and p + 2·a_row. With one
       for each row there would be more of them than registers to hold them. */
    const float *triple[TILE_ROWS / 3];
    UNROLL
    for (int i = 0; i < TILE_ROWS / 3; i++) {
        triple[i] = a + 3 * i * a_row;
    }
    NO_UNROLL
    for (int k = p->depth; k > 0; k--, b += b_row) {
        vf row[2];
        UNROLL
        for (int v = 0; v < vectors; v++) {
            row[v] = vload_n(b + v * LANES, v == vectors - 1 ? last : LANES);
        }
        UNROLL
        for (int r = 0; r < rows; r++) {
            vf column = vset(triple[r / 3][r % 3 * a_row]);
            UNROLL
            for (int v = 0; v < vectors; v++) {
                sum[r][v] = vfma(column, row[v], sum[r][v]);
            }
        }
        UNROLL
        for (int i = 0; i < TILE_ROWS / 3; i++) {
            triple[i] += a_step;
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            int n = v == vectors - 1 ? last : LANES;
            vstore_n(c + r * c_row + v * LANES, sum[r][v], n);
        }
    }
}

INLINE void run_columns(const struct Product *p, int rows, int columns)
{
    if (columns < LANES) {
        run(p, rows, 1, columns);
    } else if (columns == LANES) {
        run(p, rows, 1, LANES);
    } else if (columns < TILE_COLUMNS) {
        run(p, rows, 2, columns - LANES);
    } else {
        run(p, rows, 2, LANES);
    }
}

void tile(const struct Product *p, int rows, int columns)
{
#define HEIGHT(r)                                                                                  \
    case r:                                                                                        \
        run_columns(p, r, columns);                                                                \
        break;
    switch (rows) {
        HEIGHT(1)
        HEIGHT(2)
        HEIGHT(3)
        HEIGHT(4)
        HEIGHT(5)
        HEIGHT(6)
#if REGISTERS == 32
        HEIGHT(7) HEIGHT(8) HEIGHT(9) HEIGHT(10) HEIGHT(11) HEIGHT(12)
#endif
    }
#undef HEIGHT
}

int tile_height(int rows_left)
{
    int tiles = (rows_left + TILE_ROWS - 1) / TILE_ROWS;
    return (rows_left + tiles - 1) / tiles;
}

int tile_width(int columns_left)
{
    return columns_left < TILE_COLUMNS ? columns_left : TILE_COLUMNS;
}

void product(struct Product p, int rows, int columns)
{
    for (int r = 0, height; r < rows; r += height) {
        height = tile_height(rows - r);
        struct Product t = p;
        t.a += r * p.a_row;
        for (int j = 0; j < columns; j += TILE_COLUMNS) {
            t.c = p.c + r * p.c_row + j;
            t.b = p.b + j;
            t.bias = p.bias != NULL ? p.bias + j : NULL;
            tile(&t, height, tile_width(columns - j));
        }
    }
}

void transpose(float *to, ptrdiff_t to_row, const float *from, ptrdiff_t from_row, int rows,
               int columns)
{
    for (int r = 0; r < rows; r += LANES) {
        for (int c = 0; c < columns; c += LANES) {
            vf block[LANES];
            UNROLL
            for (int i = 0; i < LANES; i++) {
                int row = r + i < rows ? r + i : rows - 1;
                block[i] = vload_n(from + row * from_row + c, columns - c);
            }
            vtranspose(block);
            UNROLL
            for (int i = 0; i < LANES; i++) {
                if (c + i < columns) {
                    vstore(to + (c + i) * to_row + r, block[i]);
                }
            }
        }
    }
}
