/* The learner's process: a case comes in on standard input, call() hands it to the learner's
   function, and if that returns, all arrays go out on descriptor 3. Nothing here knows what would
   be right. Before anything of the learner's can run, even a constructor, the process gives up the
   right to do harm: the filter on descriptor 4 (sandbox.c) says which system calls are left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/graders/case.h"

void call(struct Case *c); /* call.c of the exercise */

enum { RESULT = 3, FILTER = 4 };

#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

static struct sock_filter filter[4096];

__attribute__((no_sanitize("address", "undefined"))) static void give_up_rights(void)
{
    ssize_t bytes = read(FILTER, filter, sizeof filter);
    if (bytes <= 0) {
        return; /* the grader has no filter here, and says so */
    }
    close(FILTER);
    struct sock_fprog program = {.len = (unsigned short)((size_t)bytes / sizeof *filter),
                                 .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        _exit(97);
    }
}

/* This runs before every constructor, of the learner's too, as this file is linked first. */
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = give_up_rights;
#endif

static struct Case given;

#if defined(__SANITIZE_ADDRESS__) || defined(HAS_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>

static size_t distance(const char *at, const char *start, const char *end)
{
    return at < start ? (size_t)(start - at) : at >= end ? (size_t)(at - end) + 1 : 0;
}

/* The array that this address most likely belongs to; NULL if none is near. */
static const struct Array *array_near(const char *at)
{
    const struct Array *nearest = NULL;
    size_t least = 1024;
    for (int i = 0; i < given.n_arrays; i++) {
        const char *start = (const char *)given.arrays[i].f;
        size_t d = distance(at, start, start + 4 * given.arrays[i].size);
        if (d < least) {
            least = d;
            nearest = &given.arrays[i];
        }
    }
    return nearest;
}

/* AddressSanitizer calls this before it reports: one line for the grader, which knows the arrays by
   name. */
void __asan_on_error(void)
{
    const char *what = __asan_get_report_description();
    const char *at = __asan_get_report_address();
    const struct Array *a = strstr(what, "heap-buffer-overflow") != NULL ? array_near(at) : NULL;
    if (a == NULL) {
        dprintf(STDERR_FILENO, "grader: %s\n", what);
        return;
    }
    long bytes = at - (const char *)a->f, index = bytes / 4 - (bytes % 4 < 0);
    dprintf(STDERR_FILENO, "grader: %s %zu bytes %s %s (%s[%ld], which has entries 0 to %d)\n",
            __asan_get_report_access_type() ? "writes" : "reads", __asan_get_report_access_size(),
            index < 0 ? "before the beginning of" : "past the end of", a->name, a->name, index,
            a->size - 1);
}
#endif

static void *read_input(size_t *size)
{
    FILE *gathered;
    char *bytes = NULL, part[4096];
    size_t n;
    gathered = open_memstream(&bytes, size);
    while ((n = fread(part, 1, sizeof part, stdin)) > 0) {
        fwrite(part, 1, n, gathered);
    }
    fclose(gathered);
    return bytes;
}

static void write_all(int file, const char *bytes, size_t size)
{
    for (ssize_t n; size > 0; bytes += n, size -= (size_t)n) {
        n = write(file, bytes, size);
        if (n <= 0) {
            _exit(98);
        }
    }
}

int main(void)
{
    size_t size;
    char *bytes = read_input(&size);
    setvbuf(stdout, NULL, _IOLBF, 0); /* what it printed before a crash is to be seen */
    case_read(&given, bytes);
    call(&given);
    const struct Array *overrun = case_overrun(&given);
    if (overrun != NULL) {
        dprintf(STDERR_FILENO, "grader: writes past an end of %s (which has entries 0 to %d)\n",
                overrun->name, overrun->size - 1);
        _exit(99);
    }
    fflush(stdout);
    case_write(&given, bytes);
    write_all(RESULT, bytes, size);
    _exit(0);
}
