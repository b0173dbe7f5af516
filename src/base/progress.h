/* One line on stderr, where that is a terminal: how far, and how long still. */
#ifndef ULPLAB_PROGRESS_H
#define ULPLAB_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool shown;
    double started_s, drawn_s;
};

/* Shows nothing where stderr is no terminal, or `quiet`. */
void progress_start(struct progress *p, bool quiet);
/* fraction: 0 to 1 of the work; what: what is being done. Redraws at most five times a second. */
void progress_update(struct progress *p, double fraction, const char *what);
/* Clears the line. */
void progress_end(struct progress *p);

#endif
