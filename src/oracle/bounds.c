// SPDX-License-Identifier: MIT
#include "oracle/bounds.h"

#include <float.h>
#include <math.h>

#include "model/dtype.h"
#include "oracle/ulp.h"

#define U 0x1p-24
static const double lambda = 3;

void bounds_begin(struct bound_ratio *r)
{
    *r = (struct bound_ratio){-1, -1};
}

/* Returns the probabilistic form of a height h, if it is smaller than the proven one. */
static double likely(double h)
{
    return fmin(h, lambda * sqrt(h));
}

static double tree_height(const struct kernel *k, size_t n)
{
    if (n == 0) return 0;
    if (k->chains == 0) return (double)n - 1;
    double width = (double)k->lanes * k->chains;
    return ceil((double)n / width) - 1 + ceil(log2(k->chains)) + ceil(log2(k->lanes));
}

static void raise(double *worst, double error, double bound)
{
    double ratio = error == 0 ? 0 : error / bound;
    if (ratio > *worst) *worst = ratio;
}

static void compare(struct bound_ratio *r, float got, double want, double bound, double probable)
{
    double error = fabs((double)got - want);
    if (ulp_is_lost(&dtype_f32, got, want)) *r = (struct bound_ratio){INFINITY, INFINITY};
    if (!(error <= DBL_MAX)) return;
    raise(&r->worst, error, bound);
    raise(&r->worst_probabilistic, error, probable);
}

/* The bound per component, in u: (max - x_i) + sum_j g_j (max - x_j) + 2 eps_e/u + h + 2, where the
 * last unit is for multiplying by the reciprocal, and eps_e/u is twice the ulp of exp. 2^-149 is
 * added where y is subnormal. */
static void softmax_row(const struct kernel *k, const struct parameters *p, const float *x,
                        size_t n, const float *got, const double *want,
                        const struct oracle_row *facts, struct bound_ratio *r)
{
    double h = tree_height(k, n), common = facts->shift_cost + 4 * k->exp_ulp + 2;
    for (size_t i = 0; i < n; i++) {
        double shift = facts->max - (double)p->scale * (double)x[i];
        double unit = U * want[i], floor = want[i] < 0x1p-126 ? 0x1p-149 : 0;
        if (want[i] == 0) shift = 0; /* it may be infinite */
        compare(r, got[i], want[i], unit * (shift + common + h) + floor,
                unit * (shift + common + likely(h)) + floor);
    }
}

/* The absolute bound, in u: |y| + (eps_l/u) |y - max| + sum_j g_j (max - x_j) + eps_e/u + h. */
static void logsumexp_shifted(const struct kernel *k, const struct parameters *p, const float *x,
                              size_t n, const float *got, const double *want,
                              const struct oracle_row *facts, struct bound_ratio *r)
{
    (void)p, (void)x;
    double h = tree_height(k, n), y = want[0];
    double fixed =
        fabs(y) + 2 * k->log_ulp * fabs(y - facts->max) + facts->shift_cost + 2 * k->exp_ulp;
    compare(r, got[0], y, U * (fixed + h) + 0x1p-149, U * (fixed + likely(h)) + 0x1p-149);
}

/* The relative bound, in u: 1 + (n + 1) / |y|. */
static void logsumexp_unshifted(const struct kernel *k, const struct parameters *p, const float *x,
                                size_t n, const float *got, const double *want,
                                const struct oracle_row *facts, struct bound_ratio *r)
{
    (void)k, (void)p, (void)x, (void)facts;
    double y = fabs(want[0]), terms = (double)n + 1;
    compare(r, got[0], want[0], U * (y + terms) + 0x1p-149, U * (y + likely(terms)) + 0x1p-149);
}

/* Returns the relative error of a variance, in u. `size` maps a height to itself (proven) or to its
 * likely size. */
typedef double height(double);
typedef double variance_bound(const struct kernel *, double n, double kappa, height *size);

static double proven(double h)
{
    return h;
}

