// SPDX-License-Identifier: MIT
/* The reference that the kernels' tests compare with: every operation in long double (64-bit
 * significands) with compensated sums, written for clarity and independent of the lab's oracle. It
 * also has the tolerances, from the bounds of docs/method.md, "Bounds". */
#ifndef ULPLAB_TEST_REFERENCE_H
#define ULPLAB_TEST_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel.h"

/* An operation and its parameters besides x. */
struct question {
    const char *op;
    double scale; /* applied first: softmax(scale * x), log_softmax(scale * x) */
    float eps;
    const float *gamma, *beta; /* [n] or NULL */
};

/* Sums and extremes of one row, exact to about 2^-60 relative. */
struct row_facts {
    size_t n;
    bool nan, plus_inf, finite;      /* whether x has a NaN, has +inf, is finite throughout */
    long double max, lse;            /* of scale * x */
    long double abs_finite;          /* max |scale * x| over the finite elements */
    long double spread;              /* sum of softmax_j (max - scale x_j) */
    long double mean, m2, sum2, abs; /* m2 = sum (x - mean)^2, sum2 = sum x^2, abs = max |x| */
};

struct row_facts reference_facts(const float *x, size_t n, double scale);

/* The number of outputs of a row: n, 1 or 2. */
size_t reference_width(const char *op, size_t n);

/* The exact outputs, rounded to double: NaN and infinities as include/kernel.h says. For
 * layernorm stats[2] = (mean, rstd), for rmsnorm stats[0] = rstd. An infinite or NaN mean is NaN
 * here. */
void reference_row(const struct question *q, const struct row_facts *f, const float *x,
                   double *want, double stats[2]);

/* How far an output may be from `want`:
 *   |weight| (absolute + absolute_slope d) + |want| (t + t^2) + ulp ulp(want),
 *   t = relative + relative_slope d,  d = |scale x - centre|,  weight = gamma or 1.
 * (t + t^2 >= exp(t) - 1 for t <= 1: an absolute error under an exponential.) */
struct tolerance {
    double centre, absolute, absolute_slope, relative, relative_slope, ulp;
};

/* The tolerances of a kernel on a row; infinite if the bounds do not apply (squares that overflow).
 * output[1] is the variance of moments; every other output uses output[0]. fused: contraction is
 * on, which selects the promise in ulp. */
struct tolerances {
    struct tolerance output[2], stats[2];
};
struct tolerances reference_tolerances(const struct question *q, const struct kernel *k,
                                       const struct row_facts *f, bool fused);
/* The tolerance of output i of a row. */
double reference_allows(const struct tolerance *t, const struct question *q, float x, double want,
                        size_t i);
/* Returns whether each of n outputs is finite, of a finite x, and within that tolerance, or NaN as
 * wanted. */
bool reference_allows_row(const struct tolerance *t, const struct question *q, const float *x,
                          const double *want, const float *y, size_t n);

#endif
