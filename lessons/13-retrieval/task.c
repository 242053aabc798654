/* The task: look up the value of a key. Which key has which value is drawn anew for each example,
   so nothing that a model keeps in its weights can know it: it must look. */
#include <stdio.h>
#include <string.h>

#include "common/base.h"
#include "common/loss.h"
#include "common/page.h"
#include "retrieval.h"

/* The rows begin a deck of cards, which is shuffled as far as it is needed (Fisher and Yates). */
struct Example example_draw(struct Rng *rng, int keys, int pairs)
{
    struct Example e = {.pairs = pairs};
    int32_t deck[MOST_KEYS];
    for (int i = 0; i < keys; i++) {
        deck[i] = i;
    }
    for (int i = 0; i < pairs; i++) {
        int other = i + rng_below(rng, keys - i);
        e.keys[i] = deck[other];
        deck[other] = deck[i];
        e.values[i] = rng_below(rng, VALUES);
    }
    example_ask(&e, rng_below(rng, pairs));
    return e;
}

void example_ask(struct Example *e, int row)
{
    e->asked = row;
    e->keys[e->pairs] = e->keys[row];
    e->values[e->pairs] = MASK;
}

int example_answer(const struct Example *e)
{
    return e->values[e->asked];
}

/* The model of common/ adds two rows for each row of a batch: one by its token, one by its position.
   Here the token is the key, and the position is no place at all but the value: the second table
   has a row for each value and one for MASK. Where a row stands, nobody tells the model. */
void example_add(struct Batch *batch, const struct Example *e, int first)
{
    int32_t targets[MOST_ROWS];
    int row = batch->rows, length = e->pairs + 1 - first;
    for (int i = 0; i < length; i++) {
        targets[i] = i == length - 1 ? example_answer(e) : IGNORE;
    }
    batch_add(batch, e->keys + first, targets, length);
    memcpy(batch->positions + row, e->values + first, (size_t)length * sizeof *e->values);
}

/* Two lab examples have the same code if they have the same pairs, in whatever order, and ask for
   the same key: that key, and for each key a digit in base 9, its value + 1, or 0 if it is not
   there. */
static uint64_t example_code(const struct Example *e)
{
    uint64_t digits[LAB_KEYS] = {0}, code = (uint64_t)e->keys[e->pairs];
    for (int i = 0; i < e->pairs; i++) {
        digits[e->keys[i]] = (uint64_t)e->values[i] + 1;
    }
    for (int key = 0; key < LAB_KEYS; key++) {
        code = code * (VALUES + 1) + digits[key];
    }
    return code;
}

static bool seen(uint64_t code, const uint64_t *codes, int count)
{
    for (int i = 0; i < count; i++) {
        if (codes[i] == code) {
            return true;
        }
    }
    return false;
}

/* Does e ask what f asks, of the same pairs in whatever order? Each pair of e must be one of f. */
static bool same_question(const struct Example *e, const struct Example *f)
{
    int found = 0;
    for (int i = 0; i < e->pairs * f->pairs; i++) {
        int a = i / f->pairs, b = i % f->pairs;
        found += e->keys[a] == f->keys[b] && e->values[a] == f->values[b];
    }
    return found == e->pairs && e->keys[e->pairs] == f->keys[f->pairs];
}

/* Example i of both sets, the training set first. */
static const struct Example *lab_example(const struct Lab *lab, int i)
{
    return i < TRAINED ? &lab->train[i] : &lab->test[i - TRAINED];
}

/* What was drawn before is thrown away and drawn again. */
void lab_draw(struct Lab *lab, int pairs, uint64_t seed)
{
    static uint64_t codes[TRAINED + TESTED];
    struct Rng train = rng_stream(seed, "train"), test = rng_stream(seed, "test");
    lab->pairs = pairs;
    for (int i = 0; i < TRAINED + TESTED; i++) {
        struct Example *e = i < TRAINED ? &lab->train[i] : &lab->test[i - TRAINED];
        do {
            *e = example_draw(i < TRAINED ? &train : &test, LAB_KEYS, pairs);
            codes[i] = example_code(e);
        } while (seen(codes[i], codes, i));
    }
}

/* How many examples were there before, compared row by row and not by their codes. */
static int repeated(const struct Lab *lab)
{
    int count = 0;
    for (int i = 0; i < TRAINED + TESTED; i++) {
        for (int j = 0; j < i; j++) {
            count += same_question(lab_example(lab, i), lab_example(lab, j));
        }
    }
    return count;
}

static void print_example(const struct Example *e)
{
    printf(" ");
    for (int i = 0; i <= e->pairs; i++) {
        printf(" %s%c%c", i == e->pairs ? "| " : "", 'a' + (int)e->keys[i],
               "01234567?"[e->values[i]]);
    }
    printf("   answer %d\n", example_answer(e));
}

void report_task(const struct Lab *lab)
{
    page_heading("The task: look it up");
    for (int i = 0; i < 3; i++) {
        print_example(&lab->train[i]);
    }
    printf("  Each row is a key, a to h, with a value, 0 to 7: the sum of a row of one table\n"
           "  and a row of another. The last row has a key again, and ? for its value. The\n"
           "  answer is read from that row, and the loss is taken there and nowhere else.\n\n"
           "  The two tables are those that other lessons use for tokens and positions: the\n"
           "  key is the token, the value is the position, and ? is the %dth row of %d. No row\n"
           "  knows where it stands.\n",
           VALUES + 1, VALUES + 1);
    printf("  %s examples to train on and %d to test, drawn with %d pairs each.\n",
           grouped(TRAINED).text, TESTED, lab->pairs);
    page_claim(repeated(lab) == 0, "no two of them ask the same of the same pairs, in any order");
}
