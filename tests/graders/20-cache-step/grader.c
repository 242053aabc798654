#include "tests/graders/exercise.h"

#include <math.h>
#include <string.h>

#include "tests/graders/double.h"

/* length[l] of the rows of layer l hold what was read; the others are left of other texts, and
   larger, so that they show. */
static void make(struct Case *c, struct Rng *rng, int layers, int layer, int H, int Hkv,
                 int capacity, int d, const int *length, int steps)
{
    case_size(c, "layer", layer);
    case_size(c, "H", H);
    case_size(c, "Hkv", Hkv);
    case_size(c, "capacity", capacity);
    case_size(c, "d_head", d);
    case_size(c, "steps", steps);
    draw(rng, case_floats(c, IN, "q", "shc", steps, H, d), steps * H * d);
    draw(rng, case_floats(c, IN, "k", "sgc", steps, Hkv, d), steps * Hkv * d);
    draw(rng, case_floats(c, IN, "v", "sgc", steps, Hkv, d), steps * Hkv * d);
    case_floats(c, OUT, "out", "shc", steps, H, d);
    int rows = layers * Hkv * capacity;
    float *const both[] = {case_floats(c, BOTH, "keys", "lgjc", layers, Hkv, capacity, d),
                           case_floats(c, BOTH, "values", "lgjc", layers, Hkv, capacity, d)};
    for (int i = 0; i < 2 * rows * d; i++) {
        float *x = both[i % 2] + i / 2;
        int row = i / 2 / d;
        draw(rng, x, 1);
        *x *= row % capacity < length[row / capacity / Hkv] ? 1.0f : 2.0f;
    }
    int32_t *lengths = case_integers(c, BOTH, "length", "l", layers);
    for (int l = 0; l < layers; l++) {
        lengths[l] = length[l];
    }
}

static void middle(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 1, 6, 3, 9, 4, (int[]){2, 4, 7}, 1);
}

static void empty(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 1, 4, 2, 5, 3, (int[]){3, 0}, 1);
}

static void nearly_full(struct Case *c, struct Rng *rng)
{
    make(c, rng, 2, 0, 6, 2, 7, 5, (int[]){6, 3}, 1);
}

static void own_heads(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 2, 3, 3, 8, 4, (int[]){6, 1, 3}, 1);
}

static void one_for_all(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 1, 5, 1, 6, 2, (int[]){4, 3, 2}, 1);
}

static void several(struct Case *c, struct Rng *rng)
{
    make(c, rng, 3, 1, 4, 2, 7, 3, (int[]){1, 0, 2}, 5);
}

static const struct Check checks[] = {
    {"the middle of 3 layers, 4 rows kept, room for 9", middle},
    {"an empty cache: the first token", empty},
    {"room for one more and no further", nearly_full},
    {"keys and values for each query head", own_heads},
    {"one head of keys and values for all", one_for_all},
    {"5 steps, one after the other", several},
};

enum {
    FORGETS,
    STALE_SELF,
    ROW_0,
    ROW_LATE,
    ADVANCED_FIRST,
    LAST_ROW,
    CAPACITY,
    ZEROS_COUNT,
    ZEROS_MIX,
    BY_KEYS,
    BY_LENGTH,
    TOKEN_MAJOR,
    FIRST_ONLY,
    ITSELF,
    MODULO,
    BY_HKV,
    HEAD_0,
    SHARED_QUERY,
    NO_SOFTMAX,
    UNSCALED,
    BY_D,
    D_MODEL,
    LAYER_0,
    READS_LAYER_0,
    LENGTH_0,
    READS_LENGTH_0,
    NOT_ADVANCED,
    ADVANCED_EACH,
    NOT_KEPT,
    KEYS_ONLY,
    K_AS_V,
    MIXES_KEYS
};

static const char by_rows[] = "You go from head to head by the rows that are filled; each head has "
                              "room for capacity rows, so head g begins at row g*capacity.";

static const char zeros[] =
    "Rows that hold nothing yet take part in your softmax, with scores of 0. That is a score like "
    "any other and gets a weight; it should be the softmax of length[layer] + 1 scores.";

static const char late[] =
    "You write one row too late, as when length is advanced first. Rows count "
    "from 0, so the first free one is row length[layer] as it was.";

