/* A pipe to gnuplot -persist. The window is a convenience: whatever befalls it, training goes
   on. */
#include "live.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Status 0: there is a gnuplot, and it can open a window. 1: it cannot. 127: there is none. */
static int probe(void)
{
    int status = system("command -v gnuplot >/dev/null 2>&1 || exit 127; "
                        "gnuplot -e 'print GPVAL_TERMINALS' 2>&1 | grep -Eqw 'qt|x11|wxt|aqua'");
    return status == -1 ? 127 : status >> 8;
}

void live_check(void)
{
    if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL) {
        die("--live needs a graphical display, and neither DISPLAY nor WAYLAND_DISPLAY is set");
    }
    int status = probe();
    if (status == 127) {
        die("--live needs gnuplot; ./setup installs it");
    }
    if (status != 0) {
        die("--live needs a gnuplot with windows (Debian: gnuplot-qt or gnuplot-x11)");
    }
}

void live_open(struct Live *live)
{
    live_check();
    signal(SIGPIPE, SIG_IGN); /* a closed window shows as a failed write */
    live->gnuplot = popen("gnuplot -persist 2>/dev/null", "w");
    live->drawn = 0.0;
    if (live->gnuplot == NULL) {
        die("--live could not start gnuplot");
    }
    fputs("set logscale y\nset xlabel 'training step'\nset ylabel 'loss (nats per token)'\n"
          "set key off\nset grid\n",
          live->gnuplot);
}

static void draw(struct Live *live, const double *losses, int count)
{
    fputs("plot '-' with lines\n", live->gnuplot);
    for (int i = 0; i < count; i++) {
        fprintf(live->gnuplot, "%d %g\n", i + 1, losses[i]);
    }
    fputs("e\n", live->gnuplot);
    if (fflush(live->gnuplot) != 0) { /* the window's gnuplot is gone */
        pclose(live->gnuplot);
        live->gnuplot = NULL;
    }
}

void live_draw(struct Live *live, const double *losses, int count)
{
    if (live->gnuplot != NULL && count > 1 && now() - live->drawn > 0.25) {
        draw(live, losses, count);
        live->drawn = now();
    }
}

void live_close(struct Live *live, const double *losses, int count)
{
    if (live->gnuplot != NULL && count > 1) {
        draw(live, losses, count);
    }
    if (live->gnuplot != NULL) {
        pclose(live->gnuplot);
        live->gnuplot = NULL;
    }
}
