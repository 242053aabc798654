/* reversal: the task. A string of letters a to j, a separator, the string backwards:
     tokens   f g c | c g f . . .      targets  _ _ _ c g f _ _ _
   The target at each position is the next token, from the separator on; elsewhere IGNORE. Pads (.)
   fill a training example up to the context. A test string counts only if every letter is right. */
#ifndef COMMON_REVERSAL_H
#define COMMON_REVERSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "rng.h"

enum {
    LETTERS = 10,
    SEPARATOR = 10,
    PAD = 11,
    VOCAB = 12,
    CONTEXT = 25, /* 12 letters, the separator, 12 letters */
    LONGEST = 12,
};

struct String {
    int length;
    int32_t letters[LONGEST];
};

/* A string with its length drawn evenly from shortest..longest, then each letter evenly. */
struct String string_draw(struct Rng *rng, int shortest, int longest);

/* The first count strings of the stream of this name. */
void strings_draw(struct String *strings, int count, uint64_t seed, const char *stream,
                  int shortest, int longest);

/* The text "fgc" as a string. False unless it is 1 to LONGEST letters from a to j. */
bool string_parse(struct String *string, const char *text);

/* Two strings are the same if their codes are. */
uint64_t string_code(const struct String *string);

/* 'a'..'j', '|' or '.'; '?' for what is no token. */
char token_letter(int32_t token);

/* The padded training example; tokens, targets (CONTEXT) overwritten. every_position: the letters
   before the separator are targets too (a fault). */
void reversal_example(int32_t *tokens, int32_t *targets, const struct String *string,
                      bool every_position);

/* The letters before the separator of a padded example, whatever stands behind it. False if
   there are none, or no separator. */
bool reversal_string_of(struct String *string, const int32_t *tokens);

/* output[i] overwritten with what the model writes for strings[i], by greedy decoding: as many
   tokens as the string has letters. batch is overwritten. */
void reversal_decode(struct Model *model, struct Batch *batch, struct String *output,
                     const struct String *strings, int count);

/* The strings that training has seen. */
struct Seen {
    uint64_t *codes;
    size_t count, capacity; /* after seen_close: sorted, each string once */
};
void seen_add(struct Seen *seen, const struct String *string);
void seen_close(struct Seen *seen);
bool seen_has(const struct Seen *seen, const struct String *string); /* after seen_close */
void seen_free(struct Seen *seen);

/* Is output string backwards? */
bool reversal_right(const struct String *string, const struct String *output);

/* How many of the test strings of each length came out right. */
struct Score {
    int right[LONGEST + 1], total[LONGEST + 1];
};

/* Count output[i] for strings[i]; seen not NULL: only the strings that it does not hold. */
struct Score reversal_score(const struct String *strings, const struct String *output, int count,
                            const struct Seen *seen);
int score_right(const struct Score *score);
int score_total(const struct Score *score);

#endif
