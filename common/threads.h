/* threads: tasks that do not wait for each other, done by as many threads as there are. Which
   thread does which task depends on who is first; so each task must write to places of its own, and
   then the result does not depend on it. */
#ifndef COMMON_THREADS_H
#define COMMON_THREADS_H

enum { MAX_THREADS = 1024 };

/* Processors that this process may use, at most MAX_THREADS. */
int threads_available(void);

/* How many threads the next calls use, the caller among them; 1 <= n <= MAX_THREADS. At first 1. */
void threads_set(int n);

/* task(context, i, thread) for every 0 <= i < count; returns when all are done. thread tells apart
   those who work at the same time: 0 <= thread < count, and below the number set. Not to be called
   from a task. */
void parallel_for(int count, void (*task)(void *context, int i, int thread), void *context);

#endif
