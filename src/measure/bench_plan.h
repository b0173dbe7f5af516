// SPDX-License-Identifier: MIT
/* A plan: the cells to be timed, and their order. It is a pure function of the registry, the
 * machine and the request, so that a run that was cut short makes the same plan again and resumes
 * it. */
#ifndef ULPLAB_BENCH_PLAN_H
#define ULPLAB_BENCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel_reference.h"
#include "measure/cell.h"
#include "model/registry.h"
#include "model/suite.h"
#include "oracle/inputs.h"

struct bench_plan {
    struct cell *cells;   /* the requested cells, then the controls */
    size_t cell_count;    /* asked for */
    size_t control_count; /* copies of some of them */
    struct limit_task *limits;
    size_t limit_count;
    size_t processes, rounds;  /* rounds: of each block in each process; at most BENCH_ROUNDS_MAX */
    bool hashes_outputs;       /* the outputs of a cell's kernel are hashed, too */
    double warmup_s, sample_s; /* at least; a sample also lasts 1000 times the timer's floor */
    double patience_s;         /* for a cell's samples in one process; three are taken anyway */
    double timeout_s;          /* without a word from the worker */
    uint64_t seed;             /* of inputs, order and layouts */
    struct parameters parameters;
    struct input_rows input; /* the input of every cell; rows 0: families */
};
enum { BENCH_ROUNDS_MAX = 1000 };

/* ---- Making a plan --------------------------------------------------------------------------- */

enum bench_effort { BENCH_QUICK, BENCH_DEFAULT, BENCH_FULL };

/* The request of `ulplab run`. shapes: as in struct bench_request, beside the field (the peers, and
 * of the lab's own kernels those that may win there); none: `default` if there are peers, and in
 * full `huge`. */
struct run_request {
    enum bench_effort effort;
    uint64_t seed;
    const char *const *shapes;
    size_t shape_count;
    const struct registry *timed; /* variants that suites may time, too */
    const struct suite
        *suite; /* only this suite; NULL: the effort decides, and every suite is included */
};

/* `ulplab run`'s. Quick: every variant in L1, some 20 s for 1000 of them. Default: every variant in
 * L1; vector variants under off, fast and default also in L2, those under off in L3, on subnormals
 * and on all cores too, and those that write their FMAs out in DRAM, where calls are long. Full:
 * everything everywhere. */
void bench_plan_run(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                    const struct run_request *request);

/* The request of a command line. Shapes: "default" (L1), "small", "cache" (L1, L2, L3), "memory"
 * (DRAM), "huge" (rows of a million), or "64x4096". n and rows: every combination, 64 and 4096 for
 * one that is not given. Empty lists: shape "default", family "normal". */
struct bench_request {
    const char *const *shapes;
    size_t shape_count;
    const size_t *n, *rows;
    size_t n_count, row_count;
    const char *const *families;
    size_t family_count;
    unsigned threads;         /* 0: 1 */
    size_t processes, rounds; /* 0: 6 and 24 */
    uint64_t seed;
    const struct parameters *parameters; /* without gamma and beta; NULL: the defaults */
    struct input_rows input; /* instead of shapes, n, rows and families; data NULL: none */
};
/* EXIT_USAGE for a shape or family that does not exist, more threads than cores, and working sets
 * beyond half of the machine's memory. */
int bench_plan_request(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                       const struct bench_request *request, struct error *e);

/* Adds every cell a second time, as another program's variant of the same id; has() says which that
 * program has. The others are removed. EXIT_USAGE if none is left. */
int bench_plan_add_program(struct bench_plan *p, const char *program,
                           bool (*has)(const void *context, const char *id), const void *context,
                           struct error *e);

/* Only the bandwidth sweep: limits without cells. */
void bench_plan_sweep(struct bench_plan *p, const struct bench_setup *s);
void bench_plan_free(struct bench_plan *p);

/* ---- Its order ------------------------------------------------------------------------------- */

/* A step in a process's order: an item is a cell or control (below cell_count + control_count), or
 * a limit. */
struct step {
    size_t item;
    size_t block; /* consecutive steps with the same number are timed in rounds */
};
/* Returns the number of blocks of cells: one more than the largest block number. */
size_t bench_blocks(const struct bench_plan *p);
/* Returns the number of a plan's items. */
size_t bench_items(const struct bench_plan *p);
/* The cell or control that an item is; NULL for a limit. */
const struct cell *bench_cell(const struct bench_plan *p, size_t item);
/* The order of one process: all items, block by block, the blocks shuffled anew for each process.
 * steps[bench_items()]. */
void bench_order(const struct bench_plan *p, uint64_t process, struct step *steps);

#endif
