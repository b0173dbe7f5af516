/* How a function continues from one point: as a Taylor polynomial, or by the addition theorem. */
#ifndef ULPLAB_TAYLOR_H
#define ULPLAB_TAYLOR_H

#include <stdbool.h>

#include "oracle/unary.h"

/* Writes c: the polynomial at x, where the function has the value f, in steps of h. c[0] = f and
 * zeros are there already. */
typedef void taylor(double x, double f, double h, double c[UNARY_TERMS]);

struct expansion {
    const char *op;
    taylor *taylor;
    /* f(1) = 0: values near 1 are small, and so have to be their errors. */
    bool zero_at_one;
    /* From this |x| on, where steps are long, f(x + d) = f(x) cos d + f'(x) sin d; 0: nowhere. */
    double turns_from;
    /* Where the function changes too fast for a polynomial: between these two; both 0: nowhere. */
    double steep_from, steep_to;
};

/* NULL: none is known. */
const struct expansion *expansion_find(const char *op);

#endif
