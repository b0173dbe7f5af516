// SPDX-License-Identifier: MIT
/* Rows of doubles, summed to one bit pattern on every ISA: the four rules of README.md, in the
 * vocabulary of doubles (vocabulary/storage/f64). Element i of a chunk is in lane i % 32; lanes are
 * added up by halves. tests/test_f64.c has the same sums by plain loops, rows_plain().
 *
 * With the mean m = sum_i x_i / n, d_i = x_i - m and rest = sum_i d_i / n,
 *
 *   variance = (sum_i d_i^2 - rest sum_i d_i) / n,
 *
 * and m + rest is the mean to more digits than a double has. */
#ifndef ROWS_F64_H
#define ROWS_F64_H

#include "layernorm.h"

/* LANES accumulators per sum; after CHUNK elements, of which a lane has 32, they are folded to WIDE
 * and added to the row's sums. */
enum { LANES = 32, PARTS = LANES / VL, WIDE = 8, WIDE_PARTS = WIDE / VL, CHUNK = 1024 };
enum { SUM = 1, SQUARES = 2, ABOUT = 4 };

/* No compiler sees through keep() or d_keep(), and so none fuses or reorders what goes through
 * them. */
static inline vf keep(vf a)
{
    __asm__("" : "+v"(a));
    return a;
}
static inline double d_keep(double a)
{
    __asm__("" : "+x"(a));
    return a;
}
static inline vf e_add(vf a, vf b) { return keep(v_add(a, b)); }
static inline vf e_sub(vf a, vf b) { return keep(v_sub(a, b)); }
static inline vf e_mul(vf a, vf b) { return keep(v_mul(a, b)); }
static inline vf e_fma(vf a, vf b, vf c) { return keep(v_fma(a, b, c)); }
/* -ffast-math would multiply by a reciprocal, and approximate a root. */
static inline double d_div(double a, double b)
{
    double r;
    __asm__("vdivsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
    return r;
}
static inline double d_sqrt(double a)
{
    double r;
    __asm__("vsqrtsd %1, %1, %0" : "=x"(r) : "x"(a));
    return r;
}
/* Returns the maximum; b if either is NaN. */
static inline double d_max(double a, double b)
{
    double r;
    __asm__("vmaxsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
    return r;
}

/* Special values are found by their bits: -ffast-math deletes comparisons that only they fail. */
static inline uint64_t d_size(double a)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    return bits << 1;
}
static inline int d_is_finite(double a) { return d_size(a) < 0xffe0000000000000u; }
static inline double d_nan(void)
{
    const uint64_t bits = 0x7ff8000000000000u;
    double a;
    __builtin_memcpy(&a, &bits, sizeof a);
    return d_keep(a);
}
/* Returns a, with one NaN for all: which NaN an operation returns depends on the order of its
 * operands. */
static inline double d_canonical(double a) { return d_size(a) > 0xffe0000000000000u ? d_nan() : a; }

/* ---- Sums ------------------------------------------------------------------------------------ */

struct row_sums {
    double sum, squares;
};

/* Adds LANES sums, folded by halves, to the WIDE sums of a row. */
static inline __attribute__((always_inline)) void add_folded(vf wide[WIDE_PARTS], vf s[PARTS])
{
#pragma GCC unroll 16
    for (size_t k = 0; k < PARTS / 2; k++) s[k] = e_add(s[k], s[k + PARTS / 2]);
#pragma GCC unroll 8
    for (size_t k = 0; k < WIDE_PARTS; k++)
        wide[k] = e_add(wide[k], e_add(s[k], s[k + WIDE_PARTS]));
}
static inline double fold_wide(const vf wide[WIDE_PARTS])
{
    double s[WIDE];
    for (size_t k = 0; k < WIDE_PARTS; k++) v_store(s + k * VL, wide[k]);
    for (size_t half = WIDE / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++) s[l] = d_keep(d_keep(s[l]) + d_keep(s[l + half]));
    return s[0];
}

static inline vf from(vf x, vf shift, int what) { return what & ABOUT ? e_sub(x, shift) : x; }

/* Returns the sums of d_i and of their squares, as `what` asks for them: d_i is x_i - shift with
 * ABOUT, else x_i, and shift is 0. Elements behind the end count as `shift`, and add zeros. It is
 * always inlined, so that what nobody asks for costs nothing. */
static inline __attribute__((always_inline)) struct row_sums row_sums_of(const element *x, size_t n,
                                                                         double shift, int what)
{
    const vf a = v_set1(shift), zero = v_set1(0.0);
    vf wide_sum[WIDE_PARTS], wide_squares[WIDE_PARTS];
    for (size_t k = 0; k < WIDE_PARTS; k++) wide_sum[k] = wide_squares[k] = zero;
    for (size_t i = 0; i < n;) {
        const size_t end = n - i < CHUNK ? n : i + CHUNK;
        vf sum[PARTS], squares[PARTS];
#pragma GCC unroll 32
        for (size_t k = 0; k < PARTS; k++) sum[k] = squares[k] = zero;
        for (; end - i >= LANES; i += LANES)
#pragma GCC unroll 32
            for (size_t k = 0; k < PARTS; k++) {
                vf d = from(v_load(x + i + k * VL), a, what);
                if (what & SUM) sum[k] = e_add(sum[k], d);
                if (what & SQUARES) squares[k] = e_fma(d, d, squares[k]);
            }
        if (i < end)
#pragma GCC unroll 32
            for (size_t k = 0; k < PARTS; k++) {
                const size_t at = i + k * VL, left = at >= end ? 0 : end - at < VL ? end - at : VL;
                vf d = from(v_load_part(x + at, left, shift), a, what);
                if (what & SUM) sum[k] = e_add(sum[k], d);
                if (what & SQUARES) squares[k] = e_fma(d, d, squares[k]);
            }
        i = end;
        if (what & SUM) add_folded(wide_sum, sum);
        if (what & SQUARES) add_folded(wide_squares, squares);
    }
    return (struct row_sums){what & SUM ? fold_wide(wide_sum) : 0.0,
                             what & SQUARES ? fold_wide(wide_squares) : 0.0};
}

/* ---- Moments --------------------------------------------------------------------------------- */

struct row_moments {
    double mean, rest, variance;
};
static inline double d_count(size_t n) { return d_keep((double)(ptrdiff_t)n); }
static inline struct row_moments row_moments_of(const element *x, size_t n)
{
    const double count = d_count(n), mean = d_div(row_sums_of(x, n, 0.0, SUM).sum, count);
    const struct row_sums s = row_sums_of(x, n, mean, SUM | SQUARES | ABOUT);
    const double rest = d_div(s.sum, count), part = d_keep(rest * d_keep(s.sum));
    const double squares = d_max(0.0, d_keep(d_keep(s.squares) - part));
    return (struct row_moments){d_canonical(mean), rest, d_canonical(d_div(squares, count))};
}
static inline double d_rstd(double a, double eps)
{
    return d_canonical(d_div(1.0, d_sqrt(d_keep(d_keep(a) + d_keep(eps)))));
}

/* Instructions per vector: a sum; a difference, its sum and that of its square. */
#define MOMENTS_FMA 1
#define MOMENTS_ADD 3

#endif
