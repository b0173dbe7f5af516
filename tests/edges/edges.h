// SPDX-License-Identifier: MIT
/* The interface between the parts of `edges`, which calls every kernel with each of its operands at
 * a guard page. */
#ifndef EDGES_H
#define EDGES_H

#include <stdbool.h>
#include <stddef.h>

#include "../guard.h"
#include "model/registry.h"

enum { ROWS_MAX = 18, N_MAX = 4099 };

/* ---- What a kernel reads and writes (operands.c) --------------------------------------------- */

struct operands {
    size_t x_bytes, y_bytes; /* bytes per element, bytes per result */
    size_t computed;         /* bytes of gamma's, beta's, statistics' and scratch's elements */
    size_t width;            /* results of a row; PER_ELEMENT: one per element */
    size_t stats;            /* statistics of a row */
    bool gamma, beta;
    const void *operand; /* a case study's second input */
};
enum { PER_ELEMENT = 0 };

/* Describes the operands of a kernel, also of those that only case studies run. Returns false if it
 * is unknown. */
bool operands_of(const struct variant *v, struct operands *o);

/* Lengths with every tail of a vector, and those around whole blocks. */
static inline bool is_telling(size_t n)
{
    enum { EVERY = 70, MULTIPLE = 64 };
    return n <= EVERY || (n + 1) % MULTIPLE <= 2;
}
/* ROWS_MAX rows of N_MAX elements, in the type of v's x: normal numbers, and rows with a NaN, an
 * infinity, a huge number, subnormal numbers (scalar code has them alone at telling lengths n), or
 * nothing but -inf. Valid until the next call. */
const void *source_rows(const struct variant *v, const struct operands *o, size_t n);
/* N_MAX numbers, used for gamma and for beta: floats, or doubles where `computed` says so. */
const void *source_affine(size_t computed);

/* ---- One call (calls.c) ---------------------------------------------------------------------- */

/* The layout of the operands: all begin at a guard page, or all end at one (`at_end`). */
struct layout {
    size_t rows, x_gap, y_gap; /* gaps: elements (x) and results (y) between rows */
    bool at_end;
    bool in_memory; /* the last cache level has 96 bytes, so that every job counts as from memory */
};

struct memory {
    struct guard x, y, gamma, beta, stats, scratch;
    char *results[2]; /* the results of two calls, to compare */
};
void memory_open(struct memory *m);

/* Calls the kernel twice, with different bytes in gaps, scratch and results before the call; a
 * kernel with stages a third time by these. Returns NULL, or what breaks the contract. *calls is
 * increased. With `memcheck` the kernel is called once, and valgrind's memcheck is told which bytes
 * a kernel may read and which are undefined. A policy that promises nothing may give any result. */
const char *try_call(struct memory *m, const struct variant *v, const struct kernel *k,
                     const struct operands *o, const struct layout *l, size_t n, bool memcheck,
                     size_t *calls);

/* ---- What memcheck is told (memcheck.c) ------------------------------------------------------ */

bool memcheck_runs(void);
void memcheck_no_access(const void *p, size_t bytes);
void memcheck_undefined(const void *p, size_t bytes);
void memcheck_open(const void *p, size_t bytes); /* defined, with the value that they have */
bool memcheck_is_defined(const void *p, size_t bytes);
size_t memcheck_errors(void); /* the number of errors so far */

#endif
