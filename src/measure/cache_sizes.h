// SPDX-License-Identifier: MIT
/* The effective sizes of the caches: their nominal sizes, unless a bandwidth sweep shows less. */
#ifndef ULPLAB_CACHE_SIZES_H
#define ULPLAB_CACHE_SIZES_H

#include <stddef.h>

#include "kernel.h"
#include "machine/topology.h"

struct effective {
    size_t bytes[LEVEL_DRAM]; /* 0: no such level */
};

/* A point of the bandwidth sweep. */
struct sweep_point {
    size_t bytes;
    double rate;
};

enum { SWEEP_MAX = 128 };
/* The working sets of a sweep, ascending, from within L1 to the last level, and one of four times
 * its size (at most a quarter of memory). Returns how many. */
size_t sweep_sizes(const struct topology *t, size_t sizes[SWEEP_MAX]);

/* Finds where the bandwidth falls: a level's effective size is its nominal one unless the sweep
 * drops half way (geometrically) to the next level's rate before three quarters of it. Points are
 * ascending; without points, sizes are nominal. */
struct effective effective_sizes(const struct topology *t, const struct sweep_point *points,
                                 size_t count);

/* Returns the level in which a working set of `threads` threads (one per core) lives: the first
 * whose effective size holds what its cores use together and has room for stack and job. */
enum level residency(const struct topology *t, const struct effective *effective, size_t bytes,
                     unsigned threads);

/* Returns the bytes that the caches hold for each of `threads` threads (one per core), by which
 * kernels choose their paths. */
struct caches caches_for(const struct topology *t, const struct effective *effective,
                         unsigned threads);
/* caches_for() without a sweep, from what this machine reports. The calling thread must not be
 * pinned. */
struct caches caches_nominal(void);

#endif
