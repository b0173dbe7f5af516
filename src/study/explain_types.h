// SPDX-License-Identifier: MIT
/* The explanation of a variant: its loops, what they ask of the core, what binds. */
#ifndef ULPLAB_EXPLAIN_TYPES_H
#define ULPLAB_EXPLAIN_TYPES_H

#include "study/code_model.h"

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

enum binding {
    BINDS_PORTS,
    BINDS_LATENCY,
    BINDS_FRONT_END,
    BINDS_MEMORY,
    BINDS_SUBNORMALS,
    BINDS_LIBRARY,
    BINDS_TOGETHER, /* nothing by itself */
};

/* The facts about a call, or about a pass of a loop, that decide what binds; times in cycles. */
struct binding_facts {
    double model; /* within the core */
    double without_ports, without_latency, without_front_end, without_window;
    double memory; /* what the levels beyond the first allow at best; 0: nothing is there */
    double measured, flushed; /* NaN: not measured; flushed: with subnormals taken for 0 */
    double library_share;     /* of the model's time in code of libraries */
};

enum { LOOPS_MAX = 64 };
struct explained_loop {
    uintptr_t head, tail; /* its first instruction and the branch back; 0: what is in no loop */
    size_t passes;        /* in a call */
    double share;         /* of the model's time */
    double counts[CODE_KINDS];           /* instructions per pass */
    double instructions, loaded, stored; /* per pass; bytes */
    double pipes_cycles; /* per pass: of the vector pipes that are busiest for their number */
    unsigned busiest;    /* these pipes */
    double load_cycles, store_cycles, general_cycles, slot_cycles, chain_cycles;
    struct binding_facts facts; /* per pass; measured is NaN */
    enum binding binds;
    uint32_t *ops; /* of code->ops, by address */
    size_t op_count;
};

struct explained {
    struct code code;
    size_t rows, n;
    bool cut;
    double ns;    /* of a call */
    double scale; /* rows of a call over those that were traced; all else is of the traced ones */
    double elements;
    double lines[LEVELS]; /* lines of 64 bytes that a call brings in from each level */
    double unmeasured;    /* share of instructions whose cost is a guess */
    struct binding_facts facts;
    enum binding binds;
    struct explained_loop loops[LOOPS_MAX];
    size_t loop_count;              /* by share, largest first */
    char mca_version[32];           /* "": llvm-mca is not installed, or was not asked */
    double mca_cycles[6];           /* by mca_cpus[] (study/mca.h); NaN: it cannot say */
    char library[64], function[64]; /* of code outside of the program that takes most; "": none */
};

#endif
