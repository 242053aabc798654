/* The caller works too, and waits for tasks, not for threads: a thread that the machine is too busy
   to run holds nobody up as long as it has taken no task. Who has nothing to do looks around for a
   moment, since more often than not there is work at once and to be woken takes longer than that;
   then sleeps, and leaves the processor to others. */
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum { MOMENT = 30000 }; /* nanoseconds */

static struct {
    pthread_mutex_t lock; /* held by who changes any of this */
    pthread_cond_t begun, done;
    void (*task)(void *context, int i, int thread);
    void *context;
    atomic_int not_taken, unfinished; /* of the tasks */
    struct {
        int next, end;
    } share[MAX_THREADS]; /* what each thread has not taken of its share */
    atomic_int active;    /* threads that may take these tasks, the caller included */
    int threads;          /* threads wanted */
    int workers;          /* threads started beside the caller */
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

/* The next task for this thread. A share is the same tasks each time, so that what they wrote last
   time is in the cache of whoever does them; who has done his takes the last of another's. */
static int take(int thread)
{
    int i = thread;
    while (pool.share[i].next == pool.share[i].end) {
        i = (i + 1) % pool.active;
    }
    pool.not_taken--;
    return i == thread ? pool.share[i].next++ : --pool.share[i].end;
}

/* Take tasks until none is left. The lock is held on entry and on return. */
static void work(int thread)
{
    while (pool.not_taken > 0) {
        int i = take(thread);
        pthread_mutex_unlock(&pool.lock);
        pool.task(pool.context, i, thread);
        pthread_mutex_lock(&pool.lock);
        if (--pool.unfinished == 0) {
            pthread_cond_signal(&pool.done);
        }
    }
}

/* Is there work for this thread? It sleeps through what is begun for id or fewer threads. */
static bool begun_for(int id)
{
    return pool.not_taken > 0 && id < pool.active;
}

static bool all_done(int id)
{
    (void)id;
    return pool.unfinished == 0;
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The lock is held on entry and on return, but not while waiting. */
static void wait_until(bool (*true_for)(int id), int id, pthread_cond_t *signal)
{
    pthread_mutex_unlock(&pool.lock);
    int64_t end = nanoseconds() + MOMENT;
    while (!true_for(id) && nanoseconds() < end) {
    }
    pthread_mutex_lock(&pool.lock);
    while (!true_for(id)) {
        pthread_cond_wait(signal, &pool.lock);
    }
}

/* Worker number id, from 1. */
static void *run_worker(void *argument)
{
    int id = (int)(intptr_t)argument;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        wait_until(begun_for, id, &pool.begun);
        work(id);
    }
    return NULL;
}

/* False: it cannot be started. It takes no signals, so that the caller can put them off (file.c). */
static bool start_worker(int id)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, run_worker, (void *)(intptr_t)id) == 0 &&
                   pthread_detach(thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* A worker that cannot be started is done without. */
static void start_workers(int wanted)
{
    while (pool.workers < wanted && start_worker(pool.workers + 1)) {
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
    for (int i = 0; i < pool.active; i++) {
        pool.share[i].next = (int)((int64_t)count * i / pool.active);
        pool.share[i].end = (int)((int64_t)count * (i + 1) / pool.active);
    }
    pool.not_taken = pool.unfinished = count;
    if (pool.active > 1) {
        pthread_cond_broadcast(&pool.begun);
    }
    work(0);
    wait_until(all_done, 0, &pool.done);
    pthread_mutex_unlock(&pool.lock);
}
