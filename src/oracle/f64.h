// SPDX-License-Identifier: MIT
/* The oracle of double: the exact value of every operation on rows of doubles, as two doubles. Its
 * error is below 2^-40 ulp of double (MPFR certifies it in tests/test_oracle_f64.c and in `make
 * certify`). Where terms cancel, logsumexp next to zero and layernorm where beta cancels a product,
 * it is below 2^-10 ulp, or the row is marked `beyond`. The bits are the same on every CPU: IEEE
 * arithmetic, and FMA, which AVX2's CPUs have. */
#ifndef ULPLAB_ORACLE_F64_H
#define ULPLAB_ORACLE_F64_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel_reference.h"

/* The exact value y = hi + lo 2^-52. `hi` is y rounded to double, its sign is that of y, of a zero,
 * too. Since lo is scaled, subnormal values are as exact as others. Where y rounds to an infinity,
 * hi is that infinity and y = lo 2^52 within half an ulp, bounded to what lo can hold; lo is
 * infinite where y is. NaN: both. A long double or __float128 q is {(double)q, (double)((q -
 * (double)q) * 0x1p52)}. */
struct f64_value {
    double hi, lo;
};

/* The arguments of a job on which exact values depend, as struct parameters of fp32. */
struct f64_parameters {
    double scale;               /* softmax, log_softmax: of scale * x */
    double eps;                 /* layernorm, rmsnorm */
    const double *gamma, *beta; /* [n], or NULL: ones and zeros */
};
extern const struct f64_parameters f64_parameters_default; /* scale 1, eps 1e-5 */

/* An operation in double. It has the outputs, the columns and the order of values of its fp32 form.
 */
struct f64_oracle {
    const char *op;
    /* Writes y[f64_oracle_values()] and *facts, whose figures are in double: an infinite `squares`
     * is a sum of squares beyond double's range. x may hold any values, and n may be 0. */
    void (*row)(const double *x, size_t n, const struct f64_parameters *, struct f64_value *y,
                struct oracle_row *facts);
};

/* Returns the operation's oracle in double; NULL: it has none. */
const struct f64_oracle *f64_oracle_find(const char *op);
/* Returns them in their order; NULL behind the last. */
const struct f64_oracle *f64_oracle_at(size_t i);
/* Returns the number of values of a row of n elements: those per element, then the columns. */
size_t f64_oracle_values(const struct f64_oracle *, size_t n);

/* Returns whether the row's sum of squares overflows in double: no file promises anything there. */
bool f64_oracle_overflows(const struct oracle_row *);

#endif
