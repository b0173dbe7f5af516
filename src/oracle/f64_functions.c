// SPDX-License-Identifier: MIT
/* Power series in double-double whose terms, from where they are below 2^-53 of the first on, are
 * computed in double. */
#include "oracle/f64_functions.h"

#include <float.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- Constants ------------------------------------------------------------------------------- */

enum { FACTORIALS = 32, ODDS = 22, NODES = 33, TERMS = 28, DOUBLE_FROM = 14 };

static struct {
    struct double_double factorial[FACTORIALS]; /* 1 / k! */
    struct double_double odd[ODDS];             /* 1 / (2 k + 1) */
    struct double_double erf[NODES][TERMS];     /* the Taylor coefficients of erf at k / 4 */
} constant;

static const struct double_double ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const struct double_double per_ln2 = {0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56};
static const struct double_double half_pi = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54};
static const struct double_double two_per_root_pi = {0x1.20dd750429b6dp0, 0x1.1ae3a914fed8p-56};

static struct double_double dd_of(double a)
{
    return (struct double_double){a, 0};
}

/* ---- Values ---------------------------------------------------------------------------------- */

struct f64_value f64_value_of(struct double_double a, int e)
{
    double size = fabs(a.hi);
    if (abs(e) < 900 && size > 0x1p-60 && size < 0x1p60) {
        double power = f64_power(e);
        if (e > -850) return (struct f64_value){a.hi * power, a.lo * power * 0x1p52};
    }
    if (!(size <= DBL_MAX)) return (struct f64_value){a.hi, a.hi};
    double hi = ldexp(a.hi, e);
    if (isinf(hi)) {
        double lo = ldexp(a.hi, e - 52) + ldexp(a.lo, e - 52);
        return (struct f64_value){hi, copysign(fmin(fabs(lo), DBL_MAX), hi)};
    }
    double left = (a.hi - ldexp(hi, -e)) + a.lo; /* what rounding to a subnormal number leaves */
    double unit = ldexp(DBL_TRUE_MIN, -e);
    if (fabs(hi) <= DBL_MIN && fabs(left) > unit / 2) { /* a.hi was a tie, which a.lo decides */
        hi += copysign(DBL_TRUE_MIN, left);
        left -= copysign(unit, left);
    }
    return (struct f64_value){hi, ldexp(left, e + 52)};
}

static struct f64_value f64_same(double y)
{
    return (struct f64_value){y, isfinite(y) ? 0 : y};
}

/* ---- exp ------------------------------------------------------------------------------------- */

/* Returns exp(r) - 1 for |r| <= 0.35: the series at r / 8, p = exp(r / 8) - 1, and three times 2 p
 * + p^2. */
static struct double_double expm1_reduced(struct double_double r)
{
    enum { LAST = 16, FIRST_DOUBLE = 9 };
    r = dd_scaled(r, 0.125);
    double tail = constant.factorial[LAST].hi;
    for (int k = LAST - 1; k >= FIRST_DOUBLE; k--)
        tail = __builtin_fma(tail, r.hi, constant.factorial[k].hi);
    struct double_double p = dd_of(tail);
    for (int k = FIRST_DOUBLE - 1; k >= 1; k--) p = dd_plus(constant.factorial[k], dd_times(p, r));
    p = dd_times(p, r);
    for (int i = 0; i < 3; i++) p = dd_plus(dd_scaled(p, 2), dd_times(p, p));
    return p;
}

/* Returns r, d = k ln 2 + r, |r| <= 0.35. ln 2 is in three parts, the first of 40 bits, so that its
 * product with k and the difference from d are exact. */
static struct double_double exp_remainder(struct double_double d, int *k)
{
    double n = nearbyint(d.hi * per_ln2.hi);
    *k = (int)n;
    struct double_double r = dd_sum(d.hi - n * 0x1.62e42fefa2p-1, d.lo);
    struct double_double second = dd_exact_product(n, -0x1.9ef35793c7673p-41);
    r = dd_plus(r, second);
    return dd_plus(r, dd_of(n * -0x1.f97b57a079a19p-103));
}

struct double_double f64_exp(struct double_double d, int *k)
{
    return dd_plus(dd_of(1), expm1_reduced(exp_remainder(d, k)));
}

static double bounded(double x)
{
    return fmax(-1100, fmin(1100, x));
}

static struct f64_value exp_value(double x)
{
    int k;
    if (isnan(x) || isinf(x)) return f64_same(x < 0 ? 0 : x);
    struct double_double m = f64_exp(dd_of(bounded(x)), &k);
    return f64_value_of(m, k);
}

