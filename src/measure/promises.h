// SPDX-License-Identifier: MIT
/* The one judge of the promises that kernels' files make (include/kernel.h), for rows of errors and
 * for scans; and the counts of results without an error, as all their records have them. */
#ifndef ULPLAB_PROMISES_H
#define ULPLAB_PROMISES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/registry.h"
#include "oracle/ulp.h"

/* A kernel file's promises of some results. */
struct held {
    double ulp;      /* the largest error; 0: no maximum */
    double declared; /* likewise of its exp or log, on which bounds build */
    bool specials;
};
/* Returns the promises of the variant's file; none for a variant that is held to none. */
struct held promises_of(const struct variant *v);

/* What was found. */
struct found {
    bool modes_kept;
    const char *where;   /* in the reason, before all else: "" or "in short rows: " */
    const char *largest; /* the field of the record that has the largest error */
    int digits;          /* of errors in the reason */
    double max;
    uint64_t lost, sign, zero, flushed;
    uint64_t results; /* of which these are; 0: the reason does not say it */
};
/* Returns whether the findings keep the promises; otherwise writes the reason. Leaving modes
 * changed breaks the contract in any case. */
bool promises_kept(const struct held *, const struct found *, char *reason, size_t size);

/* {"nan", "inf", "sign", "flushed", "zero"}: the counts of what has no error, or another sign. */
json_t *counts_record(const struct ulp_stats *);
/* A hash as records have it. */
json_t *hash_record(uint64_t hash);

#endif
