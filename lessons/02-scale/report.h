/* report: the page of lesson 02, and what it is about: some measures for each d and each
   divisor. */
#ifndef LESSONS_02_REPORT_H
#define LESSONS_02_REPORT_H

enum Divisor { ONE, ROOT, WHOLE, N_DIVISORS };

/* For one d. The gradients are medians: where two keys happen to tie, a query keeps a large one,
   and a mean would show little else. */
struct Measured {
    double spread[N_DIVISORS];   /* standard deviation of the scores */
    double largest[N_DIVISORS];  /* weight: mean over the queries */
    double entropy[N_DIVISORS];  /* of the weights, in bits: mean */
    double on_score[N_DIVISORS]; /* norm of dp/ds, the softmax's Jacobian: median */
    double on_query[N_DIVISORS]; /* norm of dp/dq: median */
};

/* measured[i] is for d = 2 << i, up to LARGEST_D. */
enum { N_SIZES = 10, LARGEST_D = 1 << N_SIZES };

void report_spread(const struct Measured *measured, int n_keys, int draws);
void report_weights(const struct Measured *measured, int n_keys);
void report_gradient(const struct Measured *measured);

/* Three numbers of this width, for the divisors 1, sqrt(d) and d. */
void print_three(const double *x, int width, int digits);

/* The logarithm to base 2. */
double bits(float x);

#endif