static const struct Mistake mistakes[] = {
    [FORGETS] = {"forgets-itself", "The new token does not look at itself: it sees length[layer] "
                                   "keys, the old ones. Append first, then it is one more."},
    [STALE_SELF] = {"before-appending",
                    "You attend over length[layer] + 1 rows before the new key and value are in: "
                    "the last row still holds what another text left there. Append first."},
    [ROW_0] = {"row-0", "You write the new key and value to row 0, over those of the first token. "
                        "The new token stands behind the others, in row length[layer]."},
    [ROW_LATE] = {"row-late", late},
    [ADVANCED_FIRST] = {"advanced-first", late},
    [LAST_ROW] = {"last-row",
                  "You write over the row of the last token, length[layer] - 1. The first "
                  "free row is length[layer]."},
    [CAPACITY] = {"capacity",
                  "Your query looks at all capacity rows; those from length[layer] + 1 on "
                  "hold what other texts left there."},
    [ZEROS_COUNT] = {"zeros-count", zeros},
    [ZEROS_MIX] = {"zeros-mix", zeros},
    [BY_KEYS] = {"by-keys", by_rows},
    [BY_LENGTH] = {"by-length", by_rows},
    [TOKEN_MAJOR] = {"token-major",
                     "You take keys and values as (layers,capacity,Hkv,d_head), all heads of a "
                     "token side by side. They are (layers,Hkv,capacity,d_head), all rows of a "
                     "head."},
    [FIRST_ONLY] = {"first-only",
                    "Your query sees key 0 and no other: that is row 0 of a causal mask. The new "
                    "token is row length[layer], and sees all keys up to its own."},
    [ITSELF] = {"only-itself", "Your query looks at its own key alone, as if the text began here. "
                               "What is kept is there to be looked at."},
    [MODULO] = {"modulo", "You take h % Hkv for the head of keys and values; neighbours share one, "
                          "so it should be h / (H/Hkv)."},
    [BY_HKV] = {"by-hkv", "You take h / Hkv for the head of keys and values; it should be "
                          "h / (H/Hkv), as H/Hkv query heads share one."},
    [HEAD_0] = {"head-0", "All query heads look at head 0 of keys and values; query head h should "
                          "look at head h / (H/Hkv)."},
    [SHARED_QUERY] = {"shared-query",
                      "You take the query of head h / (H/Hkv) of q. Keys and values are shared, "
                      "queries are not: it should be that of head h."},
    [NO_SOFTMAX] = {"no-softmax", "There is no softmax: you mix the values by the scores "
                                  "themselves."},
    [UNSCALED] = {"unscaled", "You do not divide the scores by sqrt(d_head)."},
    [BY_D] = {"by-d", "You divide the scores by d_head; it should be by its square root."},
    [D_MODEL] = {"d-model", "You divide by sqrt(H*d_head), the width of all heads; each score is "
                            "made of d_head products and needs sqrt(d_head)."},
    [LAYER_0] = {"layer-0", "You keep everything in the rows of layer 0: the index of keys and "
                            "values lacks layer*Hkv*capacity rows."},
    [READS_LAYER_0] = {"reads-layer-0", "You append to the rows of this layer and then look at "
                                        "those of layer 0: each layer has keys of its own."},
    [LENGTH_0] = {"length-0", "You use and advance the length of layer 0; it should be "
                              "length[layer]."},
    [READS_LENGTH_0] = {"reads-length-0",
                        "You take the number of rows from length[0] and advance length[layer]; it "
                        "should be length[layer] both times."},
    [NOT_ADVANCED] = {"not-advanced", "length[layer] stays as it was, so the next token will "
                                      "overwrite this one. It should be one more at the end."},
    [ADVANCED_EACH] = {"advanced-each", "You advance length[layer] once for each head of keys and "
                                        "values; one token came, so it should be by 1 in all."},
    [NOT_KEPT] = {"not-kept", "The new key and value count for this step and are not kept: keys "
                              "and values do not hold them afterwards."},
    [KEYS_ONLY] = {"keys-only", "You keep the new key and not the new value: both are appended, "
                                "in the same row."},
    [K_AS_V] = {"k-as-v", "You append the new key to values too; what belongs there is the new "
                          "value, v."},
    [MIXES_KEYS] = {"mixes-keys", "You mix the keys into out; the weights come from keys, but what "
                                  "they mix are the values."},
};

/* The cache as it lies in memory. */
struct Cache {
    double *keys, *values;
    int layer, Hkv, capacity, d, size;
    int at, n; /* where the new row goes, how many keys there are with it */
};

/* Where row j of head g begins. */
static int row(const struct Cache *s, int layer, int g, int j, Mistakes m)
{
    int room = made(m, BY_KEYS) ? s->n : made(m, BY_LENGTH) ? s->n - 1 : s->capacity;
    return made(m, TOKEN_MAJOR) ? ((layer * s->capacity + j) * s->Hkv + g) * s->d
                                : ((layer * s->Hkv + g) * room + j) * s->d;
}

/* A place of x; what lies outside of the array is NaN, and is not written. */
static double read(const struct Cache *s, const double *x, int i)
{
    return i >= 0 && i < s->size ? x[i] : NAN;
}
static void write(const struct Cache *s, double *x, int i, double value)
{
    if (i >= 0 && i < s->size) {
        x[i] = value;
    }
}