static double textbook(const struct kernel *k, double n, double kappa, height *size)
{
    (void)k;
    return (size(n) + 4) * kappa * kappa;
}

static double twopass(const struct kernel *k, double n, double kappa, height *size)
{
    (void)k;
    double h = size(n);
    return h + 4 + h * h * kappa * kappa * U;
}

static double corrected(const struct kernel *k, double n, double kappa, height *size)
{
    (void)k;
    double h = size(n);
    return h + 4 + h * h * h * kappa * kappa * U * U;
}

/* Adds the second order: the error of the mean, h u |mean|, also enters the squares around it, by
 * (kappa h u)^2 relative. Beyond kappa h u = 1 this term dominates: rows whose elements are one ulp
 * apart exceed the first term alone by 1.7 times (cascade, n = 1024; found by `search`). */
static double with_second_order(double x)
{
    return x + x * x * U;
}

static double welford(const struct kernel *k, double n, double kappa, height *size)
{
    (void)k;
    return with_second_order((size(n) + 4) * kappa);
}

static double pairwise(const struct kernel *k, double n, double kappa, height *size)
{
    (void)k;
    return with_second_order(kappa * (4 * size(ceil(log2(n))) + 4));
}

static double cascade(const struct kernel *k, double n, double kappa, height *size)
{
    double vectors = floor(n / k->lanes), chunks = fmax(ceil(vectors / 16), 1);
    return with_second_order(kappa * size(16 + ceil(log2(chunks)) + k->lanes));
}

static variance_bound *const variances[] = {
    [BOUND_VARIANCE_TEXTBOOK] = textbook,   [BOUND_VARIANCE_TWOPASS] = twopass,
    [BOUND_VARIANCE_CORRECTED] = corrected, [BOUND_VARIANCE_WELFORD] = welford,
    [BOUND_VARIANCE_PAIRWISE] = pairwise,   [BOUND_VARIANCE_CASCADE] = cascade,
};

/* Compares a row's variance. The relative forms assume that nothing underflows: each level of the
 * sum may lose 2^-150. */
static void variance_row(const struct kernel *k, const struct parameters *p, const float *x,
                         size_t n, const float *got, const double *want,
                         const struct oracle_row *facts, struct bound_ratio *r)
{
    (void)p, (void)x;
    if (!(facts->deviations > 0)) return;
    double kappa = sqrt(1 + (double)n * facts->mean * facts->mean / facts->deviations);
    double unit = U * want[1], underflow = (tree_height(k, n) + 4) * 0x1p-149;
    variance_bound *bound = variances[k->bound];
    compare(r, got[1], want[1], unit * bound(k, (double)n, kappa, proven) + underflow,
            unit * bound(k, (double)n, kappa, likely) + underflow);
}

/* Returns the relative bound, in u. The sum of squares and the operations up to the root err by a =
 * (h + 3) u of themselves (h + 1 for squares and additions, one each for the division by n and for
 * eps), (1 - a)^(-1/2) <= 1 + a / (2 - 2 a), and the root, the reciprocal, and the products with x
 * and gamma add a rounding each. Their sum's higher orders are below a fifth unit. Underflow costs
 * the mean square up to 2^-149, and y as much. Nothing is known where the squares overflow. */
static double rms_bound(double height, double square, double eps)
{
    double a = (height + 3) * U + 0x1p-149 / (square + eps);
    return a < 1 ? a / (2 - 2 * a) + 4.2 * U : INFINITY;
}

static void rms_row(const struct kernel *k, const struct parameters *p, const float *x, size_t n,
                    const float *got, const double *want, const struct oracle_row *facts,
                    struct bound_ratio *r)
{
    (void)x;
    if (!(facts->squares < 0x1p127)) return;
    double h = tree_height(k, n), square = facts->squares / (double)n, eps = (double)p->eps;
    double proven_bound = rms_bound(h, square, eps), probable = rms_bound(likely(h), square, eps);
    for (size_t i = 0; i < n; i++) {
        double underflow = 0x1p-149 * (1 + (p->gamma ? fabs((double)p->gamma[i]) : 1));
        compare(r, got[i], want[i], proven_bound * fabs(want[i]) + underflow,
                probable * fabs(want[i]) + underflow);
    }
}

