/* From a signal, or from what a sanitizer or host/main.c wrote, to words that a learner knows. */
#include "explain.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* "answer.c:22", from the first address of a report that lies in the answer; else "". */
static void place_in_answer(char *place, size_t room, const char *program, const char *report)
{
    enum { MOST = 40 };
    char addresses[MOST][24], *argv[MOST + 4] = {"addr2line", "-e", (char *)program};
    int n = 0;
    place[0] = '\0';
    for (const char *at = report; n < MOST && (at = strstr(at, "    #")) != NULL; at++) {
        if (sscanf(at, "    #%*d %23[0-9a-fx]", addresses[n]) == 1) {
            argv[3 + n] = addresses[n];
            n++;
        }
    }
    argv[3 + n] = NULL;
    if (n == 0) {
        return;
    }
    struct Limits limits = {.seconds = 10, .memory = (size_t)1 << 30};
    struct Ended ran = sandbox_run(argv, "", 0, &limits);
    const char *found = strstr(ran.out.bytes, "/answer.c:");
    if (found != NULL) {
        int length = (int)(1 + strcspn(found + 1, " \n"));
        snprintf(place, room, " at %.*s", length - 1, found + 1);
    }
    ended_free(&ran);
}

static const char *signal_in_words(int signal)
{
    switch (signal) {
    case SIGSEGV:
    case SIGBUS:
        return "reads or writes memory that is not its own";
    case SIGFPE:
        return "divides an integer by zero";
    case SIGABRT:
        return "calls abort, or the C library did (free of what is not to be freed?)";
    case SIGSYS:
        return "asks the system for what an answer may not do: start a process, write a file, ...";
    case SIGKILL:
        return "is killed (by itself, or the machine ran out of memory)";
    case SIGILL:
    case SIGTRAP:
        return "runs into an illegal instruction";
    case SIGXFSZ:
        return "writes to a file";
    default:
        return strsignal(signal);
    }
}

struct Word {
    const char *report, *words;
};
/* AddressSanitizer's words, and ours. */
static const struct Word memory_faults[] = {
    {"stack-overflow", "runs out of stack: a function that calls itself without end, or a huge "
                       "local array"},
    {"stack-buffer", "goes past an end of a local array"},
    {"dynamic-stack-buffer", "goes past an end of a local array"},
    {"global-buffer", "goes past an end of a global array"},
    {"heap-buffer", "goes past an end of an allocated array"},
    {"double-free", "frees the same memory twice"},
    {"bad-free", "frees what malloc did not give"},
    {"heap-use-after-free", "uses memory after it was freed"},
    {"stack-use-after", "uses a local variable that is gone"},
    {"allocation-size-too-big", "asks for more memory than a check may have"},
    {"out-of-memory", "asks for more memory than a check may have"},
    {"calloc-overflow", "asks for more memory than there can be"},
    {"negative-size-param", "copies a negative number of bytes"},
    {"param-overlap", "copies between two pieces of memory that overlap"},
    {"wild-addr", "reads or writes far outside of every array"},
    {"null-deref", "reads or writes through a pointer that is NULL"},
    {"SEGV", "reads or writes an address that holds nothing (NULL, or an index far outside)"},
    {"FPE", "divides an integer by zero"},
    {"ABRT", "calls abort, or the C library did"},
};

static const char *fault_in_words(const char *report)
{
    for (size_t i = 0; i < sizeof memory_faults / sizeof *memory_faults; i++) {
        if (strstr(report, memory_faults[i].report) != NULL) {
            return memory_faults[i].words;
        }
    }
    return report;
}

/* From what the process wrote on stderr: a line of ours, or one of UBSan's; false if neither. */
static bool explain_report(char *text, const struct Ended *ran, const char *program)
{
    char line[LINE / 2], place[60];
    const char *ours = strstr(ran->err.bytes, "grader: ");
    const char *undefined = strstr(ran->err.bytes, ": runtime error: ");
    if (ours != NULL && sscanf(ours, "grader: %199[^\n]", line) == 1) {
        place_in_answer(place, sizeof place, program, ran->err.bytes);
        write_line(text, "%s%s", strstr(line, "which has entries") ? line : fault_in_words(line),
                   place);
        return true;
    }
    if (undefined != NULL && sscanf(undefined, ": runtime error: %199[^\n]", line) == 1) {
        const char *start = undefined;
        while (start > ran->err.bytes && start[-1] != '\n' && start[-1] != '/') {
            start--;
        }
        int place_length = (int)strcspn(start, ":");
        place_length += 1 + (int)strspn(start + place_length + 1, "0123456789");
        write_line(text, "%s at %.*s", line, place_length, start);
        return true;
    }
    return false;
}

enum State explain(char text[LINE], const struct Ended *ran, const char *program,
                   const struct Limits *limits)
{
    if (ran->how == OUT_OF_TIME) {
        write_line(text, "takes more than %g s%s", limits->seconds,
                   ran->out.total > ran->out.size ? " and prints without end" : "");
        return TIMEOUT;
    }
    if (ran->how == OUT_OF_MEMORY) {
        write_line(text, "takes more than %zu MB of memory", limits->memory >> 20);
    } else if (explain_report(text, ran, program)) {
    } else if (ran->how == SIGNALLED) {
        write_line(text, "%s", signal_in_words(ran->status));
    } else {
        write_line(text, "ends the program (with status %d) instead of returning", ran->status);
    }
    return CRASH;
}
