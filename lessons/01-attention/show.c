/* How the sections show and judge their numbers. */
#include <math.h>
#include <stdio.h>

#include "lesson.h"

float larger(float x, float y)
{
    return x >= y ? x : y >= x ? y : x + y;
}

float distance(const float *x, const float *y, int n)
{
    float most = 0.0f;
    for (int i = 0; i < n; i++) {
        most = larger(most, fabsf(x[i] - y[i]));
    }
    return most;
}

bool reads(float ours, double theirs, int digits)
{
    double unit = 1.0;
    for (int i = 0; i < digits; i++) {
        unit /= 10.0;
    }
    return fabs((double)ours - theirs) <= 0.501 * unit;
}

bool add_up_to_one(const float *weights, int n)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++) {
        sum += (double)weights[j];
    }
    return fabs(sum - 1.0) < 1e-6;
}

void print_weights(const char *name, const float *weights)
{
    printf("  %-22s  %7.4f %7.4f %7.4f %7.4f\n", name, (double)weights[0], (double)weights[1],
           (double)weights[2], (double)weights[3]);
}

/* "(1, 2)" in a column of this width. */
static void print_vector(const float *x, int n, int width)
{
    int used = 0;
    for (int i = 0; i < n; i++) {
        used += printf("%s%g", i == 0 ? "(" : ", ", (double)x[i]);
    }
    printf(")%*s", used < width ? width - used : 0, "");
}

bool print_keys(const struct Answer *answer, const struct Memory *memory, const struct Told *told)
{
    bool same = true;
    printf("  token  key           value                 score   weight%s%s\n", told ? "   " : "",
           told ? told->source : "");
    for (int j = 0; j < memory->n; j++) {
        float score = answer->scores[j], weight = answer->weights[j];
        printf("  %-5s  ", memory->tokens[j]);
        print_vector(memory->keys + j * memory->d_key, memory->d_key, 13);
        print_vector(memory->values + j * memory->d_value, memory->d_value, 15);
        printf("%10.2f   %.4f", (double)score, (double)weight);
        if (told != NULL) {
            printf("   %5.2f  %.*f", told->scores[j], told->digits, told->weights[j]);
            same &=
                reads(score, told->scores[j], 2) && reads(weight, told->weights[j], told->digits);
        }
        putchar('\n');
    }
    return same;
}
