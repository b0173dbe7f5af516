// SPDX-License-Identifier: MIT
/* The variant that computed given results. Every variant of an operation is applied to the inputs
 * of some other binary, and its bits are compared with that binary's results. */
#ifndef ULPLAB_IDENTIFY_H
#define ULPLAB_IDENTIFY_H

#include <stdbool.h>

#include "base/error.h"
#include "measure/distance.h"
#include "model/npy.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "study/agreement.h"

struct identify_plan {
    const char *op;
    const struct npy *in, *got; /* in: [rows, n] */
    /* One of the operation's values per row ("mean", "variance", "rstd"): got has one per row.
     * NULL: got has all that the operation writes to y. */
    const char *stat;
    struct parameters parameters;
    double silence_s; /* a variant that takes longer is taken to hang */
    int threads;      /* 0: one per core of the cpuset */
};

struct identify_row {
    const struct variant *variant;
    enum status status;
    struct distance distance; /* if status is STATUS_OK */
};

struct identification {
    struct identify_row *rows; /* nearest first: share of mismatched, distance, id; the dead last */
    size_t count, exact;       /* the first `exact` rows agree in every bit */
    const char *common[AXIS_COUNT]; /* the value that all exact rows share; NULL: they differ */
    const char *unit;               /* the type in whose steps distances are */
    char *sentence;
};

/* EXIT_USAGE where the operation or its stat is unknown, EXIT_BAD_INPUT where got has another shape
 * than the operation's result, EXIT_PARTIAL where no variant ran to its end. The process must not
 * have used OpenMP before. On 0 the caller closes. */
int identify_run(const struct identify_plan *, const struct registry *, struct identification *,
                 struct error *);
void identification_close(struct identification *);

#endif
