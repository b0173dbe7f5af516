// SPDX-License-Identifier: MIT
/* Every operation by its definition, in MPFR: the tests and `make certify` compare the oracle with
 * it. */
#ifndef ULPLAB_TEST_EXACT_H
#define ULPLAB_TEST_EXACT_H

#include <stdbool.h>
#include <stddef.h>

#include <mpfr.h>

#include "oracle/oracle.h"

/* Enough for the sum of any two floats without rounding. */
enum { EXACT_BITS = 400 };

/* Variables for rows of at most n_max values. Each thread needs its own. */
struct exact {
    size_t n_max;
    mpfr_t *y, a, b, c;
};
struct exact *exact_new(size_t n_max);
void exact_free(struct exact *m);

struct certified {
    const char *op;
    void (*exact)(struct exact *, const float *x, size_t n, const struct parameters *);
};
extern const struct certified certified[]; /* ends with a NULL op */

/* The oracle's errors on a row, in fp32 ulp of the exact values as the lab counts them. */
struct verdict {
    bool beyond;   /* the oracle itself marked the row as beyond it: nothing was compared */
    size_t values; /* values compared in the row */
    double worst;  /* infinite if a special value is wrong */
    size_t at;     /* the worst value's index */
    double got;
};
struct verdict exact_examine(const struct certified *c, struct exact *m, const float *x, size_t n,
                             const struct parameters *p);
/* Like exact_verdict(), for values y that something other than the oracle computed. */
struct verdict exact_judge(const struct certified *c, struct exact *m, const float *x, size_t n,
                           const struct parameters *p, const double *y);

#endif
