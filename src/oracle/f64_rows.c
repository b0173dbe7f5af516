// SPDX-License-Identifier: MIT
/* The operations of a row in double. Sums are exact (struct f64_sum); what is left of errors are
 * those of a few operations in double-double per result. */
#include <float.h>
#include <stdbool.h>
#include <stddef.h>

#include "oracle/f64_functions.h"
#include "oracle/oracle.h"

const struct f64_parameters f64_parameters_default = {.scale = 1, .eps = 1e-5};

/* ---- Exact sums ------------------------------------------------------------------------------ */

/* Exact sums of doubles: an integer of 2500 bits, whose unit is 2^-256 times the smallest double,
 * so that it can be divided, in digits of 32 bits. */
enum { F64_DIGITS = 80, F64_PARTS = 4 };

/* Sums begin as {0}; at most 2^30 terms are added. */
struct f64_sum {
    int64_t digit[F64_DIGITS];
};

/* (part[0] + part[1] + ..) 2^e, each part at most half a unit in the last place of the one before:
 * 200 bits. */
struct f64_parts {
    double part[F64_PARTS];
    int e;
};

/* Adds a finite number. */
static inline void f64_sum_add(struct f64_sum *s, double x)
{
    enum { LOW_DIGITS = 8 };
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    unsigned exponent = bits >> 52 & 2047, shift = exponent ? exponent - 1 : 0;
    uint64_t mantissa = (bits & 0xfffffffffffff) | (uint64_t)(exponent != 0) << 52;
    unsigned __int128 shifted = (unsigned __int128)mantissa << shift % 32;
    int64_t *digit = s->digit + LOW_DIGITS + shift / 32, minus = -(int64_t)(bits >> 63);
    /* (a ^ -1) + 1 is -a. */
    digit[0] += ((int64_t)(shifted & 0xffffffff) ^ minus) - minus;
    digit[1] += ((int64_t)(shifted >> 32 & 0xffffffff) ^ minus) - minus;
    digit[2] += ((int64_t)(shifted >> 64) ^ minus) - minus;
}

/* Propagates the carries, and returns the sign of the sum, whose magnitude is left. */
static double sum_normalise(struct f64_sum *s)
{
    double sign = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k + 1 < F64_DIGITS; k++) {
            s->digit[k + 1] += s->digit[k] >> 32;
            s->digit[k] &= 0xffffffff;
        }
        if (s->digit[F64_DIGITS - 1] >= 0) break;
        sign = -1;
        for (int k = 0; k < F64_DIGITS; k++) s->digit[k] = -s->digit[k];
    }
    return sign;
}

/* Returns the sum divided by n; `s` is used up. n < 2^31. */
static struct f64_parts f64_sum_over(struct f64_sum *s, uint64_t n)
{
    enum { USED = 8, UNIT = -(1074 + 256) };
    double sign = sum_normalise(s), digit[USED] = {0};
    uint64_t rest = 0;
    int top = -1;
    for (int k = F64_DIGITS - 1; k >= 0; k--) {
        uint64_t value = rest << 32 | (uint64_t)s->digit[k], quotient = value / n;
        rest = value % n;
        if (top < 0 && quotient) top = k;
        if (top - k < USED && top >= 0)
            digit[top - k] = sign * ldexp((double)quotient, 32 * (k - top));
    }
    struct f64_parts p = {.e = top < 0 ? 0 : 32 * top + UNIT};
    /* Each pass moves what does not fit into a part to those behind it. */
    for (int pass = 0; pass < 3; pass++)
        for (int k = USED - 1; k > 0; k--) {
            struct double_double two = dd_sum(digit[k - 1], digit[k]);
            digit[k - 1] = two.hi, digit[k] = two.lo;
        }
    memcpy(p.part, digit, sizeof p.part);
    for (int k = USED - 1; k >= F64_PARTS; k--) p.part[F64_PARTS - 1] += digit[k];
    return p;
}

