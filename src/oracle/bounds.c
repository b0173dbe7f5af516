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

static double proven(double h)
{
    return h;
}

static double tree_height(const struct kernel *k, size_t n)
{
    if (n == 0) return 0;
    if (k->chains == 0) return (double)n - 1;
    double width = (double)k->lanes * k->chains;
    return ceil((double)n / width) - 1 + ceil(log2(k->chains)) + ceil(log2(k->lanes));
}

/* The heights of a kernel's sums over n elements: each itself (proven), or its likely size. */
struct heights {
    double n, h, l, c;
};

static struct heights heights_of(const struct kernel *k, size_t n, double (*size)(double))
{
    double vectors = floor((double)n / k->lanes), chunks = fmax(ceil(vectors / 16), 1);
    return (struct heights){.n = size((double)n),
                            .h = size(tree_height(k, n)),
                            .l = size(fmax(ceil(log2((double)n)), 1)),
                            .c = size(16 + ceil(log2(chunks)) + k->lanes)};
}

/* The quantities of a row, or of an element, from which a bound is computed: docs/method.md,
 * "Bounds". Those that an operation does not have are 0. */
struct terms {
    double far, shifts, y, rest, kappa, lost;
};

/* Returns the relative error of a variance that is merged of parts: r roundings of sums, and means
 * whose errors add up to x. */
static double merged(double r, double x)
{
    return r + 2 * x + x * x * U;
}

/* Returns the bound in u. */
static double in_u(const struct kernel *k, const struct heights *s, const struct terms *t)
{
    const double n = s->n, h = s->h, l = s->l, c = s->c, lanes = k->lanes, u = U;
    const double far = t->far, shifts = t->shifts, y = t->y, rest = t->rest, kappa = t->kappa;
    const double lost = t->lost, exp_ulp = k->exp_ulp, log_ulp = k->log_ulp;
    double bound = INFINITY;
    switch (k->bound) {
#define BOUND(name, quantity, expression)                                                          \
    case BOUND_##name:                                                                             \
        bound = expression;                                                                        \
        break;
#include "oracle/bounds.def"
#undef BOUND
    case BOUND_NONE:
        break;
    }
    return bound >= 0 ? bound : INFINITY; /* below 0: the expression holds no more */
}

static void raise(double *worst, double error, double bound)
{
    double ratio = error == 0 ? 0 : error / bound;
    if (ratio > *worst) *worst = ratio;
}

static void bounds_compare(struct bound_ratio *r, float got, double want, double bound,
                           double probable)
{
    double error = fabs((double)got - want);
    if (ulp_is_lost(&dtype_f32, got, want)) *r = (struct bound_ratio){INFINITY, INFINITY};
    if (!(error <= DBL_MAX)) return;
    raise(&r->worst, error, bound);
    raise(&r->worst_probabilistic, error, probable);
}

/* A row whose results are compared with their bounds. */
struct compared {
    const struct kernel *kernel;
    const struct parameters *parameters;
    const float *x;
    size_t n;
    const struct oracle_row *facts;
    struct heights proven, likely;
};

/* Compares a result. unit: what the bound is a multiple of; floor: what underflow may add. */
static void compare_one(const struct compared *w, const struct terms *t, double unit, double floor,
                        float got, double want, struct bound_ratio *r)
{
    bounds_compare(r, got, want, U * unit * in_u(w->kernel, &w->proven, t) + floor,
                   U * unit * in_u(w->kernel, &w->likely, t) + floor);
}

static void bounds_softmax_row(const struct compared *w, const float *got, const double *want,
                               struct bound_ratio *r)
{
    for (size_t i = 0; i < w->n; i++) {
        struct terms t = {.shifts = w->facts->shift_cost};
        if (want[i] != 0) /* else it may be infinite */
            t.far = w->facts->max - (double)w->parameters->scale * (double)w->x[i];
        compare_one(w, &t, want[i], want[i] < 0x1p-126 ? 0x1p-149 : 0, got[i], want[i], r);
    }
}

static void bounds_logsumexp_row(const struct compared *w, const float *got, const double *want,
                                 struct bound_ratio *r)
{
    struct terms t = {
        .y = fabs(want[0]), .rest = fabs(want[0] - w->facts->max), .shifts = w->facts->shift_cost};
    compare_one(w, &t, 1, 0x1p-149, got[0], want[0], r);
}

/* Compares a row's variance. The relative forms assume that nothing underflows: each level of the
 * sum may lose 2^-150. */
static void variance_row(const struct compared *w, const float *got, const double *want,
                         struct bound_ratio *r)
{
    const struct oracle_row *facts = w->facts;
    if (!(facts->deviations > 0)) return;
    double underflow = (tree_height(w->kernel, w->n) + 4) * 0x1p-149;
    struct terms t = {.kappa =
                          sqrt(1 + (double)w->n * facts->mean * facts->mean / facts->deviations)};
    compare_one(w, &t, want[1], underflow, got[1], want[1], r);
}

/* Underflow costs the mean square up to 2^-149, and y as much. */
static void rms_row(const struct compared *w, const float *got, const double *want,
                    struct bound_ratio *r)
{
    const float *gamma = w->parameters->gamma;
    if (!isfinite(w->facts->squares)) return;
    double square = w->facts->squares / (double)w->n + (double)w->parameters->eps;
    struct terms t = {.lost = 0x1p-149 / square / U};
    for (size_t i = 0; i < w->n; i++) {
        double underflow = 0x1p-149 * (1 + (gamma ? fabs((double)gamma[i]) : 1));
        compare_one(w, &t, fabs(want[i]), underflow, got[i], want[i], r);
    }
}

typedef void row_bound(const struct compared *, const float *got, const double *want,
                       struct bound_ratio *);
static row_bound *const rows[] = {
    [BOUND_SOFTMAX] = bounds_softmax_row,
    [BOUND_LOGSUMEXP_SHIFTED] = bounds_logsumexp_row,
    [BOUND_LOGSUMEXP_UNSHIFTED] = bounds_logsumexp_row,
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
    if (k->bound == BOUND_NONE || n == 0 || oracle_overflows(facts)) return;
    /* Results per element that are stored in 16 bits have a rounding error that no term of the
     * bound contains. */
    bool per_element = k->bound == BOUND_SOFTMAX || k->bound == BOUND_RMS;
    if (per_element && dtype_of(k) != &dtype_f32) return;
    struct compared row = {k, p, x, n, facts, heights_of(k, n, proven), heights_of(k, n, likely)};
    rows[k->bound](&row, got, want, r);
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
