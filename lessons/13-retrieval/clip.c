/* Clipping, the idea of this lesson that is new. A gradient is many tensors and one vector. If that
   vector is too long it is made shorter, all of it by one factor, so that it still points where it
   pointed: Pascanu et al. (2013). */
#include <math.h>
#include <stdio.h>

#include "common/page.h"
#include "retrieval.h"

double global_norm(const struct ParamList *params, const float *gradient)
{
    double sum = 0.0;
    for (int i = 0; i < params->count; i++) {
        const float *tensor = gradient + params->items[i].offset;
        for (size_t j = 0; j < params->items[i].size; j++) {
            sum += (double)tensor[j] * (double)tensor[j];
        }
    }
    return sqrt(sum); /* one root, of all of them */
}

bool clip(const struct ParamList *params, float *gradient, double longest)
{
    double norm = global_norm(params, gradient);
    if (longest == 0.0 || norm <= longest) {
        return false;
    }
    float factor = (float)(longest / norm);
    for (int i = 0; i < params->count; i++) {
        float *tensor = gradient + params->items[i].offset;
        for (size_t j = 0; j < params->items[i].size; j++) {
            tensor[j] *= factor;
        }
    }
    return true;
}

/* A model of two tensors, of two numbers and of one. */
enum { N = 3 };
static const float long_one[N] = {3.0f, 4.0f, 12.0f};
static const double LONGEST = 2.6;

static double product(const float *a, const float *b)
{
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2];
}

/* Returns the cosine with the gradient as it was: 1 if the direction is kept. */
static double print_clipped(const char *how, const float *g)
{
    double length = sqrt(product(g, g));
    double cosine = product(g, long_one) / (length * sqrt(product(long_one, long_one)));
    printf("  %-34s %5.2f %5.2f | %5.2f %8.2f %8.3f\n", how, (double)g[0], (double)g[1],
           (double)g[2], length, cosine);
    return cosine;
}

void report_clipping(void)
{
    struct Param items[] = {{.offset = 0, .size = 2}, {.offset = 2, .size = 1}};
    struct ParamList both = {.items = items, .count = 2};
    struct ParamList first = {.items = items, .count = 1}, last = {.items = items + 1, .count = 1};
    float together[N], each[N], entries[N];
    for (int i = 0; i < N; i++) {
        together[i] = each[i] = long_one[i];
        entries[i] = fminf(long_one[i], (float)LONGEST);
    }
    page_heading("Clipping: one length, one factor");
    printf("  Two tensors, 3 4 and 12, no longer than %.1f:\n\n"
           "  %-34s %13s %8s %8s\n",
           LONGEST, "", "the gradient ", "length", "cosine");
    clip(&both, together, LONGEST);
    clip(&first, each, LONGEST);
    clip(&last, each, LONGEST);
    print_clipped("as it was", long_one);
    double kept = print_clipped("together, which is clipping", together);
    double turned = print_clipped("each tensor by its own length", each);
    double cut = print_clipped("each entry cut at the limit", entries);
    printf("\n  The cosine is that of the angle with the gradient as it was.\n");
    page_claim(kept > 0.999999 && fabs(global_norm(&both, together) - LONGEST) < 1e-6,
               "together: as long as it may be, and in the same direction");
    page_claim(turned < 0.95 && cut < 0.95, "the two others turn it, and leave it too long");
}
