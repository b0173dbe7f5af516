// SPDX-License-Identifier: MIT
/* Sets up one case for each variant differently: alignment, strides, batches, threads and caches.
 * None of this may change the results. */
#ifndef ULPLAB_TEST_INVARIANT_ROOM_H
#define ULPLAB_TEST_INVARIANT_ROOM_H

#include "guard.h"
#include "invariant_cases.h"
#include "kernel.h"

/* Guarded memory for one case, which its variants share: allocating it for each would take longer
 * than the kernels. */
struct invariant_room {
    const struct invariant_case *c;
    float *x, *gamma, *beta; /* the inputs of the case: x[rows, n] */
    float *scratch;
    size_t columns, stats; /* floats per row in y, and in stats */
    struct guard x_guard, y_guard, stats_guard;
};

struct invariant_room invariant_room_open(const struct invariant_case *c);
void invariant_room_close(struct invariant_room *room);

/* Returns the case's job for variant `which`, with operands that end at a guard page or begin a few
 * elements after one. Results of the previous variant are erased. */
struct job invariant_place(const struct invariant_room *room, size_t which);

/* Returns the cache sizes for variant `which`: over all variants, rows take every code path. */
struct caches invariant_caches(size_t which);

/* Run a job in batches, or each row by a team of threads; `which` selects the sizes. */
void invariant_run_batches(const struct kernel *k, const struct job *whole, size_t which);
void invariant_run_teams(const struct kernel *k, const struct job *whole, size_t which);
size_t invariant_batch(size_t rows, size_t which);

#endif
