/* Reading with a cache against reading everything at once: not one bit may differ, whatever the
   model, and however the tokens are handed over. */
#include "common/base.h"
#include "common/cache.h"
#include "tests/core/suites.h"
#include "tests/core/trials.h"

enum { VOCAB_SIZE = 9, CONTEXT_SIZE = 150 };

static struct Model *model;
static struct Batch batch;
static int32_t tokens[CONTEXT_SIZE];

/* Kind of position _i, heads alone or in groups, under a window or not. */
static void begin(int kind, bool grouped, int window)
{
    struct ModelConfig config = model_config(VOCAB_SIZE, CONTEXT_SIZE, 24, 6, 3);
    config.position = (enum PositionKind)kind;
    config.attention.n_kv_heads = grouped ? 2 : 6;
    config.attention.mask.window = window;
    TRY("positions %s, grouped %d, window %d", position_name(config.position), grouped, window);
    model = model_new(config, 1);
    model_init(model, seed);
    batch_new(&batch, 1, CONTEXT_SIZE);
    for (int i = 0; i < CONTEXT_SIZE; i++) {
        tokens[i] = rng_below(&rng, VOCAB_SIZE);
    }
}

static void end(void)
{
    batch_free(&batch);
    model_free(model);
}

/* The tokens in pieces of at most size, at these places. */
static void check_reading(int length, int size, const int32_t *place)
{
    size_t count = (size_t)length * VOCAB_SIZE;
    float *logits = array_of("logits", count);
    struct Cache cache;
    batch_clear(&batch);
    batch_add(&batch, tokens, NULL, length);
    for (int i = 0; place != NULL && i < length; i++) {
        batch.positions[i] = place[i];
    }
    model_forward(model, &batch);
    cache_new(&cache, model, length);
    for (int i = 0, n; i < length; i += n) {
        n = 1 + rng_below(&rng, size);
        n = n < length - i ? n : length - i;
        cache_read(logits + i * VOCAB_SIZE, &cache, model, tokens + i,
                   place != NULL ? place + i : NULL, n);
    }
    same_bits("logits", logits, model_logits(model, 0), count);
    cache.length = length / 2; /* half of them are taken back and read again */
    cache_read(logits, &cache, model, tokens + length / 2,
               place != NULL ? place + length / 2 : NULL, length - length / 2);
    same_bits("logits, read again", logits, model_logits(model, length / 2),
              (size_t)(length - length / 2) * VOCAB_SIZE);
    cache_free(&cache);
    arrays_done();
}

START_TEST(a_cache_gives_the_bits_of_the_whole)
{
    for (int i = 0; i < 4; i++) {
        begin(_i, i & 1, i & 2 ? 5 : 0);
        check_reading(20, 1, NULL);
        check_reading(37, 9, NULL);
        check_reading(CONTEXT_SIZE, CONTEXT_SIZE, NULL);
        int32_t place[CONTEXT_SIZE];
        for (int r = 0; r < CONTEXT_SIZE; r++) {
            place[r] = r < 30 ? 4 * r + rng_below(&rng, 4) : rng_below(&rng, CONTEXT_SIZE);
        }
        check_reading(30, 3, place);
        check_reading(CONTEXT_SIZE, CONTEXT_SIZE, place); /* more than are read in one piece */
        end();
    }
}
END_TEST

static void read_too_many(const void *cache)
{
    float logits[3 * VOCAB_SIZE];
    struct Cache copy = *(const struct Cache *)cache;
    cache_read(logits, &copy, model, tokens, NULL, 3);
}

START_TEST(a_full_cache_refuses)
{
    float logits[2 * VOCAB_SIZE];
    struct Cache cache;
    begin(POSITION_LEARNED, false, 0);
    cache_new(&cache, model, 4);
    cache_read(logits, &cache, model, tokens, NULL, 2);
    assert_died(run(read_too_many, &cache),
                "workbook: a cache of 4 tokens that holds 2 has no room for 3 more");
}
END_TEST

static void make_cache(const void *unused)
{
    struct Cache cache;
    (void)unused;
    cache_new(&cache, model, 4);
}

START_TEST(what_cannot_be_kept_is_refused)
{
    static const int32_t documents[CONTEXT_SIZE];
    begin(POSITION_NONE, false, 3);
    struct AttentionConfig *a = &model->config.attention, good = *a, bad[5];
    for (int i = 0; i < COUNT(bad); i++) {
        bad[i] = good;
    }
    bad[0].mask.causal = false;
    bad[1].mask.prefix = 1;
    bad[2].mask.document = documents;
    bad[3].axis = OVER_QUERIES;
    bad[4].stacked = true;
    ck_assert_int_eq(run(make_cache, NULL).status, 0);
    for (int i = 0; i < COUNT(bad); i++) {
        *a = bad[i];
        assert_died(run(make_cache, NULL),
                    "workbook: a cache needs a causal mask without prefix "
                    "and documents, a softmax over keys, and heads side by side");
    }
}
END_TEST

static void read_at(const void *place)
{
    float logits[VOCAB_SIZE];
    struct Cache cache;
    cache_new(&cache, model, 1);
    cache_read(logits, &cache, model, tokens, place, 1);
}

START_TEST(a_place_without_a_row_is_refused)
{
    static const int32_t last = CONTEXT_SIZE - 1, behind = CONTEXT_SIZE, before = -1;
    begin(_i, false, 0);
    bool relative = _i == POSITION_NONE || _i == POSITION_T5 || _i == POSITION_ALIBI;
    ck_assert_int_eq(run(read_at, &last).status, 0);
    if (relative) {
        ck_assert_int_eq(run(read_at, &behind).status, 0);
        ck_assert_int_eq(run(read_at, &before).status, 0);
    } else {
        assert_died(run(read_at, &behind),
                    "workbook: a token at place 150: this model has places 0 to 149");
        assert_died(run(read_at, &before),
                    "workbook: a token at place -1: this model has places 0 to 149");
    }
}
END_TEST

START_TEST(bytes_of_a_cache)
{
    ck_assert(cache_bytes(1, 32, 4096, 8, 128, 2) == 536870912.0);
    ck_assert(cache_bytes(3, 1, 1, 1, 1, 0.5) == 3.0);
}
END_TEST

Suite *cache_suite(void)
{
    Suite *suite = suite_create("cache");
    TCase *cases = new_case(suite, "cache", begin_trials);
    tcase_add_loop_test(cases, a_cache_gives_the_bits_of_the_whole, 0, POSITION_KINDS);
    tcase_add_test(cases, a_full_cache_refuses);
    tcase_add_test(cases, what_cannot_be_kept_is_refused);
    tcase_add_loop_test(cases, a_place_without_a_row_is_refused, 0, POSITION_KINDS);
    tcase_add_test(cases, bytes_of_a_cache);
    return suite;
}
