// SPDX-License-Identifier: MIT
/* Logarithms of sums of exponentials, for one row and for a batch: logsumexp returns them,
 * log_softmax subtracts them. They are computed in double, once per row.
 *
 *   ln(sum of e^x) = ln(total 2^(N - BIAS)) + shift - ln(kappa)
 *
 * Near zero, the exponential's error of an element that holds most of the sum would be as large as
 * the result. There the result is max + ln(sum / e^max), with the same exponential in numerator and
 * denominator. */
#ifndef LOG_H
#define LOG_H

#include "exp_rows.h"

/* ---- ln(a 2^exponent) ------------------------------------------------------------------------ */

/* Computes ln(a 2^exponent) in every lane, for a > 0 whose rounded float is normal:
 *
 *   a = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2)
 *   ln(1 + f) = 2 atanh(t) = 2 t + t^3 (2/3 + 2/5 t^2 + ..), t = f / (2 + f), |t| <= 0.172
 *
 * to 2^-40, with terms to t^15. The series advances by t^4, which halves its chain of FMAs: a
 * batch's last row waits for it. */
static const double atanh_series[] = {2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9,
                                      2.0 / 7,  2.0 / 5,  2.0 / 3};
static inline vd rows_ln(vd a, vf exponent)
{
    /* The bits of the rounded a, above those of sqrt(1/2), give k; all of a gives f. */
    vi e = vi_sar(vi_sub(v_bits(vd_to(a)), vi_set1(0x3f3504f3)), 23);
    vf down = keep(v_float(vi_shl(vi_sub(vi_set1(127), e), 23)));
    vd f = vd_fma(a, vd_of(down), vd_set1(-1.0));
    vd t = vd_div(f, vd_add(f, vd_set1(2.0))), t2 = vd_mul(t, t), t4 = vd_mul(t2, t2);
    const double *c = atanh_series;
    vd p = vd_set1(*c++);
    for (int k = 0; k < 3; k++, c += 2) p = vd_fma(p, t4, vd_fma(t2, vd_set1(c[0]), vd_set1(c[1])));
    vd log = vd_fma(vd_mul(t, t2), p, vd_mul(vd_set1(2.0), t));
    vd k = vd_of(i_add(keep(v_from_int(e)), exponent));
    return vd_fma(k, vd_set1(0x1.62e42fefa39efp-1), vd_fma(k, vd_set1(0x1.abc9e3b39803fp-56), log));
}
/* Scalar form of rows_ln(): the bits of each of its lanes. */
static inline double ln(double a, float exponent)
{
    int32_t e = (int32_t)(f_bits(f_of(a)) - 0x3f3504f3) >> 23;
    double f = d_fma(a, d_of(f_from_bits((uint32_t)(127 - e) << 23)), -1.0);
    double t = d_div(f, d_add(f, 2.0)), t2 = d_mul(t, t), t4 = d_mul(t2, t2);
    const double *c = atanh_series;
    double p = *c++;
    for (int k = 0; k < 3; k++, c += 2) p = d_fma(p, t4, d_fma(t2, c[0], c[1]));
    double log = d_fma(d_mul(t, t2), p, d_mul(2.0, t));
    double k = d_of(f_keep(f_keep((float)e) + f_keep(exponent)));
    return d_fma(k, 0x1.62e42fefa39efp-1, d_fma(k, 0x1.abc9e3b39803fp-56, log));
}

/* ---- The logarithm of a row's total ---------------------------------------------------------- */

/* Returns whether |y| < 2, where a logarithm's ulp is smaller than the error that an exponential
 * causes in it. */
static inline int near_zero(float y) { return (f_bits(y) & MAGNITUDE) < f_bits(2.0f); }
static inline int any_near_zero(vf y)
{
    vi magnitude = vi_and(v_bits(y), vi_set1(MAGNITUDE));
    return m_any(vi_lt(magnitude, vi_set1((int32_t)f_bits(2.0f))));
}

/* Returns the exponentials of the rows' maxima m as the sums of n elements hold them: for
 * LOGARITHM_TERMS those of octets, if there are octets. */
