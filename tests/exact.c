// SPDX-License-Identifier: MIT
#include "exact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static const double overflow = 0x1.ffffffp127;

/* ---- The same functions, by definition ------------------------------------------------------- */

struct exact *exact_new(size_t n_max, int bits)
{
    struct exact *m = malloc(sizeof *m);
    if (!m) abort();
    *m = (struct exact){.n_max = n_max, .y = malloc((n_max + 2) * sizeof *m->y)};
    if (!m->y) abort();
    for (size_t i = 0; i < n_max + 2; i++) mpfr_init2(m->y[i], bits);
    mpfr_inits2(bits, m->a, m->b, m->c, (mpfr_ptr)NULL);
    return m;
}

void exact_free(struct exact *m)
{
    for (size_t i = 0; i < m->n_max + 2; i++) mpfr_clear(m->y[i]);
    mpfr_clears(m->a, m->b, m->c, (mpfr_ptr)NULL);
    free(m->y);
    free(m);
    mpfr_free_cache();
}

/* Keeps the largest term apart, so that a sum of 1 + 2^-500 has an accurate logarithm. */
static void exact_log_softmax(struct exact *m, const double *x, size_t n,
                              const struct f64_parameters *p)
{
    size_t top = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] * p->scale > x[top] * p->scale) top = i;
    mpfr_set_zero(m->c, 1);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(m->y[i], x[i], MPFR_RNDN);
        mpfr_sub_d(m->y[i], m->y[i], x[top], MPFR_RNDN);
        mpfr_mul_d(m->y[i], m->y[i], p->scale, MPFR_RNDN);
        mpfr_exp(m->a, m->y[i], MPFR_RNDN);
        if (i != top) mpfr_add(m->c, m->c, m->a, MPFR_RNDN);
    }
    mpfr_log1p(m->c, m->c, MPFR_RNDN);
    for (size_t i = 0; i < n; i++) mpfr_sub(m->y[i], m->y[i], m->c, MPFR_RNDN);
}

static void exact_softmax(struct exact *m, const double *x, size_t n,
                          const struct f64_parameters *p)
{
    exact_log_softmax(m, x, n, p);
    for (size_t i = 0; i < n; i++) mpfr_exp(m->y[i], m->y[i], MPFR_RNDN);
}

static void exact_logsumexp(struct exact *m, const double *x, size_t n,
                            const struct f64_parameters *p)
{
    size_t top = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] > x[top]) top = i;
    exact_log_softmax(m, x, n, p); /* leaves logsumexp - max in c */
    mpfr_add_d(m->y[0], m->c, x[top], MPFR_RNDN);
}

/* Computes a = mean, b = variance. */
static void moments(struct exact *m, const double *x, size_t n)
{
    mpfr_set_zero(m->a, 1);
    for (size_t i = 0; i < n; i++) mpfr_add_d(m->a, m->a, x[i], MPFR_RNDN);
    mpfr_div_ui(m->a, m->a, n, MPFR_RNDN);
    mpfr_set_zero(m->b, 1);
    for (size_t i = 0; i < n; i++) {
        mpfr_d_sub(m->c, x[i], m->a, MPFR_RNDN);
        mpfr_sqr(m->c, m->c, MPFR_RNDN);
        mpfr_add(m->b, m->b, m->c, MPFR_RNDN);
    }
    mpfr_div_ui(m->b, m->b, n, MPFR_RNDN);
}

static void exact_moments(struct exact *m, const double *x, size_t n,
                          const struct f64_parameters *p)
{
    (void)p;
    moments(m, x, n);
    mpfr_set(m->y[0], m->a, MPFR_RNDN);
    mpfr_set(m->y[1], m->b, MPFR_RNDN);
}

