/* Errors and arrays. Nothing here knows what a tensor is. */
#include "base.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef MEMCHECK /* make sanitize: to valgrind these numbers are not written */
#include <valgrind/memcheck.h>
#endif

const char *program_name = "workbook";

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", program_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

float *array_new(size_t count)
{
    enum { ALIGNMENT = 64 };
    if (count > (SIZE_MAX - ALIGNMENT) / sizeof(float)) {
        die("out of memory: %zu floats are more than an address can reach", count);
    }
    size_t bytes = (count * sizeof(float) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    float *array = aligned_alloc(ALIGNMENT, bytes > 0 ? bytes : ALIGNMENT);
    if (array == NULL) {
        die("out of memory: %zu floats were asked for", count);
    }
    for (size_t i = 0; i < count; i++) {
        array[i] = NAN;
    }
#ifdef MEMCHECK
    VALGRIND_MAKE_MEM_UNDEFINED(array, bytes);
#endif
    return array;
}

void *zeros_new(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        die("out of memory: %zu items of %zu bytes were asked for", count, size);
    }
    return memory;
}
