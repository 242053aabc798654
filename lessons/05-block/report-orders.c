/* The page, second half: a stack of blocks in three orders, how long the gradient is at each block,
   which part of it came along the residual path, and how alike the tokens become. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "report.h"

void run_stack(struct Run *run, int n)
{
    run->n = n;
    for (int order = 0; order < ORDERS; order++) {
        stack_forward(order, n);
        stack_backward(run->gradient[order], order, false, n);
        stack_backward(run->past_f[order], order, true, n);
        for (int k = 0; k <= n; k++) {
            run->similarity[order][k] = stack_similarity(k);
        }
    }
}

/* By how much the loss changes when the first input moves along its gradient, for each unit of the
   way: the length of the gradient, found without a backward pass. */
static double slope_along_gradient(enum Order order, int n, int width)
{
    static float kept[ROWS * MAX_WIDTH], direction[ROWS * MAX_WIDTH];
    const double step = 0.01;
    double norms[MAX_DEPTH + 1], loss[2];
    float *x = stack_input(0);
    stack_forward(order, n);
    const float *gradient = stack_backward(norms, order, false, n);
    for (int i = 0; i < ROWS * width; i++) {
        kept[i] = x[i];
        direction[i] = (float)((double)gradient[i] / norms[0]);
    }
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < ROWS * width; i++) {
            x[i] = kept[i] + (float)(side == 0 ? step : -step) * direction[i];
        }
        loss[side] = stack_forward(order, n);
    }
    memcpy(x, kept, sizeof kept);
    return (loss[0] - loss[1]) / (2.0 * step);
}

/* Four decimals, as long as they say something. */
static struct LengthText {
    char text[16];
} length_text(double x)
{
    struct LengthText t;
    snprintf(t.text, sizeof t.text, fabs(x) >= 5e-5 || x == 0.0 ? "%.4f" : "%.1e", x);
    return t;
}

/* A row of a table by block: the first ones, then every fourth, and the last. False: left out. */
static bool print_place(int k, int n)
{
    if (k == n) {
        printf("  behind the last  ");
    } else if (k < 2 || (k + 1) % 4 == 0) {
        printf("  into block %-6d", k + 1);
    } else {
        return false;
    }
    return true;
}

/* The longest of the gradients as a multiple of the shortest. */
static double spread(const double *gradient, int n)
{
    double most = gradient[0], least = gradient[0];
    for (int k = 1; k <= n; k++) {
        most = fmax(most, gradient[k]);
        least = fmin(least, gradient[k]);
    }
    return most / least;
}

void report_gradient(const struct Run *run, struct Table *table, int width)
{
    bool right = true;
    page_heading("A gradient on its way down, in three orders");
    printf("  pre-norm     x + f(LN x)    the code, and GPT-2\n"
           "  post-norm    LN(x + f(x))   the picture in the paper of 2017\n"
           "  no residual  f(LN x)        the path past f taken away\n\n"
           "  Length of d loss / d x in a stack of %d with fresh weights, width %d.\n"
           "  It comes from the loss, below the last line: read upwards.\n\n"
           "  %-17s %13s %13s %13s\n",
           run->n, width, "x", "pre-norm", "post-norm", "no residual");
    for (int k = 0; k <= run->n; k++) {
        const double pre = run->gradient[PRE_NORM][k], post = run->gradient[POST_NORM][k],
                     none = run->gradient[NO_RESIDUAL][k];
        if (print_place(k, run->n)) {
            printf(" %13s %13s %13s\n", length_text(pre).text, length_text(post).text,
                   length_text(none).text);
        }
        table_row(table, "%d\t%.6g\t%.6g\t%.6g", k + 1, pre, post, none);
    }
    printf("\n  %-17s", "longest/shortest");
    for (int order = 0; order < ORDERS; order++) {
        double factor = spread(run->gradient[order], run->n);
        printf(factor < 1e6 ? " %13.1f" : " %13.1e", factor);
    }
    printf("\n  %-17s", "by differences");
    for (int order = 0; order < ORDERS; order++) {
        double slope = slope_along_gradient(order, run->n, width), length = run->gradient[order][0];
        bool long_enough = length >= 1e-3; /* else the loss moves by less than it is rounded */
        printf(" %13s", long_enough ? length_text(slope).text : "too short");
        right = right && (!long_enough || fabs(slope - length) <= 0.02 * length + 1e-4);
    }
    printf("\n  The last line is block 1 again, without a backward pass: x moves along its\n"
           "  gradient, and the loss is taken before and after. Fresh weights are small:\n"
           "  sections 7 and 8 show what sets pre-norm and post-norm apart.\n");
    page_claim(right, "moving the first x along its gradient changes the loss as much");
}