/* Returns the sum of the parts, rounded to a double-double. */
static struct f64_wide f64_parts_wide(const struct f64_parts *p)
{
    struct double_double low = dd_sum(p->part[1], p->part[2]);
    low.lo += p->part[3];
    return f64_wide_of(dd_plus((struct double_double){p->part[0], 0}, low), p->e);
}

static void sum_add_two(struct f64_sum *s, struct double_double a)
{
    f64_sum_add(s, a.hi);
    f64_sum_add(s, a.lo);
}

static struct f64_wide sum_wide(struct f64_sum *s, uint64_t n)
{
    struct f64_parts p = f64_sum_over(s, n);
    return f64_parts_wide(&p);
}

/* ---- Helpers --------------------------------------------------------------------------------- */

static struct f64_value wide_value(struct f64_wide a)
{
    return f64_value_of(a.m, a.e);
}

static struct f64_wide wide_exactly(double a)
{
    return f64_wide_of((struct double_double){a, 0}, 0);
}

static double wide_double(struct f64_wide a)
{
    return ldexp(a.m.hi, a.e);
}

/* Returns 1 / sqrt(a) for a > 0: one step of Newton's method from the square root in double. */
static struct f64_wide wide_rsqrt(struct f64_wide a)
{
    int odd = a.e & 1;
    struct double_double m = odd ? dd_scaled(a.m, 2) : a.m;
    double y = 1 / sqrt(m.hi);
    struct double_double one = {1, 0}, square = dd_exact_product(y, y);
    /* y (1 + h / 2 + 3 h^2 / 8), h = 1 - m y^2 */
    struct double_double h = dd_plus(one, dd_scaled(dd_times(m, square), -1));
    double correction = h.hi * h.hi * 0.375;
    h = dd_plus(dd_scaled(h, 0.5), (struct double_double){correction, 0});
    struct double_double product = dd_times((struct double_double){y, 0}, dd_plus(one, h));
    return f64_wide_of(product, -(a.e - odd) / 2);
}

static void values_fill(struct f64_value *y, size_t n, double value)
{
    for (size_t i = 0; i < n; i++) y[i] = (struct f64_value){value, value};
}

/* ---- softmax, log_softmax, logsumexp --------------------------------------------------------- */

/* Exponentials are kept as exp(d) 2^LIFT, so that those that are subnormal, or below, lose
 * nothing. From LEAST on down they count as zeros: 2^-1154. */
enum { LIFT = 900 };
static const double least_exponent = -800;

struct f64_row {
    bool nan;
    double max, max_abs; /* of scale * x; the largest finite magnitude */
    size_t at;           /* the first maximum */
    struct double_double top;
    struct f64_wide others; /* sum of exp(z_i - max) over all but `at` */
    double shift_cost;
};

/* Returns scale * x_i: exactly, or 2^-1074 off. */
static struct double_double scaled_element(double x, double scale)
{
    if (scale == 1 || !isfinite(x * scale)) return (struct double_double){x * scale, 0};
    return dd_exact_product(x, scale);
}

static bool exponential_row_begin(const double *x, size_t n, double scale, struct f64_row *r,
                                  struct oracle_row *facts)
{
    *r = (struct f64_row){.max = -INFINITY, .top = {-INFINITY, 0}};
    bool overflows = false;
    for (size_t i = 0; i < n; i++) {
        struct double_double z = scaled_element(x[i], scale);
        r->nan |= isnan(z.hi);
        overflows |= isinf(z.hi) && isfinite(x[i]);
        if (fabs(z.hi) <= DBL_MAX) r->max_abs = fmax(r->max_abs, fabs(z.hi));
        if (!(z.hi > r->top.hi || (z.hi == r->top.hi && z.lo > r->top.lo))) continue;
        r->top = z;
        r->at = i;
    }
    r->max = r->top.hi;
    *facts = (struct oracle_row){.max = r->max, .beyond = overflows};
    return !r->nan && !isinf(r->max);
}

