/* Threads: every task is done, once, however many there are and whatever was done before; and the
   number that a task gets is that of no other at work. */
#include <stdatomic.h>

#include "common/threads.h"
#include "tests/core/suites.h"
#include "tests/helpers.h"

enum { MOST = 1000, MOST_THREADS = 8 };

struct Work {
    int most; /* threads, but no more than tasks */
    int done[MOST + 1];
    atomic_bool busy[MOST_THREADS];
    atomic_int clashes;
};

static void add_one(void *context, int i, int thread)
{
    struct Work *w = context;
    bool known = thread >= 0 && thread < w->most;
    if (!known || atomic_exchange(&w->busy[thread], true)) {
        w->clashes++;
        return;
    }
    w->done[i]++;
    w->busy[thread] = false;
}

START_TEST(each_task_is_done_once)
{
    static const int threads[] = {1, 2, 3, MOST_THREADS, 1}, counts[] = {0, 1, 2, 3, 7, 8, 9, MOST};
    for (int i = 0; i < COUNT(threads) * COUNT(counts) * 20; i++) {
        int count = counts[i % COUNT(counts)], n = threads[i / COUNT(counts) % COUNT(threads)];
        struct Work w = {.most = n < count ? n : count};
        threads_set(n);
        parallel_for(count, add_one, &w);
        for (int j = 0; j <= MOST; j++) {
            w.clashes += w.done[j] != (j < count);
        }
        ck_assert_msg(w.clashes == 0, "%d tasks by %d threads", count, n);
    }
    ck_assert(threads_available() >= 1 && threads_available() <= MAX_THREADS);
}
END_TEST

Suite *threads_suite(void)
{
    Suite *suite = suite_create("threads");
    TCase *cases = new_case(suite, "threads", NULL);
    tcase_add_test(cases, each_task_is_done_once);
    return suite;
}
