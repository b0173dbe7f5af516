// SPDX-License-Identifier: MIT
/* The types in which kernels store x and y (simd/vocabulary/storage), as the lab sees them: their
 * place in memory, their conversions, and the scale of errors of results stored in them. A kernel
 * of f64 computes in double; it gets double for everything that kernel.h calls float behind a
 * pointer: gamma, beta, stats, scratch, and the columns of a result. */
#ifndef ULPLAB_DTYPE_H
#define ULPLAB_DTYPE_H

#include <stddef.h>

struct kernel;

struct dtype {
    const char *name; /* f32, bf16, f16, f64 */
    size_t bytes;
    int fraction_bits; /* stored ones: ulp(y) = 2^(max(ilogb(y), min_exponent) - fraction_bits) */
    int min_exponent;
    double largest;  /* finite */
    double overflow; /* from this value on a correctly rounded result is infinite; of f64 no double
                        is between it and `largest` */
    double least;    /* the smallest subnormal */
    /* Rounds to nearest, ties to even, with gradual underflow; a NaN stays a NaN, quiet. */
    void (*narrow)(const float *from, void *to, size_t count);
    void (*widen)(const void *from, float *to, size_t count); /* exact, unless from f64 */
};

extern const struct dtype dtype_f32, dtype_f64;

/* Returns the type in which kernels that store `t` compute: f64 or f32. Results per row, gamma,
 * beta and scratch are of that type. */
const struct dtype *dtype_computed(const struct dtype *t);

const struct dtype *dtype_find(const char *name); /* NULL: unknown */

/* Returns the type in which a kernel stores x and its results per element; f32 if the name is
 * unknown. */
const struct dtype *dtype_of(const struct kernel *k);

/* Rounds inputs in place. Finite ones stay finite: an input beyond the largest number becomes the
 * largest, since an infinity would make every result of its row NaN. */
void dtype_round_inputs(const struct dtype *t, float *x, size_t count);

#endif
