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
/* All but tracing and timing: x->code is decoded and costed, its facts measured and flushed set. */
void explain_code(struct explained *x, const struct core *core);
void explain_free(struct explained *x);

#endif
