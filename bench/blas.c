/* The Makefile defines HAVE_OPENBLAS where pkg-config finds it. */
#include "blas.h"

#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

bool blas_here(void)
{
#ifdef HAVE_OPENBLAS
    openblas_set_num_threads(1);
    return true;
#else
    return false;
#endif
}

void blas_product(float *c, const float *a, bool a_transposed, const float *b, bool b_transposed,
                  int m, int n, int k)
{
#ifdef HAVE_OPENBLAS
    cblas_sgemm(CblasRowMajor, a_transposed ? CblasTrans : CblasNoTrans,
                b_transposed ? CblasTrans : CblasNoTrans, m, n, k, 1.0f, a, a_transposed ? m : k, b,
                b_transposed ? k : n, 0.0f, c, n);
#else
    (void)c, (void)a, (void)a_transposed, (void)b, (void)b_transposed;
    (void)m, (void)n, (void)k;
#endif
}
