// SPDX-License-Identifier: MIT
/* The shortest possible time of a cell: the limits of the run, applied to the operations that its
 * kernel has to do. */
#ifndef ULPLAB_BENCH_BOUND_H
#define ULPLAB_BENCH_BOUND_H

#include <jansson.h>
#include <stdbool.h>

struct bounded {
    const char *limit; /* NULL: none known */
    double ns_per_row; /* at that limit */
};
/* Returns whether the operations of a record's build are known: those of its kernel's file, unless
 * the policy lets the compiler drop some. */
bool bound_is_counted(const json_t *record);
/* Returns whether its file counts none, so that bytes alone bound its time. */
bool bound_is_of_bytes(const json_t *record, const json_t *limits);
/* Returns the slower of the best times of the arithmetic and of the memory; none where operations
 * are not known. record: a "samples" record; limits: as limits_summarise() made them. */
struct bounded bound_of(const json_t *record, const json_t *limits);
/* Returns the quantity from which the limit's time was computed, per element: instructions of the
 * limit's kinds times lanes, FLOPs, or bytes. */
double bound_count(const json_t *record, const struct bounded *best);
/* Returns whether the working set is less than four times the last level, so that a part of it
 * stays in cache. */
bool bound_is_partly_cached(const json_t *record, const json_t *limits);

#endif
