/* The progress bar. The terminal is asked for its width each time, as it may change; a line that
   does not fit loses first its bar, then its end. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Back to the first column, then erase to the end of the line (ECMA-48, EL). */
#define CLEAR_LINE "\r\033[K"

static const double SECONDS_BETWEEN_DRAWINGS = 0.1;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int terminal_width(void)
{
    struct winsize window;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    return known ? window.ws_col : 80;
}

static double speed(const struct Progress *progress, double seconds)
{
    return seconds > 0 ? progress->step / seconds : 0;
}

void progress_start(struct Progress *progress, int total, bool quiet)
{
    const char *terminal = getenv("TERM");
    bool able = isatty(STDERR_FILENO) && terminal != NULL && terminal[0] != '\0' &&
                strcmp(terminal, "dumb") != 0;
    double start = now();
    *progress = (struct Progress){
        .total = total, .shown = able && !quiet && total > 0, .start = start, .drawn = start};
}

/* "[####....] " in the room that is left beside the numbers; empty when that is too little. */
static void make_bar(char *bar, double share, int room)
{
    enum { LEAST = 5, MOST = 40, FRAME = 3 };
    int length = room - FRAME < MOST ? room - FRAME : MOST;
    int full = (int)(share * length);
    bar[0] = '\0';
    if (length >= LEAST) {
        char *at = bar;
        *at++ = '[';
        for (int i = 0; i < length; i++) {
            *at++ = i < full ? '#' : '.';
        }
        strcpy(at, "] ");
    }
}

static void draw(const struct Progress *progress, double seconds, double loss)
{
    char numbers[200], bar[50];
    double share = (double)progress->step / progress->total;
    double left = progress->step > 0 ? round(seconds / share - seconds) : 0;
    int length = snprintf(
        numbers, sizeof numbers, "%d/%d  loss %.4f  %.1f steps/s  %.0f:%02.0f left", progress->step,
        progress->total, loss, speed(progress, seconds), floor(left / 60), fmod(left, 60));
    int width = terminal_width() - 1; /* the last column would wrap on some terminals */
    make_bar(bar, share, width - length);
    fprintf(stderr, CLEAR_LINE "%s%.*s", bar, width - (int)strlen(bar), numbers);
}

void progress_step(struct Progress *progress, int step, double loss)
{
    progress->step = step < progress->total ? step : progress->total;
    if (!progress->shown) {
        return;
    }
    double time = now();
    if (time - progress->drawn >= SECONDS_BETWEEN_DRAWINGS) {
        draw(progress, time - progress->start, loss);
        progress->drawn = time;
    }
}

void progress_end(struct Progress *progress)
{
    if (!progress->shown) {
        return;
    }
    double seconds = now() - progress->start;
    fprintf(stderr, CLEAR_LINE "%d steps in %.1f s, %.1f steps/s\n", progress->step, seconds,
            speed(progress, seconds));
    progress->shown = false;
}
