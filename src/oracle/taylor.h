// SPDX-License-Identifier: MIT
/* The continuation of a function from one point: as a Taylor polynomial, or by the addition
 * theorem. */
#ifndef ULPLAB_TAYLOR_H
#define ULPLAB_TAYLOR_H

#include <stdbool.h>

#include "oracle/unary.h"

/* Writes c, the polynomial at x, where the function has the value f, in steps of h. The caller has
 * set c[0] = f and the other coefficients to 0. */
typedef void taylor(double x, double f, double h, double c[UNARY_TERMS]);

struct expansion {
    const char *op;
    taylor *taylor;
    /* Whether f(1) = 0: values near 1 are small, and so must be their errors. */
    bool zero_at_one;
    /* The |x| from which on, steps being long, f(x + d) = f(x) cos d + f'(x) sin d is used; 0:
     * nowhere. */
    double turns_from;
    /* The interval where the function changes too fast for a polynomial; both 0: none. */
    double steep_from, steep_to;
};

/* Returns NULL if no expansion is known. */
const struct expansion *expansion_find(const char *op);

#endif
