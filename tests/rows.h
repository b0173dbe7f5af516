// SPDX-License-Identifier: MIT
/* Adversarial rows for the kernels: a pure function of (family, n, row). */
#ifndef ULPLAB_TEST_ROWS_H
#define ULPLAB_TEST_ROWS_H

#include <stdbool.h>
#include <stddef.h>

struct row_family {
    const char *name;
    bool plain;       /* what every kernel must do roughly right under every policy */
    bool every_place; /* one row for every place of its odd element, while n is small */
    void (*fill)(float *x, size_t n, size_t place);
};

extern const struct row_family row_families[]; /* ends with a NULL name */

/* How many rows of a family a case of length n has, and where the odd one of row r stands. */
size_t row_count(const struct row_family *f, size_t n);
size_t row_place(const struct row_family *f, size_t n, size_t row);

#endif
