// SPDX-License-Identifier: MIT
/* The search for inputs of large errors of a function of one double, in cells of consecutive ranks
 * (base/float_bits.h). What it finds depends on the seed, never on the threads. */
#ifndef ULPLAB_F64_PROBE_H
#define ULPLAB_F64_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"
#include "oracle/f64_ulp.h"

enum { PROBE_ROW = 4096, PROBE_BINADES = 4096, PROBE_BINADE_BITS = 52 };

struct f64_best {
    double ulp; /* -1: nothing was measured */
    uint64_t at;
};

/* The inputs for a kernel. */
struct f64_probe {
    const struct f64_oracle *oracle;
    const struct kernel *kernel;
    int threads;
    struct f64_room *rooms; /* one per thread */
    uint64_t tried;
    bool modes_kept;
};

/* Returns false if memory is short. What it takes stays until the process ends. */
bool f64_probe_open(struct f64_probe *, const struct f64_oracle *, int threads);

/* Runs the kernel on x[0 .. count), count at most PROBE_ROW, in a thread of an OpenMP team. Returns
 * y, which stands until the thread's next call. */
const double *f64_probe_run(struct f64_probe *, const double *x, size_t count);

/* Searches next to the places where the error jumps: in the binades whose largest error `binades`
 * [PROBE_BINADES] is near the largest of all, between parts whose mean errors differ, to which they
 * are bisected. Returns the largest error; *places: how many there were. */
struct f64_best f64_probe_jumps(struct f64_probe *, const struct f64_best *binades, size_t *places);

/* Searches from the binades of the largest errors on, in ever smaller cells of which those with the
 * largest errors go on. */
struct f64_best f64_probe_descend(struct f64_probe *, const struct f64_best *binades,
                                  uint64_t seed);

#endif
