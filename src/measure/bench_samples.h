// SPDX-License-Identifier: MIT
/* The raw "samples" records of one cell, as numbers. */
#ifndef ULPLAB_BENCH_SAMPLES_H
#define ULPLAB_BENCH_SAMPLES_H

#include <jansson.h>
#include <stdbool.h>

#include "measure/stats.h"

/* All records of one cell under one family, one per process. */
struct group {
    const json_t **records;
    size_t count;
};

/* A cell's samples per process, in ns and in core cycles per row. */
struct samples {
    struct clusters ns;
    double **values;  /* the values to which ns points */
    double *medians;  /* medians of ns, per process that has samples */
    double *cycles;   /* median per row, likewise */
    double *all;      /* every ns sample, ascending */
    double *low;      /* [processes]: the quantile of ns that ratios are formed of
                         (measure/ratio.h); NAN where a process has none */
    size_t processes; /* one more than the largest process number */
    size_t total, moved, migrated;
};

/* Returns false if memory is short; samples_free() is called in any case. */
bool samples_of(const struct group *g, struct samples *s);
void samples_free(struct samples *s);

#endif
