// SPDX-License-Identifier: MIT
/* Loops of single instructions, assembled when they are needed, and how long a pass of one takes in
 * cycles of the core. Nothing of it needs a counter: each sample stands beside a chain of
 * dependent additions, one per cycle, which tells the core's clock at that moment. */
#ifndef ULPLAB_LOOP_CODE_H
#define ULPLAB_LOOP_CODE_H

#include <stddef.h>

#include "machine/cpu.h"
#include "machine/clock.h"
#include "measure/form.h"

/* The values of the vector registers before the loop. */
enum loop_values { VALUES_NORMAL, VALUES_SUBNORMAL, VALUES_ZERO };
/* The type of the elements that an instruction works on. */
enum loop_type { TYPE_F32, TYPE_F64, TYPE_F16, TYPE_BF16 };

struct loop_code;
/* Returns NULL if the system gives no memory for code. */
struct loop_code *loop_new(const struct cpu *cpu, const struct clock *clock);
void loop_free(struct loop_code *);

/* Begins a new loop: registers filled, general registers 0 but for the base of memory
 * (LOOP_BASE); an empty body follows. */
void loop_begin(struct loop_code *, enum loop_type type, enum loop_values values);
/* Appends one instruction to the body; false where it cannot be encoded or the code is full. */
int loop_put(struct loop_code *, const struct form *f, const struct form_registers *r);
/* Closes the loop and runs it: cycles per pass, the middle of the faster half of `samples`. A
 * sample takes some 20 us. */
double loop_cycles(struct loop_code *, size_t samples);

/* Closes the loop and leaves it to loop_again(). passes: of a run that takes some `seconds`; 0
 * where it cannot run. */
size_t loop_close(struct loop_code *, double seconds);
/* Runs the closed loop; ticks of the clock. */
double loop_again(const struct loop_code *, size_t passes);

/* A processor may share its core with a thread that nothing here shows, of another virtual machine:
 * while that one works, about half of the core is left. Nops then start at half their rate, which
 * tells such moments apart. */

/* Returns how many nops start in a cycle while no other thread uses the core: the rate that one of
 * ten samples exceeds, over some 0.6 s. */
double loop_nops_per_cycle(const struct loop_code *);
/* From here on, a sample that is taken while the core starts less than 0.95 of that many nops is
 * taken again, until waiting has cost 10 s in all. 0: every sample counts. */
void loop_wait_for_core(struct loop_code *, double nops_per_cycle);
struct loop_sample {
    double ticks, cycles;
};
/* Takes a sample: run() returns its own ticks, and a chain of additions before and behind it tells
 * how long a cycle is. */
struct loop_sample loop_sample(struct loop_code *, double (*run)(void *context), void *context);
/* The middle of the faster half; sorts them. */
double loop_quartile(double *values, size_t count);

/* General registers that bodies may use, by number: rdi points to 64 KiB of zeros, rcx counts. */
enum { LOOP_BASE = 7 };

#endif
