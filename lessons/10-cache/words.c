/* The reverser of lesson 07, trained shortly, writes words: from the whole sequence, from a cache,
   and from a cache with one thing wrong. */
#include <stdio.h>
#include <string.h>

#include "common/curve.h"
#include "common/decode.h"
#include "common/page.h"
#include "common/progress.h"
#include "common/reversal.h"
#include "lesson.h"

enum { BATCH = 64, ENOUGH = 400 };

static const struct Way {
    const char *name;
    bool from_zero; /* a new token's position is counted from itself */
    enum Sees sees;
    bool stale; /* the cache still holds the string before */
} ways[] = {
    {"cached", .sees = BY_POSITION},
    {"cached, but each new token says that it stands at 0", .from_zero = true},
    {"cached, but the mask is cut at the wrong corner", .sees = BY_ROW},
    {"cached, but it still holds the string before", .stale = true},
};
enum { WAYS = sizeof ways / sizeof *ways };

static struct Model *trained(struct Batch *batch, const struct Common *common, int steps)
{
    static int32_t tokens[BATCH * CONTEXT], targets[BATCH * CONTEXT];
    struct Model *model = model_new(model_config(VOCAB, CONTEXT, 64, 2, 2), BATCH);
    struct AdamW adamw;
    struct Progress progress;
    struct Rng rng = rng_stream(common->seed, "train");
    model_init(model, common->seed);
    adamw_new(&adamw, model->params.size, 0.003, 0.01);
    progress_start(&progress, steps, common->quiet);
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < BATCH; i++) {
            struct String string = string_draw(&rng, 3, 8);
            reversal_example(tokens + i * CONTEXT, targets + i * CONTEXT, &string, false);
        }
        batch_from_padded(batch, tokens, targets, BATCH, CONTEXT, true);
        double loss = model_gradient(model, batch);
        model_update(model, &adamw);
        progress_step(&progress, step + 1, loss);
    }
    progress_end(&progress);
    adamw_free(&adamw);
    return model;
}

/* The letters and the separator; returns how many. */
static int prompt(int32_t *tokens, const struct String *string)
{
    memcpy(tokens, string->letters, (size_t)string->length * sizeof *tokens);
    tokens[string->length] = SEPARATOR;
    return string->length + 1;
}

/* The prompt at once, then what the model writes, token by token. tokens, logits: all that was read
   and what was said after it; returns the rows. */
static int write_word(struct String *word, int32_t *tokens, float *logits, struct Reader *reader,
                      const struct String *string, const struct Way *way)
{
    int32_t places[CONTEXT];
    int rows = prompt(tokens, string);
    for (int i = 0; i < CONTEXT; i++) {
        places[i] = way->from_zero && i >= rows ? 0 : i;
    }
    reader_read(logits, reader, tokens, places, rows, way->sees);
    word->length = string->length;
    for (int i = 0; i < word->length; i++) {
        word->letters[i] = argmax(logits + (rows - 1) * VOCAB, VOCAB);
        if (i < word->length - 1) { /* the last one need not be read */
            tokens[rows] = word->letters[i];
            reader_read(logits + rows * VOCAB, reader, tokens + rows, places + rows, 1, way->sees);
            rows++;
        }
    }
    return rows;
}

/* Are these logits those of the whole sequence, read at once by the model of common/? */
static bool as_at_once(const float *logits, struct Model *model, struct Batch *batch,
                       const int32_t *tokens, int rows)
{
    batch_clear(batch);
    batch_add(batch, tokens, NULL, rows);
    model_forward(model, batch);
    return memcmp(logits, model_logits(model, 0), (size_t)(rows * VOCAB) * sizeof *logits) == 0;
}

/* Write all the words in one way. Returns how many rows of logits kept every bit. */
static int write_words(struct String *words, const struct String *strings, int count,
                       struct Model *model, struct Batch *batch, const struct Way *way)
{
    struct Reader reader;
    int32_t tokens[CONTEXT], places[CONTEXT];
    float logits[CONTEXT * VOCAB];
    int same = 0;
    reader_new(&reader, model, 2 * CONTEXT);
    for (int i = 0; i < CONTEXT; i++) {
        places[i] = i;
    }
    for (int s = 0; s < count; s++) {
        reader_keep(&reader, 0);
        if (way->stale) {
            int rows = prompt(tokens, &strings[(s + count - 1) % count]);
            reader_read(logits, &reader, tokens, places, rows, BY_POSITION);
        }
        int rows = write_word(&words[s], tokens, logits, &reader, &strings[s], way);
        same += as_at_once(logits, model, batch, tokens, rows);
    }
    reader_free(&reader);
    return same;
}

static int changed(const struct String *words, const struct String *others, int count)
{
    int n = 0;
    for (int s = 0; s < count; s++) {
        size_t size = (size_t)words[s].length * sizeof *words[s].letters;
        n += memcmp(words[s].letters, others[s].letters, size) != 0;
    }
    return n;
}

static void print_way(const char *name, const struct String *words, const struct String *strings,
                      const struct String *anew, int count)
{
    struct Score score = reversal_score(strings, words, count, NULL);
    printf("  %-53s %7d %6d  ", name, changed(words, anew, count), score_right(&score));
    for (int i = 0; i < words[0].length; i++) {
        putchar(token_letter(words[0].letters[i]));
    }
    putchar('\n');
}

struct Model *report_words(const struct Common *common, int steps, int count)
{
    static struct String strings[MOST_WORDS], anew[MOST_WORDS], words[WAYS][MOST_WORDS];
    struct Batch batch;
    int same[WAYS];
    batch_new(&batch, BATCH, CONTEXT);
    struct Model *model = trained(&batch, common, steps);
    strings_draw(strings, count, common->seed, "test", 3, 8);
    reversal_decode(model, &batch, anew, strings, count);
    page_heading("A whole model writes from a cache");
    printf("  The reverser of lesson 07 after %d steps, %d strings of 3 to 8 letters. The\n"
           "  first of them is ",
           steps, count);
    for (int i = 0; i < strings[0].length; i++) {
        putchar(token_letter(strings[0].letters[i]));
    }
    printf(".\n\n  %-53s %7s %6s  %s\n", "", "changed", "right", "first");
    print_way("the whole sequence anew for each token", anew, strings, anew, count);
    for (int w = 0; w < WAYS; w++) {
        same[w] = write_words(words[w], strings, count, model, &batch, &ways[w]);
        print_way(ways[w].name, words[w], strings, anew, count);
    }
    printf("\n  Nothing fails in the wrong ways. Words come out, and no message.\n");
    page_claim(changed(words[0], anew, count) == 0, "with the cache it writes the same words");
    page_claim(same[0] == count,
               "and every logit of all %d strings has the bits of the whole sequence", count);
    page_claim(same[1] == 0 && same[2] == 0 && same[3] == 0, "in a wrong way no string keeps them");
    if (steps >= ENOUGH && count >= 100) {
        page_claim(changed(words[1], anew, count) > count / 2 &&
                       changed(words[2], anew, count) > count / 2 &&
                       changed(words[3], anew, count) > count / 2,
                   "each wrong way changes more than half of the words");
    }
    batch_free(&batch);
    return model;
}
