/* sandbox: run a program that may do anything, and be left with nothing but its answer. It gets a
   process group of its own, limits on time, memory, files and processes, and no terminal; when it
   ends, or has to be ended, the whole group is killed. */
#ifndef GRADERS_SANDBOX_H
#define GRADERS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

struct Limits {
    double seconds;   /* of processor time; of the wall clock five times as many */
    size_t memory;    /* bytes resident at once */
    size_t file_size; /* bytes in a file that it writes; 0: it may write none */
    bool
        untrusted; /* the learner's own code: no new process or thread, no file to write, no network */
};

enum How { EXITED, SIGNALLED, OUT_OF_TIME, OUT_OF_MEMORY };

struct Ended {
    enum How how;
    int status; /* the exit status, or the signal */
    /* What it wrote to stdout, stderr and descriptor 3, NUL-terminated. Of the first two only the
       first 64 KiB are kept and the rest is counted. */
    struct Text {
        char *bytes;
        size_t size, total;
    } out, err, result;
};

/* Run argv[0] (a path) with these bytes as its standard input. */
struct Ended sandbox_run(char *const argv[], const void *input, size_t input_size,
                         const struct Limits *limits);
void ended_free(struct Ended *ran);

#endif
