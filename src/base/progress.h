// SPDX-License-Identifier: MIT
/* One line on stderr with the progress of a long job and its remaining time, redrawn at most five
 * times a second; if stderr is no terminal, a line for each quarter of a minute. */
#ifndef ULPLAB_PROGRESS_H
#define ULPLAB_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool shown, redraws;
    const char *what; /* "accuracy" */
    double begin_s, drawn_s;
    double next_s; /* until the next line where stderr is no terminal */
    double
        begin_share; /* the share that was done before the first update, and so not at this speed */
};

void progress_begin(struct progress *p, const char *what, bool quiet);
/* share: of the work done so far, 0 to 1; detail: what is being done, or "". */
void progress_update(struct progress *p, double share, const char *detail);
/* Clears the line. */
void progress_end(struct progress *p);

#endif
