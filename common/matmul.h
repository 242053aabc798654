/* matmul: the linear layer y = x·Wᵀ + b and its gradient, for a batch of rows. W is (n,k) as in
   PyTorch: n outputs, k inputs. The _ref functions say what is computed and in which order the
   terms are added; the fast ones give the same bits.

   The fast ones read W packed: cut into panels of TILE_COLUMNS columns, each panel contiguous in
   the order in which the tile reads it. W changes once a step, so it is packed once a step. None
   of them allocates. x, y, w and their gradients must not overlap. */
#ifndef COMMON_MATMUL_H
#define COMMON_MATMUL_H

#include <stddef.h>

/* y (rows,n) overwritten; x (rows,k); w (n,k); bias (n). */
void linear_forward_ref(float *y, const float *x, const float *w, const float *bias, int rows,
                        int k, int n);

/* d_x (rows,k), d_w (n,k), d_bias (n) overwritten; d_y (rows,n); x (rows,k); w (n,k). */
void linear_backward_ref(float *d_x, float *d_w, float *d_bias, const float *d_y, const float *x,
                         const float *w, int rows, int k, int n);

/* Floats that a (n,k) weight takes when packed, for either direction. */
size_t packed_size(int n, int k);

/* packed overwritten with w (n,k): by columns of outputs for the forward product,
   by columns of inputs for the gradient of x. */
void pack_forward(float *packed, const float *w, int n, int k);
void pack_backward(float *packed, const float *w, int n, int k);

/* y (rows,n) overwritten; x (rows,k); packed from pack_forward; bias (n). */
void linear_forward(float *y, const float *x, const float *packed, const float *bias, int rows,
                    int k, int n);

/* d_x (rows,k) overwritten; d_y (rows,n); packed from pack_backward. */
void linear_backward_input(float *d_x, const float *d_y, const float *packed, int rows, int k,
                           int n);

/* d_w (n,k) and d_bias (n) overwritten; d_y (rows,n); x (rows,k). */
void linear_backward_weight(float *d_w, float *d_bias, const float *d_y, const float *x, int rows,
                            int k, int n);

#endif
