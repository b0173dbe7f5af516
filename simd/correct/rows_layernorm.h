// SPDX-License-Identifier: MIT
/* run() of layernorm and rmsnorm; CENTRED says which. y = (x - mean) rstd gamma + beta in double,
 * with a bound of its error that counts what the mean, rstd and each operation are off by. */
#ifndef ROWS_LAYERNORM_H
#define ROWS_LAYERNORM_H

#include "rows_moments.h"

enum { STATS = CENTRED ? 2 : 1 }; /* mean and rstd, or rstd */

/* What a row's elements share, in double: |error| <= |gamma| rstd offset + |p| relative + |beta| 3
 * u, with p = (x - mean) rstd gamma. */
struct affine {
    double pivot, m, rstd, offset, relative;
    double rest; /* of every element: |p| <= |y| + |beta| */
    double less,
        more; /* without a mean: 1 -+ relative, and 3 u for their own rounding and products */
};

/* Returns an element of gamma or beta, which a job may lack. */
static inline float at_or(const float *a, size_t i, float otherwise)
{
    return a ? a[i] : otherwise;
}

/* ---- An element at a time -------------------------------------------------------------------- */

static inline float canonical(double a)
{
    float y = f_of(a);
    return f_is_nan(y) ? f_nan() : y;
}

/* A zero of a product has the sign of the product, a sum's is +0. */
static float exact_element(struct exact_row *r, double low, double high)
{
    if (!CENTRED && (!(f_bits(r->at) << 1) || !(f_bits(r->gamma) << 1)))
        return f_from_bits((f_bits(r->at) ^ f_bits(r->gamma)) & 0x80000000u);
    r->result = ELEMENT;
    return exact_row_rounded(r, low, high);
}
static void set_element(struct exact_row *r, const struct job *j, size_t i)
{
    r->at = r->x[i];
    r->gamma = at_or(j->gamma, i, 1.0f);
    r->beta = CENTRED ? at_or(j->beta, i, 0.0f) : 0.0f;
}

/* Elements whose common bound cannot tell: `differs` has a bit for each. */
NOINLINE void affine_again(struct exact_row *r, const struct job *j, const struct affine *a,
                           float *y, size_t i, unsigned differs)
{
    for (; differs; i++, differs >>= 1) {
        if (!(differs & 1)) continue;
        set_element(r, j, i);
        double g = d_mul(d_of(r->gamma), a->rstd), beta = d_of(r->beta);
        double p = d_mul(g, d_sub(d_sub(d_of(r->at), a->pivot), a->m));
        double error = d_fma(d_abs(p), a->relative, d_mul(d_abs(g), a->offset));
        error = d_fma(d_abs(beta), 3.03 * U, error);
        double value = CENTRED ? d_add(p, beta) : p, low = d_sub(value, error),
               high = d_add(value, error);
        if (!d_round(y + i, low, high)) y[i] = exact_element(r, low, high);
    }
}

/* A row whose elements are finite, and whose rstd is 0, infinite, NaN or not known well enough by
 * doubles; or with a gamma or beta that is not finite. Limits are IEEE 754's of (x - mean) rstd
 * gamma
 * + beta: 0 times infinity is NaN. */
NOINLINE float careful_row(struct exact_row *r, const struct job *j, float *y)
{
    float infinity = f_infinity(0), rstd = 0.0f;
    int finite_eps = f_is_finite(r->eps), sign = 1;
    if (finite_eps) {
        exact_row_set_sums(r);
        sign = whole_sign(&r->w);
    }
    r->result = RSTD;
    if (!finite_eps)
        rstd = f_bits(r->eps) == INFINITY_BITS ? 0.0f : f_nan();
    else if (sign <= 0)
        rstd = sign ? f_nan() : infinity;
    else
        rstd = rounded_between(0.0f, infinity, exact_row_over, r);
    for (size_t i = 0; i < r->n; i++) {
        set_element(r, j, i);
        if (finite_eps && sign > 0 && f_is_finite(r->gamma) && f_is_finite(r->beta)) {
            y[i] = exact_element(r, -0x1p128, 0x1p128);
            continue;
        }
        double t = d_of(r->at);
        if (CENTRED) {
            if (!r->has_sums) exact_sums_of(&r->sums, r->x, r->n);
            struct whole a = exact_deviation(r);
            t = d_count((size_t)(whole_sign(&a) + 1)) - 1.0;
        }
        t = d_mul(t, d_of(sign > 0 && finite_eps ? 1.0f : rstd));
        y[i] = canonical(d_add(d_mul(t, d_of(r->gamma)), d_of(r->beta)));
    }
    return rstd;
}