static void append(struct Cache *s, const float *k, const float *v, Mistakes m)
{
    for (int i = 0; i < s->Hkv * s->d; i++) {
        int to = row(s, made(m, LAYER_0) ? 0 : s->layer, i / s->d, s->at, m) + i % s->d;
        write(s, s->keys, to, k[i]);
        if (!made(m, KEYS_ONLY)) {
            write(s, s->values, to, made(m, K_AS_V) ? k[i] : v[i]);
        }
    }
}

/* out (d) for query head h of H; q (H,d). */
static void attend(double *out, const float *q, const struct Cache *s, int h, int H, Mistakes m)
{
    int d = s->d, layer = made(m, LAYER_0) || made(m, READS_LAYER_0) ? 0 : s->layer;
    int g = made(m, MODULO)   ? h % s->Hkv
            : made(m, BY_HKV) ? h / s->Hkv
            : made(m, HEAD_0) ? 0
                              : h / (H / s->Hkv);
    int first = made(m, ITSELF) ? s->n - 1 : 0;
    int seen = made(m, FORGETS)      ? s->n - 1
               : made(m, CAPACITY)   ? s->capacity
               : made(m, FIRST_ONLY) ? 1
                                     : s->n - first;
    bool zeros_too = (made(m, ZEROS_COUNT) || made(m, ZEROS_MIX)) && seen < s->capacity;
    int in_softmax = zeros_too ? s->capacity : seen;
    double scale = made(m, UNSCALED)  ? 1.0
                   : made(m, BY_D)    ? d
                   : made(m, D_MODEL) ? sqrt(H * d)
                                      : sqrt(d);
    double w[in_softmax + 1];
    memset(w, 0, sizeof w);
    q += (made(m, SHARED_QUERY) ? g : h) * d;
    for (int j = 0; j < seen; j++) {
        for (int i = 0; i < d; i++) {
            w[j] += q[i] * read(s, s->keys, row(s, layer, g, first + j, m) + i) / scale;
        }
    }
    if (!made(m, NO_SOFTMAX)) {
        softmax_in_double(w, in_softmax, 1);
    }
    seen = made(m, ZEROS_MIX) ? in_softmax : seen;
    for (int i = 0; i < d; i++) {
        out[i] = 0.0;
        for (int j = 0; j < seen; j++) {
            const double *mixed = made(m, MIXES_KEYS) ? s->keys : s->values;
            out[i] += w[j] * read(s, mixed, row(s, layer, g, first + j, m) + i);
        }
    }
}

static void step(double *out, double *length, struct Cache *s, const float *q, const float *k,
                 const float *v, int H, Mistakes m)
{
    double *of_layer = length + (made(m, LENGTH_0) ? 0 : s->layer);
    double keys[s->size], values[s->size];
    memcpy(keys, s->keys, sizeof keys);
    memcpy(values, s->values, sizeof values);
    s->n = (int)length[made(m, READS_LENGTH_0) ? 0 : of_layer - length] + 1;
    s->n += made(m, ADVANCED_FIRST);
    s->at = made(m, ROW_0) ? 0 : made(m, ROW_LATE) ? s->n : made(m, LAST_ROW) ? s->n - 2 : s->n - 1;
    if (!made(m, STALE_SELF)) {
        append(s, k, v, m);
    }
    for (int h = 0; h < H; h++) {
        attend(out + h * s->d, q, s, h, H, m);
    }
    if (made(m, STALE_SELF)) {
        append(s, k, v, m);
    }
    if (made(m, NOT_KEPT)) {
        memcpy(s->keys, keys, sizeof keys);
        memcpy(s->values, values, sizeof values);
    }
    *of_layer += made(m, NOT_ADVANCED) ? 0 : made(m, ADVANCED_EACH) ? s->Hkv : 1;
}

static void expect(struct Wanted *want, const struct Case *c, Mistakes m)
{
    int H = size(c, "H"), steps = size(c, "steps");
    struct Cache s = {.keys = wanted(want, c, "keys"),
                      .values = wanted(want, c, "values"),
                      .layer = size(c, "layer"),
                      .Hkv = size(c, "Hkv"),
                      .capacity = size(c, "capacity"),
                      .d = size(c, "d_head"),
                      .size = case_array(c, "keys")->size};
    double *out = wanted(want, c, "out"), *length = wanted(want, c, "length");
    for (int i = 0; i < steps; i++) {
        int of_q = i * H * s.d, of_kv = i * s.Hkv * s.d;
        step(out + of_q, length, &s, floats(c, "q") + of_q, floats(c, "k") + of_kv,
             floats(c, "v") + of_kv, H, m);
    }
}

const struct Exercise exercise_cache_step = {
    .name = "20-cache-step",
    .lesson = "lesson 10",
    .function = "cache_step",
    .checks = checks,
    .n_checks = sizeof checks / sizeof *checks,
    .mistakes = mistakes,
    .n_mistakes = sizeof mistakes / sizeof *mistakes,
    .expect = expect,
};