static inline vf exp_of_maxima(vf m, vf N, enum summand kind, size_t n)
{
    struct exp_scale s = exp_scale(0.0f, NULL);
    vi range_bits = vi_set1(0);
    s.magic = magic_of(N);
    return kind == LOGARITHM_TERMS && n >= OCTET ? term_vector(m, &s, &range_bits)
                                                 : exp_vector(m, kind, &s, &range_bits);
}

/* Returns the logarithm of the total of n >= 1 exponentials of `kind`; the total must not be
 * special. */
static inline double log_of_total(const struct row_total *t, enum summand kind, const float *x,
                                  size_t n)
{
    double stretch = kind == LOGARITHM_TERMS ? STRETCH : 1.0;
    double y = d_mul(d_sub(ln(t->total, f_sub(t->N, BIAS)), LN_KAPPA), stretch);
    y = d_add(d_of(t->shift), y);
    if (!near_zero(f_of(y))) return y;
    float m = row_max(x, n), power[LANES];
    v_store(power, exp_of_maxima(i_sub(i_set1(m), i_set1(t->shift)), i_set1(t->N), kind, n));
    return d_add(d_of(m), ln(d_div(t->total, d_of(power[0])), 0.0f));
}

/* ---- The logarithms of a batch --------------------------------------------------------------- */

/* A batch of up to VL rows from `first`, and once it is closed their logarithms as double-floats,
 * valid if exps.regular. */
struct log_batch {
    struct exp_batch exps;
    size_t first;
    float high[VL], low[VL];
};
ALWAYS_INLINE void open_log_batch(struct log_batch *b, const struct job *j, size_t first, size_t n,
                                  struct batch_exponents *e)
{
    b->first = first;
    b->exps.x = (const float *)row_in(j, first);
    b->exps.stride = j->x_stride;
    b->exps.n = n;
    b->exps.count = rows_from(j, first);
    open_exp_batch(&b->exps, e);
}

/* Stores y as double-floats, and returns the high parts. */
ALWAYS_INLINE vf store_double_floats(float high[VL], float low[VL], enum summand kind, vd y)
{
    vf h = vd_to(y);
    v_store(high, h);
    if (kind != LOGARITHM_TERMS)
        v_store(low, vd_to(vd_sub(y, vd_of(h)))); /* a result has no low part */
    return h;
}

/* Replaces the logarithms near zero by those by way of the maxima. On N(0, 1), a fifth of the rows
 * of seven are near zero; rows of log-probabilities always are. */
NOINLINE void replace_logs_near_zero(struct log_batch *b, enum summand kind, vd total)
{
    float greatest[VL], high[VL], low[VL] = {0};
    const float *x = b->exps.x;
    for (size_t k = 0; k < VL; k++, x += b->exps.stride)
        greatest[k] = k < b->exps.count && near_zero(b->high[k]) ? row_max(x, b->exps.n) : 0.0f;
    vf m = v_load(greatest), power = exp_of_maxima(m, b->exps.N, kind, b->exps.n);
    vd y = vd_add(vd_of(m), rows_ln(vd_div(total, vd_of(power)), i_set1(0.0f)));
    store_double_floats(high, low, kind, y);
    for (size_t k = 0; k < b->exps.count; k++)
        if (near_zero(b->high[k])) b->high[k] = high[k], b->low[k] = low[k];
}

ALWAYS_INLINE void close_log_batch(struct log_batch *b, enum summand kind,
                                   struct batch_exponents *e)
{
    vd total = close_exp_batch(&b->exps);
    vd y = vd_sub(rows_ln(total, i_sub(b->exps.N, i_set1(BIAS))), vd_set1(LN_KAPPA));
    vf high = store_double_floats(b->high, b->low, kind,
                                  kind == LOGARITHM_TERMS ? vd_mul(y, vd_set1(STRETCH)) : y);
    if (!b->exps.regular)
        e->scope = EXPONENTS_OF_BATCH;
    else if (any_near_zero(high))
        replace_logs_near_zero(b, kind, total);
}

#endif