/* 6. */

void report_depth(int depth)
{
    static struct Run run;
    page_heading("The same against the depth of the stack");
    printf("  %5s %27s %32s\n  %5s %10s %10s %12s %12s %10s\n", "", "into block 1",
           "behind the last", "depth", "pre-norm", "post-norm", "no residual", "pre-norm",
           "post-norm");
    for (int n = 1; n <= depth; n = n < depth && 2 * n > depth ? depth : 2 * n) {
        run_stack(&run, n);
        printf("  %5d %10s %10s %12s %12s %10s\n", n, length_text(run.gradient[PRE_NORM][0]).text,
               length_text(run.gradient[POST_NORM][0]).text,
               length_text(run.gradient[NO_RESIDUAL][0]).text,
               length_text(run.gradient[PRE_NORM][n]).text,
               length_text(run.gradient[POST_NORM][n]).text);
    }
    printf("  Behind the last block pre-norm's gets shorter with depth: x has grown, and\n"
           "  the final norm divides by its spread. Post-norm's x has spread 1 at any depth.\n");
}

/* 7. */

void report_path(const struct Run *fresh, const struct Run *larger, struct Table *table)
{
    const struct Run *runs[] = {fresh, larger};
    const int n = fresh->n;
    bool same = true, less = true;
    page_heading("What comes along the residual path alone");
    printf("  The same gradient, with what comes back through f left out. On the right\n"
           "  all weights in the blocks are sqrt(3) times as large: a linear layer then\n"
           "  gives as much variance as it gets, where fresh ones give a third.\n\n"
           "  %-17s %11s %11s %15s %11s\n  %-17s %11s %11s %15s %11s\n",
           "", "fresh", "weights", "weights", "x sqrt(3)", "x", "pre-norm", "post-norm", "pre-norm",
           "post-norm");
    for (int k = 0; k <= n; k++) {
        if (print_place(k, n)) {
            printf(" %11.4f %11.4f %15.4f %11.1e\n", fresh->past_f[PRE_NORM][k],
                   fresh->past_f[POST_NORM][k], larger->past_f[PRE_NORM][k],
                   larger->past_f[POST_NORM][k]);
        }
        table_row(table, "%d\t%.6g\t%.6g\t%.6g\t%.6g", k + 1, fresh->past_f[PRE_NORM][k],
                  fresh->past_f[POST_NORM][k], larger->past_f[PRE_NORM][k],
                  larger->past_f[POST_NORM][k]);
        for (int i = 0; i < 2; i++) {
            same = same && runs[i]->past_f[PRE_NORM][k] == runs[i]->past_f[PRE_NORM][n];
        }
    }
    for (int i = 0; i < 2; i++) {
        less = less && runs[i]->past_f[POST_NORM][0] < runs[i]->past_f[POST_NORM][n];
    }
    printf("  In post-norm the path leads through two norms a block, and each divides by\n"
           "  the spread of x + f(x). In pre-norm nothing stands on it.\n"
           "  With f, into block 1 on the right: pre-norm %s, post-norm %s.\n",
           length_text(larger->gradient[PRE_NORM][0]).text,
           length_text(larger->gradient[POST_NORM][0]).text);
    page_claim(same, "pre-norm: the same to the last bit at every block");
    page_claim(less, "post-norm: less at the first block than behind the last");
}

/* 8. */

void report_similarity(const struct Run *run, struct Table *table)
{
    const double *pre = run->similarity[PRE_NORM], *post = run->similarity[POST_NORM],
                 *none = run->similarity[NO_RESIDUAL];
    const int n = run->n;
    page_heading("How alike the tokens become");
    printf("  Mean cosine between the vectors of two tokens of a sequence, fresh weights.\n"
           "  At 1 they all point the same way: no difference is left to work with.\n\n"
           "  %-17s %13s %13s %13s\n",
           "x", "pre-norm", "post-norm", "no residual");
    for (int k = 0; k <= n; k++) {
        if (print_place(k, n)) {
            printf(" %13.4f %13.4f %13.4f\n", pre[k], post[k], none[k]);
        }
        table_row(table, "%d\t%.6f\t%.6f\t%.6f", k + 1, pre[k], post[k], none[k]);
    }
    page_claim(none[1] > pre[1] && none[n] > pre[n],
               "without the residual path they are more alike");
    if (n >= 12) {
        page_claim(none[n] > 0.99 && pre[n] < 0.9,
                   "without it hardly any difference is left, in pre-norm there is");
    }
}
