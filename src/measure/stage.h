// SPDX-License-Identifier: MIT
/* The stage: rows of input and room for the outputs, cut into chunks that each stand between two
 * guard pages, on which one kernel after another is run by all threads. An element too far, read or
 * written, is a fault and not a silent read; so is writing to the input. Even chunks begin right
 * behind a guard page (aligned; of a stage that is opened as shifted, most begin 4, 12 or 28 bytes
 * further on), odd chunks end right before one (whatever that makes of their alignment). The cut
 * depends on the shape alone, so that no result depends on the threads.
 *
 * Users of a stage see floats, of a stage of f64 doubles. For kernels that store 16 bits there are
 * copies in that type, between guard pages too: locking the input rounds it into them, and running
 * a kernel widens what it wrote. */
#ifndef ULPLAB_STAGE_H
#define ULPLAB_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel.h"
#include "model/dtype.h"
#include "oracle/oracle.h"

/* One mapping: guard page, chunk, guard page, chunk, ..., guard page. */
struct guarded {
    char *base;
    size_t bytes, step, chunk_bytes; /* step: from a chunk's pages to the next one's */
    bool shifted;
};

struct stage {
    size_t rows, n;
    size_t columns;       /* columns of y: n if the operation is elementwise, else 1 or 2 */
    size_t stats_columns; /* 2 for layernorm, else 0 */
    size_t chunk_rows, chunks;
    int threads;
    const struct dtype *type;  /* of x */
    const struct dtype *ytype; /* of y: as computed unless the operation is elementwise */
    const struct dtype
        *computed; /* of stats, gamma and beta, and of the buffers that users of the stage see */
    struct caches caches; /* passed to kernels; unknown unless set */
    struct guarded x, y, stats, scratch;
    struct guarded affine;             /* gamma, beta; empty where the operation takes none */
    struct guarded stored_x, stored_y; /* copies in those types; empty where they are fp32 */
    bool has_gamma, has_beta;
};

/* EXIT_USAGE, with a message about --n, if one of the lengths is too large for a stage. */
int stage_check_lengths(const size_t *n, size_t count, struct error *e);
/* Returns how many rows of n have about that many elements; at least two. */
size_t stage_rows(size_t elements, size_t n);

/* Returns how many rows of n a chunk holds. */
size_t stage_rows_of_chunk(size_t n);

/* Opens a stage for kernels that store the type. threads: 0 is one per core of the cpuset. */
int stage_open(struct stage *s, const struct oracle *op, const struct dtype *type, size_t rows,
               size_t n, int threads, bool shifted, struct error *e);
void stage_close(struct stage *s);

/* Chunk c holds rows c * chunk_rows .. + stage_chunk_rows(), contiguous: floats, of a stage of f64
 * doubles. */
size_t stage_chunk_rows(const struct stage *s, size_t chunk);
void *stage_x(const struct stage *s, size_t chunk);
void *stage_y(const struct stage *s, size_t chunk);
void *stage_stats(const struct stage *s, size_t chunk);

/* Allows or forbids writing to the input; forbidding it rounds the input to the stage's type
 * (dtype_round_inputs). */
void stage_lock_input(const struct stage *s, bool locked);

/* The parameters that kernels are run with on this stage: `p`, with the gamma and beta of
 * inputs_affine() where the operation takes them, p has neither and is not `bare`. Of a stage of
 * f64 they point to doubles. */
struct parameters stage_parameters(const struct stage *s, const struct parameters *p);

/* Makes the given gamma and beta, floats, the doubles that a stage of f64 has in their place. */
void stage_give_affine(struct stage *s, const struct parameters *p);

/* Runs the kernel over every chunk. Outputs are filled with NaNs first, so that none can be left
 * over from another kernel. y is that of a call without statistics, as it is timed, since compilers
 * make code of its own for that; statistics are those of another call. The kernel's type is the
 * stage's. False if it left modes changed in any thread; every call begins with 0x1f80. bits:
 * receives a hash of all outputs, bit for bit; or NULL. */
bool stage_run(const struct stage *s, const struct kernel *k, const struct parameters *p,
               uint64_t *bits);
/* stage_run() for one chunk, in the calling thread of an OpenMP team. */
bool stage_run_chunk(const struct stage *s, const struct kernel *k, const struct parameters *p,
                     size_t chunk);

#endif
