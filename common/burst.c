/* The number of chains is that of the sums in a tile: latency (4 cycles on most machines) times
   units (2) at least, and few enough to leave registers for the two factors. */
#include "burst.h"

#include "simd.h"

enum { CHAINS = REGISTERS == 32 ? 24 : 12, ROUNDS = 1000 };

const double burst_operations = 2.0 * CHAINS * LANES * ROUNDS;

/* The compiler must neither know the factors nor lose the sums. */
static volatile float factor = 1e-3f;
static volatile float sink;

void burst(void)
{
    vf a = vset(factor), b = vset(factor), sum[CHAINS];
    UNROLL
    for (int c = 0; c < CHAINS; c++) {
        sum[c] = vset((float)c);
    }
    for (int round = 0; round < ROUNDS; round++) {
        UNROLL
        for (int c = 0; c < CHAINS; c++) {
            sum[c] = vfma(a, b, sum[c]);
        }
    }
    vf total = sum[0];
    UNROLL
    for (int c = 1; c < CHAINS; c++) {
        total += sum[c];
    }
    for (int lane = 0; lane < LANES; lane++) {
        sink = total[lane];
    }
}
