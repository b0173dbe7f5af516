// SPDX-License-Identifier: MIT
/* Adversarial rows for the kernels; each is a pure function of (family, n, row). */
#ifndef ULPLAB_TEST_ROWS_H
#define ULPLAB_TEST_ROWS_H

#include <stdbool.h>
#include <stddef.h>

struct row_family {
    const char *name;
    bool plain;       /* rows on which every kernel must be roughly right under every policy */
    bool every_place; /* small n have one row for every place of the odd element */
    void (*fill)(float *x, size_t n, size_t place);
};

extern const struct row_family row_families[]; /* ends with a NULL name */

/* The number of rows that a family has for length n, and the place of the odd element in row r. */
size_t row_count(const struct row_family *f, size_t n);
size_t row_place(const struct row_family *f, size_t n, size_t row);

#endif
