// SPDX-License-Identifier: MIT
/* The plans of the commands: what `ulplab run` measures, and what `ulplab bench` was asked for. */
#ifndef ULPLAB_BENCH_REQUEST_H
#define ULPLAB_BENCH_REQUEST_H

#include "measure/bench_plan.h"
#include "model/suite.h"

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
    const struct suite *suite;    /* that alone; NULL: what the effort says, and every suite */
};

/* `ulplab run`'s. Quick: every variant in L1, some 20 s for 1000 of them. Default: every variant in
 * L1; vector variants under off, fast and default also in L2, those under off in L3, on subnormals
 * and on all cores too, and those that write their FMAs out in DRAM, where calls are long. Full:
 * everything everywhere. */
int bench_plan_run(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                   const struct run_request *request, struct error *e);

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

/* The bandwidth sweep alone: limits without cells. */
int bench_plan_sweep(struct bench_plan *p, const struct bench_setup *s, uint64_t seed,
                     struct error *e);

#endif
