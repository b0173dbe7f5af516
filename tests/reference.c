// SPDX-License-Identifier: MIT
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const double u = 0x1p-24, tiny = 0x1p-149;

/* Neumaier's compensated sum. */
struct sum {
    long double total, lost;
};

static void add(struct sum *s, long double x)
{
    long double t = s->total + x;
    s->lost += fabsl(s->total) >= fabsl(x) ? s->total - t + x : x - t + s->total;
    s->total = t;
}

static long double value(const struct sum *s)
{
    return s->total + s->lost;
}

static void scan(struct row_facts *f, const float *x, double scale)
{
    f->max = -INFINITY;
    f->finite = true;
    for (size_t i = 0; i < f->n; i++) {
        long double t = (long double)scale * x[i];
        f->nan |= isnan(x[i]) != 0;
        f->plus_inf |= x[i] == INFINITY;
        f->finite &= isfinite(x[i]) != 0;
        if (t > f->max) f->max = t;
        if (fabsl(x[i]) > f->abs) f->abs = fabsl(x[i]);
        if (isfinite(x[i]) && fabsl(t) > f->abs_finite) f->abs_finite = fabsl(t);
    }
}

static void exponentials(struct row_facts *f, const float *x, double scale)
{
    struct sum sum = {0}, spread = {0};
    for (size_t i = 0; i < f->n; i++) {
        long double d = f->max - (long double)scale * x[i], e = expl(-d);
        add(&sum, e);
        if (e > 0) add(&spread, e * d); /* at d = inf the product is 0 */
    }
    f->lse = f->max + logl(value(&sum));
    f->spread = value(&spread) / value(&sum);
}

static void squares(struct row_facts *f, const float *x)
{
    struct sum sum = {0}, m2 = {0}, sum2 = {0};
    for (size_t i = 0; i < f->n; i++) add(&sum, x[i]);
    f->mean = value(&sum) / f->n;
    for (size_t i = 0; i < f->n; i++) {
        add(&m2, (x[i] - f->mean) * (x[i] - f->mean));
        add(&sum2, (long double)x[i] * x[i]);
    }
    f->m2 = value(&m2);
    f->sum2 = value(&sum2);
}

struct row_facts reference_facts(const float *x, size_t n, double scale)
{
    struct row_facts f = {.n = n};
    scan(&f, x, scale);
    if (f.nan)
        f.lse = NAN;
    else if (f.plus_inf || f.max == -INFINITY)
        f.lse = f.max; /* also for an empty row, where max is -inf */
    else
        exponentials(&f, x, scale);
    if (n && f.finite)
        squares(&f, x);
    else
        f.mean = f.m2 = f.sum2 = NAN;
    return f;
}

size_t reference_width(const char *op, size_t n)
{
    return !strcmp(op, "logsumexp") ? 1 : !strcmp(op, "moments") ? 2 : n;
}

static bool is_log(const struct question *q)
{
    return !strcmp(q->op, "log_softmax");
}

static long double rstd_of(const struct question *q, const struct row_facts *f)
{
    return 1 / sqrtl(f->m2 / f->n + q->eps);
}

/* 1 / sqrt(mean of x^2 + eps); 0 if the row has an infinity. */
static long double rms_rstd_of(const struct question *q, const struct row_facts *f)
{
    if (f->n && !f->finite) return f->nan ? (long double)NAN : 0;
    return 1 / sqrtl(f->sum2 / f->n + q->eps);
}

static long double element(const struct question *q, const struct row_facts *f, float x, size_t i)
{
    if (!strcmp(q->op, "exp")) return expl(x);
    if (!strcmp(q->op, "log")) return logl(x);
    if (!strcmp(q->op, "log2")) return log2l(x);
    if (!strcmp(q->op, "sigmoid")) return 1 / (1 + expl(-(long double)x));
    if (!strcmp(q->op, "gelu")) return x > -100 || isnan(x) ? x * erfcl(-x * sqrtl(0.5L)) / 2 : 0;
    if (!strcmp(q->op, "exp2")) return exp2l(x);
    if (!strcmp(q->op, "expm1")) return expm1l(x);
    if (!strcmp(q->op, "log1p")) return log1pl(x);
    if (!strcmp(q->op, "tanh")) return tanhl(x);
    if (!strcmp(q->op, "erf")) return erfl(x);
    if (!strcmp(q->op, "silu")) return x > -1000 || isnan(x) ? x / (1 + expl(-(long double)x)) : 0;
    if (!strcmp(q->op, "softplus")) return (x < 0 ? 0 : x) + log1pl(expl(-fabsl(x)));
    if (!strcmp(q->op, "sin")) return sinl(x);
    if (!strcmp(q->op, "cos")) return cosl(x);
    if (!strcmp(q->op, "rsqrt")) return 1 / sqrtl(x);
    if (!strcmp(q->op, "layernorm"))
        return (x - f->mean) * rstd_of(q, f) * (q->gamma ? q->gamma[i] : 1) +
               (q->beta ? q->beta[i] : 0);
    if (!strcmp(q->op, "rmsnorm")) return x * rms_rstd_of(q, f) * (q->gamma ? q->gamma[i] : 1);
    if (!isfinite(f->lse)) return NAN; /* softmax: NaN, +inf, or all -inf */
    long double log_of = (long double)q->scale * x - f->lse;
    return is_log(q) ? log_of : expl(log_of);
}

