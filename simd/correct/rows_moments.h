// SPDX-License-Identifier: MIT
/* Mean, variance, layernorm and rmsnorm, correctly rounded: docs/correct.md.
 *
 * With d = x - pivot, m = sum(d) / n and q = sum(d^2) / n, in double: mean = pivot + m, variance =
 * q - m^2. By Cauchy and Schwarz the sum of |d| is at most n sqrt(q), so that q bounds the errors
 * of all sums; where m^2 is beyond 4 times the variance, the sums are formed once more about the
 * mean. What doubles cannot tell is decided by whole numbers. rmsnorm is the same about 0. */
#ifndef ROWS_MOMENTS_H
#define ROWS_MOMENTS_H

#include "rows.h"

/* The moments of a row, in double, with errors; `special`: it has a NaN or an infinity, or is
 * empty. */
struct row_moments {
    double pivot, m, q;
    double m_error; /* of m, and of the mean less the rounding of the mean */
    double variance, variance_error;
    int special;
};

/* ---- In double ------------------------------------------------------------------------------- */

enum { MOMENT_CHAINS = 4, PIVOT_ELEMENTS = DOUBLES < 4 ? 4 : DOUBLES };

/* Sets the sums about a pivot. */
ALWAYS_INLINE void set_sums(struct row_moments *r, const float *x, size_t n, double pivot,
                            int centred)
{
    dr zero = dr_set1(0.0), c = dr_set1(pivot);
    struct total sum = {zero, zero, 0}, squares = {zero, zero, 0};
    enum { STEP = MOMENT_CHAINS * DOUBLES };
    size_t i = 0;
    while (n - i >= DOUBLES) {
        dr s[MOMENT_CHAINS], q[MOMENT_CHAINS];
        for (size_t k = 0; k < MOMENT_CHAINS; k++) s[k] = q[k] = zero;
        size_t steps = (n - i) / STEP < BLOCK - 1 ? (n - i) / STEP : BLOCK - 1;
        for (size_t end = i + steps * STEP; i < end; i += STEP)
            for (size_t k = 0; k < MOMENT_CHAINS; k++) {
                dr d = dr_of_floats(x + i + k * DOUBLES);
                if (centred) {
                    d = dr_sub(d, c);
                    s[k] = dr_add(s[k], d);
                }
                q[k] = dr_fma(d, d, q[k]);
            }
        /* A chain takes one step more at a row's end. */
        for (size_t k = 0; k < MOMENT_CHAINS - 1 && steps < BLOCK - 1 && n - i >= DOUBLES;
             k++, i += DOUBLES) {
            dr d = dr_of_floats(x + i);
            if (centred) {
                d = dr_sub(d, c);
                s[k] = dr_add(s[k], d);
            }
            q[k] = dr_fma(d, d, q[k]);
        }
        if (centred) total_add(&sum, dr_add(dr_add(s[0], s[1]), dr_add(s[2], s[3])));
        total_add(&squares, dr_add(dr_add(q[0], q[1]), dr_add(q[2], q[3])));
    }
    if (i < n) {
        dr d = dr_sub(dr_of_first(x + i, n - i, f_of(pivot)), c);
        if (centred) total_add(&sum, d);
        total_add(&squares, dr_mul(d, d));
    }
    double count = d_count(n);
    r->pivot = pivot;
    r->m = centred ? d_div(total_sum(sum), count) : 0.0;
    r->q = d_div(total_sum(squares), count);
    r->special = !d_is_finite(r->q);
}

/* Returns the mean of the row's first elements, as a float, so that elements near it are subtracted
 * exactly. */
static inline double pivot_of(const float *x, size_t n)
{
    size_t count = n < PIVOT_ELEMENTS ? n : PIVOT_ELEMENTS;
    dr sum = dr_set1(0.0);
    for (size_t i = 0; i < count; i += DOUBLES)
        sum = dr_add(sum, dr_of_upto(x + i, count - i, 0.0f));
    double total = dr_sum(sum), inverse = 1.0 / PIVOT_ELEMENTS; /* a power of two */
    return d_of(
        f_of(count == PIVOT_ELEMENTS ? d_mul(total, inverse) : d_div(total, d_count(count))));
}

/* Errors in u: a term of the sum is off by |d| u and rounded SUM_U times, one of the squares by
 * 3 d^2 u; quotients, products and differences are rounded once. */
static inline struct row_moments centred_moments(const float *x, size_t n)
{
    struct row_moments r = {.special = 1};
    if (!n) return r;
    double pivot = pivot_of(x, n);
    for (int pass = 0; pass < 2; pass++) {
        set_sums(&r, x, n, pivot, 1);
        if (r.special) return r;
        double square = d_mul(r.m, r.m);
        r.variance = d_sub(r.q, square);
        r.m_error = d_mul((SUM_U + 3) * 1.01 * U, d_sqrt(r.q));
        r.variance_error =
            d_fma(d_abs(r.m), d_mul(2.02, r.m_error), d_mul((SUM_U + 6) * 1.01 * U, r.q));
        if (!d_less(d_mul(4.0, r.variance), square)) break;
        pivot = d_of(f_of(d_add(r.pivot, r.m)));
    }
    return r;
}
static inline struct row_moments squares_about_zero(const float *x, size_t n)
{
    struct row_moments r = {.special = 1};
    if (!n) return r;
    set_sums(&r, x, n, 0.0, 0);
    r.variance = r.q;
    r.variance_error = d_mul((SUM_U + 6) * 1.01 * U, r.q);
    return r;
}

