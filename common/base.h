/* base: what every file may use. An error is one sentence and an exit; a fresh array is full of
   NaN, so that a value never written shows at once; and the arithmetic is IEEE single precision,
   or the file does not compile. */
#ifndef COMMON_BASE_H
#define COMMON_BASE_H

#include <float.h>
#include <stddef.h>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error                                                                                             \
    "This project promises the same bits everywhere: build it without -ffast-math or -ffinite-math-only."
#endif
_Static_assert(sizeof 1.0 == sizeof(double), "build it without -fsingle-precision-constant");
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "float arithmetic must round to float at each step (on 32-bit x86: -msse2 -mfpmath=sse)."
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error                                                                                             \
    "Weights are read and written as little-endian bytes: this machine would need a byte swap in safetensors.c."
#endif

/* The name that stands before each error message. cli_parse sets it from argv[0]. */
extern const char *program_name;

/* Print "program: message" on stderr as one line and exit with status 2: the input or the
   machine was not fit. A failed claim is another thing: the program finishes its page and
   returns 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* count floats, aligned to 64 bytes, every one of them NaN. Dies when memory is short. free()
   gives it back. */
float *array_new(size_t count);

/* calloc that dies: size bytes of zeros for structs and integers. free() gives it back. */
void *zeros_new(size_t count, size_t size);

static inline int round_up(int n, int multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

#endif
