// SPDX-License-Identifier: MIT
/* Every operation by its definition, in MPFR: the tests and `make certify` compare the oracle with
 * it. */
#ifndef ULPLAB_TEST_EXACT_H
#define ULPLAB_TEST_EXACT_H

#include <stdbool.h>
#include <stddef.h>

#include <mpfr.h>

#include "oracle/f64.h"
#include "oracle/oracle.h"

/* Enough for the sum of any two floats without rounding; for that of doubles; for MPFR's own
 * functions, whose results are correctly rounded. */
enum { EXACT_BITS = 400, EXACT_BITS_F64 = 2200, EXACT_BITS_UNARY = 200 };

/* Variables of so many bits, for rows of at most n_max values. Each thread needs its own. */
struct exact {
    size_t n_max;
    mpfr_t *y, a, b, c;
};
struct exact *exact_new(size_t n_max, int bits);
void exact_free(struct exact *m);

struct certified {
    const char *op;
    void (*exact)(struct exact *, const double *x, size_t n, const struct f64_parameters *);
};
extern const struct certified certified[]; /* ends with a NULL op */
const struct certified *exact_find(const char *op);

/* The oracle's errors on a row, in fp32 ulp of the exact values (exact_examine_f64: in ulp of
 * double) as the lab counts them. */
struct verdict {
    bool beyond;   /* the oracle itself marked the row as beyond it: nothing was compared */
    size_t values; /* values compared in the row */
    double worst;  /* infinite if a special value is wrong */
    size_t at;     /* the worst value's index */
    double got;
};
struct verdict exact_examine(const struct certified *c, struct exact *m, const float *x, size_t n,
                             const struct parameters *p);
/* Like exact_examine(), for values y that something other than the oracle computed. */
struct verdict exact_judge(const struct certified *c, struct exact *m, const float *x, size_t n,
                           const struct parameters *p, const double *y);
/* Rows of doubles. SPREAD: exponents of a function's own domain. WIDE: all exponents. EQUAL: but
 * for one last bit. CANCELLING: each number and its opposite. APART: about 1e300 and 1e-300. BELOW:
 * far below a maximum of 0, where exponentials are subnormal. */
enum exact_kind {
    EXACT_ORDINARY,
    EXACT_SPREAD,
    EXACT_WIDE,
    EXACT_OFFSET,
    EXACT_EQUAL,
    EXACT_CANCELLING,
    EXACT_TINY,
    EXACT_HUGE,
    EXACT_APART,
    EXACT_BELOW,
    EXACT_KINDS
};
void exact_row_f64(enum exact_kind, uint64_t seed, size_t n, double *x);
const char *exact_kind_name(enum exact_kind);
/* Returns the bits that an operation needs for them: of moments and norms the sum. */
int exact_bits_f64(const struct oracle *);
/* Returns the error of the oracle of double that is promised, in ulp of double. */
double exact_promise_f64(const char *op);

/* exact_examine() for the oracle of double; the operation must have one. */
struct verdict exact_examine_f64(const struct certified *c, struct exact *m, const double *x,
                                 size_t n, const struct f64_parameters *p);

#endif
