// SPDX-License-Identifier: MIT
#include "base/progress.h"

#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/process.h"

enum { QUARTER_OF_A_MINUTE = 15 };

void progress_begin(struct progress *p, const char *what, bool quiet)
{
    const double now = monotonic_s();
    *p = (struct progress){.shown = !quiet,
                           .redraws = isatty(STDERR_FILENO),
                           .what = what,
                           .begin_s = now,
                           .drawn_s = now,
                           .next_s = QUARTER_OF_A_MINUTE,
                           .begin_share = -1};
}

/* Returns the room of a line on the terminal. A line that reached the last column might be
 * continued on the next, where "\r" does not clear it. */
static int room_of_terminal(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col - 1 : INT_MAX;
}

void progress_update(struct progress *p, double share, const char *detail)
{
    if (!p->shown) return;
    if (p->begin_share < 0) p->begin_share = share;
    double now = monotonic_s();
    if (now - p->drawn_s < (p->redraws ? 0.2 : p->next_s)) return;
    p->drawn_s = now;
    p->next_s = QUARTER_OF_A_MINUTE;

    char left[32] = "";
    double gained = share - p->begin_share, spent = now - p->begin_s;
    if (gained > 0 && spent > 1) {
        int seconds = (int)(spent * (1 - share) / gained + 0.5);
        snprintf(left, sizeof left, ", %d:%02d left", seconds / 60, seconds % 60);
    }
    char line[160];
    snprintf(line, sizeof line, "%s: %3.0f%%%s  %.48s", p->what, 100 * share, left, detail);
    if (p->redraws)
        fprintf(stderr, "\r%.*s\033[K", room_of_terminal(), line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (!p->shown || !p->redraws) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
}
