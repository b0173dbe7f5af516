// SPDX-License-Identifier: MIT
/* What the parts of `edges` share: every kernel called with each of its operands at a guard page.
 */
#ifndef EDGES_H
#define EDGES_H

#include <stdbool.h>
#include <stddef.h>

#include "../guard.h"
#include "model/registry.h"

enum { ROWS_MAX = 18, N_MAX = 4099 };

/* ---- What a kernel reads and writes (operands.c) --------------------------------------------- */

struct operands {
    size_t x_bytes, y_bytes; /* of an element, of a result */
    size_t width;            /* results of a row; PER_ELEMENT: as many as elements */
    size_t stats;            /* statistics of a row */
    bool gamma, beta;
    const void *operand; /* a case study's second input */
};
enum { PER_ELEMENT = 0 };

/* Also of kernels that only case studies run. False: nobody knows. */
bool operands_of(const struct variant *v, struct operands *o);

/* ROWS_MAX rows of N_MAX elements, in the type of v's x: normal numbers, and rows that hold a NaN,
 * an infinity, a huge number, subnormal numbers or nothing but -inf. They are those of the last
 * call's type. */
const void *source_rows(const struct variant *v, const struct operands *o);
/* N_MAX numbers for gamma and for beta. */
const float *source_affine(void);

/* ---- One call (calls.c) ---------------------------------------------------------------------- */

/* Where operands lie: all of them from a guard page on, or all up to one. */
struct layout {
    size_t rows, x_gap, y_gap; /* gaps: elements, results between rows */
    bool at_end;
    bool in_memory; /* as where no cache keeps the job: its last level has 96 bytes */
};

struct memory {
    struct guard x, y, gamma, beta, stats, scratch;
    char *results[2]; /* of two calls, to compare */
};
void memory_open(struct memory *m);

/* Calls the kernel, twice with different bytes in gaps, scratch and results before the call, and
 * where it has stages a third time by them. NULL: all is as the contract says; else what is not.
 * *calls is counted up. `memcheck`: instead once, where valgrind's memcheck is told what a kernel
 * may read, and what is undefined. A policy that promises nothing may give any result. */
const char *try_call(struct memory *m, const struct variant *v, const struct kernel *k,
                     const struct operands *o, const struct layout *l, size_t n, bool memcheck,
                     size_t *calls);

/* ---- What memcheck is told (memcheck.c) ------------------------------------------------------ */

bool memcheck_runs(void);
void memcheck_no_access(const void *p, size_t bytes);
void memcheck_undefined(const void *p, size_t bytes);
void memcheck_open(const void *p, size_t bytes); /* defined, as it is */
bool memcheck_is_defined(const void *p, size_t bytes);
size_t memcheck_errors(void); /* so far */

#endif