/* Returns z_i - max, or -infinity. */
static struct double_double row_distance(const struct f64_row *r, double x, double scale)
{
    struct double_double z = scaled_element(x, scale);
    if (isinf(z.hi) || isinf(z.hi - r->top.hi)) return (struct double_double){-INFINITY, 0};
    return dd_plus(z, dd_scaled(r->top, -1));
}

/* Returns exp(d) 2^LIFT. */
static struct double_double lifted_exp(struct double_double d)
{
    int k;
    if (!(d.hi >= least_exponent)) return (struct double_double){0, 0};
    struct double_double m = f64_exp(d, &k);
    return dd_scaled(m, f64_power(LIFT + k));
}

/* Sums up the exponentials, and unless y is NULL leaves them there, lifted. */
static void row_sum(const double *x, size_t n, double scale, struct f64_row *r, struct f64_value *y)
{
    struct f64_sum sum = {{0}};
    double cost = 0;
    f64_functions_begin();
    for (size_t i = 0; i < n; i++) {
        struct double_double d = row_distance(r, x[i], scale), power = lifted_exp(d);
        if (y) y[i] = (struct f64_value){power.hi, power.lo};
        if (power.hi != 0) cost -= ldexp(power.hi, -LIFT) * d.hi;
        if (i != r->at) sum_add_two(&sum, power);
    }
    r->others = sum_wide(&sum, 1);
    r->others.e -= r->others.m.hi == 0 ? 0 : LIFT;
    r->shift_cost = cost / (1 + wide_double(r->others));
}

static void f64_softmax_row(const double *x, size_t n, const struct f64_parameters *p,
                            struct f64_value *y, struct oracle_row *facts)
{
    struct f64_row r;
    if (!exponential_row_begin(x, n, p->scale, &r, facts)) {
        values_fill(y, n, NAN);
        return;
    }
    row_sum(x, n, p->scale, &r, y);
    struct f64_wide sum = f64_wide_plus(wide_exactly(1), r.others);
    struct double_double one = {1, 0}, share = dd_over(one, sum.m);
    for (size_t i = 0; i < n; i++) {
        struct f64_wide power = f64_wide_of((struct double_double){y[i].hi, y[i].lo}, -LIFT);
        if (power.m.hi == 0) power.e = 0;
        y[i] = f64_value_of(dd_times(power.m, share), power.e - sum.e);
    }
    facts->shift_cost = r.shift_cost;
    facts->floor[0] = ldexp(share.hi, -sum.e);
}

static void f64_log_softmax_row(const double *x, size_t n, const struct f64_parameters *p,
                                struct f64_value *y, struct oracle_row *facts)
{
    struct f64_row r;
    if (!exponential_row_begin(x, n, p->scale, &r, facts)) {
        values_fill(y, n, NAN);
        return;
    }
    row_sum(x, n, p->scale, &r, NULL);
    struct f64_wide minus = f64_log1p(r.others);
    minus.m = dd_scaled(minus.m, -1);
    for (size_t i = 0; i < n; i++) {
        struct double_double d = row_distance(&r, x[i], p->scale);
        const bool finite = isfinite(x[i]);
        y[i] = isinf(d.hi) ? (struct f64_value){-INFINITY, finite ? -DBL_MAX : -INFINITY}
                           : wide_value(f64_wide_plus(f64_wide_of(d, 0), minus));
    }
    facts->shift_cost = r.shift_cost;
    facts->floor[0] = fmax(r.max_abs, 1);
}