static void exact_layernorm(struct exact *m, const double *x, size_t n,
                            const struct f64_parameters *p)
{
    moments(m, x, n);
    mpfr_add_d(m->b, m->b, p->eps, MPFR_RNDN);
    mpfr_rec_sqrt(m->b, m->b, MPFR_RNDN);
    mpfr_set(m->y[n], m->a, MPFR_RNDN);
    mpfr_set(m->y[n + 1], m->b, MPFR_RNDN);
    for (size_t i = 0; i < n; i++) {
        mpfr_d_sub(m->y[i], x[i], m->a, MPFR_RNDN);
        mpfr_mul(m->y[i], m->y[i], m->b, MPFR_RNDN);
        if (p->gamma) mpfr_mul_d(m->y[i], m->y[i], p->gamma[i], MPFR_RNDN);
        if (p->beta) mpfr_add_d(m->y[i], m->y[i], p->beta[i], MPFR_RNDN);
    }
}

static void exact_rmsnorm(struct exact *m, const double *x, size_t n,
                          const struct f64_parameters *p)
{
    mpfr_set_zero(m->b, 1);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(m->c, x[i], MPFR_RNDN);
        mpfr_sqr(m->c, m->c, MPFR_RNDN);
        mpfr_add(m->b, m->b, m->c, MPFR_RNDN);
    }
    mpfr_div_ui(m->b, m->b, n, MPFR_RNDN);
    mpfr_add_d(m->b, m->b, p->eps, MPFR_RNDN);
    mpfr_rec_sqrt(m->y[n], m->b, MPFR_RNDN);
    for (size_t i = 0; i < n; i++) {
        mpfr_mul_d(m->y[i], m->y[n], x[i], MPFR_RNDN);
        if (p->gamma) mpfr_mul_d(m->y[i], m->y[i], p->gamma[i], MPFR_RNDN);
    }
}

/* Defines an operation of one element by what computes m->y[i] from the number x[i] in m->a. */
#define EXACT_EACH(name, ...)                                                                      \
    static void exact_##name(struct exact *m, const double *x, size_t n,                           \
                             const struct f64_parameters *p)                                       \
    {                                                                                              \
        (void)p;                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            mpfr_set_d(m->a, x[i], MPFR_RNDN);                                                     \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }
/* Those for which MPFR has a function. */
#define EXACT_OF(name) EXACT_EACH(name, mpfr_##name(m->y[i], m->a, MPFR_RNDN))
EXACT_OF(exp)
EXACT_OF(exp2)
EXACT_OF(expm1)
EXACT_OF(log)
EXACT_OF(log2)
EXACT_OF(log1p)
EXACT_OF(tanh)
EXACT_OF(erf)
EXACT_OF(sin)
EXACT_OF(cos)

/* The function of the same name in src/oracle/operations.c. */
static void expkappa(mpfr_t y, mpfr_t a)
{
    mpfr_add_d(a, a, -0x1.501c2adc9f97dp-9, MPFR_RNDN);
    mpfr_exp(y, a, MPFR_RNDN);
}
EXACT_EACH(expkappa, expkappa(m->y[i], m->a))

/* IEEE 754's rSqrt(-0) is -inf; MPFR's is +inf. */
static void rsqrt(mpfr_t y, mpfr_t a)
{
    mpfr_rec_sqrt(y, a, MPFR_RNDN);
    if (mpfr_zero_p(a)) mpfr_set_inf(y, mpfr_signbit(a) ? -1 : 1);
}
EXACT_EACH(rsqrt, rsqrt(m->y[i], m->a))

/* 1 / (1 + exp(-x)) */
static void sigmoid(mpfr_t y, mpfr_t a)
{
    mpfr_neg(a, a, MPFR_RNDN);
    mpfr_exp(a, a, MPFR_RNDN);
    mpfr_add_ui(a, a, 1, MPFR_RNDN);
    mpfr_ui_div(y, 1, a, MPFR_RNDN);
}
EXACT_EACH(sigmoid, sigmoid(m->y[i], m->a))

/* log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)): MPFR's exponents have an end, too. */
static void softplus(mpfr_t y, mpfr_t a, double x)
{
    mpfr_abs(a, a, MPFR_RNDN);
    mpfr_neg(a, a, MPFR_RNDN);
    mpfr_exp(a, a, MPFR_RNDN);
    mpfr_log1p(y, a, MPFR_RNDN);
    if (!(x <= 0)) mpfr_add_d(y, y, x, MPFR_RNDN);
}
EXACT_EACH(softplus, softplus(m->y[i], m->a, x[i]))

