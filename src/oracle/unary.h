// SPDX-License-Identifier: MIT
/* exp, log, log2 and sigmoid of fp32 rows in fp64, fast enough for a scan of all 2^32 inputs: the
 * same polynomials in 4 lanes (AVX2) and in 8 (AVX-512), with FMA only where it is written, so that
 * both give the same bits. Their relative error is below 2^-45 (2^-21 fp32 ulp); zeros, infinities
 * and NaN give the functions' values. MPFR certifies it in tests/test_oracle.c. */
#ifndef ULPLAB_UNARY_H
#define ULPLAB_UNARY_H

#include <stdbool.h>
#include <stddef.h>

typedef void unary_row(const float *x, size_t n, double *y);

enum { UNARY_TERMS = 5 };
#define UNARY_TURN_SMALL 0x1p-11

struct unary_rows {
    unary_row *exp, *log, *log2, *sigmoid;
    /* Computes y[i] = sum of c[d] (from + i)^d; n is a multiple of 8. */
    void (*polynomial)(const double c[UNARY_TERMS], double from, size_t n, double *y);
    /* Computes y[i] = c[0] cosines[i] + c[1] sines[i]; n is a multiple of 8. Returns whether any of
     * them is smaller than UNARY_TURN_SMALL, so that too many of its digits have cancelled. */
    bool (*turn)(const double c[2], const double *cosines, const double *sines, size_t n,
                 double *y);
};
extern const struct unary_rows unary_rows_avx2, unary_rows_avx512;

/* Returns the widest one that this CPU can run. */
static inline const struct unary_rows *unary_rows_here(void)
{
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return wide ? &unary_rows_avx512 : &unary_rows_avx2;
}

#endif
