// SPDX-License-Identifier: MIT
/* One call of a kernel, instruction by instruction, and its time in cycles of the core.
 *
 * A forked child runs the kernel with the processor's trap flag set, so that it stops after every
 * instruction and records its address. The child has the parent's memory, so addresses of code are
 * the same here. */
#ifndef ULPLAB_TRACE_H
#define ULPLAB_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "measure/cell.h"
#include "model/status.h"

enum { TRACE_STEPS_MAX = 1 << 21 };

struct trace {
    uintptr_t *steps; /* the address of each instruction of one call */
    size_t count;
    size_t rows; /* that were traced: fewer than the cell has if all would take too many steps */
    bool cut;    /* there were more than TRACE_STEPS_MAX */
    double cycles, ns;     /* of a call, with warm caches and predictors */
    double cycles_flushed; /* of a call with subnormals flushed (DAZ and FTZ) */
};

/* Traces and times a cell: one thread, its rows and family. The CPU must support the variant.
 * nops_per_cycle: core.nops, for loop_wait_for_core(). */
int trace_run(struct trace *t, const struct cell *c, const struct bench_setup *s,
              const struct cpu *cpu, double nops_per_cycle, struct error *e);
void trace_free(struct trace *t);

#endif
