/* case: what one check hands to the learner's function and gets back: a few sizes and named arrays.
   The grader makes it and writes it to the learner's process (host.c), which reads it, calls the
   function, and sends all arrays back. The learner's process links this file too, so it needs
   nothing of common.

   A fresh output is full of a NaN of its own kind (INT32_MIN for integers): what the learner never
   writes shows, and a sum that began with it is told from a NaN that was computed. */
#ifndef GRADERS_CASE_H
#define GRADERS_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_ARRAYS = 32, MAX_SIZES = 12, MAX_RANK = 4, NAME = 24 };

enum Role {
    IN,  /* to be read only: that it is the same afterwards is checked */
    OUT, /* to be written */
    BOTH /* holds values that the function reads and replaces or adds to */
};

struct Array {
    char name[NAME];
    char axes[MAX_RANK + 1]; /* a letter for each axis: "bhqk" */
    int shape[MAX_RANK], size;
    enum Role role;
    bool integer;
    union {
        float *f;
        int32_t *i;
    };
};

struct Case {
    int n_sizes, n_arrays;
    struct {
        char name[NAME];
        double value;
    } sizes[MAX_SIZES];
    struct Array arrays[MAX_ARRAYS];
};

/* Add a size or another single number. */
void case_size(struct Case *c, const char *name, double value);

/* Add an array, one int of its shape for each letter of axes:
     float *q = case_floats(c, IN, "q", "bhqd", B, H, T, D);
   to be filled in by the caller where role is IN or BOTH. */
float *case_floats(struct Case *c, enum Role role, const char *name, const char *axes, ...);
int32_t *case_integers(struct Case *c, enum Role role, const char *name, const char *axes, ...);

/* What was added under this name; an unknown name aborts. */
double number(const struct Case *c, const char *name);
int size(const struct Case *c, const char *name);
float *floats(const struct Case *c, const char *name);
int32_t *integers(const struct Case *c, const char *name);
const struct Array *case_array(const struct Case *c, const char *name);

/* Does entry i of an output still hold what it was filled with? A NaN that something is added to
   stays that same NaN. */
bool case_fresh(const struct Array *a, int i);

/* A case as bytes: the struct, then every array. */
size_t case_bytes(const struct Case *c);
void case_write(const struct Case *c, void *bytes);

/* In the learner's process: the case in these bytes. Each array is an allocation of exactly its
   size, so that AddressSanitizer sees the first entry past either end; without AddressSanitizer it
   stands between two margins, which case_overrun looks at: the array that was written past either
   end, or NULL. */
void case_read(struct Case *c, const void *bytes);
const struct Array *case_overrun(const struct Case *c);

/* In the grader: the arrays of c overwritten with those that came back. False, and c as it was, if
   the bytes are not those of the same case. */
bool case_take(struct Case *c, const void *bytes, size_t n);

void case_copy(struct Case *copy, const struct Case *c);
void case_free(struct Case *c);

#endif
