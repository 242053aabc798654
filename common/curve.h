/* curve: what is said of a training by its losses, one a step. */
#ifndef COMMON_CURVE_H
#define COMMON_CURVE_H

/* The mean of n losses. */
double loss_mean(const double *losses, int n);

/* The first step (counted from 1) at which the mean of the last window losses is below the mark;
   0 if there is none. */
int loss_first_below(const double *losses, int steps, int window, double mark);

#endif
