/* Section 8: RoPE read further than it was trained. Position interpolation, another base and YaRN are
   three different changes of the frequencies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/page.h"
#include "sections.h"
#include "stretch.h"
#include "ways.h"

const char *const stretch_names[STRETCHES] = {"unchanged", "interpolated", "another base", "YaRN"};

float stretch(double *frequency, enum Stretch how, int pairs, int trained, double factor)
{
    const double base = 10000.0;
    frequencies(frequency, pairs, how == REBASED ? longer_base(base, pairs, factor) : base);
    if (how == INTERPOLATED) {
        interpolate(frequency, pairs, factor);
    }
    if (how == YARN) {
        yarn(frequency, pairs, factor, trained);
        return yarn_sharper(factor);
    }
    return 1.0f;
}

void stretch_reverser(struct Model *model, enum Stretch how)
{
    enum { PAIRS = WIDTH / N_HEADS / 2 };
    double frequency[PAIRS];
    float sharper = stretch(frequency, how, PAIRS, TRAINED, STRETCHED);
    bool halves = model->rope.halves;
    rope_free(&model->rope);
    rope_new(&model->rope, frequency, PAIRS, CONTEXT, halves);
    model->rope.scale = sharper;
}

enum { MOST_PAIRS = 64 };

/* The pairs of a model, and how much longer its texts are to be. */
struct Pairs {
    const char *name, *words;
    int pairs, trained;
    double factor;
};

struct Frequencies {
    double of[STRETCHES][MOST_PAIRS];
};

/* How often a pair goes round within the trained places. */
static double turns(double frequency, int trained)
{
    return trained * frequency / (2.0 * M_PI);
}

static void print_pairs(const struct Pairs *s, const struct Frequencies *f, int every,
                        struct Table *table)
{
    printf("\n  %s: %s\n"
           "  pair     turns while trained    interpolation    base    YaRN\n",
           s->name, s->words);
    for (int i = 0; i < s->pairs; i++) {
        const double plain = f->of[UNCHANGED][i], round = turns(plain, s->trained);
        double slower[STRETCHES];
        for (int way = 0; way < STRETCHES; way++) {
            slower[way] = plain / f->of[way][i];
        }
        if (i % every == 0 || i == s->pairs - 1) {
            printf("  %4d %23.3f %16.3f %7.3f %7.3f\n", i, round, slower[INTERPOLATED],
                   slower[REBASED], slower[YARN]);
        }
        table_row(table, "%s\t%d\t%d\t%.9g\t%.6f\t%.6f\t%.6f", s->name, i, s->trained, plain,
                  slower[INTERPOLATED], slower[REBASED], slower[YARN]);
    }
}

static bool near(double x, double wanted)
{
    return fabs(x / wanted - 1.0) < 1e-9;
}

/* What must be true of the three. */
static void claim(const struct Pairs *s, const struct Frequencies *f)
{
    const double *plain = f->of[UNCHANGED], *base = f->of[REBASED], *yarns = f->of[YARN];
    const int last = s->pairs - 1;
    bool all = true, rising = true, kept = true;
    for (int i = 0; i <= last; i++) {
        double round = turns(plain[i], s->trained), slower = plain[i] / yarns[i];
        all &= near(plain[i] / f->of[INTERPOLATED][i], s->factor);
        rising &= i == 0 || plain[i] / base[i] > plain[i - 1] / base[i - 1];
        kept &= round >= 32.0  ? near(slower, 1.0)
                : round <= 1.0 ? near(slower, s->factor)
                               : slower > 1.0 && slower < s->factor;
    }
    page_claim(all, "%s: interpolation slows all pairs by the same factor", s->name);
    page_claim(rising && base[0] == plain[0] && near(plain[last] / base[last], s->factor),
               "%s: a larger base keeps the first, slows the last by the factor", s->name);
    page_claim(kept, "%s: YaRN keeps what turned 32 times, slows what turned under once", s->name);
}

void report_stretches(struct Table *table)
{
    static const struct Pairs models[] = {
        {"large", "128 numbers a head, 4,096 places, to be read 8 times as far", 64, 4096, 8.0},
        {"ours", "32 numbers a head, 16 places, to be read 1.5 times as far", 16, TRAINED,
         STRETCHED}};
    page_heading("Reading further: three different changes");
    printf("  By what factor each pair turns more slowly. YaRN also makes the scores larger,\n"
           "  by %.4f where a text is 8 times as long, and by %.4f where it is 1.5\n"
           "  times.\n",
           (double)yarn_sharper(8.0), (double)yarn_sharper(1.5));
    for (int i = 0; i < 2; i++) {
        struct Frequencies f;
        for (int how = 0; how < STRETCHES; how++) {
            stretch(f.of[how], how, models[i].pairs, models[i].trained, models[i].factor);
        }
        print_pairs(&models[i], &f, i == 0 ? 9 : 3, table);
        printf("\n");
        claim(&models[i], &f);
    }
}