static struct f64_value exp2_value(double x)
{
    if (isnan(x) || isinf(x)) return f64_same(x < 0 ? 0 : x);
    double y = fmax(-1500, fmin(1500, x)), n = nearbyint(y);
    struct double_double m = expm1_reduced(dd_times(ln2, dd_of(y - n)));
    return f64_value_of(dd_plus(dd_of(1), m), (int)n);
}

/* Below this magnitude f(x) = x (1 + c x) is x, to 2^-120. */
static bool is_tiny(double x)
{
    return fabs(x) < 0x1p-121;
}

/* Returns 2^k (1 + p) - 1 for x = k ln 2 + r, p = exp(r) - 1; |x| < 1000. */
static struct f64_wide expm1_wide(double x)
{
    int k;
    struct double_double p = expm1_reduced(exp_remainder(dd_of(x), &k));
    if (!k) return f64_wide_of(p, 0);
    struct f64_wide power = f64_wide_of(dd_plus(dd_of(1), p), k);
    return f64_wide_plus(power, (struct f64_wide){dd_of(-1), 0});
}

static struct f64_value expm1_value(double x)
{
    if (isnan(x) || isinf(x)) return f64_same(x < 0 ? -1 : x);
    if (is_tiny(x)) return f64_same(x);
    struct f64_wide y = expm1_wide(bounded(x));
    return f64_value_of(y.m, y.e);
}

/* tanh(a) = p / (2 + p), p = exp(2 a) - 1, for a = -|x|: nothing cancels. */
static struct f64_value tanh_value(double x)
{
    if (isnan(x)) return f64_same(x);
    if (is_tiny(x)) return f64_same(x);
    struct f64_wide p = expm1_wide(-2 * fmin(fabs(x), 300));
    struct double_double a = dd_scaled(p.m, f64_power(p.e));
    struct double_double y = dd_over(a, dd_plus(dd_of(2), a));
    return f64_value_of(dd_scaled(y, x < 0 ? 1 : -1), 0);
}

/* ---- log ------------------------------------------------------------------------------------- */

/* Returns 2 atanh(s) = 2 s (1 + s^2 / 3 + s^4 / 5 ..) for |s| <= 0.172. */
static struct double_double twice_atanh(struct double_double s)
{
    enum { LAST = ODDS - 1, FIRST_DOUBLE = 10 };
    struct double_double w = dd_times(s, s);
    double tail = constant.odd[LAST].hi;
    for (int k = LAST - 1; k >= FIRST_DOUBLE; k--)
        tail = __builtin_fma(tail, w.hi, constant.odd[k].hi);
    struct double_double p = dd_of(tail);
    for (int k = FIRST_DOUBLE - 1; k >= 0; k--) p = dd_plus(constant.odd[k], dd_times(p, w));
    return dd_times(dd_scaled(s, 2), p);
}

/* Returns log(m) and writes k: v = m 2^k, sqrt(1/2) <= m < sqrt(2). */
static struct double_double log_reduced(struct double_double v, int *k)
{
    *k = ilogb(v.hi);
    struct double_double m = {ldexp(v.hi, -*k), ldexp(v.lo, -*k)};
    if (m.hi > 0x1.6a09e667f3bcdp0) {
        m = dd_scaled(m, 0.5);
        ++*k;
    }
    struct double_double minus = dd_plus(m, dd_of(-1)), plus = dd_plus(m, dd_of(1));
    return twice_atanh(dd_over(minus, plus));
}

static struct double_double log_of(struct double_double v)
{
    int k;
    struct double_double y = log_reduced(v, &k);
    return k ? dd_plus(dd_times(ln2, dd_of(k)), y) : y;
}

/* Returns log(1 + a) for a > -1. */
static struct double_double log1p_of(struct double_double a)
{
    if (a.hi > -0.29 && a.hi < 0.41) return twice_atanh(dd_over(a, dd_plus(dd_of(2), a)));
    return log_of(dd_plus(dd_of(1), a));
}

struct f64_wide f64_log1p(struct f64_wide a)
{
    if (a.m.hi == 0 || a.e < -120) return a;
    return f64_wide_of(log1p_of(dd_scaled(a.m, f64_power(a.e))), 0);
}

/* Returns whether a logarithm has a value that is no number above -infinity, and writes it. `from`:
 * x + from is its argument. */
static bool log_is_special(double x, double pole, struct f64_value *y)
{
    if (x > pole && x <= DBL_MAX) return false;
    *y = f64_same(x < pole ? NAN : x == pole ? -INFINITY : x);
    return true;
}

