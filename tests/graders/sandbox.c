/* The child leads a session of its own, so that no terminal reaches it and one kill ends all of it.
   The limits that the kernel keeps (setrlimit) are set before it begins. Time and memory are
   watched from here as well. Rights that no limit can take away (starting processes, writing
   files, signals, the network) are taken by a filter of system calls, where there is seccomp. */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "common/base.h"
#include "filter.h"

enum { OUT, ERR, RESULT, STREAMS };
enum {
    FILTER_FILE = 4,
    KEPT = 64 << 10,
    LARGEST_RESULT = 256 << 20,
    LOOK_EVERY_MS = 5,
    MOST_READS_AFTER = 8192
};
static const double WALL_PER_CPU = 5.0;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void limit(int resource, double value)
{
    struct rlimit both = {(rlim_t)value, (rlim_t)value};
    setrlimit(resource, &both);
}

static void set_limits(const struct Limits *limits)
{
    limit(RLIMIT_CPU, ceil(limits->seconds));
    limit(RLIMIT_FSIZE, (double)limits->file_size);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_STACK, 8 << 20);
    if (limits->untrusted) { /* AddressSanitizer reserves far more addresses than it uses */
        limit(RLIMIT_NPROC, 0);
        limit(RLIMIT_NOFILE, 16);
    } else {
        limit(RLIMIT_AS, (double)limits->memory);
    }
}

/* What the compiler and an answer get to see of the environment. */
static void set_environment(void)
{
    const char *path = getenv("PATH");
    char *kept = strdup(path != NULL ? path : "/usr/bin:/bin");
    clearenv();
    setenv("PATH", kept, 1);
    setenv("LC_ALL", "C", 1);
    setenv("TMPDIR", "/tmp", 1);
    setenv("ASAN_OPTIONS",
           "symbolize=0:detect_leaks=0:disable_coredump=0:max_allocation_size_mb=512", 1);
    setenv("UBSAN_OPTIONS", "symbolize=0:print_stacktrace=0", 1);
    free(kept);
}

_Noreturn static void become(char *const argv[], FILE *input, int pipes[STREAMS][2],
                             const struct Limits *limits)
{
    int files[FILTER_FILE + 1] = {fileno(input), pipes[OUT][1], pipes[ERR][1], pipes[RESULT][1],
                                  fileno(tmpfile())};
    setsid();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (limits->untrusted) {
        filter_write(files[FILTER_FILE]);
        lseek(files[FILTER_FILE], 0, SEEK_SET);
    }
    for (int i = 0; i <= FILTER_FILE; i++) { /* out of the way of the numbers to be taken */
        files[i] = fcntl(files[i], F_DUPFD, 100);
    }
    for (int i = 0; i <= FILTER_FILE; i++) {
        dup2(files[i], i);
    }
    for (int i = FILTER_FILE + 1; i < 1024; i++) {
        close(i);
    }
    for (int i = 1; i < NSIG; i++) {
        signal(i, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    set_environment();
    set_limits(limits);
    if (limits->untrusted && !filter_begin()) {
        _exit(126);
    }
    execvp(argv[0], argv);
    _exit(127);
}

/* Bytes resident, as far as the system tells. */
static size_t memory_of(pid_t child)
{
    char path[40];
    unsigned long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)child);
    FILE *statm = fopen(path, "r");
    if (statm != NULL) {
        if (fscanf(statm, "%*u %lu", &pages) != 1) {
            pages = 0;
        }
        fclose(statm);
    }
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void keep(struct Text *text, const char *part, size_t n, size_t most)
{
    size_t room = most - text->size, kept = n < room ? n : room;
    text->total += n;
    text->bytes = realloc(text->bytes, text->size + kept + 1);
    if (text->bytes == NULL) {
        die("no memory for what a program prints");
    }
    memcpy(text->bytes + text->size, part, kept);
    text->size += kept;
    text->bytes[text->size] = '\0';
}

/* What is in the pipe now. False when its other end is closed. */
static bool drain(int pipe, struct Text *text, size_t most)
{
    static char part[1 << 16];
    ssize_t n = read(pipe, part, sizeof part);
    if (n > 0) {
        keep(text, part, (size_t)n, most);
    }
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void read_streams(struct pollfd *streams, struct Ended *ran)
{
    struct Text *texts[STREAMS] = {&ran->out, &ran->err, &ran->result};
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i].revents != 0 &&
            !drain(streams[i].fd, texts[i], i == RESULT ? LARGEST_RESULT : KEPT)) {
            streams[i].fd = -1;
        }
    }
}

/* Until the child has ended or has to be ended. Its streams are read all the while. */
static void watch(pid_t child, struct pollfd *streams, struct Ended *ran,
                  const struct Limits *limits)
{
    double end = now() + WALL_PER_CPU * limits->seconds;
    for (siginfo_t info = {0}; info.si_pid == 0;) {
        if (poll(streams, STREAMS, LOOK_EVERY_MS) > 0) {
            read_streams(streams, ran);
        }
        if (now() > end) {
            ran->how = OUT_OF_TIME;
            break;
        }
        if (memory_of(child) > limits->memory) {
            ran->how = OUT_OF_MEMORY;
            break;
        }
        waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT);
    }
    kill(-child, SIGKILL); /* it, and all that it left in its group */
    for (int i = 0; i < MOST_READS_AFTER && poll(streams, STREAMS, 0) > 0; i++) {
        read_streams(streams, ran);
    }
}

/* How a child ended that was not ended from here. At the limit of time the kernel kills. */
static void classify(struct Ended *ran, int status, const struct rusage *used,
                     const struct Limits *limits)
{
    double seconds = (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
                     1e-6 * (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);
    if (!WIFSIGNALED(status)) {
        ran->status = WEXITSTATUS(status);
        return;
    }
    ran->status = WTERMSIG(status);
    bool killed = ran->status == SIGKILL || ran->status == SIGXCPU;
    ran->how = killed && seconds > 0.8 * limits->seconds ? OUT_OF_TIME : SIGNALLED;
}

struct Ended sandbox_run(char *const argv[], const void *input, size_t input_size,
                         const struct Limits *limits)
{
    struct Ended ran = {.how = EXITED};
    int pipes[STREAMS][2];
    FILE *file = tmpfile();
    if (file == NULL || fwrite(input, 1, input_size, file) != input_size || fflush(file) != 0 ||
        pipe(pipes[OUT]) != 0 || pipe(pipes[ERR]) != 0 || pipe(pipes[RESULT]) != 0) {
        die("cannot prepare to run %s: %s", argv[0], strerror(errno));
    }
    rewind(file);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        die("cannot start %s: %s", argv[0], strerror(errno));
    }
    if (child == 0) {
        become(argv, file, pipes, limits);
    }
    fclose(file);
    struct pollfd streams[STREAMS];
    struct Text *texts[STREAMS] = {&ran.out, &ran.err, &ran.result};
    for (int i = 0; i < STREAMS; i++) {
        close(pipes[i][1]);
        fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
        streams[i] = (struct pollfd){.fd = pipes[i][0], .events = POLLIN};
        keep(texts[i], "", 0, KEPT);
    }
    watch(child, streams, &ran, limits);
    int status;
    struct rusage used;
    wait4(child, &status, 0, &used);
    for (int i = 0; i < STREAMS; i++) {
        close(pipes[i][0]);
    }
    if (ran.how == EXITED) {
        classify(&ran, status, &used, limits);
    }
    return ran;
}

void ended_free(struct Ended *ran)
{
    free(ran->out.bytes);
    free(ran->err.bytes);
    free(ran->result.bytes);
}
