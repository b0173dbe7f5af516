/* What is to be timed, and in which order. A plan is a pure function of the registry, the machine
 * and the request, so that a run that was cut makes the same plan again and resumes it. */
#ifndef ULPLAB_BENCH_PLAN_H
#define ULPLAB_BENCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel_reference.h"
#include "measure/cell.h"
#include "measure/limits.h"
#include "model/registry.h"

struct bench_plan {
    struct cell *cells;   /* what was asked for, then the controls */
    size_t cell_count;    /* asked for */
    size_t control_count; /* copies of some of them */
    struct limit_task *limits;
    size_t limit_count;
    size_t processes, rounds;  /* rounds: of each block in each process; at most BENCH_ROUNDS_MAX */
    double warmup_s, sample_s; /* at least; a sample also lasts 1000 times the timer's floor */
    double patience_s;         /* for a cell's samples in one process; three are taken anyway */
    double timeout_s;          /* without a word from the worker */
    uint64_t seed;             /* of inputs, order and layouts */
    struct parameters parameters;
};
enum { BENCH_ROUNDS_MAX = 1000 };

void bench_plan_free(struct bench_plan *p);

enum bench_effort { BENCH_QUICK, BENCH_DEFAULT, BENCH_FULL };

/* Of `ulplab run`. shapes: as in struct bench_request, beside the field (the peers, and of the
 * lab's own what may win there); none: `default` where there are peers, and in full `huge`. */
struct run_request {
    enum bench_effort effort;
    uint64_t seed;
    const char *const *shapes;
    size_t shape_count;
};
/* Is the variant timed as log_softmax too, at the field's shapes: a library that has it, and of the
 * lab's own what may win there? */
bool bench_times_log(const struct registry *r, const struct run_request *q,
                     const struct variant *v);

/* `ulplab run`'s. Quick: every variant in L1, some 20 s for 1000 of them. Default: every variant in
 * L1; vector variants under off, fast and default also in L2, in L3 and on subnormals, those under
 * off in DRAM and on all cores too; some 3 minutes. Full: everything everywhere. */
int bench_plan_run(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                   const struct run_request *request, struct error *e);

/* What the command line asked for. Shapes: "default" (L1), "small", "cache" (L1, L2, L3),
 * "memory" (DRAM), "huge" (rows of a million), or "64x4096". n and rows: every combination, 64
 * and 4096 where one is not given. Empty lists: shape "default", family "normal". */
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
};
/* EXIT_USAGE for a shape or family that does not exist, more threads than cores, and working sets
 * beyond half of the machine's memory. */
int bench_plan_request(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                       const struct bench_request *request, struct error *e);

/* The bandwidth sweep alone: limits without cells. */
int bench_plan_sweep(struct bench_plan *p, const struct bench_setup *s, uint64_t seed,
                     struct error *e);

/* A place in a process's order: an item is a cell or control (below cell_count + control_count), or
 * a limit. */
struct step {
    size_t item;
    size_t block; /* steps with the same number, one behind the other, are timed in rounds */
};
/* How many items a plan has. */
size_t bench_items(const struct bench_plan *p);
/* The cell or control that an item is; NULL for a limit. */
const struct cell *bench_cell(const struct bench_plan *p, size_t item);
/* The order of one process: all items, block by block, the blocks shuffled anew for each process.
 * steps[bench_items()]. False where memory is short. */
bool bench_order(const struct bench_plan *p, uint64_t process, struct step *steps);

#endif
