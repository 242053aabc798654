/* Sums run from the first step to the last. */
#include "curve.h"

double loss_mean(const double *losses, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += losses[i];
    }
    return sum / n;
}

int loss_first_below(const double *losses, int steps, int window, double mark)
{
    for (int step = window; step <= steps; step++) {
        if (loss_mean(losses + step - window, window) < mark) {
            return step;
        }
    }
    return 0;
}
