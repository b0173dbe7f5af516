// SPDX-License-Identifier: MIT
/* Input families, on which a variant's accuracy is measured. Every value is a pure function of
 * (seed, family, domain, row, index, n), the same bits on every machine: a counter-based generator,
 * IEEE arithmetic without FMA, and SLEEF's functions of one fixed flavour. */
#ifndef ULPLAB_INPUTS_H
#define ULPLAB_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "kernel_reference.h"

enum family {
    FAMILY_NORMAL,      /* N(0, 1) */
    FAMILY_UNIFORM,     /* [-1, 1), all 2^24 multiples of 2^-23 */
    FAMILY_LOGITS,      /* N(0, 10^2) */
    FAMILY_ATTENTION,   /* q.k_j / 8 of 64-dimensional normals, one q per row */
    FAMILY_OFFSET,      /* 1e4 + N(0, 1) */
    FAMILY_ONEHOT,      /* one +20, the rest N(0, 1) */
    FAMILY_CONSTANT,    /* one value of N(0, 10^2) per row */
    FAMILY_ALTERNATING, /* +1e4, -1e4, ...; the odd rows begin with -1e4 */
    FAMILY_TINY,        /* results are subnormal: see enum domain */
    FAMILY_WIDE,        /* exponents uniform over all normal numbers, both signs */
    FAMILY_SORTED,      /* N(0, 1), ascending */
    FAMILY_MASKED,      /* N(0, 1), masked after a place, before one, or at scattered places */
    FAMILY_BELOW,       /* -m 2^e + N(0, 1), e in 6 .. 23 and m in [1, 2) per row */
    FAMILY_OUTLIER,     /* N(0, 1) 2^-a and one +-m 2^b, a and b in 0 .. 59 per row */
    FAMILY_HUGE,        /* squares overflow; or sums; or the square of one among N(0, 1) */
    FAMILY_SPECIAL,     /* N(0, 1) with a NaN, a +inf, a -inf, or all three at one place */
    FAMILY_COUNT
};

/* Rows that a user gave: data[rows * n]. They are no family; their records say INPUT_FAMILY. */
struct input_rows {
    const float *data;
    size_t rows, n;
};
#define INPUT_FAMILY "input"

const char *family_name(enum family f);
enum family family_find(const char *name); /* FAMILY_COUNT if unknown */

/* Writes parameters as in models: gamma[0 .. n) = 1 + N(0, 1) / 8 and beta[0 .. n) = N(0, 1) / 8,
 * the same for every seed. */
void inputs_affine(size_t n, float *gamma, float *beta);

/* Writes row `row` of the family: x[0 .. n). */
void inputs_row(enum family f, enum domain d, uint64_t seed, uint64_t row, size_t n, float *x);

/* Write a row of a family, and gamma and beta, in double: tiny, wide, below, outlier and huge reach
 * as far as its exponents do, and uniform has all multiples of 2^-52. */
void f64_inputs_row(enum family f, enum domain d, uint64_t seed, uint64_t row, size_t n, double *x);
void f64_inputs_affine(size_t n, double *gamma, double *beta);

#endif