void reference_row(const struct question *q, const struct row_facts *f, const float *x,
                   double *want, double stats[2])
{
    stats[0] = (double)f->mean;
    stats[1] = (double)rstd_of(q, f);
    if (!strcmp(q->op, "rmsnorm")) stats[0] = (double)rms_rstd_of(q, f);
    if (!strcmp(q->op, "logsumexp")) {
        want[0] = (double)f->lse;
    } else if (!strcmp(q->op, "moments")) {
        want[0] = (double)f->mean;
        want[1] = (double)(f->m2 / f->n);
    } else {
        for (size_t i = 0; i < f->n; i++) want[i] = (double)element(q, f, x[i], i);
    }
}

/* The height of the summation tree, plus 8 for the elements after its last whole block. */
static double height(const struct kernel *k, size_t n)
{
    double chains = k->chains ? k->chains : 1, lanes = k->chains ? k->lanes : 1;
    return ceil((double)n / (chains * lanes)) + log2(chains) + log2(lanes) + 8;
}

/* The error of m2. kappa^2 = sum2 / m2: written without the division, so that a constant row (m2 =
 * 0) has its bound too. N is the height of the tree where the algorithm sums in one. Every bound
 * but the textbook's is of first order: rounding the mean to fp32 adds n (u mean)^2. */
static double m2_tolerance(const struct kernel *k, const struct row_facts *f)
{
    double n = (double)f->n, h = height(k, f->n), m2 = (double)f->m2, sum2 = (double)f->sum2;
    double both = sqrt(m2) * sqrt(sum2), second = n * u * u * sum2;
    double chunks = ceil(n / (16.0 * k->lanes));
    switch (k->bound) {
    case BOUND_VARIANCE_TEXTBOOK:
        return (h + 4) * u * sum2;
    case BOUND_VARIANCE_TWOPASS:
        return (h + 4) * u * m2 + h * h * u * u * sum2;
    case BOUND_VARIANCE_CORRECTED:
        return (h + 4) * u * m2 + h * h * h * u * u * u * sum2 + second;
    case BOUND_VARIANCE_WELFORD:
        return (h + 4) * u * both + second;
    case BOUND_VARIANCE_PAIRWISE:
        return (4 * ceil(log2(n)) + 4) * u * both + second;
    case BOUND_VARIANCE_CASCADE:
        return (16 + ceil(log2(chunks)) + k->lanes) * u * both + second;
    default: /* layernorm, on any of these sums */
        return (h + 40) * u * both + (h + 40) * (h + 40) * u * u * sum2;
    }
}

static struct tolerance mean_tolerance(const struct kernel *k, const struct row_facts *f)
{
    return (struct tolerance){.absolute = (height(k, f->n) + 16) * u * (double)f->abs +
                                          (double)f->n * tiny};
}

static void moments_tolerances(const struct kernel *k, const struct row_facts *f,
                               struct tolerances *t)
{
    double n = (double)f->n;
    t->output[0] = mean_tolerance(k, f);
    t->output[1] =
        (struct tolerance){.absolute = m2_tolerance(k, f) / n + n * tiny, .relative = 2 * u};
}

static void layernorm_tolerances(const struct question *q, const struct kernel *k,
                                 const struct row_facts *f, struct tolerances *t)
{
    double n = (double)f->n, rstd = (double)rstd_of(q, f);
    double variance_error = m2_tolerance(k, f) / n + n * tiny;
    double relative = 0.5 * variance_error / (double)(f->m2 / f->n + q->eps) + 4 * u;
    if (relative > 0.125) relative = INFINITY; /* too large for a first-order bound */
    t->stats[0] = mean_tolerance(k, f);
    t->stats[1] = (struct tolerance){.relative = 1.25 * relative};
    t->output[0] = (struct tolerance){.centre = (double)f->mean,
                                      .absolute = 1.25 * t->stats[0].absolute * rstd + 4 * tiny,
                                      .absolute_slope = 1.25 * (relative + 4 * u) * rstd,
                                      .relative = 2 * u};
}

/* Half the error of the sum, and the roundings after it. Only explicit arithmetic looks after
 * squares that overflow. */
static void rmsnorm_tolerances(const struct kernel *k, const struct row_facts *f,
                               struct tolerances *t)
{
    double relative = ((height(k, f->n) + 3) / 2 + 5) * u;
    if (f->abs > 0x1p60 && k->arithmetic != ARITHMETIC_EXPLICIT) relative = INFINITY;
    t->output[0] = (struct tolerance){.absolute = 2 * tiny, .relative = relative};
    t->stats[0] = (struct tolerance){.relative = relative};
}

