/* Lesson 13: does it look, or does it only seem to?

   Pairs of a key and a value, then a key: what was its value? The pairs are new in every example,
   so a model that is right must have looked. The lesson trains one block until it is, with clipped
   gradients (clip.c), and then does what should be done with every model that is right: it takes
   away what the answer should depend on, and changes what it should not. */
#include <stdio.h>

#include "common/base.h"
#include "common/page.h"
#include "retrieval.h"

enum { MOST_SEEDS = 100 };
static const char title[] = "Lesson 13. Does it look, or does it only seem to?";

static struct {
    int steps, pairs, most, seeds;
    double longest;
} settings = {.steps = 320, .pairs = 4, .most = MOST_KEYS, .longest = 1.0};

static struct Option options[] = {
    {"steps", OPTION_INTEGER, &settings.steps, "N", "training steps", 1, 10000, NULL, false},
    {"pairs", OPTION_INTEGER, &settings.pairs, "N", "pairs in an example of the lab", 2, LAB_KEYS,
     NULL, false},
    {"most", OPTION_INTEGER, &settings.most, "N", "pairs at most where there are 64 keys", 4,
     MOST_KEYS, NULL, false},
    {"clip", OPTION_REAL, &settings.longest, "X",
     "the length from which on gradients are clipped; 0: none is", 0, 1000000, NULL, false},
    {"seeds", OPTION_INTEGER, &settings.seeds, "N",
     "instead: the lab alone, with N seeds from --seed on", 1, MOST_SEEDS, "no", false},
};

/* What was asked for, trained: what a page needs. */
struct Book {
    struct Training sighted, blind;
    struct Limits limits;
    struct Pairs pairs;
    struct Places places;
};

static struct Book study(const struct Lab *lab, struct Work *work)
{
    struct Recipe recipe = {.keys = LAB_KEYS,
                            .lab = lab,
                            .layers = 1,
                            .longest = settings.longest,
                            .test_every = settings.steps < 10 ? 1 : 10};
    struct Book book = {.sighted = train(recipe, work)};
    recipe.query_only = true;
    book.blind = train(recipe, work);
    book.limits = study_limits(lab, work);
    book.pairs = study_pairs(&book.sighted, settings.most, work);
    book.places = study_places(work);
    return book;
}

/* --seeds. */
static int page_of_seeds(struct Work *work, const struct Common *common)
{
    struct Table *table =
        table_new(common->out, "seeds",
                  "seed before after right no_context changed blind clipped below total");
    puts(title);
    progress_start(&work->bar, 2 * settings.seeds * settings.steps, common->quiet);
    study_seeds(settings.seeds, work, settings.pairs, settings.longest, table);
    table_save(table);
    return page_verdict();
}

static int page_of_book(struct Work *work, const struct Common *common)
{
    static struct Lab lab;
    struct Table *loss = table_new(common->out, "loss", "step loss query_only norm clipped");
    struct Table *test =
        table_new(common->out, "test", "step loss query_only right query_only_right total");
    struct Table *pairs = table_new(common->out, "pairs", "pairs four any same commonest total");
    struct Table *places = table_new(common->out, "places", "reader place right total");
    int trainings = 2 + 2 * LIMITS + 2 + sizes_up_to(settings.most) + READERS;

    puts(title);
    lab_draw(&lab, settings.pairs, work->seed);
    progress_start(&work->bar, trainings * settings.steps, common->quiet);
    struct Book book = study(&lab, work);
    progress_end(&work->bar);

    report_task(&lab);
    report_clipping();
    report_training(&lab, &book.sighted, &book.blind, loss, test);
    report_controls(&lab, &book.sighted);
    report_heads(&lab, &book.sighted);
    report_limits(&book.limits, settings.steps);
    report_pairs(&book.pairs, settings.steps, pairs);
    report_places(&book.places, settings.steps, places);
    report_against(&lab, &book.sighted, work->seed);
    table_save(loss);
    table_save(test);
    table_save(pairs);
    table_save(places);
    training_free(&book.sighted);
    training_free(&book.blind);
    return page_verdict();
}

int main(int argc, char **argv)
{
    struct Common common;
    cli_parse(argc, argv, "Lesson 13: does it look, or does it only seem to?", "13-retrieval",
              &common, options, sizeof options / sizeof *options);
    if (settings.seeds > 0 && common.seed > UINT64_MAX - (uint64_t)(settings.seeds - 1)) {
        die("--seed %llu leaves no room for %d seeds", (unsigned long long)common.seed,
            settings.seeds);
    }
    if (settings.seeds > 0 && options[2].given) {
        die("--most %d: with --seeds the lab runs alone, which has %d keys", settings.most,
            LAB_KEYS);
    }
    struct Work work = {.steps = settings.steps, .seed = common.seed};
    return settings.seeds > 0 ? page_of_seeds(&work, &common) : page_of_book(&work, &common);
}
