/* stretch: RoPE read further than it was trained, in three ways. */
#ifndef LESSON_12_STRETCH_H
#define LESSON_12_STRETCH_H

#include "reverser.h"

enum Stretch { UNCHANGED, INTERPOLATED, REBASED, YARN, STRETCHES };
extern const char *const stretch_names[STRETCHES];

/* frequency (pairs) overwritten, for a model trained on places below trained that is to read factor
   times as many. Returns what its scores are to be multiplied by. */
float stretch(double *frequency, enum Stretch how, int pairs, int trained, double factor);

/* The reverser, trained on strings of TAUGHT letters, is to read LONGEST. */
static const double STRETCHED = (double)LONGEST / TAUGHT;
void stretch_reverser(struct Model *model, enum Stretch how);

#endif
