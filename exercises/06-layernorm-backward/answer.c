/* Exercise 06: layer norm, backwards. The task, and where to read: README.md beside this file.

   The forward pass was y[r][i] = gamma[i] * xhat[r][i] + beta[i], with

     xhat[r][i] = (x[r][i] - mean[r]) * rstd[r]     rstd[r] = 1 / sqrt(variance[r] + 1e-5)

   d_y says how much the loss grows with each y. Find the same for x, gamma and beta:

     g[r][i]     = d_y[r][i] * gamma[i]
     d_x[r][i]  += rstd[r] * (g[r][i] - mean over j of g[r][j]
                              - xhat[r][i] * mean over j of g[r][j]*xhat[r][j])
     d_gamma[i] += sum over r of d_y[r][i] * xhat[r][i]
     d_beta[i]  += sum over r of d_y[r][i]

   d_y, x         (rows,d), to be read: row r begins at d_y + r*d
   mean, rstd     (rows), to be read: what the forward pass found
   gamma          (d), to be read
   d_x            (rows,d), to be added to: it may hold what came back on another path
   d_gamma,d_beta (d), to be added to: they may hold what other calls found
   rows >= 1, d >= 1

   `make check-06` grades it. */
#include "exercises/06-layernorm-backward/answer.h"

void layernorm_backward(float *d_x, float *d_gamma, float *d_beta, const float *d_y, const float *x,
                        const float *mean, const float *rstd, const float *gamma, int rows, int d)
{
    /* Your code. */
}
