/* Files that are whole or not there. The temporary file stands beside the final one because
   rename is one step only within a file system; fsync comes before it, so that a power cut
   cannot leave the new name on empty data. Signals wait while the temporary file is there: Ctrl-C
   would leave it behind. (The threads of threads.c take none, so there is nobody else to die of
   it.) */
#include "file.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

static _Noreturn void die_unwritten(const char *path, int error)
{
    die("cannot write %s: %s", printable(path).text,
        error == ENOENT ? "there is no such directory" : strerror(error));
}

static void directory_make_one(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0) {
        return;
    }
    int error = errno;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        die("cannot make the directory %s: %s", printable(path).text,
            error == EEXIST ? "something else has that name" : strerror(error));
    }
}

void directory_make(const char *path)
{
    char *part = strdup(path);
    if (part == NULL) {
        die("out of memory");
    }
    for (size_t i = 1; path[0] != '\0' && path[i] != '\0'; i++) {
        if (path[i] == '/') {
            part[i] = '\0';
            directory_make_one(part);
            part[i] = '/';
        }
    }
    free(part);
    directory_make_one(path);
    if (access(path, W_OK | X_OK) != 0) {
        die("cannot write into the directory %s: %s", printable(path).text, strerror(errno));
    }
}

/* Open a new file beside path; *name is its name, to be freed. Dies when path cannot be
   replaced. */
static int temporary_open(const char *path, char **name)
{
    struct stat status;
    if (path[0] == '\0') {
        die("cannot write a file whose name is empty");
    }
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        die("cannot write %s: it is a %s", printable(path).text,
            S_ISDIR(status.st_mode) ? "directory" : "link or a device, not a plain file");
    }
    if (asprintf(name, "%s.XXXXXX", path) < 0) {
        die("out of memory");
    }
    int fd = mkstemp(*name);
    if (fd < 0) {
        int error = errno;
        free(*name);
        die_unwritten(path, error);
    }
    return fd;
}

static void signals_wait(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

static void signals_go_on(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void file_check_writable(const char *path)
{
    char *name;
    sigset_t before;
    signals_wait(&before);
    int fd = temporary_open(path, &name);
    unlink(name);
    signals_go_on(&before);
    close(fd);
    free(name);
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

void file_replace(const char *path, const void *bytes, size_t size)
{
    char *name;
    sigset_t before;
    signals_wait(&before);
    int fd = temporary_open(path, &name);
    mode_t mask = umask(0); /* the only way to ask for it is to set it */
    umask(mask);
    bool replaced = write_all(fd, bytes, size) && fchmod(fd, 0666 & ~mask) == 0 && fsync(fd) == 0 &&
                    close(fd) == 0 && rename(name, path) == 0;
    if (!replaced) {
        int error = errno;
        unlink(name);
        free(name);
        die_unwritten(path, error);
    }
    signals_go_on(&before);
    free(name);
}

/* How many of the next bytes could steer a terminal: a control character of ASCII, a control
   character beyond it (U+0080 to U+009F, in UTF-8 C2 80 to C2 9F), or the invisible marks around
   U+2000 to U+207F (E2 80 .., E2 81 ..), some of which turn the writing direction. */
static int control_bytes(const unsigned char *text)
{
    if (text[0] < 0x20 || text[0] == 0x7f) {
        return 1;
    }
    if (text[0] == 0xc2 && text[1] >= 0x80 && text[1] <= 0x9f) {
        return 2;
    }
    if (text[0] == 0xe2 && (text[1] == 0x80 || text[1] == 0x81) && text[2] != '\0') {
        return 3;
    }
    return 0;
}

struct Printable printable(const char *text)
{
    enum { ROOM_FOR_ONE_MORE = 3 * 4 + sizeof "..." };
    struct Printable result;
    const unsigned char *from = (const unsigned char *)text;
    char *to = result.text;
    while (*from != '\0' && to < result.text + sizeof result.text - ROOM_FOR_ONE_MORE) {
        int n = control_bytes(from);
        for (int i = 0; i < n; i++) {
            to += snprintf(to, sizeof "\\xff", "\\x%02x", *from++);
        }
        if (n == 0) {
            *to++ = (char)*from++;
        }
    }
    strcpy(to, *from == '\0' ? "" : "...");
    return result;
}
