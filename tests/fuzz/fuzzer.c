/* What libFuzzer calls. FUZZ_TARGET says which target is meant, FUZZ_OUT where it may write.

   The code under test is compiled with exit() renamed to fuzz_exit(), which jumps back: so die() can
   be survived a million times. What was allocated on the way to it is given back here. */
#include <sanitizer/allocator_interface.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets.h"

#undef exit
_Noreturn void exit(int status); /* the library's own: its header declared fuzz_exit */

enum { MOST_BLOCKS = 1 << 16 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
_Noreturn void fuzz_exit(int status);

static const struct Target *target;
static jmp_buf back;
static bool running;
static int last_status;
static const volatile void *blocks[MOST_BLOCKS]; /* allocated since the attempt began */
static int n_blocks;
static char said[1 << 14];

static void note_allocated(const volatile void *block, size_t size)
{
    (void)size;
    if (running && n_blocks < MOST_BLOCKS) {
        blocks[n_blocks++] = block;
    }
}

static void note_freed(const volatile void *block)
{
    for (int i = n_blocks - 1; running && i >= 0; i--) {
        if (blocks[i] == block) {
            blocks[i] = blocks[--n_blocks];
            return;
        }
    }
}

static void free_the_rest(void)
{
    running = false;
    for (int i = 0; i < n_blocks; i++) {
        free((void *)(uintptr_t)blocks[i]);
    }
}

void fuzz_exit(int status)
{
    if (!running) {
        exit(status);
    }
    last_status = status;
    longjmp(back, 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *directory = getenv("FUZZ_OUT");
    target = target_named(getenv("FUZZ_TARGET"));
    if (target == NULL) {
        fprintf(stderr, "FUZZ_TARGET names no target\n");
        exit(2);
    }
    targets_prepare(directory != NULL ? directory : ".");
    stdout = fopen("/dev/null", "w"); /* --help */
    __sanitizer_install_malloc_and_free_hooks(note_allocated, note_freed);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    FILE *terminal = stderr;
    stderr = fmemopen(said, sizeof said - 1, "w");
    setvbuf(stderr, NULL, _IONBF, 0);
    memset(said, 0, sizeof said);
    n_blocks = 0;
    last_status = 0;
    running = true;
    if (setjmp(back) == 0) {
        target->attempt(bytes, size);
        running = false; /* what it did not free is a leak, and LeakSanitizer says so */
    } else {
        free_the_rest();
    }
    fclose(stderr);
    stderr = terminal;
    if (!refused_well(last_status, said)) {
        fprintf(stderr, "exit %d, and it said: %s", last_status, said);
        abort();
    }
    return 0;
}

/* Where the next sign of JSON stands, from a random place on. */
static size_t next_sign(const uint8_t *text, size_t size, unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    size_t start = (*seed >> 8) % size, i = 0;
    while (i < size && memchr("[]{},:", text[(start + i) % size], 6) == NULL) {
        i++;
    }
    return (start + i) % size;
}

/* Put what stands between two signs of JSON before a third as well: one dimension, one tensor more.
   Bytes changed at random seldom leave JSON. Returns the new size. */
static size_t copy_words(uint8_t *text, size_t size, size_t most, unsigned seed)
{
    static uint8_t words[1 << 13];
    if (size == 0) {
        return 0;
    }
    size_t a = next_sign(text, size, &seed), b = next_sign(text, size, &seed);
    size_t at = next_sign(text, size, &seed), begin = a < b ? a : b, n = a < b ? b - a : a - b;
    if (n > sizeof words || size + n > most) {
        return size;
    }
    memcpy(words, text + begin, n);
    memmove(text + at + n, text + at, size - at);
    memcpy(text + at, words, n);
    return size + n;
}

/* A file whose first eight bytes do not fit its header gets no further. So every other time the
   header alone is changed, and its length set right. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    enum { LENGTH = 8 };
    static uint8_t data[1 << 20];
    uint64_t header = 0;
    for (int i = LENGTH - 1; i >= 0 && size >= LENGTH; i--) {
        header = header << 8 | bytes[i];
    }
    size_t rest = size < LENGTH ? 0 : size - LENGTH - (size_t)header;
    if (!target->safetensors || seed % 4 == 0 || size < LENGTH || header > size - LENGTH ||
        rest > sizeof data || most < LENGTH + rest + header) {
        return LLVMFuzzerMutate(bytes, size, most);
    }
    memcpy(data, bytes + LENGTH + header, rest);
    header = seed % 4 == 1 ? copy_words(bytes + LENGTH, (size_t)header, most - LENGTH - rest, seed)
                           : LLVMFuzzerMutate(bytes + LENGTH, (size_t)header, most - LENGTH - rest);
    for (int i = 0; i < LENGTH; i++) {
        bytes[i] = (uint8_t)(header >> 8 * i);
    }
    memcpy(bytes + LENGTH + header, data, rest);
    return LENGTH + (size_t)header + rest;
}
