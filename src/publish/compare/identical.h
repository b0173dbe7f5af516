// SPDX-License-Identifier: MIT
/* How far two timings of the same machine code are apart: what a difference has to exceed before it
 * says something about the code. */
#ifndef ULPLAB_IDENTICAL_H
#define ULPLAB_IDENTICAL_H

#include <jansson.h>
#include <stdbool.h>

/* Over pairs of cells on one thread that have the same machine code and are of one block: controls
 * (a cell timed twice) and variants whose code is the same in every byte. |ratio - 1|; NAN without
 * pairs. */
struct identical {
    size_t pairs;
    double median, p90, p95, p99;
    bool side_by_side; /* false: an old run, whose cells were timed one after the other */
};

/* "Identical code, timed twice in this run: 95% within 0.4% (median 0.1%, 612 pairs)." */
void identical_text(const struct identical *i, char *text, size_t size);
/* {"pairs", "median", "p90", "p95", "p99", "side_by_side"}. */
json_t *identical_record(const struct identical *i);

#endif
