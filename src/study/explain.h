// SPDX-License-Identifier: MIT
/* What a variant spends its time on: the instructions of a call's hot loops, as compiled and
 * executed, with counts and the minimum cycles by the instruction table; comparison of two
 * variants. */
#ifndef ULPLAB_EXPLAIN_H
#define ULPLAB_EXPLAIN_H

#include <jansson.h>

#include "base/error.h"
#include "measure/bench.h"
#include "study/code.h"

/* Kinds of instruction, as people count them. */
enum code_kind {
    KIND_FMA,
    KIND_MUL,
    KIND_ADD,
    KIND_MAX,
    KIND_DIV,
    KIND_ROOT,
    KIND_COMPARE,
    KIND_CONVERT,
    KIND_PERMUTE,
    KIND_BITS, /* integers, shifts and logic in vectors */
    KIND_LOAD,
    KIND_STORE,
    KIND_MOVE,
    KIND_GENERAL,
    KIND_BRANCH,
    CODE_KINDS,
};

enum { LOOPS_MAX = 64 };
/* Cycles are those of a pass if nothing waits for anything but the named part of the core. */
struct explained_loop {
    uintptr_t head, tail; /* its first instruction and the branch back; 0: code outside loops */
    size_t passes;        /* in a call */
    double share;         /* of the call's instructions */
    double counts[CODE_KINDS];           /* instructions per pass */
    double instructions, loaded, stored; /* per pass; bytes */
    double pipes_cycles;                 /* of the vector pipes that are busiest for their number */
    unsigned busiest;                    /* these pipes */
    double load_cycles, store_cycles, general_cycles, slot_cycles;
    uint32_t *ops; /* of code->ops, by address */
    size_t op_count;
};

struct explained {
    struct code code;
    size_t rows, n;
    bool cut;
    double ns, cycles, cycles_flushed; /* of a call; flushed: with subnormals taken for 0 */
    double elements;                   /* of the rows that were traced */
    double unmeasured;                 /* share of instructions whose cost is a guess */
    double library_share;              /* of instructions outside of the program */
    struct explained_loop loops[LOOPS_MAX];
    size_t loop_count;              /* by share, largest first */
    char library[64], function[64]; /* that most of those are in; "": none */
};

/* Traces and times a cell. The table gains the forms that it lacks. */
int explain_cell(struct explained *x, const struct cell *c, const struct bench_setup *s,
                 const struct cpu *cpu, struct instruction_table *table, struct error *e);
/* All but tracing and timing, of x->code, which is decoded and costed. */
void explain_code(struct explained *x, const struct core *core);
void explain_free(struct explained *x);
json_t *explain_record(const struct explained *x, const struct cell *c);

/* Returns the two hottest loops side by side, [left, mark, right] a line: instructions as
 * assemblers write them, destination first, "" where the other loop has nothing like it (marked <
 * or >). Of a line marked |, the two differ and stand for each other. */
json_t *explain_side_by_side(const struct explained *a, const struct explained *b);
/* Returns the instructions of a kind in a call, per vector of `lanes` elements. */
double explain_count(const struct explained *x, enum code_kind kind, unsigned lanes);
/* Returns the changes from a to b: counts by kind, pairs that became FMAs, the ratio of times. */
json_t *explain_difference(const struct explained *a, unsigned a_lanes, const struct explained *b,
                           unsigned b_lanes);

#endif
