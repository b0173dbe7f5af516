// SPDX-License-Identifier: MIT
/* A model of how long a core takes for a sequence of instructions: each starts when what it reads
 * is there and one of its pipes is free, older ones first; so many start to wait in a cycle, and so
 * many may wait. What instructions take comes from a table (measure/instructions.h), measured here
 * or made up by a test.
 *
 * Not in it: branches that are predicted wrongly, caches beyond the first level, subnormals. */
#ifndef ULPLAB_CODE_MODEL_H
#define ULPLAB_CODE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/instructions.h"
#include "measure/trace.h"

/* Pipes by number: the vector unit's as in measure/pipes.h, then general ones, loads, stores. */
enum {
    FIRST_GENERAL = PIPES_MAX,
    GENERAL_MAX = 8,
    FIRST_LOAD = FIRST_GENERAL + GENERAL_MAX,
    LOADS_MAX = 4,
    FIRST_STORE = FIRST_LOAD + LOADS_MAX,
    STORES_MAX = 2,
    MODEL_PIPES = FIRST_STORE + STORES_MAX,
};

/* The pipes that one part of an instruction occupies, and for how long. */
struct pipe_part {
    unsigned set; /* of pipes; 0: none */
    double work;  /* cycles of them, over all */
};

/* One instruction of the code. */
struct op {
    uintptr_t at;
    unsigned char length;
    char form[FORM_TEXT_MAX]; /* "": one that is not measured */
    unsigned mnemonic;        /* Zydis's */
    uint64_t reads, writes;   /* registers: 16 general, 32 vectors, 8 masks, the flags */
    uint64_t address_reads;   /* that its memory's address waits for */
    bool loads, stores, computes;
    unsigned memory_bytes;
    bool branch, calls; /* calls: a call, or the return from one */
    bool fused;         /* with the comparison before it */
    bool library;       /* code outside of this program */
    bool measured;      /* everything that it needs is in the table */
    double latency, latency_mixed, load_latency, forward_latency;
    struct pipe_part compute, hinders, load, store;
};

struct code {
    struct op *ops;
    size_t count;
    uint32_t *steps; /* the trace as indices of ops */
    uintptr_t *memory;
    size_t step_count;
};

/* Decodes a trace. code_cost() sets the costs. */
void code_decode(struct code *c, const struct trace *t);
void code_free(struct code *c);
/* Returns the forms that the table has to have, NULL-terminated; the caller frees each text and the
 * array. */
char **code_forms(const struct code *c);

void code_cost(struct code *c, const struct instruction_table *table);

/* The parts of the model that can be left out, to see what each is worth. */
enum {
    WITHOUT_PORTS = 1,
    WITHOUT_LATENCY = 2,
    WITHOUT_FRONT_END = 4,
    WITHOUT_WINDOW = 8,
};
/* Returns the cycles from the end of one call to the end of the next. by_step: what each of the
 * step_count steps adds to them, or NULL. */
double code_cycles(const struct code *c, const struct core *core, unsigned without, float *by_step);

#endif
