/* Strings, examples and the test. Tokens are numbers: 0 to 9 for the letters, then the separator
   and the pad. */
#include "reversal.h"

#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "decode.h"
#include "loss.h"

struct String string_draw(struct Rng *rng, int shortest, int longest)
{
    struct String string = {.length = shortest + rng_below(rng, longest - shortest + 1)};
    for (int i = 0; i < string.length; i++) {
        string.letters[i] = rng_below(rng, LETTERS);
    }
    return string;
}

void strings_draw(struct String *strings, int count, uint64_t seed, const char *stream,
                  int shortest, int longest)
{
    struct Rng rng = rng_stream(seed, stream);
    for (int i = 0; i < count; i++) {
        strings[i] = string_draw(&rng, shortest, longest);
    }
}

bool string_parse(struct String *string, const char *text)
{
    size_t length = strlen(text);
    if (length < 1 || length > LONGEST || strspn(text, "abcdefghij") != length) {
        return false;
    }
    string->length = (int)length;
    for (size_t i = 0; i < length; i++) {
        string->letters[i] = text[i] - 'a';
    }
    return true;
}

uint64_t string_code(const struct String *string)
{
    uint64_t code = 0;
    for (int i = 0; i < string->length; i++) {
        code = code * (LETTERS + 1) + (uint64_t)string->letters[i] + 1;
    }
    return code;
}

char token_letter(int32_t token)
{
    return token >= 0 && token < VOCAB ? "abcdefghij|."[token] : '?';
}

void reversal_example(int32_t *tokens, int32_t *targets, const struct String *string,
                      bool every_position)
{
    int n = string->length, end = 2 * n + 1;
    for (int t = 0; t < CONTEXT; t++) {
        tokens[t] = t < n     ? string->letters[t]
                    : t == n  ? SEPARATOR
                    : t < end ? string->letters[end - 1 - t]
                              : PAD;
    }
    for (int t = 0; t < CONTEXT; t++) {
        bool counts = t < end - 1 && (t >= n || every_position);
        targets[t] = counts ? tokens[t + 1] : IGNORE;
    }
}

bool reversal_string_of(struct String *string, const int32_t *tokens)
{
    int n = 0;
    while (n < LONGEST && tokens[n] < LETTERS) {
        string->letters[n] = tokens[n];
        n++;
    }
    string->length = n;
    return n > 0 && tokens[n] == SEPARATOR;
}

void reversal_decode(struct Model *model, struct Batch *batch, struct String *output,
                     const struct String *strings, int count)
{
    int32_t *tokens = zeros_new((size_t)count * CONTEXT, sizeof *tokens);
    int *length = zeros_new((size_t)count, sizeof *length);
    int *wanted = zeros_new((size_t)count, sizeof *wanted);
    for (int s = 0; s < count; s++) {
        const struct String *string = &strings[s];
        memcpy(tokens + s * CONTEXT, string->letters, (size_t)string->length * sizeof *tokens);
        tokens[s * CONTEXT + string->length] = SEPARATOR;
        length[s] = string->length + 1;
        wanted[s] = string->length;
    }
    decode_greedy(model, batch, tokens, CONTEXT, length, wanted, count);
    for (int s = 0; s < count; s++) {
        output[s].length = wanted[s];
        memcpy(output[s].letters, tokens + s * CONTEXT + wanted[s] + 1,
               (size_t)wanted[s] * sizeof *tokens);
    }
    free(tokens);
    free(length);
    free(wanted);
}

bool reversal_right(const struct String *string, const struct String *output)
{
    bool right = output->length == string->length;
    for (int i = 0; right && i < string->length; i++) {
        right = output->letters[i] == string->letters[string->length - 1 - i];
    }
    return right;
}

struct Score reversal_score(const struct String *strings, const struct String *output, int count,
                            const struct Seen *seen)
{
    struct Score score = {0};
    for (int i = 0; i < count; i++) {
        if (seen == NULL || !seen_has(seen, &strings[i])) {
            score.total[strings[i].length]++;
            score.right[strings[i].length] += reversal_right(&strings[i], &output[i]);
        }
    }
    return score;
}

int score_right(const struct Score *score)
{
    int sum = 0;
    for (int length = 0; length <= LONGEST; length++) {
        sum += score->right[length];
    }
    return sum;
}

int score_total(const struct Score *score)
{
    int sum = 0;
    for (int length = 0; length <= LONGEST; length++) {
        sum += score->total[length];
    }
    return sum;
}

void seen_add(struct Seen *seen, const struct String *string)
{
    if (seen->count == seen->capacity) {
        seen->capacity = seen->capacity > 0 ? 2 * seen->capacity : 1 << 16;
        seen->codes = realloc(seen->codes, seen->capacity * sizeof *seen->codes);
        if (seen->codes == NULL) {
            die("out of memory for the list of %zu strings", seen->capacity);
        }
    }
    seen->codes[seen->count++] = string_code(string);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void seen_close(struct Seen *seen)
{
    if (seen->count > 0) {
        qsort(seen->codes, seen->count, sizeof *seen->codes, by_value);
    }
    size_t distinct = 0;
    for (size_t i = 0; i < seen->count; i++) {
        if (i == 0 || seen->codes[i] != seen->codes[i - 1]) {
            seen->codes[distinct++] = seen->codes[i];
        }
    }
    seen->count = distinct;
}

bool seen_has(const struct Seen *seen, const struct String *string)
{
    uint64_t code = string_code(string);
    return seen->count > 0 &&
           bsearch(&code, seen->codes, seen->count, sizeof code, by_value) != NULL;
}

void seen_free(struct Seen *seen)
{
    free(seen->codes);
    *seen = (struct Seen){0};
}
