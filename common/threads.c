/* The caller works too, and waits for tasks, not for threads: a thread that the machine is too busy
   to run holds nobody up as long as it has taken no task. Who has nothing to do sleeps. */
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock; /* over all of this */
    pthread_cond_t begun, done;
    void (*task)(void *context, int i, int thread);
    void *context;
    int count, next, finished; /* of the tasks: how many, the first that nobody has taken, ... */
    int threads, active;       /* threads wanted, and those that may take these tasks */
    int workers;               /* threads started beside the caller */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .begun = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER,
          .threads = 1};

int threads_available(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0) {
        count = CPU_COUNT(&mine);
    }
#endif
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (int)count;
}

void threads_set(int n)
{
    pool.threads = n;
}

/* Take tasks until none is left. The lock is held on entry and on return. */
static void work(int thread)
{
    while (pool.next < pool.count) {
        int i = pool.next++;
        pthread_mutex_unlock(&pool.lock);
        pool.task(pool.context, i, thread);
        pthread_mutex_lock(&pool.lock);
        if (++pool.finished == pool.count) {
            pthread_cond_signal(&pool.done);
        }
    }
}

/* Worker number id, from 1, sleeps through what is begun for id or fewer threads. */
static void *run_worker(void *argument)
{
    int id = (int)(intptr_t)argument;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.next >= pool.count || id >= pool.active) {
            pthread_cond_wait(&pool.begun, &pool.lock);
        }
        work(id);
    }
    return NULL;
}

/* A worker that cannot be started is done without. */
static void start_workers(int wanted)
{
    while (pool.workers < wanted) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run_worker, (void *)(intptr_t)(pool.workers + 1)) != 0) {
            return;
        }
        pthread_detach(thread);
        pool.workers++;
    }
}

void parallel_for(int count, void (*task)(void *context, int i, int thread), void *context)
{
    pthread_mutex_lock(&pool.lock);
    pool.active = pool.threads < count ? pool.threads : count;
    start_workers(pool.active - 1);
    pool.task = task;
    pool.context = context;
    pool.next = pool.finished = 0;
    pool.count = count;
    if (pool.active > 1) {
        pthread_cond_broadcast(&pool.begun);
    }
    work(0);
    while (pool.finished < pool.count) {
        pthread_cond_wait(&pool.done, &pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
}
