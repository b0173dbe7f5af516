// SPDX-License-Identifier: MIT
/* The cases that the invariant kernels are compared on: rows of many kinds, of every class of
 * shapes that a kernel tells apart. */
#ifndef ULPLAB_TEST_INVARIANT_CASES_H
#define ULPLAB_TEST_INVARIANT_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel_reference.h"

struct invariant_case {
    const struct oracle *op;
    size_t n, rows;
    int kind; /* kind of rows: an input family, or a kind that invariant_cases.c adds */
    bool affine;
};

struct invariant_cases {
    struct invariant_case *items;
    size_t count, room;
};

/* Adds the cases of an operation. `full`: every n to 4096 with every kind of rows; else every n
 * with one kind, and short n with all. */
void invariant_cases_add(struct invariant_cases *all, const struct oracle *op, bool full);
void invariant_cases_free(struct invariant_cases *all);

/* The number of kinds of rows. */
int invariant_kinds(void);
/* Writes a case's rows, x[rows, n]. */
void invariant_case_fill(const struct invariant_case *c, float *x);
/* Writes the case's name, such as "rows = 3, n = 17, kind 12, affine"; returns `text`. */
const char *invariant_case_text(const struct invariant_case *c, char *text, size_t size);

#endif
