// SPDX-License-Identifier: MIT
/* The instructions of a traced call, decoded, and what each takes by the instruction table
 * (measure/instructions.h), measured here or made up by a test. */
#ifndef ULPLAB_CODE_H
#define ULPLAB_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/instructions.h"
#include "measure/trace.h"

/* One instruction of the code. Cycles are those that it takes where nothing waits. */
struct op {
    uintptr_t at;
    unsigned char length;
    char form[FORM_TEXT_MAX]; /* "": one that is not measured */
    unsigned mnemonic;        /* Zydis's */
    bool loads, stores, computes;
    unsigned memory_bytes;
    bool branch, calls; /* calls: a call, or the return from one */
    bool tests_flags, sets_flags;
    bool fused;                  /* with the comparison before it */
    bool library;                /* code outside of this program */
    bool measured;               /* everything that it needs is in the table */
    double latency;              /* NaN: it has none, or is not measured */
    struct pipe_use use;         /* of the vector pipes */
    double general, load, store; /* cycles of general registers' pipes, of loads and of stores */
};

struct code {
    struct op *ops;
    size_t count;
    uint32_t *steps; /* the trace as indices of ops */
    size_t step_count;
};

/* Decodes a trace. code_cost() sets the costs. */
void code_decode(struct code *c, const struct trace *t);
void code_free(struct code *c);
/* Returns the forms that the table has to have, NULL-terminated; the caller frees each text and the
 * array. */
char **code_forms(const struct code *c);

void code_cost(struct code *c, const struct instruction_table *table);

#endif
