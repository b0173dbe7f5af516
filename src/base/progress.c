#include "base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_start(struct progress *p, bool quiet)
{
    *p = (struct progress){.shown = !quiet && isatty(STDERR_FILENO), .started_s = now_s()};
}

void progress_update(struct progress *p, double fraction, const char *what)
{
    double now = now_s(), spent = now - p->started_s;
    if (!p->shown || now - p->drawn_s < 0.2) return;
    p->drawn_s = now;
    fprintf(stderr, "\r\033[K%3.0f%%  ", 100 * fraction);
    if (fraction > 0.01) {
        int left = (int)(spent / fraction * (1 - fraction) + 0.5);
        fprintf(stderr, "%d:%02d left  ", left / 60, left % 60);
    }
    fprintf(stderr, "%.60s", what);
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}