static struct f64_value log_value(double x)
{
    struct f64_value y;
    return log_is_special(x, 0, &y) ? y : f64_value_of(log_of(dd_of(x)), 0);
}

static struct f64_value log2_value(double x)
{
    int k;
    struct f64_value y;
    if (log_is_special(x, 0, &y)) return y;
    struct double_double m = dd_times(per_ln2, log_reduced(dd_of(x), &k));
    return f64_value_of(dd_plus(dd_of(k), m), 0);
}

static struct f64_value log1p_value(double x)
{
    struct f64_value y;
    if (is_tiny(x)) return f64_same(x);
    return log_is_special(x, -1, &y) ? y : f64_value_of(log1p_of(dd_of(x)), 0);
}

/* ---- sin, cos -------------------------------------------------------------------------------- */

/* 2 / pi in binary: the bits behind the point. */
static const uint64_t two_per_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};
enum { PI_WORDS = sizeof two_per_pi / sizeof *two_per_pi };

/* Returns the 64 bits of 2 / pi from the place `at` on; the place 0 is the first one behind the
 * point, places before are zeros. */
static uint64_t pi_bits(int at)
{
    int word = at >= 0 ? at / 64 : -((63 - at) / 64), shift = at - word * 64;
    uint64_t high = word >= 0 && word < PI_WORDS ? two_per_pi[word] : 0;
    uint64_t low = word + 1 >= 0 && word + 1 < PI_WORDS ? two_per_pi[word + 1] : 0;
    return shift ? high << shift | low >> (64 - shift) : high;
}

/* Returns the number w 2^-128 for the 128 bits w. */
static struct double_double dd_of_bits(uint64_t high, uint64_t low)
{
    double first = (double)(high >> 11) * 0x1p-53;
    uint64_t rest = high << 53 | low >> 11;
    return dd_ordered_sum(first, (double)rest * 0x1p-117);
}

/* Returns r and writes the quadrant: |x| = (4 j + quadrant) pi / 2 + r, |r| <= pi / 4 (Payne and
 * Hanek). Of the product of |x| = M 2^q and 2 / pi the 256 bits from 2^1 down are computed,
 * modulo 4. r is not below 2^-64 for any double: more than 120 bits of it are left. */
