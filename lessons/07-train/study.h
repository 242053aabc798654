/* study: why strings of 9 to 12 letters fail. Three trainings that each take away one
   explanation. */
#ifndef LESSON_07_STUDY_H
#define LESSON_07_STUDY_H

#include <stdbool.h>
#include <stdint.h>

/* Train and report, and write longer.tsv into out. Trainings of so many steps, and of twice as
   many. */
void study_longer(uint64_t seed, int steps, const char *out, bool quiet);

#endif
