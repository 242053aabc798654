/* blas: a matrix product by OpenBLAS, where it is installed. */
#ifndef BENCH_BLAS_H
#define BENCH_BLAS_H

#include <stdbool.h>

/* Is it there? If so, it is told to use one thread. */
bool blas_here(void);

/* c (m,n) = a·b  for a (m,k), b (k,n). A transposed one lies in memory as its transpose:
   a as (k,m), b as (n,k). Without OpenBLAS nothing is done. */
void blas_product(float *c, const float *a, bool a_transposed, const float *b, bool b_transposed,
                  int m, int n, int k);

#endif