static struct double_double pi_remainder(double x, int *quadrant)
{
    int q = ilogb(x) - 52;
    uint64_t mantissa = (uint64_t)ldexp(fabs(x), -q), word[4], carry = 0;
    for (int i = 3; i >= 0; i--) {
        unsigned __int128 product = (unsigned __int128)mantissa * pi_bits(q - 2 + 64 * i) + carry;
        word[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    word[0] += 1ull << 61; /* half a quadrant: rounds to the nearest one */
    *quadrant = (int)(word[0] >> 62);
    word[0] &= (1ull << 62) - 1;
    bool negative = word[0] < 1ull << 61;
    word[0] -= 1ull << 61;
    if (negative) {
        uint64_t borrow = 1;
        for (int i = 3; i >= 0; i--) {
            word[i] = ~word[i] + borrow;
            borrow = borrow && !word[i];
        }
    }
    int first = word[0] ? 0 : 1, zeros = __builtin_clzll(word[first] | 1);
    uint64_t high = word[first], low = word[first + 1], next = word[first + 2];
    if (zeros) {
        high = high << zeros | low >> (64 - zeros);
        low = low << zeros | next >> (64 - zeros);
    }
    struct double_double turns = dd_of_bits(high, low);
    turns = dd_scaled(turns, ldexp(negative ? -4 : 4, -(64 * first + zeros)));
    return dd_times(turns, half_pi);
}

/* Returns sum of (-w)^k / (2 k + odd)!, w = r^2: sin(r) / r, or cos(r), for |r| <= pi / 4. */
static struct double_double circular_series(struct double_double r, int odd)
{
    enum { LAST = 15, FIRST_DOUBLE = 9 };
    struct double_double w = dd_scaled(dd_times(r, r), -1);
    double tail = constant.factorial[2 * LAST + odd].hi;
    for (int k = LAST - 1; k >= FIRST_DOUBLE; k--)
        tail = __builtin_fma(tail, w.hi, constant.factorial[2 * k + odd].hi);
    struct double_double p = dd_of(tail);
    for (int k = FIRST_DOUBLE - 1; k >= 0; k--)
        p = dd_plus(constant.factorial[2 * k + odd], dd_times(p, w));
    return p;
}

/* Returns sin(|x| + shift pi / 2). */
static struct double_double sine_shifted(double x, int shift)
{
    int quadrant = 0;
    struct double_double r = dd_of(fabs(x));
    if (fabs(x) > 0.78) r = pi_remainder(x, &quadrant);
    quadrant += shift;
    struct double_double y = circular_series(r, !(quadrant & 1));
    if (!(quadrant & 1)) y = dd_times(y, r);
    return dd_scaled(y, quadrant & 2 ? -1 : 1);
}

static struct f64_value sin_value(double x)
{
    if (!isfinite(x)) return f64_same(NAN);
    if (is_tiny(x)) return f64_same(x);
    return f64_value_of(dd_scaled(sine_shifted(x, 0), x < 0 ? -1 : 1), 0);
}

static struct f64_value cos_value(double x)
{
    if (!isfinite(x)) return f64_same(NAN);
    if (is_tiny(x)) return f64_same(1);
    return f64_value_of(sine_shifted(x, 1), 0);
}

/* ---- erf ------------------------------------------------------------------------------------- */

/* Writes the Taylor coefficients of erf at `at`. g = erf' = 2 / sqrt(pi) exp(-x^2) has g' = -2 x g:
 * (k + 1) g_(k+1) = -2 at g_k - 2 g_(k-1). erf(at) itself is g(at) times the sum of 2^k at^(2k+1) /
 * (2k+1)!!, whose terms are positive. */
static void erf_expand(double at, struct double_double c[TERMS])
{
    int power;
    struct double_double g = f64_exp(dd_of(-at * at), &power), before = {0, 0};
    g = dd_scaled(dd_times(two_per_root_pi, g), f64_power(power));
    struct double_double term = dd_of(at), sum = {0, 0}, square = dd_of(2 * at * at);
    for (int k = 1; term.hi > sum.hi * 0x1p-115; k++) {
        sum = dd_plus(sum, term);
        term = dd_over(dd_times(term, square), dd_of(2 * k + 1));
    }
    c[0] = dd_times(g, sum);
    for (int k = 0; k + 1 < TERMS; k++) {
        c[k + 1] = dd_over(g, dd_of(k + 1));
        struct double_double next = dd_plus(dd_times(g, dd_of(-2 * at)), dd_scaled(before, -2));
        before = g;
        g = dd_over(next, dd_of(k + 1));
    }
}

static struct f64_value erf_value(double x)
{
    static const double step = 0.25;
    double size = fabs(x);
    if (isnan(x)) return f64_same(x);
    if (size >= (NODES - 1) * step) return f64_same(copysign(1, x)); /* 1 - 2^-97 */
    if (is_tiny(x)) { /* scaled, because the product would lose digits among subnormal numbers */
        struct double_double y = dd_times(two_per_root_pi, dd_of(ldexp(x, 300)));
        return x == 0 ? f64_same(x) : f64_value_of(y, -300);
    }
    int node = (int)nearbyint(size / step);
    double h = size - node * step;
    const struct double_double *c = constant.erf[node];
    double tail = c[TERMS - 1].hi;
    for (int k = TERMS - 2; k >= DOUBLE_FROM; k--) tail = __builtin_fma(tail, h, c[k].hi);
    struct double_double y = dd_of(tail);
    for (int k = DOUBLE_FROM - 1; k >= 0; k--) y = dd_plus(c[k], dd_times(y, dd_of(h)));
    return f64_value_of(dd_scaled(y, x < 0 ? -1 : 1), 0);
}

/* ---- All ------------------------------------------------------------------------------------- */

static void compute_constants(void)
{
    constant.factorial[0] = dd_of(1);
    for (int k = 1; k < FACTORIALS; k++)
        constant.factorial[k] = dd_over(constant.factorial[k - 1], dd_of(k));
    for (int k = 0; k < ODDS; k++) constant.odd[k] = dd_over(dd_of(1), dd_of(2 * k + 1));
    for (int k = 0; k < NODES; k++) erf_expand(k / 4.0, constant.erf[k]);
}

void f64_functions_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, compute_constants);
}

static const struct {
    const char *op;
    f64_function *function;
} functions[] = {{"exp", exp_value},   {"exp2", exp2_value}, {"expm1", expm1_value},
                 {"log", log_value},   {"log2", log2_value}, {"log1p", log1p_value},
                 {"tanh", tanh_value}, {"erf", erf_value},   {"sin", sin_value},
                 {"cos", cos_value}};

f64_function *f64_function_find(const char *op)
{
    f64_functions_begin();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].op, op)) return functions[i].function;
    return NULL;
}
