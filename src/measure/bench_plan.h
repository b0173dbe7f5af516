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
#include "measure/limits.h"
#include "model/registry.h"
#include "oracle/inputs.h"

struct bench_plan {
    struct cell *cells;   /* the cells that were asked for, then the controls */
    size_t cell_count;    /* asked for */
    size_t control_count; /* copies of some of them */
    struct limit_task *limits;
    size_t limit_count;
    size_t processes, rounds; /* rounds: of each block in each process; at most BENCH_ROUNDS_MAX */
    size_t first_process;     /* the processes before it have been run */
    const bool *left_out; /* blocks, by number, that are not measured; NULL: none. With it, limits
                             are not measured either */
    bool hashes_outputs;  /* what a cell's kernel writes is hashed, too */
    double warmup_s, sample_s; /* at least; a sample also lasts 1000 times the timer's floor */
    double patience_s;         /* for a cell's samples in one process; three are taken anyway */
    double timeout_s;          /* without a word from the worker */
    uint64_t seed;             /* of inputs, order and layouts */
    struct parameters parameters;
    struct input_rows input; /* the input of every cell; rows 0: families */
};
enum { BENCH_ROUNDS_MAX = 1000 };

void bench_plan_free(struct bench_plan *p);

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
 * steps[bench_items()]. False where memory is short. */
bool bench_order(const struct bench_plan *p, uint64_t process, struct step *steps);

#endif