static void f64_logsumexp_row(const double *x, size_t n, const struct f64_parameters *p,
                              struct f64_value *y, struct oracle_row *facts)
{
    (void)p;
    struct f64_row r;
    if (!exponential_row_begin(x, n, 1, &r, facts)) {
        values_fill(y, 1, r.nan ? NAN : r.max);
        return;
    }
    row_sum(x, n, 1, &r, NULL);
    struct f64_wide log_sum = f64_log1p(r.others);
    struct f64_wide sum = f64_wide_plus(wide_exactly(r.max), log_sum);
    y[0] = wide_value(sum);
    facts->shift_cost = r.shift_cost;
    facts->floor[0] = r.max_abs;
    /* log_sum is known to 2^-100 of itself and of what the distances' roundings cost. Known enough
     * is 2^-10 ulp, 2^-63 of the result. */
    double doubt = (wide_double(log_sum) + r.shift_cost) * 0x1p-100;
    facts->beyond |= doubt > 0x1p-63 * fmax(fabs(y[0].hi), DBL_MIN);
}

/* ---- moments, layernorm ---------------------------------------------------------------------- */

struct f64_moments {
    bool finite;
    int shift;             /* elements are taken times 2^-shift, so that the largest is of [1, 2) */
    struct f64_parts mean; /* of those */
    struct f64_wide mean_wide; /* of the elements themselves */
    double mean_abs, max_abs;
    struct f64_wide variance;
    bool beyond;
};

/* Returns x 2^-shift. */
static double shifted(const struct f64_moments *m, double x)
{
    return ldexp(x, -m->shift);
}

/* Returns x - mean, both times 2^-shift: within 2^-104 of itself, since the mean is known to 200
 * bits. */
static struct double_double deviation_of(const struct f64_moments *m, double x)
{
    struct double_double d = dd_sum(shifted(m, x), -m->mean.part[0]);
    d = dd_plus(d, (struct double_double){-m->mean.part[1], -m->mean.part[2]});
    return dd_plus(d, (struct double_double){-m->mean.part[3], 0});
}

/* Scales the mean's parts as the elements are. */
static void scale_mean(struct f64_moments *m)
{
    for (int k = 0; k < F64_PARTS; k++)
        m->mean.part[k] = ldexp(m->mean.part[k], m->mean.e - m->shift);
    m->mean.e = 0;
}

static struct f64_moments f64_moments_of(const double *x, size_t n)
{
    struct f64_moments m = {.finite = n > 0};
    double plain = 0, sum_abs = 0;
    for (size_t i = 0; i < n; i++) {
        plain += x[i];
        sum_abs += fabs(x[i]) / (double)n;
        m.max_abs = fmax(m.max_abs, fabs(x[i]));
        m.finite &= isfinite(x[i]) != 0;
    }
    m.mean_abs = sum_abs;
    if (!m.finite) { /* the mean is infinite or NaN, by the rules of IEEE addition */
        m.mean_wide = (struct f64_wide){{n ? plain : NAN, 0}, 0};
        return m;
    }
    struct f64_sum sum = {{0}}, squares = {{0}};
    for (size_t i = 0; i < n; i++) f64_sum_add(&sum, x[i]);
    m.mean = f64_sum_over(&sum, n);
    m.mean_wide = f64_parts_wide(&m.mean);
    m.shift = m.max_abs > 0 ? ilogb(m.max_abs) : 0;
    scale_mean(&m);
    for (size_t i = 0; i < n; i++) {
        struct double_double d = deviation_of(&m, x[i]);
        /* A number so far below the largest may have lost digits by its scaling. */
        m.beyond |= d.hi != 0 && fabs(d.hi) < 0x1p-900;
        sum_add_two(&squares, dd_times(d, d));
    }
    m.variance = sum_wide(&squares, n);
    if (m.variance.m.hi != 0) m.variance.e += 2 * m.shift;
    return m;
}

static struct oracle_row moments_facts(const struct f64_moments *m, size_t n)
{
    double mean = wide_double(m->mean_wide), deviations = wide_double(m->variance) * (double)n;
    return (struct oracle_row){
        .mean = mean, .deviations = deviations, .squares = deviations + (double)n * mean * mean};
}

