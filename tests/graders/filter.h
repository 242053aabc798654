/* filter: which system calls a learner's process may make (Linux's seccomp, by libseccomp). What is
   refused kills it. Elsewhere there is no filter. */
#ifndef GRADERS_FILTER_H
#define GRADERS_FILTER_H

#include <stdbool.h>

bool filter_exists(void);

/* The filter for this process, written into file as the kernel takes it (host/main.c); nothing if
   there is none. */
void filter_write(int file);

#endif
