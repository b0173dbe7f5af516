// SPDX-License-Identifier: MIT
/* Rows of softmax, log_softmax and logsumexp, for reference.h.
 *
 *   e^x = 2^(k/8) e^r,  k = round(8 x / ln2),  r = x - k ln2/8,  |r| <= 0.0436
 *
 * The reduction subtracts from x itself, never from a rounded x - max. Exponentials are computed as
 * kappa e^x 2^scale. `scale` puts the greatest near 2^40, so that the smallest one that can still
 * round a quotient away from zero is a normal number; kappa is chosen so that the eight products
 * kappa 2^(j/8) are nearest to floats. A quotient does not depend on either; a logarithm subtracts
 * both. */
#ifndef INVARIANT_REFERENCE_EXP_H
#define INVARIANT_REFERENCE_EXP_H

#include <math.h>
#include <stdbool.h>

#include "reference_order.h"

/* ---- One exponential ------------------------------------------------------------------------- */

struct exponentials {
    float max, shift; /* the row's maximum, and what is first subtracted from x, exactly where it
                         matters (Sterbenz) */
    int scale;
    bool for_logarithm; /* the exponentials serve a logarithm that is a result: see add_term() */
    float powers[8];
};
static const float kappa_powers[8] = {
    /* kappa 2^(j/8) */
    0x1.feb052p-1, 0x1.16747cp+0, 0x1.2fa848p+0, 0x1.4b2404p+0,
    0x1.691c8ap+0, 0x1.89cb7cp+0, 0x1.ad6fb4p+0, 0x1.d44dbcp+0,
};
static const double ln_kappa = -0x1.501c2adc9f97dp-9;

/* Returns the parameters of a row whose maximum is finite. From 2^16 on multiples of ln2 / 8 are
 * not exact, and the maximum is subtracted first. */
static inline struct exponentials exponentials_of(float max, bool for_logarithm)
{
    struct exponentials s = {
        .max = max, .shift = fabsf(max) < 0x1p16f ? 0.0f : max, .for_logarithm = for_logarithm};
    s.scale = 40 - (int)lrintf((max - s.shift) * 0x1.715476p+0f);
    for (size_t j = 0; j < 8; j++) s.powers[j] = kappa_powers[j];
    return s;
}

/* Returns k: the last bit of a float near 1.5 * 2^23 is worth 1. */
static inline float nearest_step(float x) { return fmaf(x, 0x1.715476p+3f, 0x1.8p23f) - 0x1.8p23f; }
/* Return r by the high part of ln2/8, and r corrected by the low part. */
static inline float remainder_high(float x, float k) { return fmaf(k, -0x1.62e43p-4f, x); }
static inline float remainder_low(float r, float k) { return fmaf(k, 0x1.05c610p-32f, r); }
/* Returns 2^(k/8 + scale), multiplied by the factor that is in the table's entries. */
static inline float power_of(const float table[8], float k, int scale)
{
    int step = (int)k, j = step & 7;
    return ldexpf(table[j], (step - j) / 8 + scale);
}
/* Returns whether e^x is below 2^-158 of the greatest, as for -inf: it changes no sum, and its
 * quotient rounds to zero. */
static inline bool is_negligible(const struct exponentials *s, float x)
{
    return x - s->max < -110.0f;
}

/* Returns kappa e^x 2^scale, by e^r = 1 + r + r^2 (c2 + c3 r). */
static inline float exponential(const struct exponentials *s, float x)
{
    if (is_negligible(s, x)) return 0.0f;
    float shifted = x - s->shift, k = nearest_step(shifted), r = remainder_high(shifted, k);
    if (!s->for_logarithm) r = remainder_low(r, k);
    float power = power_of(s->powers, k, s->scale);
    float q = fmaf(fmaf(0x1.555b3p-3f, r, 0x1.0008aap-1f), r * r, r);
    return fmaf(power, q, power);
}

/* Terms leave out the low part of r: each is e^((1 - c) x), c = 2.75e-9, and their logarithm is
 * stretched by the same factor. Terms of an octet are not rounded before they are added: e^r = (r^3
 * + t2 r^2 + t1 r + t0) / t0, where the table contains the division. */
static const double stretch_of_terms = 1.000000002747835;
static const float term_powers[8] = {
    /* kappa 2^(j/8) / t0 */
    0x1.543366p-3, 0x1.72fdd8p-3, 0x1.9491b6p-3, 0x1.b92f92p-3,
    0x1.e11dd6p-3, 0x1.0654a6p-2, 0x1.1e12d8p-2, 0x1.37f72ap-2,
};
static inline float add_term(const struct exponentials *s, float sum, float x)
{
    if (is_negligible(s, x)) return sum;
    float shifted = x - s->shift, k = nearest_step(shifted), r = remainder_high(shifted, k);
    float cubic = fmaf(fmaf(r + 0x1.8059dap+1f, r, 0x1.804aaep+2f), r, 0x1.804aaap+2f);
    return fmaf(power_of(term_powers, k, s->scale), cubic, sum);
}

/* ---- The sum of a row's exponentials --------------------------------------------------------- */

enum { OCTET = 8 * LANES, GROUP = 2 * OCTET, BLOCK = 4096 };

/* Returns one lane's sum over `count` registers, a power of two, by a tree; terms of an octet by a
 * chain. */
static inline float sum_registers(const struct exponentials *s, const float *x, size_t count)
{
    if (count == 1) return exponential(s, *x);
    if (count == OCTET / LANES && s->for_logarithm) {
        float sum = 0.0f;
        for (size_t i = 0; i < OCTET; i += LANES) sum = add_term(s, sum, x[i]);
        return sum;
    }
    return sum_registers(s, x, count / 2) + sum_registers(s, x + count / 2 * LANES, count / 2);
}
/* Returns one lane's sum over a group, by octets. An incomplete group has an octet, a quad, a pair,
 * a register and a part of one, each if it fits. */
