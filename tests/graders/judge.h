/* judge: is what came back right, and if not, which mistake was it? Everything here compares
   arrays; nothing runs the learner's code. */
#ifndef GRADERS_JUDGE_H
#define GRADERS_JUDGE_H

#include "compare.h"
#include "result.h"

/* Is got what e expects of given? If not, evidence says where it first differs, as in
   "scores[b0 h1 q2 k0]: yours 0.4113, expected 0.7124". */
bool judge(const struct Exercise *e, const struct Trial *trial, char evidence[LINE]);

/* The fewest mistakes, at most two, that give what came back in every trial and show in two of them
   at least; 0 if there are none such. */
Mistakes diagnose(const struct Exercise *e, const struct Trial *trials, int n);

/* What can be read off a wrong answer that no known mistake explains: never written, an input
   changed, a constant factor, two axes exchanged, ... It holds in this trial, and says so. */
void read_off(const struct Exercise *e, const struct Trial *trial, char text[LINE]);

#endif
