/* Try what stands in tests/fuzz/seeds and tests/fuzz/regressions again, each file in a child of its
   own: it ends by itself, or with one printable line and status 2. Needs no clang. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base.h"
#include "common/file.h"
#include "targets.h"

enum { MOST_BYTES = 1 << 20, MOST_SECONDS = 20 };

static size_t read_bytes(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        die("cannot read %s", printable(path).text);
    }
    size_t size = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    return size;
}

static _Noreturn void attempt(const struct Target *target, const uint8_t *bytes, size_t size,
                              int err)
{
    alarm(MOST_SECONDS);
    dup2(err, STDERR_FILENO);
    if (freopen("/dev/null", "w", stdout) == NULL) {
        abort();
    }
    target->attempt(bytes, size);
    exit(0);
}

/* Was the file taken or refused as it should be? */
static bool holds(const struct Target *target, const char *path)
{
    static uint8_t bytes[MOST_BYTES];
    static char said[1 << 14];
    size_t size = read_bytes(path, bytes);
    FILE *err = tmpfile();
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        attempt(target, bytes, size, fileno(err));
    }
    if (err == NULL || child < 0 || waitpid(child, &status, 0) != child) {
        die("no child can be started");
    }
    rewind(err);
    said[fread(said, 1, sizeof said - 1, err)] = '\0';
    fclose(err);
    bool good = WIFEXITED(status) && refused_well(WEXITSTATUS(status), said);
    if (!good) {
        printf("tests/fuzz: %s: %s %d, and it said: %s\n", path,
               WIFEXITED(status) ? "status" : "signal",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), said);
    }
    return good;
}

/* All files of a directory: how many there were; *failed grows by those that do not hold. */
static int replay(const struct Target *target, const char *kind, int *failed)
{
    char path[1000];
    int count = 0;
    snprintf(path, sizeof path, "tests/fuzz/%s/%s", kind, target->name);
    DIR *directory = opendir(path);
    if (directory == NULL) {
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "tests/fuzz/%s/%s/%s", kind, target->name, entry->d_name);
            *failed += !holds(target, path);
            count++;
        }
    }
    closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    int failed = 0, count = 0;
    program_name = "replay";
    targets_prepare(argc > 1 ? argv[1] : ".");
    for (const struct Target *target = targets; target->name != NULL; target++) {
        int seeds = replay(target, "seeds", &failed);
        if (seeds == 0) {
            die("tests/fuzz/seeds/%s has no files", target->name);
        }
        count += seeds + replay(target, "regressions", &failed);
    }
    printf("test-fuzz: %d inputs tried again, %d fail\n", count, failed);
    return failed == 0 ? 0 : 1;
}