static void f64_moments_row(const double *x, size_t n, const struct f64_parameters *p,
                            struct f64_value *y, struct oracle_row *facts)
{
    (void)p;
    struct f64_moments m = f64_moments_of(x, n);
    *facts = moments_facts(&m, n);
    y[0] = wide_value(m.mean_wide);
    y[1] = m.finite ? wide_value(m.variance) : (struct f64_value){NAN, NAN};
    if (!m.finite) return;
    double variance = wide_double(m.variance), square = facts->mean * facts->mean + variance;
    facts->floor[0] = m.mean_abs;
    facts->floor[1] = sqrt(variance) * sqrt(square) + 0x1p-53 * square;
}

/* Returns 1 / sqrt(a + eps); infinite for 0. */
static struct f64_wide rstd_of(struct f64_wide a, double eps)
{
    struct f64_wide sum = f64_wide_plus(a, wide_exactly(eps));
    if (sum.m.hi == 0) return (struct f64_wide){{INFINITY, 0}, 0};
    return wide_rsqrt(sum);
}

/* Returns a * gamma_i, a finite. */
static struct f64_wide times_gamma(struct f64_wide a, const double *gamma, size_t i)
{
    return gamma ? f64_wide_times(a, wide_exactly(gamma[i])) : a;
}

static void f64_layernorm_row(const double *x, size_t n, const struct f64_parameters *p,
                              struct f64_value *y, struct oracle_row *facts)
{
    struct f64_moments m = f64_moments_of(x, n);
    *facts = moments_facts(&m, n);
    y[n] = wide_value(m.mean_wide);
    if (!m.finite) {
        values_fill(y, n, NAN);
        y[n + 1] = (struct f64_value){NAN, NAN};
        return;
    }
    struct f64_wide rstd = rstd_of(m.variance, p->eps);
    y[n + 1] = wide_value(rstd);
    facts->beyond = m.beyond;
    if (isinf(rstd.m.hi)) { /* equal elements and no eps: 0 times infinity */
        values_fill(y, n, NAN);
        return;
    }
    double largest_gamma = p->gamma ? 0 : 1;
    for (size_t i = 0; i < n; i++) {
        struct f64_wide product =
            f64_wide_times(f64_wide_of(deviation_of(&m, x[i]), m.shift), rstd);
        product = times_gamma(product, p->gamma, i);
        struct f64_wide sum = p->beta ? f64_wide_plus(product, wide_exactly(p->beta[i])) : product;
        y[i] = wide_value(sum);
        /* Where beta cancels it, the product's 2^-100 have to be 2^-10 ulp of what is left. */
        facts->beyond |= product.m.hi != 0 && p->beta &&
                         product.e - 100 > (sum.m.hi == 0 || sum.e < -1022 ? -1022 : sum.e) - 63;
        if (p->gamma) largest_gamma = fmax(largest_gamma, fabs(p->gamma[i]));
    }
    facts->floor[0] = m.max_abs * wide_double(rstd) * largest_gamma;
    facts->floor[1] = m.mean_abs;
}

/* ---- rmsnorm --------------------------------------------------------------------------------- */

/* Computes a row that has NaN or infinities, by the rules of IEEE arithmetic. */
static void rmsnorm_special(const double *x, size_t n, const struct f64_parameters *p,
                            struct f64_value *y)
{
    bool nan = n == 0;
    for (size_t i = 0; i < n; i++) nan |= isnan(x[i]);
    double rstd = nan ? NAN : 0;
    for (size_t i = 0; i < n; i++) {
        double value = x[i] * rstd * (p->gamma ? p->gamma[i] : 1);
        y[i] = (struct f64_value){value, value};
    }
    y[n] = (struct f64_value){rstd, rstd};
}

