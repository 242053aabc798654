/* filter: which system calls a learner's process may make (Linux's seccomp, by libseccomp). Most of
   what is refused kills it. Elsewhere there is no filter. */
#ifndef GRADERS_FILTER_H
#define GRADERS_FILTER_H

#include <stdbool.h>

bool filter_exists(void);

/* Two filters, one after the other. The first is put on here and now: all is refused but to become
   another program. It is there before anything of that program, also what runs while it is still
   being loaded (an ifunc). False if the system does not take it. */
bool filter_begin(void);

/* The second refuses that too: written into file for this process, in the form that the kernel
   takes (host/main.c); nothing if there is none. */
void filter_write(int file);

#endif