/* The next three are x times a function of x, which is 0 at -inf; so is the product. */
static void times(mpfr_t y, mpfr_t of_x, double x)
{
    mpfr_mul_d(y, of_x, x, MPFR_RNDN);
    if (isinf(x) && x < 0) mpfr_set_zero(y, -1);
}

/* x / (1 + exp(-x)) */
EXACT_EACH(silu, sigmoid(m->a, m->a); times(m->y[i], m->a, x[i]))

/* x/2 erfc(-x / sqrt 2) */
static void gelu(struct exact *m, mpfr_t y, double x)
{
    mpfr_sqrt_ui(m->b, 2, MPFR_RNDN);
    mpfr_div(m->a, m->a, m->b, MPFR_RNDN);
    mpfr_neg(m->a, m->a, MPFR_RNDN);
    mpfr_erfc(m->a, m->a, MPFR_RNDN);
    mpfr_div_2ui(m->a, m->a, 1, MPFR_RNDN);
    times(y, m->a, x);
}
EXACT_EACH(gelu, gelu(m, m->y[i], x[i]))

/* x/2 (1 + tanh(u)) = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3) */
static void gelutanh(struct exact *m, mpfr_t y, double x)
{
    mpfr_pow_ui(m->b, m->a, 3, MPFR_RNDN);
    mpfr_mul_ui(m->b, m->b, 44715, MPFR_RNDN);
    mpfr_div_ui(m->b, m->b, 1000000, MPFR_RNDN);
    mpfr_add(m->a, m->a, m->b, MPFR_RNDN);
    mpfr_const_pi(m->b, MPFR_RNDN);
    mpfr_ui_div(m->b, 8, m->b, MPFR_RNDN);
    mpfr_sqrt(m->b, m->b, MPFR_RNDN); /* 2 sqrt(2 / pi) */
    mpfr_mul(m->a, m->a, m->b, MPFR_RNDN);
    sigmoid(m->a, m->a);
    times(y, m->a, x);
}
EXACT_EACH(gelutanh, gelutanh(m, m->y[i], x[i]))

const struct certified certified[] = {
    {"softmax", exact_softmax},
    {"log_softmax", exact_log_softmax},
    {"logsumexp", exact_logsumexp},
    {"moments", exact_moments},
    {"layernorm", exact_layernorm},
    {"layernorm_bare", exact_layernorm},
    {"rmsnorm", exact_rmsnorm},
    {"rmsnorm_bare", exact_rmsnorm},
    {"exp", exact_exp},
    {"expkappa", exact_expkappa},
    {"log", exact_log},
    {"log2", exact_log2},
    {"sigmoid", exact_sigmoid},
    {"gelu", exact_gelu},
    {"exp2", exact_exp2},
    {"expm1", exact_expm1},
    {"log1p", exact_log1p},
    {"tanh", exact_tanh},
    {"erf", exact_erf},
    {"silu", exact_silu},
    {"gelutanh", exact_gelutanh},
    {"softplus", exact_softplus},
    {"sin", exact_sin},
    {"cos", exact_cos},
    {"rsqrt", exact_rsqrt},
    {0},
};

const struct certified *exact_find(const char *op)
{
    const struct certified *c = certified;
    while (c->op && strcmp(c->op, op) != 0) c++;
    return c->op ? c : NULL;
}

/* |got - want| in ulp of want, as the lab counts them; 0 where both are beyond fp32's range, or
 * the same infinity, or NaN. Uses m->a. */
