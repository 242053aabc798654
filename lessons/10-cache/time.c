/* The time for one more token, measured. It is another in every run, so it goes into a table for the
   figure and not on the page. Both ways are those of common/, on one thread, in processor time. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/cache.h"
#include "common/page.h"
#include "common/progress.h"
#include "common/reversal.h"
#include "common/threads.h"
#include "lesson.h"

enum { MOST = 1024, POINTS = 32, TRIES = 7, SHORT_TRIES = 50 };

/* Microseconds that this thread has worked. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

struct Text {
    struct Model *model;
    struct Batch batch;
    struct Cache cache;
    int32_t tokens[MOST];
};

/* The shortest of some tries: what disturbs only makes them longer. */
static double time_anew(struct Text *text, int n)
{
    double best = INFINITY;
    batch_clear(&text->batch);
    batch_add(&text->batch, text->tokens, NULL, n);
    for (int i = 0; i < TRIES; i++) {
        double start = now();
        model_forward(text->model, &text->batch);
        best = fmin(best, now() - start);
    }
    return best;
}

/* logits (vocab) overwritten: what is said after token n, when those before are in the cache. */
static double time_cached(float *logits, struct Text *text, int n)
{
    static float before[MOST * VOCAB];
    double best = INFINITY;
    int missing = n - 1 - text->cache.length;
    if (missing > 0) {
        cache_read(before, &text->cache, text->model, text->tokens + text->cache.length, NULL,
                   missing);
    }
    for (int i = 0; i < SHORT_TRIES; i++) {
        text->cache.length = n - 1;
        double start = now();
        cache_read(logits, &text->cache, text->model, text->tokens + n - 1, NULL, 1);
        best = fmin(best, now() - start);
    }
    return best;
}

void measure_time(const struct Common *common, int last, struct Table *table)
{
    struct Text text = {.model = model_new(model_config(VOCAB, last, 64, 2, 2), 1)};
    struct Rng rng = rng_stream(common->seed, "text");
    struct Progress progress;
    int points = last < POINTS ? last : POINTS;
    bool same = true;
    model_init(text.model, common->seed);
    batch_new(&text.batch, 1, last);
    cache_new(&text.cache, text.model, last);
    for (int i = 0; i < last; i++) {
        text.tokens[i] = rng_below(&rng, VOCAB);
    }
    threads_set(1);
    progress_start(&progress, points, common->quiet);
    for (int i = 1; i <= points; i++) {
        float logits[VOCAB];
        int n = last * i / points;
        double cached = time_cached(logits, &text, n), anew = time_anew(&text, n);
        same &= memcmp(logits, model_logits(text.model, n - 1), sizeof logits) == 0;
        table_row(table, "%d\t%.3f\t%.3f", n, anew, cached);
        progress_step(&progress, i, NAN);
    }
    progress_end(&progress);
    threads_set(common->threads);
    printf("  The time was taken too, at %d places up to %d in a text. It is another in\n"
           "  every run, so it stands in time.tsv and in the figure.\n",
           points, last);
    page_claim(same, "both ways say the same at each place, to the bit");
    cache_free(&text.cache);
    batch_free(&text.batch);
    model_free(text.model);
}
