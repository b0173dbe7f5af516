// SPDX-License-Identifier: MIT
/* The instruction table: latency and throughput of forms of instructions on this core, and how much
 * each shares with some others, from loops of them alone (measure/loop_code.h). No counter and no
 * privilege is needed. */
#ifndef ULPLAB_INSTRUCTIONS_H
#define ULPLAB_INSTRUCTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "machine/cpu.h"
#include "measure/form.h"
#include "measure/pipes.h"
#include "model/status.h"

/* The measurements of a form, in cycles of the core; NaN: not measured, or undefined (a
 * comparison's latency ends in the flags). */
struct instruction {
    char form[FORM_TEXT_MAX];
    unsigned bits;      /* of its widest vector; 0: it has none */
    enum status status; /* how its measurement ended */
    double latency;     /* from the slowest source register to the result, in a chain of itself; of
                           a load from its address; of a store until a load of it has the value */
    double latency_mixed; /* latency where the chain alternates with a multiplication: some cores
                             forward faster between two of a kind */
    double cycles;        /* the reciprocal throughput: cycles per instruction, nothing waiting */
    double cycles_subnormal;         /* cycles if all operands are subnormal numbers */
    struct pipe_mix mix[PIPE_KINDS]; /* mixed with instructions of each kind */
    struct pipe_use use;             /* inferred from the mixes by pipes_place() */
};

/* The measurements of a core that do not belong to one form. */
struct core {
    double nops;          /* that start in a cycle while no other thread uses the core */
    double slots;         /* instructions that do work and start in a cycle, at most */
    double general;       /* additions of general registers in a cycle */
    double branch_cycles; /* cycles between two taken branches */
    /* The time of code immediately after 2 ms of 512-bit FMAs, over its time before, for additions
     * of general registers, scalar FMAs and 256-bit FMAs. NaN: no 512-bit vectors. */
    double behind_wide[3];
    struct pipe_basis basis[3]; /* by vector width: 128, 256, 512 */
};

struct instruction_table {
    bool looks_behind_wide; /* whether core.behind_wide is measured, which takes a second */
    struct core core;
    struct instruction *items;
    size_t count;
};

/* Returns all forms of measure/instruction_forms.def that this CPU has: NULL-terminated texts in
 * one array, which the caller frees, and each text. */
char **instruction_forms(const struct cpu *cpu);

/* Measures them in forked children, pinned to the quiet core: a form that traps has its status, and
 * the others go on. Instructions that a table has already are not measured again, nor is its core.
 */
int instructions_measure(struct instruction_table *t, const struct cpu *cpu, char *const *forms,
                         void (*progress)(void *context, double share), void *context,
                         struct error *e);
void instructions_free(struct instruction_table *t);
const struct instruction *instructions_find(const struct instruction_table *t, const char *form);

/* {"record": "instruction", "form", "bits", "status", "latency", "latency_mixed", "cycles",
 * "cycles_subnormal", "pipes", "work"} and first {"record": "core", ..}. */
json_t *instructions_records(const struct instruction_table *t);

#endif