static double distance(struct exact *m, double got, mpfr_t want)
{
    double nearest = mpfr_get_d(want, MPFR_RNDN);
    if (isnan(nearest) || isinf(nearest) || fabs(nearest) >= overflow)
        return (isnan(nearest) && isnan(got)) ||
                       (fabs(got) >= overflow && signbit(got) == signbit(nearest))
                   ? 0
                   : INFINITY;
    long exponent = mpfr_zero_p(want) ? -126 : mpfr_get_exp(want) - 1;
    if (exponent < -126) exponent = -126;
    if (!isfinite(got)) return INFINITY;
    mpfr_sub_d(m->a, want, got, MPFR_RNDN);
    mpfr_mul_2si(m->a, m->a, 23 - exponent, MPFR_RNDN);
    return fabs(mpfr_get_d(m->a, MPFR_RNDN));
}

/* Counts the distance d of the value i. */
static void note(struct verdict *v, double d, size_t i, double got)
{
    if (d <= v->worst) return;
    v->worst = d;
    v->at = i;
    v->got = got;
}

struct verdict exact_judge(const struct certified *c, struct exact *m, const float *x, size_t n,
                           const struct parameters *p, const double *y)
{
    struct verdict v = {.values = oracle_values(oracle_find(c->op), n)};
    struct f64_parameters wide = {.scale = (double)p->scale, .eps = (double)p->eps};
    double *row = malloc((3 * n + 1) * sizeof *row), *gamma = row + n, *beta = gamma + n;
    if (!row) abort();
    for (size_t i = 0; i < n; i++) {
        row[i] = (double)x[i];
        if (p->gamma) gamma[i] = (double)p->gamma[i], wide.gamma = gamma;
        if (p->beta) beta[i] = (double)p->beta[i], wide.beta = beta;
    }
    c->exact(m, row, n, &wide);
    for (size_t i = 0; i < v.values; i++) note(&v, distance(m, y[i], m->y[i]), i, y[i]);
    free(row);
    return v;
}

struct verdict exact_examine(const struct certified *c, struct exact *m, const float *x, size_t n,
                             const struct parameters *p)
{
    const struct oracle *oracle = oracle_find(c->op);
    struct verdict v = {.values = oracle_values(oracle, n)};
    double *y = malloc((v.values + 1) * sizeof *y);
    struct oracle_row facts;
    if (!y) abort();
    oracle->row(x, n, p, y, &facts);
    v.beyond = facts.beyond;
    if (!v.beyond) v = exact_judge(c, m, x, n, p, y);
    free(y);
    return v;
}

/* ---- The oracle of double -------------------------------------------------------------------- */

/* |got - want| in ulp of double; 0 where both are the same infinity, or NaN, or zeros of one sign.
 * Uses m->a and m->b. */
static double f64_distance(struct exact *m, struct f64_value got, mpfr_t want)
{
    if (mpfr_nan_p(want)) return isnan(got.hi) ? 0 : INFINITY;
    if (mpfr_inf_p(want)) /* or beyond MPFR's exponents */
        return got.hi == mpfr_get_d(want, MPFR_RNDN) && fabs(got.lo) >= DBL_MAX ? 0 : INFINITY;
    bool beyond = isinf(mpfr_get_d(want, MPFR_RNDN));
    /* The oracle takes exponentials of less than -800 for 0, which has no sign. */
    bool opposite =
        !mpfr_zero_p(want) && mpfr_get_exp(want) > -1140 && !signbit(got.hi) != !mpfr_signbit(want);
    if (isnan(got.hi) || isnan(got.lo) || isinf(got.hi) != beyond || opposite) return INFINITY;
    long exponent = mpfr_zero_p(want) ? -1022 : mpfr_get_exp(want) - 1;
    if (exponent < -1022) exponent = -1022;
    mpfr_set_d(m->a, got.lo, MPFR_RNDN);
    mpfr_mul_2si(m->a, m->a, beyond ? 52 : -52, MPFR_RNDN);
    if (!beyond) mpfr_add_d(m->a, m->a, got.hi, MPFR_RNDN);
    mpfr_set_d(m->b, DBL_MAX, MPFR_RNDN);
    mpfr_mul_2si(m->b, m->b, 52, MPFR_RNDN);
    if (beyond && mpfr_cmpabs(want, m->b) > 0) return fabs(got.lo) == DBL_MAX ? 0 : INFINITY;
    if (!beyond) { /* hi has to be the nearest double */
        mpfr_sub_d(m->b, want, got.hi, MPFR_RNDN);
        mpfr_mul_2si(m->b, m->b, 52 - exponent, MPFR_RNDN);
        if (fabs(mpfr_get_d(m->b, MPFR_RNDN)) > 0.5 + 0x1p-40) return INFINITY;
    }
    mpfr_sub(m->a, want, m->a, MPFR_RNDN);
    mpfr_mul_2si(m->a, m->a, 52 - exponent, MPFR_RNDN);
    double d = fabs(mpfr_get_d(m->a, MPFR_RNDN));
    return beyond && d <= 0.5 ? 0 : d; /* such a y is one double */
}

