// SPDX-License-Identifier: MIT
/* The kernels called `correct` of functions of one element, on the inputs that a scan cannot
 * decide: where the oracle's value is so near to the middle between two floats that its own error
 * matters. */
#ifndef ULPLAB_TEST_CORRECT_FUNCTIONS_H
#define ULPLAB_TEST_CORRECT_FUNCTIONS_H

#include "correct_rows.h"

/* The functions for which `correct` has kernels; ends with NULL. */
extern const char *const correct_functions[];

struct correct_inputs {
    size_t inputs;    /* of the oracle, of 2^32 */
    size_t undecided; /* of these: within 2^-13 ulp of a middle */
    size_t kernels;   /* whose machine code differs */
    size_t wrong;     /* results, of all kernels */
    char first[256];  /* the first wrong result */
};
/* Decides the undecided inputs of a function by MPFR, and compares every kernel's results with
 * that, bit by bit. every: one row of so many consecutive floats is looked at, 1 for all. */
struct correct_inputs correct_decide(const struct registry *r, const char *op, size_t every);

#endif