/* A row with a NaN or an infinity. Returns rstd. */
static float special_row(const struct job *j, const float *x, float *y)
{
    struct specials s = {0, 0, 0};
    for (size_t i = 0; i < j->n; i++) specials_add(&s, x[i]);
    float rstd = CENTRED || !j->n || s.nan || f_is_nan(j->eps) ? f_nan() : 0.0f;
    for (size_t i = 0; i < j->n; i++)
        y[i] = canonical(d_mul(d_mul(d_of(x[i]), d_of(rstd)), d_of(at_or(j->gamma, i, 1.0f))));
    return rstd;
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* The error is less than |y| relative + rest, where gamma and beta count with their greatest
 * magnitudes: what differs is done again with the element's own. */
ALWAYS_INLINE void affine_step(struct exact_row *r, const struct job *j, const struct affine *a,
                               float *y, const float *gamma, const float *beta, size_t i,
                               size_t count)
{
    dr d = dr_of_upto(r->x + i, count, 0.0f), g = dr_set1(a->rstd), value;
    if (CENTRED) d = dr_sub(dr_sub(d, dr_set1(a->pivot)), dr_set1(a->m));
    if (gamma) g = dr_mul(dr_of_upto(gamma + i, count, 1.0f), g);
    value = beta ? dr_fma(d, g, dr_of_upto(beta + i, count, 0.0f)) : dr_mul(d, g);
    dr low, high;
    if (CENTRED) {
        dr error = dr_fma(dr_abs(value), dr_set1(a->relative), dr_set1(a->rest));
        low = dr_sub(value, error);
        high = dr_add(value, error);
    } else {
        low = dr_mul(value, dr_set1(a->less));
        high = dr_mul(value, dr_set1(a->more));
    }
    unsigned differs = dr_round_upto(y + i, low, high, count);
    if (__builtin_expect(differs != 0, 0)) affine_again(r, j, a, y, i, differs);
}
ALWAYS_INLINE void affine_row(struct exact_row *r, const struct job *j, const struct affine *a,
                              float *y, const float *gamma, const float *beta)
{
    const struct affine constants = *a;
    size_t i = 0;
    for (; r->n - i >= DOUBLES; i += DOUBLES)
        affine_step(r, j, &constants, y, gamma, beta, i, DOUBLES);
    if (i < r->n) affine_step(r, j, &constants, y, gamma, beta, i, r->n - i);
}

/* Returns the greatest magnitude; 1 without an array. NaNs count as greater than infinities. */
static float greatest_magnitude(const float *a, size_t n, float otherwise)
{
    uint32_t greatest = 0;
    if (!a) return otherwise;
    for (size_t i = 0; i < n; i++) {
        uint32_t magnitude = f_bits(a[i]) & MAGNITUDE;
        if (magnitude > greatest) greatest = magnitude;
    }
    return f_from_bits(greatest);
}

/* The greatest magnitudes in gamma and beta, of a job. */
struct magnitudes {
    float gamma, beta;
    int careful; /* they or eps are not finite, or eps is negative */
};
NOINLINE void do_row(const struct job *j, size_t row, const struct magnitudes *most,
                     const struct row_moments *moments)
{
    const float *x = row_in(j, row), *gamma = j->gamma, *beta = CENTRED ? j->beta : NULL;
    const struct row_moments s = *moments;
    float *y = row_out(j, row), mean, rstd; /* mean: for job.stats alone */
    size_t n = j->n;
    struct exact_row r;
    exact_row_open(&r, x, n, CENTRED, j->eps);
    double w = d_add(s.variance, d_of(j->eps)), w_error = d_fma(w, U, s.variance_error);
    mean = CENTRED && !s.special && j->stats
               ? moment_rounded(&r, MEAN, d_add(s.pivot, s.m), s.m_error)
               : f_nan();
    if (s.special) {
        if (CENTRED) mean = special_mean(x, n);
        rstd = special_row(j, x, y);
    } else if (most->careful || !d_less(d_mul(16.0, w_error), w)) {
        rstd = careful_row(&r, j, y);
    } else {
        double root = d_div(1.0, d_sqrt(w));
        double relative = d_fma(d_div(w_error, w), 0.55, 3.03 * U);
        struct affine a = {s.pivot,
                           s.m,
                           root,
                           d_mul(1.01, d_fma(d_abs(s.m), U, s.m_error)),
                           d_fma(relative, 1.01, 6.06 * U),
                           0.0,
                           0.0,
                           0.0};
        double wider = d_add(a.relative, 3.03 * U);
        a.less = d_sub(1.0, wider);
        a.more = d_add(1.0, wider);
        a.rest = d_fma(d_mul(d_of(most->gamma), root), a.offset, d_mul(d_of(most->beta), wider));
        a.rest = d_mul(a.rest, 1.01);
        if (!gamma && !beta)
            affine_row(&r, j, &a, y, NULL, NULL);
        else if (!beta)
            affine_row(&r, j, &a, y, gamma, NULL);
        else if (!gamma)
            affine_row(&r, j, &a, y, NULL, beta);
        else
            affine_row(&r, j, &a, y, gamma, beta);
        rstd = j->stats ? moment_rounded(&r, RSTD, root, d_mul(root, relative)) : 0.0f;
    }
    if (!j->stats) return;
    if (CENTRED) j->stats[STATS * row] = mean;
    j->stats[STATS * row + STATS - 1] = rstd;
}

static void run(const struct job *j)
{
    struct magnitudes most = {greatest_magnitude(j->gamma, j->n, 1.0f),
                              greatest_magnitude(CENTRED ? j->beta : NULL, j->n, 0.0f), 0};
    most.careful = !f_is_finite(j->eps) || f_bits(j->eps) >> 31 || !f_is_finite(most.gamma) ||
                   !f_is_finite(most.beta);
    struct row_moments moments[ROWS_TOGETHER];
    for (size_t r = 0; r < j->rows; r++) {
        set_moments(moments, j, r, CENTRED);
        do_row(j, r, &most, moments + r % ROWS_TOGETHER);
    }
}

#endif
