// SPDX-License-Identifier: MIT
/* Why a variant takes the time it takes: its hot loops as they were compiled and executed, what
 * they ask of the core, what the model of study/code_model.h makes of it, and what binds. */
#ifndef ULPLAB_EXPLAIN_H
#define ULPLAB_EXPLAIN_H

#include "base/error.h"
#include "measure/bench.h"
#include "study/explain_types.h"
#include "study/mca.h"

/* Traces, times and models a cell. The table gains the forms that it lacks. mca: NULL, or is asked,
 * too. */
int explain_cell(struct explained *x, const struct cell *c, const struct bench_setup *s,
                 const struct cpu *cpu, struct instruction_table *table, const struct mca *mca,
                 struct error *e);
/* Sets x->lines, and facts.memory to the cycles that lines from beyond the first level take if all
 * else is free. bytes: sizes of the caches; 0: there is none. */
void explain_memory(struct explained *x, const size_t bytes[LEVEL_DRAM],
                    const double bytes_per_cycle[LEVELS]);
/* All but tracing and timing: x->code is decoded and costed, and measured, flushed and memory of
 * its facts are set. */
void explain_code(struct explained *x, const struct core *core);
void explain_free(struct explained *x);

#endif