ALWAYS_INLINE void set_moments(struct row_moments moments[ROWS_TOGETHER], const struct job *j,
                               size_t row, int centred)
{
    size_t at = row % ROWS_TOGETHER, count = rows_together(j, row);
    for (size_t k = 0; k < count; k++)
        moments[at + k] = centred ? centred_moments(row_in(j, row + k), j->n)
                                  : squares_about_zero(row_in(j, row + k), j->n);
}

/* ---- Exactly --------------------------------------------------------------------------------- */

enum moment_result { MEAN, VARIANCE, RSTD, ELEMENT };

/* A row whose results are compared with floats. With S and Q the sums of x and x^2, in units of
 * 2^-149 and 2^-298:
 *   mean      S / n
 *   variance  (n Q - S^2) / n^2
 *   rstd      1 / sqrt(w), w = variance + eps, or Q / n + eps about 0
 *   element   a gamma / sqrt(w) + beta, a = x - S / n, or x about 0 */
struct exact_row {
    enum moment_result result;
    const float *x;
    size_t n;
    int centred, has_sums;
    float eps;
    struct exact_sums sums;
    struct whole w; /* n Q - S^2 + n^2 eps, or Q + n eps, in units of 2^-298 */
    float at, gamma, beta;
};

/* Sets all members but the numbers, of which there are 600 bytes. */
static inline void exact_row_open(struct exact_row *r, const float *x, size_t n, int centred,
                                  float eps)
{
    r->x = x;
    r->n = n;
    r->centred = centred;
    r->has_sums = 0;
    r->eps = eps;
}

NOINLINE void exact_row_set_sums(struct exact_row *r)
{
    if (r->has_sums) return;
    ROWS_COUNT(ROWS_WHOLE);
    exact_sums_of(&r->sums, r->x, r->n);
    r->has_sums = 1;
    struct whole eps = whole_of(binary_of(r->eps)); /* in units of 2^-150 */
    two_words factor = r->n;
    r->w = r->sums.squares;
    if (r->centred) {
        struct whole square = whole_product(&r->sums.sum, &r->sums.sum);
        r->w = whole_product_shifted(&r->sums.squares, r->n, 0);
        whole_add(&r->w, &square, 1);
        factor *= r->n;
    }
    eps = whole_product_shifted(&eps, factor, 148);
    whole_add(&r->w, &eps, 0);
}

/* Returns 2 n (x - mean), or 2 x about 0, in units of 2^-149. */
static struct whole exact_deviation(struct exact_row *r)
{
    struct whole a = whole_of(binary_of(r->at)); /* 2 x, in units of 2^-149 */
    if (!r->centred) return a;
    a = whole_product_shifted(&a, r->n, 0);
    struct whole twice = whole_product_shifted(&r->sums.sum, 2, 0);
    whole_add(&a, &twice, 1);
    return a;
}

/* Returns the sign of the result less `number`. */
static int exact_row_over(void *row, struct binary number)
{
    struct exact_row *r = row;
    struct whole v = whole_of(number), one = whole_shifted(1, 0), u, p = one;
    exact_row_set_sums(r);
    switch (r->result) {
    case MEAN:
        u = whole_product_shifted(&r->sums.sum, 2, 0);
        v = whole_product_shifted(&v, r->n, 0);
        whole_add(&u, &v, 1);
        return whole_sign(&u);
    case VARIANCE:
        u = r->w;
        v = whole_product_shifted(&v, (two_words)r->n * r->n, 148);
        whole_add(&u, &v, 1);
        return whole_sign(&u);
    case RSTD: /* n 2^149 / sqrt(w), or sqrt(n) 2^149 / sqrt(w), beside v 2^-150 */
        u = whole_shifted(r->centred ? r->n : 1, 299);
        if (!r->centred) p = whole_shifted(r->n, 0);
        break;
    case ELEMENT: /* 2 a gamma / sqrt(w) beside v - beta, in units of 2^-150 */
    default: {
        struct whole gamma = whole_of(binary_of(r->gamma)), beta = whole_of(binary_of(r->beta));
        u = exact_deviation(r);
        u = whole_product(&u, &gamma);
        /* gamma is in units of 2^-150, which doubles it, and so the other side is doubled. */
        v = whole_product_shifted(&v, 2, 0);
        beta = whole_product_shifted(&beta, 2, 0);
        whole_add(&v, &beta, 1);
        if (!r->centred) p = whole_shifted(r->n, 0);
    }
    }
    return roots_compare(&u, &p, &v, &r->w);
}
NOINLINE float exact_row_rounded(struct exact_row *r, double low, double high)
{
    ROWS_COUNT(ROWS_UNDECIDED);
    return rounded_between(f_of(low), f_of(high), exact_row_over, r);
}

/* Returns a value that is off by at most `error`, rounded; the error of value +- error counts. */
static float moment_rounded(struct exact_row *r, enum moment_result result, double value,
                            double error)
{
    float y;
    error = d_fma(d_abs(value), 2 * U, error);
    double low = d_sub(value, error), high = d_add(value, error);
    if (d_round(&y, low, high)) return y;
    r->result = result;
    return exact_row_rounded(r, low, high);
}

/* The mean of a row with a NaN or an infinity, or without elements: an infinity if there are no
 * others. */
static inline float special_mean(const float *x, size_t n)
{
    struct specials s = {0, 0, 0};
    for (size_t i = 0; i < n; i++) specials_add(&s, x[i]);
    if (s.nan || s.plus_infinity == s.minus_infinity) return f_nan();
    return f_infinity(s.minus_infinity);
}

#endif
