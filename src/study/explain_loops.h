// SPDX-License-Identifier: MIT
/* Loops of a trace, and what a pass of each consists of. */
#ifndef ULPLAB_EXPLAIN_LOOPS_H
#define ULPLAB_EXPLAIN_LOOPS_H

#include "study/explain_types.h"

const char *code_kind_name(enum code_kind kind);
enum code_kind kind_of(const struct op *op);
/* The instruction as assemblers write it, destination first. */
void op_text(const struct op *op, char *text, size_t size);

/* Finds the loops of a trace: ranges from the target of a branch back to the branch. Returns their
 * number; innermost ones have the smallest range. `passes` is counted. */
size_t explain_find_loops(const struct code *c, struct explained_loop loops[LOOPS_MAX]);
/* Returns the innermost loop around an address; `count` where it is in none. */
size_t loop_around(const struct explained_loop *loops, size_t count, uintptr_t at);
/* Fills in what a pass consists of, but for the model's times. loop_of_step: the loop that each
 * step belongs to. */
void loop_describe(struct explained_loop *l, size_t place, const struct code *c,
                   const size_t *loop_of_step, const struct core *core);

#endif
