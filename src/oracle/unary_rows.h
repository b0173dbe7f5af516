// SPDX-License-Identifier: MIT
/* The functions of unary.h, written once. Only the files that define UNARY_ROWS and the names for
 * vectors of LANES doubles include it. scripts/coefficients.sollya has the coefficients and their
 * errors. */
#include <float.h>
#include <math.h>

/* Returns exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2; exp(r) = 1 + r + r^2 q(r):
 * 2^-51. n ln2_hi is exact: 40 bits, and |n| < 2^13. Adding the magic number rounds, and leaves n
 * in the low bits. For |x| <= 200; NaN gives NaN. */
static inline vd exp_bounded(vd x)
{
    static const double c[] = {0x1.ffffffffffed2p-2,  0x1.55555555507c5p-3,  0x1.555555558910bp-5,
                               0x1.11111125b3f51p-7,  0x1.6c16c0c8249e1p-10, 0x1.a0198d5819b8p-13,
                               0x1.a01b7c6bb8991p-16, 0x1.72e91b3fe72e8p-19, 0x1.27078fe50696bp-22};
    enum { DEGREE = sizeof c / sizeof *c - 1 };
    vd magic = d_set1(0x1.8p52), shifted = d_fma(x, d_set1(0x1.71547652b82fep0), magic);
    vd n = d_sub(shifted, magic);
    vd r = d_fnma(n, d_set1(-0x1.8432a1b0e2634p-43), d_fnma(n, d_set1(0x1.62e42fefa4p-1), x));
    vd q = d_set1(c[DEGREE]);
    for (int i = DEGREE - 1; i >= 0; i--) q = d_fma(q, r, d_set1(c[i]));
    vd m = d_add(d_set1(1), d_fma(d_mul(r, r), q, r));
    return d_bits(l_add(l_bits(m), l_shl(l_bits(shifted), 52)));
}

/* Returns exp(x). Beyond +-200, far outside fp32's range, it is zero or the largest double: only
 * exp(infinity) is infinite. */
static inline vd exp_lanes(vd x)
{
    vd limit = d_set1(200), y = exp_bounded(d_max(d_set1(-200), d_min(limit, x)));
    vm high = d_lt(limit, x), low = d_lt(x, d_set1(-200));
    vd large = d_select(d_eq(x, d_set1(INFINITY)), x, d_set1(DBL_MAX));
    return d_select(high, large, d_select(low, d_set1(0), y));
}

/* Returns log(m) and writes e, x = 2^e m, m in [sqrt(1/2), sqrt 2); log(m) = 2 s + s^3 p(s^2), s =
 * (m - 1) / (m + 1): 2^-50. For positive finite x; a subnormal fp32 number is normal here. */
static inline vd log_mantissa(vd x, vd *e)
{
    static const double c[] = {0x1.55555555553b6p-1, 0x1.9999999b88e65p-2, 0x1.24924628275cdp-2,
                               0x1.c71fcf1949b6cp-3, 0x1.73827ec112ea2p-3, 0x1.546f72729c882p-3};
    enum { DEGREE = sizeof c / sizeof *c - 1, BIAS = 1024 };
    const int64_t root_half = 0x3fe6a09e667f3bcd, bias = (int64_t)BIAS << 52;
    vl k = l_shr(l_add(l_bits(x), l_set1(bias - root_half)), 52);
    *e = d_sub(d_bits(l_or(k, l_set1(0x4330000000000000))), d_set1(0x1p52 + BIAS));
    vd m = d_bits(l_sub(l_bits(x), l_shl(l_sub(k, l_set1(BIAS)), 52)));
    vd one = d_set1(1), s = d_div(d_sub(m, one), d_add(m, one)), w = d_mul(s, s);
    vd p = d_set1(c[DEGREE]);
    for (int i = DEGREE - 1; i >= 0; i--) p = d_fma(p, w, d_set1(c[i]));
    return d_fma(d_mul(w, s), p, d_add(s, s));
}

/* Returns y where x is positive and finite; otherwise -inf, NaN or x itself. */
static inline vd log_special(vd x, vd y)
{
    vd zero = d_set1(0), inf = d_set1(INFINITY);
    vm odd = m_or(m_or(d_lt(x, zero), d_eq(x, zero)), m_or(d_eq(x, inf), d_unord(x)));
    if (!m_any(odd)) return y;
    y = d_select(d_lt(x, zero), d_set1(NAN), d_select(d_eq(x, zero), d_set1(-INFINITY), y));
    return d_select(m_or(d_eq(x, inf), d_unord(x)), x, y);
}

static inline vd log_lanes(vd x)
{
    vd e, y = log_mantissa(x, &e);
    y = d_fma(e, d_set1(-0x1.8432a1b0e2634p-43), y);
    return log_special(x, d_fma(e, d_set1(0x1.62e42fefa4p-1), y));
}

static inline vd log2_lanes(vd x)
{
    vd e, y = log_mantissa(x, &e);
    return log_special(x, d_fma(y, d_set1(0x1.71547652b82fep0), e));
}

/* Returns 1 / (1 + exp(-x)), from exp(-|x|), which cannot overflow and loses nothing in the
 * tail. */
static inline vd sigmoid_lanes(vd x)
{
    vd zero = d_set1(0), one = d_set1(1), minus = d_sub(zero, x);
    vm negative = d_lt(x, zero);
    vd e = exp_lanes(d_select(negative, x, minus));
    return d_div(d_select(negative, e, one), d_add(one, e));
}

/* Applies f to a row. The elements after the last whole vector go through a buffer that is filled
 * with ones. */
static inline void map_row(const float *x, size_t n, double *y, vd (*f)(vd))
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) d_store(y + i, f(d_load(x + i)));
    if (i == n) return;
    float in[LANES];
    double out[LANES];
    for (size_t k = 0; k < LANES; k++) in[k] = i + k < n ? x[i + k] : 1;
    d_store(out, f(d_load(in)));
    memcpy(y + i, out, (n - i) * sizeof *y);
}

static void exp_row(const float *x, size_t n, double *y)
{
    map_row(x, n, y, exp_lanes);
}
static void log_row(const float *x, size_t n, double *y)
{
    map_row(x, n, y, log_lanes);
}
static void log2_row(const float *x, size_t n, double *y)
{
    map_row(x, n, y, log2_lanes);
}
static void sigmoid_row(const float *x, size_t n, double *y)
{
    map_row(x, n, y, sigmoid_lanes);
}

static void polynomial(const double c[UNARY_TERMS], double from, size_t n, double *y)
{
    static const float places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    vd k = d_add(d_load(places), d_set1(from)), step = d_set1(LANES);
    for (size_t i = 0; i < n; i += LANES, k = d_add(k, step)) {
        vd sum = d_set1(c[UNARY_TERMS - 1]);
        for (int d = UNARY_TERMS - 2; d >= 0; d--) sum = d_fma(sum, k, d_set1(c[d]));
        d_store(y + i, sum);
    }
}

static bool turn(const double c[2], const double *cosines, const double *sines, size_t n, double *y)
{
    vd cosine = d_set1(c[0]), sine = d_set1(c[1]), least = d_set1(INFINITY);
    for (size_t i = 0; i < n; i += LANES) {
        vd sum = d_fma(cosine, d_read(cosines + i), d_mul(sine, d_read(sines + i)));
        least = d_min(least, d_abs(sum));
        d_store(y + i, sum);
    }
    return m_any(d_lt(least, d_set1(UNARY_TURN_SMALL)));
}

const struct unary_rows UNARY_ROWS = {exp_row, log_row, log2_row, sigmoid_row, polynomial, turn};