/* softmax and logsumexp. An algorithm without a bound of its own (it rescales as it goes) may
 * have four times that of the shifted sum. */
static void exponential_tolerances(const struct question *q, const struct kernel *k,
                                   const struct row_facts *f, struct tolerances *t)
{
    double slack = k->bound == BOUND_NONE ? 4 * u : u;
    double roundings = q->scale == 1.0 ? 1 : 2; /* the roundings of scale * (x - max) */
    double exp_ulp = k->exp_ulp > 0 ? k->exp_ulp : 1, log_ulp = k->log_ulp > 0 ? k->log_ulp : 1;
    double sum = roundings * (double)f->spread + 2 * exp_ulp + height(k, f->n) + 2;
    double log_sum = sum + 2 * log_ulp * fabs((double)(f->lse - f->max));
    double centre = (double)f->max;
    if (!strcmp(q->op, "logsumexp"))
        t->output[0] = (struct tolerance){.absolute = slack * log_sum, .relative = slack};
    else if (is_log(q))
        t->output[0] = (struct tolerance){.centre = centre,
                                          .absolute = slack * log_sum,
                                          .absolute_slope = slack * roundings,
                                          .relative = slack};
    else
        t->output[0] = (struct tolerance){.centre = centre,
                                          .absolute = 2 * tiny,
                                          .relative = slack * (sum + 2 * exp_ulp),
                                          .relative_slope = slack * roundings};
}

struct tolerances reference_tolerances(const struct question *q, const struct kernel *k,
                                       const struct row_facts *f, bool fused)
{
    struct tolerances t = {0};
    double ulp = fused ? k->promise.ulp_fused : k->promise.ulp_off;
    bool exponential = !strcmp(q->op, "softmax") || is_log(q) || !strcmp(q->op, "logsumexp");
    bool moments = !strcmp(q->op, "moments"), layernorm = !strcmp(q->op, "layernorm");
    if (exponential)
        exponential_tolerances(q, k, f, &t);
    else if ((moments || layernorm) && f->abs > 0x1p60)
        for (size_t i = 0; i < 2; i++) t.output[i].absolute = t.stats[i].absolute = INFINITY;
    else if (moments)
        moments_tolerances(k, f, &t);
    else if (layernorm)
        layernorm_tolerances(q, k, f, &t);
    else if (!strcmp(q->op, "rmsnorm"))
        rmsnorm_tolerances(k, f, &t);
    else
        t.output[0].ulp = ulp > 0 ? ulp : 16; /* functions of one element */
    return t;
}

/* gamma: weights, `step` apart. Where it is inlined the step is a constant. */
static inline bool allows_row(const struct tolerance *t, double scale, const float *gamma,
                              size_t step, const float *x, const double *want, const float *y,
                              size_t n)
{
    const int64_t exponent = 0x7ffll << 52, least = (1023ll - 126) << 52, digits = 23ll << 52;
    const struct tolerance at = *t;
    int64_t within = 1;
    for (size_t i = 0; i < n; i++) {
        const double far = fabs(scale * x[i] - at.centre), d = far < DBL_MAX ? far : DBL_MAX;
        const double r = at.relative + at.relative_slope * d, size = fabs(want[i]);
        int64_t bits;
        double ulp;
        memcpy(&bits, &want[i], sizeof bits);
        bits &= exponent;
        bits = (bits > least ? bits : least) - digits;
        memcpy(&ulp, &bits, sizeof ulp);
        const double allowed =
            fabs((double)gamma[step * i]) * (at.absolute + at.absolute_slope * d) +
            size * (r + r * r) + at.ulp * ulp;
        const double off = fabs((double)y[i] - want[i]);
        within &= ((off <= allowed) & (size < 0x1p128) & (fabs((double)x[i]) < INFINITY)) |
                  ((want[i] != want[i]) & (y[i] != y[i]));
    }
    return within;
}

bool reference_allows_row(const struct tolerance *t, const struct question *q, const float *x,
                          const double *want, const float *y, size_t n)
{
    static const float one = 1;
    return q->gamma ? allows_row(t, q->scale, q->gamma, 1, x, want, y, n)
                    : allows_row(t, q->scale, &one, 0, x, want, y, n);
}

double reference_allows(const struct tolerance *t, const struct question *q, float x, double want,
                        size_t i)
{
    double d = fmin(fabs(q->scale * x - t->centre), DBL_MAX);
    double weight = q->gamma ? fabs((double)q->gamma[i]) : 1;
    double allowed = weight * (t->absolute + t->absolute_slope * d);
    double r = t->relative + t->relative_slope * d;
    if (want != 0) allowed += fabs(want) * (r + r * r);
    if (t->ulp > 0) {
        int exponent = want == 0 ? -126 : ilogb(want);
        allowed += t->ulp * ldexp(1, (exponent > -126 ? exponent : -126) - 23);
    }
    return allowed;
}