static void f64_rmsnorm_row(const double *x, size_t n, const struct f64_parameters *p,
                            struct f64_value *y, struct oracle_row *facts)
{
    double max = 0;
    bool finite = n > 0;
    for (size_t i = 0; i < n; i++) {
        max = fmax(max, fabs(x[i]));
        finite &= isfinite(x[i]) != 0;
    }
    *facts = (struct oracle_row){.squares = finite ? 0 : NAN};
    if (!finite) {
        rmsnorm_special(x, n, p, y);
        return;
    }
    const int shift = max > 0 ? ilogb(max) : 0;
    struct f64_sum sum = {{0}};
    for (size_t i = 0; i < n; i++) {
        double a = ldexp(x[i], -shift);
        if (fabs(a) > 0x1p-480) sum_add_two(&sum, dd_exact_product(a, a));
    }
    struct f64_wide mean = sum_wide(&sum, n);
    if (mean.m.hi != 0) mean.e += 2 * shift;
    facts->squares = wide_double(mean) * (double)n;
    struct f64_wide rstd = rstd_of(mean, p->eps);
    y[n] = wide_value(rstd);
    for (size_t i = 0; i < n; i++) {
        struct f64_wide product = f64_wide_times(wide_exactly(x[i]), rstd);
        y[i] = isinf(rstd.m.hi) ? (struct f64_value){NAN, NAN}
                                : wide_value(times_gamma(product, p->gamma, i));
    }
}

/* ---- Functions of one element ---------------------------------------------------------------- */

/* Defines the row function of one element. */
#define F64_ROW_OF(NAME, FLOOR)                                                                    \
    static void f64_##NAME##_row(const double *x, size_t n, const struct f64_parameters *p,        \
                                 struct f64_value *y, struct oracle_row *facts)                    \
    {                                                                                              \
        f64_function *f = f64_function_find(#NAME);                                                \
        (void)p;                                                                                   \
        *facts = (struct oracle_row){.floor = {FLOOR}};                                            \
        for (size_t i = 0; i < n; i++) y[i] = f(x[i]);                                             \
    }
F64_ROW_OF(exp, 0)
F64_ROW_OF(exp2, 0)
F64_ROW_OF(expm1, 0)
F64_ROW_OF(log, 1)
F64_ROW_OF(log2, 1)
F64_ROW_OF(log1p, 0)
F64_ROW_OF(tanh, 0)
F64_ROW_OF(erf, 0)
F64_ROW_OF(sin, 0)
F64_ROW_OF(cos, 0)

/* ---- All ------------------------------------------------------------------------------------- */

static const struct f64_oracle f64_oracles[] = {{"softmax", f64_softmax_row},
                                                {"log_softmax", f64_log_softmax_row},
                                                {"logsumexp", f64_logsumexp_row},
                                                {"moments", f64_moments_row},
                                                {"layernorm", f64_layernorm_row},
                                                {"layernorm_bare", f64_layernorm_row},
                                                {"rmsnorm", f64_rmsnorm_row},
                                                {"rmsnorm_bare", f64_rmsnorm_row},
                                                {"exp", f64_exp_row},
                                                {"exp2", f64_exp2_row},
                                                {"expm1", f64_expm1_row},
                                                {"log", f64_log_row},
                                                {"log2", f64_log2_row},
                                                {"log1p", f64_log1p_row},
                                                {"tanh", f64_tanh_row},
                                                {"erf", f64_erf_row},
                                                {"sin", f64_sin_row},
                                                {"cos", f64_cos_row}};

const struct f64_oracle *f64_oracle_at(size_t i)
{
    return i < sizeof f64_oracles / sizeof *f64_oracles ? &f64_oracles[i] : NULL;
}

const struct f64_oracle *f64_oracle_find(const char *op)
{
    const struct f64_oracle *o;
    for (size_t i = 0; (o = f64_oracle_at(i)); i++)
        if (!strcmp(o->op, op)) return o;
    return NULL;
}

size_t f64_oracle_values(const struct f64_oracle *o, size_t n)
{
    return oracle_values(oracle_find(o->op), n);
}

bool f64_oracle_overflows(const struct oracle_row *facts)
{
    return !(facts->squares < 0x1p1023);
}