typedef void row_bound(const struct kernel *, const struct parameters *, const float *x, size_t n,
                       const float *got, const double *want, const struct oracle_row *,
                       struct bound_ratio *);
static row_bound *const rows[] = {
    [BOUND_SOFTMAX] = softmax_row,
    [BOUND_LOGSUMEXP_SHIFTED] = logsumexp_shifted,
    [BOUND_LOGSUMEXP_UNSHIFTED] = logsumexp_unshifted,
    [BOUND_VARIANCE_TEXTBOOK] = variance_row,
    [BOUND_VARIANCE_TWOPASS] = variance_row,
    [BOUND_VARIANCE_CORRECTED] = variance_row,
    [BOUND_VARIANCE_WELFORD] = variance_row,
    [BOUND_VARIANCE_PAIRWISE] = variance_row,
    [BOUND_VARIANCE_CASCADE] = variance_row,
    [BOUND_RMS] = rms_row,
};

void bounds_row(const struct kernel *k, const struct parameters *p, const float *x, size_t n,
                const float *got, const double *want, const struct oracle_row *facts,
                struct bound_ratio *r)
{
    if (k->bound == BOUND_NONE || n == 0) return;
    /* Results per element that are stored in 16 bits have a rounding error that no term of the
     * bound contains. */
    bool per_element = k->bound == BOUND_SOFTMAX || k->bound == BOUND_RMS;
    if (per_element && dtype_of(k) != &dtype_f32) return;
    rows[k->bound](k, p, x, n, got, want, facts, r);
}

/* Returns the largest error of rounding a number of that size to fp32, in u: half a unit in its
 * last place. */
static double rounding(double y)
{
    return ldexp(1, ilogb(y));
}

/* Returns the largest ratio of a kernel that keeps the bound. The bound's term |y| is for the last
 * rounding, whose error is at most half a unit in the last place of y: u |y| only at powers of two.
 * The other terms are at most C, because the sum of |y - max| and sum_j g_j (max - x_j) is the
 * entropy of g, at most log n. The ratio is thus at most (half a unit + C) / (|y| + C), which falls
 * as |y| grows within a binade. */
static double logsumexp_ceiling(const struct kernel *k, double n, double low, double high)
{
    double from = low + log(n), to = high + log(n), slack = 0x1p-20 * (fabs(from) + fabs(to));
    double least = fmin(fabs(from), fabs(to)) - slack, most = fmax(fabs(from), fabs(to)) + slack;
    if ((from < 0 && to > 0) || !(least > 0) || rounding(least) != rounding(most)) return 1;
    double others = fmax(2 * k->log_ulp, 1) * log(n) + 2 * k->exp_ulp + tree_height(k, (size_t)n);
    return (rounding(least) + others) / (least + others);
}

double bounds_ceiling(const struct kernel *k, size_t n, double low, double high)
{
    if (k->bound != BOUND_LOGSUMEXP_SHIFTED || n == 0) return 1;
    return logsumexp_ceiling(k, (double)n, low, high);
}

double bounds_exp_ulp(const struct kernel *k)
{
    return k->bound == BOUND_SOFTMAX || k->bound == BOUND_LOGSUMEXP_SHIFTED ? k->exp_ulp : 0;
}

double bounds_log_ulp(const struct kernel *k)
{
    return k->bound == BOUND_LOGSUMEXP_SHIFTED ? k->log_ulp : 0;
}

bool bounds_equal(const struct kernel *a, const struct kernel *b)
{
    return a->bound == b->bound && a->lanes == b->lanes && a->chains == b->chains &&
           a->exp_ulp == b->exp_ulp && a->log_ulp == b->log_ulp;
}
