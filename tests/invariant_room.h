// SPDX-License-Identifier: MIT
/* Where a variant of an invariant kernel runs a case: at an alignment, with strides, in batches,
 * among threads and on a machine that are all its own. Nothing of that may show in the results. */
#ifndef ULPLAB_TEST_INVARIANT_ROOM_H
#define ULPLAB_TEST_INVARIANT_ROOM_H

#include "guard.h"
#include "invariant_cases.h"
#include "kernel.h"

/* Guarded memory for one case, reused by its variants: a system call each would cost more than the
 * kernels. */
struct invariant_room {
    const struct invariant_case *c;
    float *x, *gamma, *beta; /* the case's: x[rows, n] */
    float *scratch;
    size_t columns, stats; /* results per row: in y, and beside it */
    struct guard x_guard, y_guard, stats_guard;
};

struct invariant_room invariant_room_open(const struct invariant_case *c);
void invariant_room_close(struct invariant_room *room);

/* The case's job for variant `which`: right before a guard page, or a few elements behind one.
 * Results of the variant before are gone. */
struct job invariant_place(const struct invariant_room *room, size_t which);

/* The machines whose caches a job has, each a variant's: on one or another rows take every path. */
struct caches invariant_caches(size_t which);

/* Runs a job as `which` says: in batches of rows; each row as a team of threads would. */
void invariant_run_batches(const struct kernel *k, const struct job *whole, size_t which);
void invariant_run_teams(const struct kernel *k, const struct job *whole, size_t which);
size_t invariant_batch(size_t rows, size_t which);

#endif
