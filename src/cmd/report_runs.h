// SPDX-License-Identifier: MIT
/* The runs of an archive that a report compares. */
#ifndef ULPLAB_REPORT_RUNS_H
#define ULPLAB_REPORT_RUNS_H

#include "cmd/options.h"

struct report_runs {
    struct strings words; /* folders, and LAB.db:SELECTOR that name one run */
    char *texts[LIST_MAX];
    size_t text_count;
};

/* The words as given, but for each that names runs of several machines, LAB.db:run=ID of the newest
 * run of each. report_runs_free() afterwards, whatever it returns. */
int report_runs_find(const struct strings *given, struct report_runs *r, struct error *e);
void report_runs_free(struct report_runs *r);

#endif
