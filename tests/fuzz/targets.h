/* targets: everything that reads what the programs did not write themselves, each as a function of
   some bytes. clang's libFuzzer invents the bytes (fuzzer.c); without it the seeds, and every input
   that ever failed, are tried again (replay.c).

   Bytes may be refused by die(): that is exit(2) after one printable line. Anything else that ends
   the process is a fault, and so is a promise of a header that does not hold, for which a target
   calls abort(). */
#ifndef FUZZ_TARGETS_H
#define FUZZ_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Target {
    const char *name; /* of its directories seeds/NAME and regressions/NAME, too */
    void (*attempt)(const uint8_t *bytes, size_t size);
    bool safetensors; /* are the bytes such a file? */
};

/* The one with this name, or NULL; a list that ends with a name that is NULL. */
const struct Target *target_named(const char *name);
extern const struct Target targets[];

/* Once before all attempts: what is expensive. directory: for what a target writes. */
void targets_prepare(const char *directory);

/* Did a program that ended like this refuse its input as it should? said: all of its stderr. */
bool refused_well(int status, const char *said);

/* abort() with this word on stderr unless it holds. */
void must(bool holds, const char *what);

/* The targets, and what they need at the start. */
void try_safetensors(const uint8_t *bytes, size_t size);
void try_checkpoint(const uint8_t *bytes, size_t size);
void try_batches(const uint8_t *bytes, size_t size);
void try_worksheet(const uint8_t *bytes, size_t size);
void try_answers(const uint8_t *bytes, size_t size);
void try_options(const uint8_t *bytes, size_t size);
void try_string(const uint8_t *bytes, size_t size);
void prepare_files(const char *directory);

/* The path of a file with these bytes, the same at each call. */
const char *as_file(const uint8_t *bytes, size_t size);

#endif
