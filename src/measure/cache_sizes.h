/* What the caches hold, as they behave: their nominal sizes, unless a bandwidth sweep shows
 * less. */
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
/* The working sets of a sweep, ascending, from within L1 to four times the last level (at most a
 * quarter of memory). Returns how many. */
size_t sweep_sizes(const struct topology *t, size_t sizes[SWEEP_MAX]);

/* Where the bandwidth falls: a level's effective size is its nominal one unless the sweep drops
 * half way (geometrically) to the next level's rate before three quarters of it. Points
 * ascending; without any, the nominal sizes. */
struct effective effective_sizes(const struct topology *t, const struct sweep_point *points,
                                 size_t count);

/* Where a working set of `threads` threads (one per core) lives: the first level whose effective
 * size holds what its cores use together. */
enum level residency(const struct topology *t, const struct effective *effective, size_t bytes,
                     unsigned threads);

/* What the caches hold for each of `threads` threads (one per core), for kernels to choose by. */
struct caches caches_for(const struct topology *t, const struct effective *effective,
                         unsigned threads);
/* The same where no sweep was run, from what this machine says of itself. The calling thread must
 * not be pinned. */
struct caches caches_nominal(void);

#endif