/* Returns a number of [-1, 1) 2^e, e of [low, high]. */
static double any_number(uint64_t *seed, int low, int high)
{
    double mantissa = (double)(int64_t)random_next(seed) * 0x1p-63;
    return ldexp(mantissa, low + (int)(random_next(seed) % (uint64_t)(high - low + 1)));
}

void exact_row_f64(enum exact_kind kind, uint64_t seed, size_t n, double *x)
{
    double center = any_number(&seed, 0, 20), huge = any_number(&seed, 990, 1020);
    for (size_t i = 0; i < n; i++) {
        double a = any_number(&seed, -2, 3);
        switch (kind) {
        case EXACT_ORDINARY:
            x[i] = a;
            break;
        case EXACT_SPREAD:
            x[i] = any_number(&seed, -20, 9);
            break;
        case EXACT_WIDE:
            x[i] = any_number(&seed, -1070, 1023);
            break;
        case EXACT_OFFSET:
            x[i] = center * 1e6 + a;
            break;
        case EXACT_EQUAL:
            x[i] = i == n / 2 ? nextafter(center, 100) : center;
            break;
        case EXACT_CANCELLING:
            x[i] = i % 2 && i > 1 ? -x[i - 1] : any_number(&seed, -300, 300);
            break;
        case EXACT_TINY:
            x[i] = any_number(&seed, -1074, -1020);
            break;
        case EXACT_HUGE:
            x[i] = any_number(&seed, 1010, 1023);
            break;
        case EXACT_APART:
            x[i] = i % 3 ? any_number(&seed, -1000, -990) : huge;
            break;
        case EXACT_BELOW:
            x[i] = i ? any_number(&seed, 9, 9) - 512 : 0;
            break;
        case EXACT_KINDS:
            break;
        }
    }
}

const char *exact_kind_name(enum exact_kind kind)
{
    static const char *const names[EXACT_KINDS] = {"ordinary", "spread",     "wide", "offset",
                                                   "equal",    "cancelling", "tiny", "huge",
                                                   "apart",    "below"};
    return names[kind];
}

int exact_bits_f64(const struct oracle *o)
{
    return o->unary ? EXACT_BITS_UNARY : o->domain == DOMAIN_MOMENTS ? EXACT_BITS_F64 : EXACT_BITS;
}

double exact_promise_f64(const char *op)
{
    return !strcmp(op, "logsumexp") || !strncmp(op, "layernorm", 9) ? 0x1p-10 : 0x1p-40;
}

struct verdict exact_examine_f64(const struct certified *c, struct exact *m, const double *x,
                                 size_t n, const struct f64_parameters *p)
{
    const struct f64_oracle *oracle = f64_oracle_find(c->op);
    struct verdict v = {.values = f64_oracle_values(oracle, n)};
    struct f64_value *y = malloc((v.values + 1) * sizeof *y);
    struct oracle_row facts;
    if (!y) abort();
    oracle->row(x, n, p, y, &facts);
    v.beyond = facts.beyond;
    if (!v.beyond) c->exact(m, x, n, p);
    for (size_t i = 0; i < v.values && !v.beyond; i++)
        note(&v, f64_distance(m, y[i], m->y[i]), i, y[i].hi);
    free(y);
    return v;
}