static inline float sum_lane(const struct exponentials *s, const float *x, size_t n, size_t lane)
{
    float sum = 0.0f;
    for (size_t count = OCTET / LANES; count; count /= 2)
        for (; n >= count * LANES; n -= count * LANES, x += count * LANES)
            sum += sum_registers(s, x + lane, count);
    return lane < n ? sum + exponential(s, x[lane]) : sum;
}
static inline double sum_block(const struct exponentials *s, const float *x, size_t n)
{
    double wide[LANES / 2] = {0.0};
    for (size_t i = 0; i < n; i += GROUP) {
        float lane[LANES];
        for (size_t l = 0; l < LANES; l++)
            lane[l] = sum_lane(s, x + i, piece_length(i, n, GROUP), l);
        add_lanes(wide, lane);
    }
    return fold_wide(wide);
}
static inline double sum_exponentials(const struct exponentials *s, const float *x, size_t n)
{
    double total = 0.0;
    for (size_t i = 0; i < n; i += BLOCK) total += sum_block(s, x + i, piece_length(i, n, BLOCK));
    return total;
}

/* ---- The logarithm of the sum ---------------------------------------------------------------- */

/* Returns ln(a 2^exponent) = (e + exponent) ln2 + 2 atanh(t), where
 *
 *   a = 2^e (1 + f),  sqrt(1/2) <= 1 + f < sqrt(2),  t = f / (2 + f) */
static inline double ln(double a, int exponent)
{
    int e;
    if (frexpf((float)a, &e) < 0x1.6a09e6p-1f) e--;
    double f = fma(a, ldexp(1.0, -e), -1.0), t = f / (f + 2.0), t2 = t * t, t4 = t2 * t2;
    double p = 2.0 / 15;
    p = fma(p, t4, fma(t2, 2.0 / 13, 2.0 / 11));
    p = fma(p, t4, fma(t2, 2.0 / 9, 2.0 / 7));
    p = fma(p, t4, fma(t2, 2.0 / 5, 2.0 / 3));
    double log = fma(t * t2, p, 2.0 * t), k = e + exponent;
    return fma(k, 0x1.62e42fefa39efp-1, fma(k, 0x1.abc9e3b39803fp-56, log));
}

/* Returns the logarithm of the row's sum. Near zero the error of the greatest exponential would be
 * as large as the result: there it is max + ln(sum / e^max), with the same exponential in numerator
 * and denominator. */
static inline double log_of_sum(const struct exponentials *s, const float *x, size_t n)
{
    double total = sum_exponentials(s, x, n), stretch = s->for_logarithm ? stretch_of_terms : 1.0;
    double y = s->shift + (ln(total, -s->scale) - ln_kappa) * stretch;
    if (fabsf((float)y) >= 2.0f) return y;
    float greatest =
        s->for_logarithm && n >= OCTET ? add_term(s, 0.0f, s->max) : exponential(s, s->max);
    return s->max + ln(total / greatest, 0);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Returns the row's maximum: NaN if it holds one, -inf if it is empty. */
static inline float maximum(const float *x, size_t n)
{
    float max = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) return NAN;
        if (x[i] > max) max = x[i];
    }
    return max;
}

static inline float logsumexp_row(const float *x, size_t n)
{
    float max = maximum(x, n);
    if (!isfinite(max)) return max;
    struct exponentials s = exponentials_of(max, true);
    return (float)log_of_sum(&s, x, n);
}

/* high + low, for a reciprocal or a logarithm: rounding it to one float would cost each result
 * another ulp. */
struct double_float {
    float high, low;
};
static inline struct double_float double_float_of(double a)
{
    float high = (float)a;
    return (struct double_float){high, (float)(a - high)};
}
static inline void fill_nan(float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = NAN;
}

static inline void log_softmax_row(const float *x, size_t n, float *y)
{
    float max = maximum(x, n);
    if (!isfinite(max)) {
        fill_nan(y, n);
        return;
    }
    struct exponentials s = exponentials_of(max, false);
    struct double_float log = double_float_of(log_of_sum(&s, x, n));
    for (size_t i = 0; i < n; i++) y[i] = (x[i] - log.high) - log.low;
}

static inline void multiply(const struct exponentials *s, const float *x, size_t n, double total,
                            float *y)
{
    struct double_float factor = double_float_of(1.0 / total);
    for (size_t i = 0; i < n; i++) {
        float e = exponential(s, x[i]);
        y[i] = fmaf(e, factor.high, e * factor.low);
    }
}
/* Rows of more than KEPT elements: with 1 / total = 2^e f, f is multiplied into the table.
 * Quotients are computed 2^96 too large, where each is normal, and then scaled down, which rounds
 * the subnormal ones. */
enum { KEPT = 1 << 21 };
static inline void recompute(struct exponentials s, const float *x, size_t n, double total,
                             float *y)
{
    int e;
    double f = 2.0 * frexp(1.0 / total, &e);
    for (size_t j = 0; j < 8; j++) s.powers[j] = (float)(kappa_powers[j] * f);
    s.scale += e - 1 + 96;
    for (size_t i = 0; i < n; i++) y[i] = exponential(&s, x[i]) * 0x1p-96f;
}
static inline void softmax_row(const float *x, size_t n, float *y)
{
    float max = maximum(x, n);
    if (!isfinite(max)) {
        fill_nan(y, n);
        return;
    }
    struct exponentials s = exponentials_of(max, false);
    double total = sum_exponentials(&s, x, n);
    if (n <= KEPT)
        multiply(&s, x, n, total, y);
    else
        recompute(s, x, n, total, y);
}

#endif
