/* The bytes hold the struct itself, with the pointers cleared: both processes run the same code on
   the same machine. */
#include "case.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
enum { MARGIN = 0 };
#else
enum { MARGIN = 64 };
#endif
enum { MARGIN_BYTE = 0xa5, ENTRY = 4 };
_Static_assert(sizeof(float) == ENTRY && sizeof(int32_t) == ENTRY, "one size for both kinds");

_Noreturn static void misuse(const char *what, const char *name)
{
    fprintf(stderr, "grader: %s '%s' in a case\n", what, name);
    abort();
}

static void *allocate(int size)
{
    size_t bytes = (size_t)size * ENTRY;
    char *start = malloc(MARGIN + bytes + MARGIN);
    if (start == NULL) {
        misuse("no memory for", "an array");
    }
    memset(start, MARGIN_BYTE, MARGIN);
    memset(start + MARGIN + bytes, MARGIN_BYTE, MARGIN);
    return start + MARGIN;
}

/* The bits of a fresh entry. No processor makes this NaN by itself, but it hands it on. */
static int32_t fresh(const struct Array *a)
{
    return a->integer ? INT32_MIN : 0x7fc0f5e5;
}

bool case_fresh(const struct Array *a, int i)
{
    return a->i[i] == fresh(a); /* compares bits, of floats too */
}

static struct Array *add_array(struct Case *c, enum Role role, bool integer, const char *name,
                               const char *axes, va_list shape)
{
    if (c->n_arrays == MAX_ARRAYS || strlen(name) >= NAME || strlen(axes) > MAX_RANK) {
        misuse("no room for", name);
    }
    struct Array *a = &c->arrays[c->n_arrays++];
    *a = (struct Array){.size = 1, .role = role, .integer = integer};
    strcpy(a->name, name);
    strcpy(a->axes, axes);
    for (int i = 0; axes[i] != '\0'; i++) {
        a->shape[i] = va_arg(shape, int);
        a->size *= a->shape[i];
    }
    a->f = allocate(a->size);
    for (int i = 0; i < a->size; i++) {
        a->i[i] = fresh(a);
    }
    return a;
}

void case_size(struct Case *c, const char *name, double value)
{
    if (c->n_sizes == MAX_SIZES || strlen(name) >= NAME) {
        misuse("no room for", name);
    }
    strcpy(c->sizes[c->n_sizes].name, name);
    c->sizes[c->n_sizes++].value = value;
}

float *case_floats(struct Case *c, enum Role role, const char *name, const char *axes, ...)
{
    va_list shape;
    va_start(shape, axes);
    struct Array *a = add_array(c, role, false, name, axes, shape);
    va_end(shape);
    return a->f;
}

int32_t *case_integers(struct Case *c, enum Role role, const char *name, const char *axes, ...)
{
    va_list shape;
    va_start(shape, axes);
    struct Array *a = add_array(c, role, true, name, axes, shape);
    va_end(shape);
    return a->i;
}

double number(const struct Case *c, const char *name)
{
    for (int i = 0; i < c->n_sizes; i++) {
        if (strcmp(c->sizes[i].name, name) == 0) {
            return c->sizes[i].value;
        }
    }
    misuse("no number", name);
}

int size(const struct Case *c, const char *name)
{
    return (int)number(c, name);
}

const struct Array *case_array(const struct Case *c, const char *name)
{
    for (int i = 0; i < c->n_arrays; i++) {
        if (strcmp(c->arrays[i].name, name) == 0) {
            return &c->arrays[i];
        }
    }
    misuse("no array", name);
}

float *floats(const struct Case *c, const char *name)
{
    const struct Array *a = case_array(c, name);
    return a->integer ? (misuse("no floats", name), NULL) : a->f;
}

int32_t *integers(const struct Case *c, const char *name)
{
    const struct Array *a = case_array(c, name);
    return a->integer ? a->i : (misuse("no integers", name), NULL);
}

/* As a case stands at the beginning of its bytes. */
static struct Case header(const struct Case *c)
{
    struct Case h;
    memcpy(&h, c, sizeof h);
    for (int i = 0; i < h.n_arrays; i++) {
        h.arrays[i].f = NULL;
    }
    return h;
}

size_t case_bytes(const struct Case *c)
{
    size_t bytes = sizeof *c;
    for (int i = 0; i < c->n_arrays; i++) {
        bytes += (size_t)c->arrays[i].size * ENTRY;
    }
    return bytes;
}

void case_write(const struct Case *c, void *bytes)
{
    struct Case h = header(c);
    char *at = (char *)memcpy(bytes, &h, sizeof h) + sizeof h;
    for (int i = 0; i < c->n_arrays; i++) {
        size_t n = (size_t)c->arrays[i].size * ENTRY;
        memcpy(at, c->arrays[i].f, n);
        at += n;
    }
}

static void read_arrays(struct Case *c, const char *at)
{
    for (int i = 0; i < c->n_arrays; i++) {
        size_t n = (size_t)c->arrays[i].size * ENTRY;
        memcpy(c->arrays[i].f, at, n);
        at += n;
    }
}

static void allocate_arrays(struct Case *c)
{
    for (int i = 0; i < c->n_arrays; i++) {
        c->arrays[i].f = allocate(c->arrays[i].size);
    }
}

void case_read(struct Case *c, const void *bytes)
{
    memcpy(c, bytes, sizeof *c);
    allocate_arrays(c);
    read_arrays(c, (const char *)bytes + sizeof *c);
}

bool case_take(struct Case *c, const void *bytes, size_t n)
{
    struct Case h = header(c);
    if (n != case_bytes(c) || memcmp(&h, bytes, sizeof h) != 0) {
        return false;
    }
    read_arrays(c, (const char *)bytes + sizeof h);
    return true;
}

static bool margin_intact(const char *margin)
{
    for (int i = 0; i < MARGIN; i++) {
        if ((unsigned char)margin[i] != MARGIN_BYTE) {
            return false;
        }
    }
    return true;
}

const struct Array *case_overrun(const struct Case *c)
{
    for (int i = 0; i < c->n_arrays; i++) {
        const char *start = (const char *)c->arrays[i].f;
        const char *end = start + (size_t)c->arrays[i].size * ENTRY;
        if (!margin_intact(start - MARGIN) || !margin_intact(end)) {
            return &c->arrays[i];
        }
    }
    return NULL;
}

void case_copy(struct Case *copy, const struct Case *c)
{
    memcpy(copy, c, sizeof *copy);
    allocate_arrays(copy);
    for (int i = 0; i < c->n_arrays; i++) {
        memcpy(copy->arrays[i].f, c->arrays[i].f, (size_t)c->arrays[i].size * ENTRY);
    }
}

void case_free(struct Case *c)
{
    for (int i = 0; i < c->n_arrays; i++) {
        free((char *)c->arrays[i].f - MARGIN);
    }
    *c = (struct Case){0};
}
